"""Mean rank: where the relevant documents stand, on average."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.alignment import ratio
from rankmark.chances import is_cut
from rankmark.measures.measure import Measure
from rankmark.measures.parameters import threshold

if TYPE_CHECKING:
    from rankmark.alignment import Alignment, Floats


class MeanRankMeasure(Measure):
    """The mean of the ranks of the relevant documents.

    Formula: (sum of the ranks of relevant documents) / R; the m of them that were not retrieved
    stand at the ranks n + 1 to n + m.
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: not relevant, but they hold their ranks.
    Elsewhere: "mean rank" of knowledge graph completion, where one document is relevant and all are
    ranked; there the ranks of all queries' relevant documents make one mean.
    Source: Bordes et al., NIPS 2013, section 4.2.
    """

    rel: float = threshold()

    name = "MeanRank"
    aliases = {"mean_rank": {}}
    formula = "(sum of the ranks of relevant documents) / R"
    sees = "order"
    more_is_better = False
    bounds = (0.0, float("inf"))
    adds_up = True
    source = "Bordes et al. 2013, NIPS, section 4.2"

    def expected(self, a: Alignment) -> Floats | None:
        """Give it exactly, unless ties across a depth decide how many are missed."""
        return None if is_cut(a) else super().expected(a)

    def score(self, a: Alignment) -> Floats:
        hit = a.relevant(self.rel)
        relevant = a.num_relevant(self.rel)
        missed = relevant - a.count(hit)
        beyond = missed * (a.retrieved + (missed + 1.0) / 2.0)
        return ratio(a.sum(hit * a.rank.astype("float64")) + beyond, relevant)


MeanRank = MeanRankMeasure()
