"""Recall at fixed precision: the recall that can be reached at some precision."""

from __future__ import annotations

from typing import Final

import numpy as np

from rankmark.array_types import Bools, Floats
from rankmark.data.alignment import Alignment, ratio
from rankmark.measures.base.measure import Aliases, DependsOn, Measure
from rankmark.measures.base.parameters import cutoff, fraction, threshold
from rankmark.results.explanations.contributions import Contributions


class RecallAtFixedPrecision(Measure):
    """The highest recall at any rank with at least some precision.

    Formula: max of h_i / R over the ranks i <= k with h_i / i >= ``precision``; 0 if there is none.
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: not relevant.
    Elsewhere: torchmetrics ``RetrievalRecallAtFixedPrecision`` averages precision and recall at
    each rank over queries first, and then takes the maximum, so it is the same for one query only,
    and its name is refused. IPrec is the counterpart, precision at fixed recall.
    Source: torchmetrics 1.9.0, retrieval/precision_recall_curve.py.
    """

    k: int | None = cutoff()
    precision: float = fraction("the precision to keep", 0.5)
    rel: float = threshold()

    name = "RecallAtPrecision"
    full_name = "recall at a fixed precision"
    aliases: Aliases = {"recall_at_fixed_precision": {}}
    formula = "max of h_i / R over the ranks i <= k with h_i / i >= precision"
    latex = r"\max_{i \le k \,:\, h_i / i \ge \mathrm{precision}} \frac{h_i}{R}"
    depends_on: DependsOn = "order"
    grows_with_k = True

    def score(self, a: Alignment) -> Floats:
        return ratio(a.count(self._counted(a)), a.num_relevant(self.rel))

    def contributions(self, a: Alignment) -> Contributions:
        found = a.cumsum(a.hits(self.rel, self.k).astype(np.float64))
        return Contributions(
            self._counted(a).astype(np.float64),
            divisor=a.num_relevant(self.rel),
            columns={"precision": found / a.rank},
        )

    def _counted(self, a: Alignment) -> Bools:
        """Return which relevant documents are at or above the last rank that is precise enough."""
        hit = a.hits(self.rel, self.k)
        found = a.cumsum(hit.astype(np.float64))
        precise = hit & (found / a.rank >= self.precision)
        last = np.zeros(len(a.retrieved))
        query = np.repeat(np.arange(len(last)), np.diff(a.starts))
        np.maximum.at(last, query[precise], a.rank[precise])
        return hit & (a.rank <= a.spread(last))


RecallAtPrecision: Final = RecallAtFixedPrecision()
