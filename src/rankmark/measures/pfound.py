"""pFound: the probability that a user who may lose patience finds what satisfies."""

from __future__ import annotations

import numpy as np

from rankmark.array_types import Floats, Ints, Ranks
from rankmark.data.alignment import Alignment, Needs
from rankmark.data.alignment.tie_probabilities import stop_places
from rankmark.measures.base.measure import Aliases, DependsOn, Measure
from rankmark.measures.base.parameters import cutoff, fraction
from rankmark.measures.base.requirements import ABOVE_ZERO
from rankmark.measures.base.tie_handling import TieHandling
from rankmark.measures.families.cwl import previous
from rankmark.results.explanations.contributions import Contributions


class ProbabilityFound(Measure):
    """The probability that a user is satisfied before the patience to read on ends.

    Formula: sum of decay^(i-1) s_i (1 - s_1) ... (1 - s_(i-1)) over ranks i <= k; s_i, the
    probability to be satisfied, is the label, and 1 for labels above 1.
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: satisfy no user.
    Elsewhere: CatBoost ``PFound:top=k;decay=0.85``, which takes labels above 1 as they are, so that
    values can exceed 1. Of graded labels, give the probability of each grade as the label.
    Source: Gulin, Karpovich, Raskovalov and Segalovich, Yandex at ROMIP 2009.
    """

    k: int | None = cutoff()
    decay: float = fraction(
        "the probability to read on after a document that does not satisfy", 0.85
    )

    name = "PFound"
    full_name = "probability to find"
    aliases: Aliases = {"pfound": {}, "pFound": {}}
    formula = "sum of decay^(i-1) s_i (1 - s_1) ... (1 - s_(i-1)) over the ranks i <= k"
    latex = r"\sum_{i \le k} \mathrm{decay}^{i - 1}\, s_i\, (1 - s_1) \cdots (1 - s_{i - 1})"
    depends_on: DependsOn = "grades"
    grows_with_k = True

    def needs(self) -> Needs:
        """Use labels above 0."""
        return super().needs()._replace(lowest=ABOVE_ZERO)

    def score(self, a: Alignment) -> Floats:
        arriving, content = self._stops(a)
        return a.sum(arriving * content * self._patience(a.rank))

    def contributions(self, a: Alignment) -> Contributions:
        arriving, content = self._stops(a)
        patience = self._patience(a.rank)
        return Contributions(
            arriving * content * patience,
            columns={"content": content, "arriving": arriving, "patience": patience},
            written="{patience} * {arriving} * {content}",
        )

    def merit(self, label: Floats) -> Floats:
        """Return the probability that each label satisfies."""
        return np.clip(label, 0.0, 1.0)

    def _stops(self, a: Alignment) -> tuple[Floats, Floats]:
        """Return the probabilities that nothing above satisfied, and that each does: (H,)."""
        content = self.merit(a.label) * a.within(self.k)
        return previous(a, a.cumprod(1.0 - content), start=1.0), content

    def _patience(self, rank: Ranks | Ints) -> Floats:
        return np.power(self.decay, rank - 1.0)

    def _expected(self, a: Alignment) -> Floats:
        """Weight each rank by the probability that the user stops there."""
        if a.tie_first is None:
            return self.score(a)
        rows = stop_places(a, self.merit(a.label), self.k)
        return rows.sum(self._patience(rows.rank))

    tie_handling: TieHandling = TieHandling(_expected)


PFound = ProbabilityFound()
