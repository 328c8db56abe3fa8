"""Hole: the fraction of the retrieved documents that are judged for no query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rankmark.data.alignment import Needs, ratio
from rankmark.measures.base.measure import Aliases, DependsOn, Measure
from rankmark.measures.base.parameters import cutoff
from rankmark.measures.base.tie_handling import ADDITIVE
from rankmark.results.explanations.contributions import Contributions

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.alignment import Alignment


class HoleShare(Measure):
    """The fraction of the first k documents that are judged for no query at all.

    Formula: (documents among the first k that are judged for no query) / k; a shorter ranking is
    padded with judged ones. An empty ranking: 0.
    Nothing relevant: no special case.
    Ties: matter only across rank k.
    Unjudged documents: what it measures, unless they are judged for another query. Labels below 0
    count as judged.
    Elsewhere: BEIR's and MTEB's ``Hole@k``; BEIR averages over all judged queries, as here, and
    MTEB over those in the run. Unjudged is the fraction not judged for their query.
    Source: Thakur et al., BEIR, NeurIPS 2021; BEIR 2.2.0, retrieval/custom_metrics.py.
    """

    k: int | None = cutoff()

    name = "Hole"
    full_name = "share of documents judged for no query"
    aliases: Aliases = {}
    formula = "(documents judged for no query among the first k) / k"
    latex = r"\frac{\text{documents judged for no query among the first } k}{k}"
    depends_on: DependsOn = "anywhere"
    nothing_relevant: float | None = None
    promoting_helps = False
    tie_handling = ADDITIVE
    more_is_better = False

    def needs(self) -> Needs:
        """Use only documents that were retrieved."""
        return Needs(deepest=self.k, ideal=1)

    def score(self, a: Alignment) -> Floats:
        return ratio(self._holes(a), a.cutoff(self.k))

    def contributions(self, a: Alignment) -> Contributions:
        cutoff = a.cutoff(self.k)
        return Contributions(
            np.zeros(len(a.rank)),
            divisor=cutoff,
            unjudged=lambda query, rank: (rank <= cutoff[query]).astype(np.float64),
            frame="{holes} / {divisor}",
            numbers={"holes": self._holes(a)},
        )

    def _holes(self, a: Alignment) -> Floats:
        """Count the unjudged documents; evaluations judge each for all queries, or for none."""
        return np.minimum(a.retrieved, a.cutoff(self.k)) - a.count(a.within(self.k))


Hole: Final = HoleShare()
