"""Adjusted mean rank index: 1 for the first rank, 0 for chance, -1 for the last rank."""

from __future__ import annotations

from typing import Final

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment, ratio
from rankmark.measures.base.measure import Aliases
from rankmark.measures.mean_rank import MeanRankMeasure
from rankmark.results.explanations.contributions import Contributions, place_in_query


class AdjustedMeanRankIndex(MeanRankMeasure):
    """How far the mean rank of the relevant documents is from chance: 1 first, 0 chance, -1 last.

    Formula: 1 - (MeanRank - 1) / ((c - 1) / 2), where c is the number of candidates: the n
    documents retrieved, and the relevant ones that were not. 0 if there is only one.
    Nothing relevant: 0.
    Ties: by the evaluation's rule; ``midrank`` is the "realistic" rank of PyKEEN.
    Unjudged documents: not relevant, but they keep their ranks.
    Elsewhere: PyKEEN ``adjusted_arithmetic_mean_rank_index``, from the sums over all queries. That
    is the mean here if all queries have as many candidates; otherwise, it is the mean weighted by
    c - 1.
    Source: Berrendorf, Faerman, Vermue and Tresp, On the Ambiguity of Rank-Based Evaluation of
    Entity Alignment or Link Prediction Methods, 2020, section 3.
    """

    name = "AMRI"
    full_name = "adjusted mean rank index"
    aliases: Aliases = {
        "adjusted_arithmetic_mean_rank_index": {},
        "adjusted_mean_rank_index": {},
    }
    formula = "1 - (mean rank of the relevant documents - 1) / ((c - 1) / 2)"
    latex = r"1 - \frac{\text{mean rank of the relevant documents} - 1}{(c - 1) / 2}"
    more_is_better = True
    bounds: tuple[float, float] = (-1.0, 1.0)
    reaches_bound = False

    def score(self, a: Alignment) -> Floats:
        missed, beyond = self._beyond(a)
        ends = self._ends(a)
        found = a.sum(np.where(a.relevant(self.rel), a.spread(ends) - 2.0 * a.rank, 0.0))
        return ratio(found + (missed * ends - 2.0 * beyond), self._divisor(a))

    def contributions(self, a: Alignment) -> Contributions:
        missed, beyond = self._beyond(a)
        ends = self._ends(a)
        return Contributions(
            np.where(a.relevant(self.rel), a.spread(ends) - 2.0 * a.rank, 0.0),
            divisor=self._divisor(a),
            missed=lambda query, label: np.where(
                label >= self.rel,
                ends[query] - 2.0 * (a.retrieved[query] + place_in_query(query)),
                0.0,
            ),
            written="({ends} - 2 * {rank})",
            frame="({terms} + {missed} * ({ends} - 2 * {mean})) / {divisor}"
            if missed.any()
            else "",  # of one query
            numbers={"ends": ends, "missed": missed, "mean": ratio(beyond, missed)},
        )

    def _ends(self, a: Alignment) -> Floats:
        """Return the sum of the first and the last rank of the candidates: (Q,) float64."""
        return self._candidates(a) + 1.0

    def _divisor(self, a: Alignment) -> Floats:
        return a.num_relevant(self.rel) * (self._candidates(a) - 1.0)


AMRI: Final = AdjustedMeanRankIndex()
