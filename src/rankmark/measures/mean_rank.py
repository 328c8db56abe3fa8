"""Mean rank of the relevant documents."""

from __future__ import annotations

from typing import Final

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment, ratio
from rankmark.data.alignment.tie_probabilities import is_cut
from rankmark.measures.base.measure import Aliases, DependsOn, Measure
from rankmark.measures.base.parameters import threshold
from rankmark.measures.base.tie_handling import ADDITIVE, TieHandling, expected_sum
from rankmark.results.explanations.contributions import Contributions, place_in_query


class MeanRankMeasure(Measure):
    """The mean of the ranks of the relevant documents.

    Formula: (sum of the ranks of relevant documents) / R; those that were not retrieved follow the
    n documents that were.
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: not relevant, but they keep their ranks.
    Elsewhere: "mean rank" of knowledge graph completion, where one document is relevant and all are
    ranked; there, ranks are averaged over the relevant documents of all queries.
    Source: Bordes et al., NIPS 2013, section 4.2.
    """

    rel: float = threshold()

    name = "MeanRank"
    full_name = "mean rank"
    aliases: Aliases = {"mean_rank": {}}
    formula = "(sum of the ranks of the relevant documents) / R"
    latex = r"\frac{\text{sum of the ranks of the relevant documents}}{R}"
    depends_on: DependsOn = "order"
    more_is_better = False
    bounds: tuple[float, float] = (0.0, float("inf"))

    def _expected(self, a: Alignment) -> Floats | None:
        """Add up expected ranks, unless the number missed depends on the order of cut ties."""
        return None if is_cut(a) else expected_sum(self, a)

    tie_handling: TieHandling = ADDITIVE._replace(expected=_expected)

    def score(self, a: Alignment) -> Floats:
        _, beyond = self._beyond(a)
        return ratio(a.sum(self._ranks(a)) + beyond, a.num_relevant(self.rel))

    def contributions(self, a: Alignment) -> Contributions:
        missed, beyond = self._beyond(a)
        return Contributions(
            self._ranks(a),
            divisor=a.num_relevant(self.rel),
            missed=lambda query, label: np.where(
                label >= self.rel, a.retrieved[query] + place_in_query(query), 0.0
            ),
            written="{rank}",
            frame="({terms} + {missed} * {mean}) / {divisor}"
            if missed.any()
            else "",  # of one query
            numbers={"missed": missed, "mean": ratio(beyond, missed)},
        )

    def _ranks(self, a: Alignment) -> Floats:
        return np.multiply(a.relevant(self.rel), a.rank, dtype=np.float64)

    def _beyond(self, a: Alignment) -> tuple[Floats, Floats]:
        """Count the relevant documents not retrieved, and add up their ranks: (Q,) each."""
        missed = a.num_relevant(self.rel) - a.count(a.relevant(self.rel))
        return missed, missed * (a.retrieved + (missed + 1.0) / 2.0)

    def _candidates(self, a: Alignment) -> Floats:
        """Count the documents retrieved, and the relevant ones that were not: (Q,) float64."""
        return a.retrieved + self._beyond(a)[0]


MeanRank: Final = MeanRankMeasure()
