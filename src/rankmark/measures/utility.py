"""Utility: a weighted sum of the documents retrieved and missed."""

from __future__ import annotations

from typing import Final

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment
from rankmark.errors import MeasureError
from rankmark.measures.base.measure import Aliases, DependsOn, Measure
from rankmark.measures.base.parameters import number, size, threshold
from rankmark.measures.base.tie_handling import ADDITIVE, TieHandling
from rankmark.results.explanations.contributions import Contributions


class SetUtility(Measure):
    """The weighted sum of the numbers of documents of four kinds.

    Formula: hit * h_n + noise * u_n + miss * (R - h_n) + rest * (collection - u_n - R), of h_n
    relevant documents retrieved, u_n others retrieved, R - h_n relevant ones not retrieved, and all
    the others in a collection of ``collection`` documents.
    Nothing relevant: no special case.
    Ties: do not matter.
    Unjudged documents: not relevant.
    Elsewhere: trec_eval ``utility``, whose parameters are the weights in this order (1, -1, 0, 0),
    and whose ``-N`` is the collection; without ``-N`` it takes a collection of 0 documents, where
    ``rest`` is refused here.
    Source: Hull, TREC-7 Filtering Track, 1998; trec_eval 10.0, m_utility.c.
    """

    rel: float = threshold()
    hit: float = number("the weight of a relevant document retrieved", 1.0)
    noise: float = number("the weight of a document retrieved that is not relevant", -1.0)
    miss: float = number("the weight of a relevant document not retrieved", 0.0)
    rest: float = number("the weight of any other document of the collection", 0.0)
    collection: int | None = size("the number of documents in the collection")

    name = "Utility"
    full_name = "set utility"
    aliases: Aliases = {"set_utility": {}}
    formula = "hit * h_n + noise * u_n + miss * (R - h_n) + rest * (collection - u_n - R)"
    latex = (
        r"\mathrm{hit} \cdot h_n + \mathrm{noise} \cdot u_n + \mathrm{miss} \cdot (R - h_n) + "
        r"\mathrm{rest} \cdot (\mathrm{collection} - u_n - R)"
    )
    depends_on: DependsOn = "documents"
    bounds: tuple[float, float] = (float("-inf"), float("inf"))
    nothing_relevant: float | None = None

    @property
    def tie_handling(self) -> TieHandling:
        """Add up documents; with some weights, relevant ones are better missed."""
        return ADDITIVE._replace(sorted_is_best=self.hit - self.noise - self.miss + self.rest >= 0)

    def score(self, a: Alignment) -> Floats:
        found, noise, missed = self._kinds(a)
        utility: Floats = self.hit * found + self.noise * noise + self.miss * missed
        return utility if self.rest == 0 else utility + self.rest * self._left(a)

    def contributions(self, a: Alignment) -> Contributions:
        found, noise, missed = self._kinds(a)
        numbers = {"found": found, "noise": noise, "missed": missed}
        weights = {"found": self.hit, "noise": self.noise, "missed": self.miss}
        rest = None
        if self.rest != 0:
            numbers["left"], weights["left"] = self._left(a), self.rest
            rest = self.rest * numbers["left"]
        written = [f"{weight:g} * {{{kind}}}" for kind, weight in weights.items() if weight]
        return Contributions(
            np.where(a.relevant(self.rel), self.hit, self.noise),
            unjudged=lambda query, rank: np.full(len(rank), self.noise),  # noqa: ARG005
            missed=lambda query, label: np.where(label >= self.rel, self.miss, 0.0),  # noqa: ARG005
            rest=rest,
            rest_is="the others in the collection",
            frame=" + ".join(written).replace("+ -", "- ") or "0",
            numbers=numbers,
        )

    def _kinds(self, a: Alignment) -> tuple[Floats, Floats, Floats]:
        """Count the relevant documents found, the others retrieved, and those missed: (Q,) each."""
        found = a.found(self.rel, None)
        return found, a.retrieved - found, a.num_relevant(self.rel) - found

    def _left(self, a: Alignment) -> Floats:
        """Count the documents neither retrieved nor relevant: (Q,) float64."""
        found, noise, missed = self._kinds(a)
        if self.collection is None:
            raise MeasureError(
                "rest is the weight of documents neither retrieved nor relevant",
                "give collection, the number of all documents",
                where=str(self),
            )
        left: Floats = self.collection - found - noise - missed
        if np.any(left < 0):
            most = self.collection - left.min()
            raise MeasureError(
                f"in some query {most:.0f} documents are retrieved or relevant",
                "the collection must have at least as many",
                where=str(self),
            )
        return left


Utility: Final = SetUtility()
