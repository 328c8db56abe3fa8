"""Fall-out: how much of what is not relevant was retrieved."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankmark.alignment.alignment import ratio
from rankmark.alignment.tie_probabilities import is_cut, places
from rankmark.explanations.contributions import Contributions
from rankmark.measures.base.measure import Measure
from rankmark.measures.base.parameters import choice, cutoff, threshold

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
    adds_up = True
    source = "van Rijsbergen 1979, Information Retrieval, chapter 7"

    def lowest_label(self) -> float:
        """Give the lowest label that the formula looks at: any where the judged ones count."""
        return float("-inf") if self.norm == "judged" else self.rel

    def deepest_rank(self) -> int | None:
        """Look at every rank where the whole ranking counts."""
        return self.k if self.norm == "judged" else None

    def expected(self, a: Alignment) -> Floats | None:
        """Give it exactly, unless ties across a depth decide how many are not relevant."""
        if self.norm == "judged":
            return super().expected(a)
        if is_cut(a):
            return None
        found = places(a, self.k).found(self.rel, self.k)
        # How many are not relevant is a whole number, which a sum of chances may miss.
        return self._share(a, found)

    def sorted_is_best(self) -> bool:
        """Say no where what a depth leaves is what the first k are a share of."""
        return self.norm == "judged"

    def score(self, a: Alignment) -> Floats:
        if self.norm == "judged":
            return ratio(a.count(self._noise(a)), self._whole(a))
        return self._share(a, a.found(self.rel, self.k))

    def contributions(self, a: Alignment) -> Contributions:
        told = Contributions(self._noise(a).astype(np.float64), over=self._whole(a))
        if self.norm == "judged":
            return told
        cutoff = a.cutoff(self.k)
        return replace(
            told,
            unjudged=lambda query, rank: (rank <= cutoff[query]).astype(np.float64),
            frame="{first} / {over}",
            numbers={"first": self._first(a, a.found(self.rel, self.k))},
        )

    def _noise(self, a: Alignment) -> Bools:
        """Say which judged documents are not relevant and stand among the first k: (H,) bool."""
        noise: Bools = ~a.relevant(self.rel) & a.within(self.k)
        return noise

    def _share(self, a: Alignment, found: Floats) -> Floats:
        """Divide what is not relevant among the first k by what is not in all of the ranking."""
        return ratio(self._first(a, found), self._whole(a))

    def _first(self, a: Alignment, found: Floats) -> Floats:
        first: Floats = a.retrieved.clip(max=a.cutoff(self.k)) - found
        return first

    def _whole(self, a: Alignment) -> Floats:
        if self.norm == "judged":
            return np.diff(a.ideal_starts) - a.num_relevant(self.rel)
        return a.retrieved - a.found(self.rel, None)


FallOut = FallOutMeasure()
