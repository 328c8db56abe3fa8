"""Ranking loss: how often a relevant document does not stand above one that is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.measures.measure import Measure
from rankmark.measures.parameters import cutoff, threshold
from rankmark.measures.tied import share_in_order

if TYPE_CHECKING:
    from rankmark.alignment import Alignment, Floats


class RankingLossMeasure(Measure):
    """The share of pairs, a relevant document and another of the first k, that are out of order.

    Formula: 1 - AUC(ties="wrong"), which is w / (R N); N counts the first k documents that are not
    relevant, w the pairs in which the relevant one does not stand above. Where N is 0: 0 if
    something relevant was found, else 1.
    Nothing relevant: 0.
    Ties: documents of one score are tied, whatever the evaluation's rule, and a tied pair is out
    of order. A tie that goes beyond rank k is cut there, by that rule.
    Unjudged documents: not relevant. A relevant document that is not among the first k stands
    below all of them.
    Elsewhere: scikit-learn ``label_ranking_loss``, whose rows hold every label.
    Source: Tsoumakas, Katakis and Vlahavas, Mining Multi-label Data, 2010, section 5.2.
    """

    k: int | None = cutoff()
    rel: float = threshold()

    name = "RankingLoss"
    aliases = {"label_ranking_loss": {}, "ranking_loss": {}}
    formula = "pairs out of order / (R N)"
    sees = "order"
    more_is_better = False
    source = "Tsoumakas, Katakis and Vlahavas 2010, Mining Multi-label Data, section 5.2"

    def sees_ties(self) -> bool:
        """Say so: a tie is a tie here."""
        return True

    def score(self, a: Alignment) -> Floats:
        whole = a.num_relevant(self.rel)
        share = share_in_order(a, a.hits(self.rel, self.k), self.k, whole, 0.0)
        return np.where(whole > 0, 1.0 - share, 0.0)


RankingLoss = RankingLossMeasure()
