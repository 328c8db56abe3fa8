"""Adjusted mean rank: the mean rank over what chance would give."""

from __future__ import annotations

from typing import Final

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment, ratio
from rankmark.measures.base.measure import Aliases
from rankmark.measures.mean_rank import MeanRankMeasure
from rankmark.results.explanations.contributions import Contributions, place_in_query


class AdjustedMeanRank(MeanRankMeasure):
    """The mean rank of the relevant documents over the mean rank of a random order.

    Formula: MeanRank / ((c + 1) / 2), where c is the number of candidates: the n documents
    retrieved, and the relevant ones that were not.
    Nothing relevant: 0.
    Ties: by the evaluation's rule; ``midrank`` is the "realistic" rank of PyKEEN.
    Unjudged documents: not relevant, but they keep their ranks.
    Elsewhere: PyKEEN ``adjusted_arithmetic_mean_rank``, the sum of all ranks over the sum of the
    expected ones. That is the mean here if all queries have as many candidates; otherwise, it is
    the mean weighted by c + 1.
    Source: Berrendorf, Faerman, Vermue and Tresp, On the Ambiguity of Rank-Based Evaluation of
    Entity Alignment or Link Prediction Methods, 2020, section 3.
    """

    name = "AMR"
    full_name = "adjusted mean rank"
    aliases: Aliases = {"adjusted_arithmetic_mean_rank": {}, "adjusted_mean_rank": {}}
    formula = "mean rank of the relevant documents / ((c + 1) / 2)"
    latex = r"\frac{\text{mean rank of the relevant documents}}{(c + 1) / 2}"
    bounds: tuple[float, float] = (0.0, 2.0)

    def score(self, a: Alignment) -> Floats:
        _, beyond = self._beyond(a)
        return ratio(2.0 * (a.sum(self._ranks(a)) + beyond), self._divisor(a))

    def contributions(self, a: Alignment) -> Contributions:
        missed, beyond = self._beyond(a)
        return Contributions(
            2.0 * self._ranks(a),
            divisor=self._divisor(a),
            missed=lambda query, label: np.where(
                label >= self.rel, 2.0 * (a.retrieved[query] + place_in_query(query)), 0.0
            ),
            written="2 * {rank}",
            frame="({terms} + 2 * {missed} * {mean}) / {divisor}"
            if missed.any()
            else "",  # of one query
            numbers={"missed": missed, "mean": ratio(beyond, missed)},
        )

    def _divisor(self, a: Alignment) -> Floats:
        return a.num_relevant(self.rel) * (self._candidates(a) + 1.0)


AMR: Final = AdjustedMeanRank()
