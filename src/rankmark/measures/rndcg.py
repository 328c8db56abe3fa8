"""Rndcg: the mean of nDCG at the ranks where an ideal ranking changes to a lower gain."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rankmark.array_types import Bools, Floats, Ints
from rankmark.data.alignment import Alignment, positions, query_of_rows, ratio
from rankmark.measures.base.measure import Aliases, DependsOn
from rankmark.measures.base.parameters import discount
from rankmark.measures.base.tie_handling import ADDITIVE
from rankmark.measures.families.gains import Graded, discounts_of
from rankmark.results.explanations.contributions import Contributions


class NormalizedDiscountedCumulativeGainAtLevels(Graded):
    """The mean of nDCG at the last rank of each gain in an ideal ranking, and at the end.

    Formula: the mean of nDCG_i over the ranks i at which an ideal ranking has the last document of
    each gain above 0, and over n if n is greater than all of these. ``gain`` and ``discount`` as in
    DCG.
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: gain 0, as for labels below 0.
    Elsewhere: trec_eval and pytrec_eval ``Rndcg``, which leave n out if it is one more than the
    number of documents with a gain, and give 0 if no label reaches the level of ``-l``.
    Source: trec_eval 10.0, m_Rndcg.c.
    """

    discount: Any = discount()

    name = "Rndcg"
    full_name = "normalised discounted cumulative gain at relevance levels"
    aliases: Aliases = {"R-nDCG": {}}
    formula = "mean of nDCG_i over the last rank i of each g_i > 0 in an ideal ranking, and over n"
    latex = (
        r"\text{mean of } \mathrm{nDCG}_i \text{ over the last rank } i \text{ of each } g_i > "
        r"0 \text{ in an ideal ranking, and over } n"
    )
    depends_on: DependsOn = "grades"
    tie_handling = ADDITIVE

    def score(self, a: Alignment) -> Floats:
        earned = self.gains(a.label) / discounts_of(self, a.rank)
        gains = self.ideal_gains(a)
        ideal = gains / discounts_of(self, positions(a.ideal_starts))
        at, beyond, points = self._levels(a, gains)
        query, rank = a.ideal_query()[at], a.ideal_rank()[at]
        levels = ratio(a.upto(earned, query, rank), a.ideal_upto(ideal, query, rank))
        total = np.zeros(len(a.retrieved))
        np.add.at(total, query, levels)
        total += np.where(beyond, ratio(a.sum(earned), a.ideal_sum(ideal)), 0.0)
        return ratio(total, points)

    def contributions(self, a: Alignment) -> Contributions:
        gains, ideal_gains = self.gains(a.label), self.ideal_gains(a)
        ideal = ideal_gains / discounts_of(self, positions(a.ideal_starts))
        at, beyond, points = self._levels(a, ideal_gains)
        # A document is part of DCG at each level that ends at its rank or below.
        parts = np.zeros(len(ideal))
        parts[at] = 1.0 / a.ideal_upto(ideal, a.ideal_query()[at], a.ideal_rank()[at])
        last = np.where(beyond, ratio(np.ones(len(beyond)), a.ideal_sum(ideal)), 0.0)
        above = a.ideal_upto(parts, query_of_rows(a.starts), a.rank.astype(np.int64) - 1)
        cost = "log2({next})" if self.discount == "log2" else "{discount}"
        weight = a.spread(a.ideal_sum(parts) + last) - above
        return Contributions(
            gains / discounts_of(self, a.rank) * weight,
            divisor=points,
            columns={
                "gain": gains,
                "discount": discounts_of(self, a.rank),
                "per_IDCG": weight,
            },
            written=f"{{gain}}/{cost} * {{per_IDCG}}",
        )

    def _levels(self, a: Alignment, gains: Floats) -> tuple[Ints, Bools, Floats]:
        """Return the ideal rows that end a gain, which queries count n, and how many ranks count.

        ``gains`` are those of the ideal rows. (m,) int64, (Q,) bool and (Q,) float64.
        """
        following = np.append(gains[1:], 0.0)
        ends = a.ideal_starts[1:]
        following[ends[ends > 0] - 1] = 0.0
        at = np.flatnonzero((gains > 0) & (gains != following))
        gained = np.bincount(a.ideal_query()[gains > 0], minlength=len(a.retrieved))
        beyond = (a.retrieved > gained) & (gained > 0)
        points = beyond.astype(np.float64)
        np.add.at(points, a.ideal_query()[at], 1.0)
        return at, beyond, points


Rndcg: Final = NormalizedDiscountedCumulativeGainAtLevels()
