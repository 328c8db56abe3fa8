"""Coverage error: how deep one must go to have seen all that is relevant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.measures.measure import Measure
from rankmark.measures.parameters import threshold
from rankmark.measures.tied import tied

if TYPE_CHECKING:
    from rankmark.alignment import Alignment, Floats


class CoverageErrorMeasure(Measure):
    """The rank at which the last relevant document has been seen.

    Formula: the rank of the last relevant document; n + m where m relevant documents were not
    retrieved, which at best follow the n that were.
    Nothing relevant: 0.
    Ties: documents of one score are tied, whatever the evaluation's rule, and the last of them
    counts.
    Unjudged documents: not relevant, but they hold their ranks.
    Elsewhere: scikit-learn ``coverage_error``, whose rows hold every label.
    Source: Tsoumakas, Katakis and Vlahavas, Mining Multi-label Data, 2010, section 5.2, where it is
    less by 1.
    """

    rel: float = threshold()

    name = "CoverageError"
    aliases = {"coverage_error": {}}
    formula = "rank of the last relevant document, or n + those not retrieved"
    sees = "order"
    more_is_better = False
    bounds = (0.0, float("inf"))
    source = "Tsoumakas, Katakis and Vlahavas 2010, Mining Multi-label Data, section 5.2"

    def sees_ties(self) -> bool:
        """Say so: a tie is a tie here."""
        return True

    def score(self, a: Alignment) -> Floats:
        hit = a.relevant(self.rel)
        deepest = np.zeros(len(a.retrieved))
        np.maximum.at(
            deepest,
            np.repeat(np.arange(len(deepest)), np.diff(a.starts)),
            np.where(hit, tied(a, None).last, 0.0),
        )
        missed = a.num_relevant(self.rel) - a.count(hit)
        return np.where(missed > 0, a.retrieved + missed, deepest)


CoverageError = CoverageErrorMeasure()
