"""Fall-out: the fraction of the non-relevant documents that were retrieved."""

from __future__ import annotations

from typing import Final

import numpy as np

from rankmark.array_types import Bools, Floats
from rankmark.data.alignment import Alignment, Needs, ratio
from rankmark.data.alignment.tie_probabilities import is_cut, places
from rankmark.measures.base.measure import Aliases, DependsOn, Measure
from rankmark.measures.base.parameters import choice, cutoff, threshold
from rankmark.measures.base.tie_handling import ADDITIVE, TieHandling
from rankmark.results.explanations.contributions import Contributions


class FallOutMeasure(Measure):
    """The fraction of the non-relevant documents that are among the first k.

    Formula: u_k / u_n, u_i being the number of non-relevant documents among the first i; with
    ``norm="judged"`` only those judged not relevant count, and the divisor is their number N,
    retrieved or not. If there are none: 0.
    Nothing relevant: no special case.
    Ties: matter only across rank k.
    Unjudged documents: not relevant; ignored with norm="judged".
    Elsewhere: torchmetrics ``RetrievalFallOut`` is "retrieved", for a row with all documents, but 1
    if all of them are relevant, so its name is refused. Over a whole collection, the divisor is
    nearly its size, which judgments do not contain.
    Source: van Rijsbergen, Information Retrieval, 1979, chapter 7.
    """

    k: int | None = cutoff()
    rel: float = threshold()
    norm: str = choice("which documents count", "retrieved", "judged")

    name = "FallOut"
    full_name = "fall-out"
    aliases: Aliases = {"fall_out": {}}
    formula = "u_k / u_n"
    latex = r"\frac{u_k}{u_n}"
    depends_on: DependsOn = "documents"
    more_is_better = False
    nothing_relevant: float | None = None
    grows_with_k = True

    @property
    def tie_handling(self) -> TieHandling:
        """Add up documents; with "retrieved", the divisor depends on the order of cut ties."""
        if self.norm == "judged":
            return ADDITIVE
        return ADDITIVE._replace(expected=_expected, sorted_is_best=False)

    def needs(self) -> Needs:
        """Use all labels to rank k, or relevant documents at all ranks."""
        return Needs(deepest=self.k) if self.norm == "judged" else Needs(lowest=self.rel)

    def score(self, a: Alignment) -> Floats:
        return ratio(self.false_positives(a), self.negatives(a))

    def contributions(self, a: Alignment) -> Contributions:
        judged = Contributions(self._nonrelevant(a).astype(np.float64), divisor=self.negatives(a))
        if self.norm == "judged":
            return judged
        cutoff = a.cutoff(self.k)
        return judged._replace(
            unjudged=lambda query, rank: (rank <= cutoff[query]).astype(np.float64),
            frame="{first} / {divisor}",
            numbers={"first": self.false_positives(a)},
        )

    def false_positives(self, a: Alignment) -> Floats:
        """Count the non-relevant documents among the first k: (Q,) float64."""
        if self.norm == "judged":
            return a.count(self._nonrelevant(a))
        return np.minimum(a.retrieved, a.cutoff(self.k)) - a.found(self.rel, self.k)

    def negatives(self, a: Alignment) -> Floats:
        """Count the non-relevant documents, the divisor: (Q,) float64."""
        if self.norm == "judged":
            return np.diff(a.ideal_starts) - a.num_relevant(self.rel)
        return a.retrieved - a.found(self.rel, None)

    def _nonrelevant(self, a: Alignment) -> Bools:
        """Return which judged documents among the first k are not relevant: (H,) bool."""
        return ~a.relevant(self.rel) & a.within(self.k)


def _expected(measure: FallOutMeasure, a: Alignment) -> Floats | None:
    """Count the expected relevant documents, unless the divisor depends on cut ties."""
    if is_cut(a):
        return None
    found = places(a, measure.k).found(measure.rel, measure.k)
    # The number not relevant is a whole number, which a sum of probabilities may miss.
    return ratio(np.minimum(a.retrieved, a.cutoff(measure.k)) - found, measure.negatives(a))


FallOut: Final = FallOutMeasure()
