"""Runs aligned with judgments, the form that every measure reads.

``aligned_run`` has the Alignment, and the sums over a query that formulas need. Beside it lie tied
documents in any order (``tie_probabilities``, ``tie_permutations``), what a few measures need
besides labels (``views``), and rankings without judgments (``ranking_pairs``, ``united_lists``).
"""

from rankmark.data.alignment.aligned_run import LAST_RANK as LAST_RANK
from rankmark.data.alignment.aligned_run import Alignment as Alignment
from rankmark.data.alignment.aligned_run import Needs as Needs
from rankmark.data.alignment.aligned_run import earlier_lower as earlier_lower
from rankmark.data.alignment.aligned_run import ratio as ratio
from rankmark.data.alignment.aligned_run import segment_cumsum as segment_cumsum
from rankmark.data.alignment.aligned_run import segment_sum as segment_sum
from rankmark.data.alignment.segments import gathered as gathered
from rankmark.data.alignment.segments import positions as positions
from rankmark.data.alignment.segments import query_of_rows as query_of_rows
