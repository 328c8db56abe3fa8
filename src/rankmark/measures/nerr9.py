"""NERR9: nearly ERR, for a user who also tires with depth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.measures.base.measure import Aliases
from rankmark.measures.families.cwl import UserModel

if TYPE_CHECKING:
    from rankmark.array_types import Floats


class NearlyErrTired(UserModel):
    """The expected gain per rank of a user who stops, satisfied with probability g_i or tired.

    Formula: (sum of V_i g_i) / (sum of V_i) over ranks i <= k, with V_i = (1 / i) (1 - g_1) ... (1
    - g_(i-1)), which is a probability of (1 - g_i) i / (i + 1) to continue from rank i < k.
    Gains are 1 from label ``rel`` up, or with ``max_rel`` (label - min_rel) / (max_rel - min_rel).
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: gain 0, as for ranks beyond the end of the ranking.
    Elsewhere: cwl_eval ``NERR-EQ9@k``, ir_measures ``NERR9@k``, which refuses to be without a
    cutoff.
    Source: Azzopardi, Mackenzie and Moffat, ICTIR 2021, equation 9.
    """

    name = "NERR9"
    full_name = "nearly expected reciprocal rank, discounted by 1 / rank"
    aliases: Aliases = {"NERReq9": {}}
    formula = (
        "(sum of V_i g_i) / (sum of V_i) over the ranks i <= k, with V_i = (1 / i) (1 - g_1) "
        "... (1 - g_(i-1))"
    )
    latex = (
        r"\frac{\sum_{i \le k} V_i\, g_i}{\sum_{i \le k} V_i}, \quad V_i = \frac{1}{i}\, (1 - "
        r"g_1) \cdots (1 - g_{i - 1})"
    )
    gain_stops = True

    def reach(self, rank: Floats) -> Floats:
        return 1.0 / rank


NERR9 = NearlyErrTired()
