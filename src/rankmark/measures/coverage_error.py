"""Coverage error: the depth at which all relevant documents have been seen."""

from __future__ import annotations

from typing import Final

import numpy as np

from rankmark.array_types import Floats, Ints
from rankmark.data.alignment import Alignment, query_of_rows
from rankmark.measures.base.measure import Aliases, DependsOn, Measure
from rankmark.measures.base.parameters import threshold
from rankmark.measures.base.tie_handling import TOGETHER
from rankmark.measures.families.tied import tied
from rankmark.results.explanations.contributions import Contributions, place_in_query


class CoverageErrorMeasure(Measure):
    """The rank at which all relevant documents have been seen.

    Formula: the rank of the last relevant document; n + R - h_n if R - h_n relevant documents were
    not retrieved, which at best follow the n that were.
    Nothing relevant: 0.
    Ties: documents with equal scores are tied, whatever the evaluation's rule, and the last of them
    counts.
    Unjudged documents: not relevant, but they keep their ranks.
    Elsewhere: scikit-learn ``coverage_error``, whose rows hold every label.
    Source: Tsoumakas, Katakis and Vlahavas, Mining Multi-label Data, 2010, section 5.2, where it is
    lower by 1.
    """

    rel: float = threshold()

    name = "CoverageError"
    full_name = "coverage error"
    aliases: Aliases = {"coverage_error": {}}
    formula = "rank of the last relevant document, or n + R - h_n if h_n < R"
    latex = r"\text{rank of the last relevant document, or } n + R - h_n \text{ if } h_n < R"
    depends_on: DependsOn = "order"
    more_is_better = False
    bounds: tuple[float, float] = (0.0, float("inf"))
    tie_handling = TOGETHER

    def score(self, a: Alignment) -> Floats:
        missed = self._missed(a)
        return np.where(missed > 0, a.retrieved + missed, self._deepest(a))

    def contributions(self, a: Alignment) -> Contributions:
        each, missed = self._steps(a), self._missed(a)
        deepest = a.sum(each)

        def step(query: Ints, label: Floats) -> Floats:
            # The first one follows the retrieved documents, and the next ones follow it.
            first = place_in_query(query) == 1
            steps = np.where(first, (a.retrieved - deepest)[query] + 1.0, 1.0)
            return np.where(label >= self.rel, steps, 0.0)

        return Contributions(
            each,
            missed=step,
            columns={"seen_at": np.where(a.relevant(self.rel), tied(a, None).last, np.nan)},
            frame="{retrieved} + {missed}" if missed.any() else "{deepest}",  # of one query
            numbers={
                "deepest": deepest,
                "retrieved": a.retrieved.astype(np.float64),
                "missed": missed,
            },
        )

    def _deepest(self, a: Alignment) -> Floats:
        """Return the last rank of the tie of the last relevant document, or 0: (Q,) float64."""
        relevant = a.relevant(self.rel)
        count = a.count(relevant).astype(np.int64)
        found = count > 0
        at = np.flatnonzero(relevant)[np.cumsum(count)[found] - 1]
        last = a.rank if a.tie_last is None else a.tie_last
        deepest = np.zeros(len(count))
        deepest[found] = np.minimum(last[at], a.retrieved[found])  # a tie may be cut
        return deepest

    def _missed(self, a: Alignment) -> Floats:
        """Count the relevant documents that were not retrieved: (Q,) float64."""
        return a.num_relevant(self.rel) - a.count(a.relevant(self.rel))

    def _steps(self, a: Alignment) -> Floats:
        """Return the distance from each relevant document to the one before it: (H,) float64."""
        hits = np.flatnonzero(a.relevant(self.rel))
        query, last = query_of_rows(a.starts)[hits], tied(a, None).last[hits]
        follows = query[1:] == query[:-1]
        steps = np.zeros(len(a.rank))
        steps[hits] = last
        steps[hits[1:]] -= np.where(follows, last[:-1], 0.0)
        return steps


CoverageError: Final = CoverageErrorMeasure()
