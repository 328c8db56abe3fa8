"""Ranking loss: the fraction of pairs in which a relevant document is not above another."""

from __future__ import annotations

from typing import Final

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment
from rankmark.measures.base.measure import Aliases, DependsOn, Measure
from rankmark.measures.base.parameters import cutoff, threshold
from rankmark.measures.base.tie_handling import TOGETHER
from rankmark.measures.families.tied import others_of, out_of_order, share_in_order
from rankmark.results.explanations.contributions import Contributions


class RankingLossMeasure(Measure):
    """The fraction of pairs of a relevant document and another of the first k out of order.

    Formula: 1 - AUC(ties="wrong"), which is (pairs out of order) / (R u_k); u_k counts the first k
    documents that are not relevant, and a pair is out of order if the relevant one is not above. If
    u_k is 0: 0 if a relevant document was found, else 1.
    Nothing relevant: 0.
    Ties: documents with equal scores are tied, whatever the evaluation's rule, and a tied pair is
    out of order. A tie across rank k is cut there, by that rule.
    Unjudged documents: not relevant. A relevant document that is not among the first k is below all
    of them. One that moves into them moves another document out, with its pairs, so at a cutoff a
    better ranking can have a greater loss.
    Elsewhere: scikit-learn ``label_ranking_loss``, whose rows hold every label.
    Source: Tsoumakas, Katakis and Vlahavas, Mining Multi-label Data, 2010, section 5.2.
    """

    k: int | None = cutoff()
    rel: float = threshold()

    name = "RankingLoss"
    full_name = "ranking loss"
    aliases: Aliases = {"label_ranking_loss": {}, "ranking_loss": {}}
    formula = "pairs out of order / (R u_k)"
    latex = r"\frac{\text{pairs out of order}}{R\, u_k}"
    depends_on: DependsOn = "order"
    promoting_helps = False  # from beyond k, it moves another document out, with its pairs
    more_is_better = False
    tie_handling = TOGETHER

    def score(self, a: Alignment) -> Floats:
        wanted = a.num_relevant(self.rel)
        share = share_in_order(a, a.hits(self.rel, self.k), self.k, wanted, 0.0)
        return np.where(wanted > 0, 1.0 - share, 0.0)

    def contributions(self, a: Alignment) -> Contributions:
        hit, relevant = a.hits(self.rel, self.k), a.relevant(self.rel)
        wanted, others = a.num_relevant(self.rel), others_of(a, hit, self.k)
        # Relevant documents beyond k are below all of the first k.
        above = np.where(hit, out_of_order(a, hit, self.k, 0.0), relevant * a.spread(others))
        missed = wanted - a.count(relevant)
        rest = ((wanted > 0) & (others == 0) & (a.count(hit) == 0)).astype(np.float64)
        if rest.any():
            frame = "{rest}"
        elif missed.any():
            frame = "({terms} + {missed} * {others}) / ({relevant} * {others})"
        else:
            frame = "{sum} / ({relevant} * {others})"
        return Contributions(
            above,
            divisor=wanted * others,
            missed=lambda query, label: np.where(label >= self.rel, others[query], 0.0),
            rest=rest,
            rest_is="nothing was retrieved",
            columns={"others_above": np.where(relevant, above, np.nan)},
            written="{others_above}",
            frame=frame,  # of one query
            numbers={"relevant": wanted, "others": others, "missed": missed, "rest": rest},
        )


RankingLoss: Final = RankingLossMeasure()
