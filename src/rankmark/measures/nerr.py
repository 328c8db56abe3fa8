"""Normalised expected reciprocal rank: ERR divided by that of the ideal ranking."""

from __future__ import annotations

from typing import Final

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment, Needs, ratio
from rankmark.measures.base.measure import Aliases, DependsOn
from rankmark.measures.base.requirements import ABOVE_ZERO
from rankmark.measures.base.tie_handling import TieHandling
from rankmark.measures.err import ExpectedReciprocalRank
from rankmark.results.explanations.contributions import Contributions


class NormalizedExpectedReciprocalRank(ExpectedReciprocalRank):
    """ERR at k divided by the ERR at k of all judged documents, the highest label first.

    Formula: ERR_k / IERR_k; ``gain`` and ``max_rel`` as in ERR.
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: satisfy no user.
    Elsewhere: pyNTCIREVAL ``nERR`` is gain="linear". NERR8 to NERR11 are other measures, and
    nERR-IA is over subtopics.
    Source: Sakai and Song, SIGIR 2011, section 2; Chapelle et al., CIKM 2009.
    """

    name = "nERR"
    full_name = "normalised expected reciprocal rank"
    aliases: Aliases = {"normalized_expected_reciprocal_rank": {}}
    formula = "ERR_k / IERR_k"
    latex = r"\frac{\mathrm{ERR}_k}{\mathrm{IERR}_k}"
    depends_on: DependsOn = "grades"
    reaches_bound = True
    grows_with_k = False

    def needs(self) -> Needs:
        """Use as many ideal labels as ranks."""
        return Needs(lowest=ABOVE_ZERO, deepest=self.k, ideal=self.k)

    def score(self, a: Alignment) -> Floats:
        return ratio(super().score(a), self._ideal(a))

    def contributions(self, a: Alignment) -> Contributions:
        return super().contributions(a)._replace(divisor=self._ideal(a), frame="{sum} / {ideal}")

    def _expected_share(self, a: Alignment) -> Floats:
        """Divide the expected ERR by that of the ideal ranking, which ties do not change."""
        if a.tie_first is None:
            return self.score(a)
        return ratio(self._expected(a), self._ideal(a))

    tie_handling: TieHandling = TieHandling(_expected_share)

    def _ideal(self, a: Alignment) -> Floats:
        return a.of_ideal(self, lambda: ExpectedReciprocalRank.score(self, a.perfect()))


nERR: Final = NormalizedExpectedReciprocalRank()
