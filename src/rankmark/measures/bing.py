"""binG: relevant documents discounted by the number of non-relevant ones above."""

from __future__ import annotations

from typing import Final

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment, ratio
from rankmark.data.alignment.tie_probabilities import is_cut
from rankmark.measures.base.measure import Aliases, DependsOn, Measure
from rankmark.measures.base.parameters import threshold
from rankmark.measures.base.tie_handling import TieHandling
from rankmark.measures.families.tied import count_above, count_to_end, tied
from rankmark.results.explanations.contributions import Contributions


class BinaryGain(Measure):
    """The mean over relevant documents of a discount by the non-relevant documents above.

    Formula: (sum of 1 / log2(2 + u_i) over the relevant ranks i) / R, where u_i = i - h_i is the
    number of documents down to rank i that are not relevant.
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: not relevant.
    Elsewhere: trec_eval ``binG``. It is G with gains of 0 and 1.
    Source: trec_eval 10.0, m_binG.c.
    """

    rel: float = threshold()

    name = "binG"
    full_name = "binary G measure"
    aliases: Aliases = {"binary_gain": {}}
    formula = "(sum of 1 / log2(2 + u_i) over the relevant ranks i) / R"
    latex = r"\frac{1}{R} \sum_{\text{relevant } i} \frac{1}{\log_2(2 + u_i)}"
    depends_on: DependsOn = "order"

    def score(self, a: Alignment) -> Floats:
        return ratio(a.sum(self._discounted(a, self._before(a))), a.num_relevant(self.rel))

    def contributions(self, a: Alignment) -> Contributions:
        before = self._before(a)
        return Contributions(
            self._discounted(a, before),
            divisor=a.num_relevant(self.rel),
            columns={"nonrelevant_above": before - ~a.relevant(self.rel)},
            written="1/log2(2 + {nonrelevant_above})",
        )

    def _before(self, a: Alignment) -> Floats:
        """Count the non-relevant documents up to each rank: (H,) float64."""
        return a.rank - a.cumsum(a.relevant(self.rel).astype(np.float64))

    def _discounted(self, a: Alignment, before: Floats) -> Floats:
        return np.where(a.relevant(self.rel), 1.0 / np.log2(2.0 + before), 0.0)

    def _expected(self, a: Alignment) -> Floats | None:
        """Average over the numbers of non-relevant documents of the tie above, equally likely."""
        if is_cut(a):
            return None
        hit = a.relevant(self.rel)
        tie = tied(a, None)
        found = count_above(a, hit, tie)
        before = (tie.first - 1.0 - found).astype(np.int64)
        level = (tie.last - tie.first + 1.0 - count_to_end(a, hit, tie) + found).astype(np.int64)
        discounts = 1.0 / np.log2(2.0 + np.arange((before + level).max(initial=0) + 1))
        total = np.append(0.0, np.cumsum(discounts))
        mean = (total[before + level + 1] - total[before]) / (level + 1.0)
        mean = np.where(level > 0, mean, discounts[before])  # the same to the last bit
        return ratio(a.sum(np.where(hit, mean, 0.0)), a.num_relevant(self.rel))

    tie_handling: TieHandling = TieHandling(_expected)


binG: Final = BinaryGain()
