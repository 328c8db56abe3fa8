"""Fall-out: how much of what is not relevant was retrieved."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankmark.alignment.alignment import Needs, ratio
from rankmark.alignment.tie_probabilities import is_cut, places
from rankmark.explanations.contributions import Contributions
from rankmark.measures.base.measure import Measure
from rankmark.measures.base.parameters import choice, cutoff, threshold
from rankmark.measures.base.tie_handling import ADDITIVE, TieHandling

if TYPE_CHECKING:
    from rankmark.alignment.alignment import Alignment
    from rankmark.array_types import Bools, Floats


class FallOutMeasure(Measure):
    """The share of the documents that are not relevant which stand among the first k.

    Formula: (documents that are not relevant among the first k) / N; with ``norm="retrieved"`` N
    counts those of the whole ranking, with "judged" only documents judged not relevant count,
    above, and below whether retrieved or not. Where N is 0: 0.
    Nothing relevant: no special case.
    Ties: seen only where they straddle rank k.
    Unjudged documents: not relevant; not seen with norm="judged".
    Elsewhere: torchmetrics ``RetrievalFallOut`` is "retrieved", for a row that holds all documents
    there are, but 1 where all of them are relevant, so that its name is refused. Over a collection
    N is nearly its size, which judgments do not tell.
    Source: van Rijsbergen, Information Retrieval, 1979, chapter 7.
    """

    k: int | None = cutoff()
    rel: float = threshold()
    norm: str = choice("which documents there are", "retrieved", "judged")

    name = "FallOut"
    aliases = {"fall_out": {}}
    formula = "not relevant among the first k / N"
    depends_on = "documents"
    more_is_better = False
    nothing_relevant = None
    grows_with_k = True

    @property
    def tie_handling(self) -> TieHandling:
        """Add up documents; with "retrieved", a depth that cuts ties decides what is in N."""
        if self.norm == "judged":
            return ADDITIVE
        return replace(ADDITIVE, expected=_expected, sorted_is_best=False)

    def needs(self) -> Needs:
        """Look at all labels to rank k, or at relevant documents at all ranks."""
        return Needs(deepest=self.k) if self.norm == "judged" else Needs(lowest=self.rel)

    def score(self, a: Alignment) -> Floats:
        return ratio(self.false_positives(a), self.negatives(a))

    def contributions(self, a: Alignment) -> Contributions:
        judged = Contributions(self._nonrelevant(a).astype(np.float64), over=self.negatives(a))
        if self.norm == "judged":
            return judged
        cutoff = a.cutoff(self.k)
        return replace(
            judged,
            unjudged=lambda query, rank: (rank <= cutoff[query]).astype(np.float64),
            frame="{first} / {over}",
            numbers={"first": self.false_positives(a)},
        )

    def false_positives(self, a: Alignment) -> Floats:
        """Count what is not relevant among the first k: (Q,) float64."""
        if self.norm == "judged":
            return a.count(self._nonrelevant(a))
        return np.minimum(a.retrieved, a.cutoff(self.k)) - a.found(self.rel, self.k)

    def negatives(self, a: Alignment) -> Floats:
        """Count what is not relevant, N: (Q,) float64."""
        if self.norm == "judged":
            return np.diff(a.ideal_starts) - a.num_relevant(self.rel)
        return a.retrieved - a.found(self.rel, None)

    def _nonrelevant(self, a: Alignment) -> Bools:
        """Say which judged documents are not relevant and stand among the first k: (H,) bool."""
        nonrelevant: Bools = ~a.relevant(self.rel) & a.within(self.k)
        return nonrelevant


def _expected(measure: FallOutMeasure, a: Alignment) -> Floats | None:
    """Count the relevant documents expected, unless ties across a depth decide what is in N."""
    if is_cut(a):
        return None
    found = places(a, measure.k).found(measure.rel, measure.k)
    # How many are not relevant is a whole number, which a sum of chances may miss.
    return ratio(np.minimum(a.retrieved, a.cutoff(measure.k)) - found, measure.negatives(a))


FallOut = FallOutMeasure()
