"""Q-measure: average precision for graded labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.alignment.alignment import ratio
from rankmark.explanations.contributions import Contributions
from rankmark.measures.base.parameters import between, choice
from rankmark.measures.base.tie_handling import TieHandling
from rankmark.measures.families.gains import GainAtCutoff, descending

if TYPE_CHECKING:
    from rankmark.alignment.alignment import Alignment, Needs
    from rankmark.array_types import Bools, Floats


class QMeasure(GainAtCutoff):
    """Precision at each relevant document, blended with the fraction of the ideal gain so far.

    Formula: (sum over ranks i <= k with a gain of (h_i + beta cg_i) / (i + beta icg_i)) / N; cg_i
    is the gain to rank i, icg_i that of the ideal ranking, h_i counts documents with a gain. N is
    with ``norm="relevant"`` the number R of judged documents with a gain, with "min" min(R, k).
    ``beta`` is the weight of gain; with 0 it is AP. ``gain`` as in DCG.
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: gain 0, as for labels below 0.
    Elsewhere: NTCIREVAL and pyNTCIREVAL ``Q-measure``, at a cutoff norm="min".
    Source: Sakai, AIRS 2004; Sakai and Song, SIGIR 2011, section 2.
    """

    beta: float = between("the weight of gain relative to precision", 1.0, 0, 10**6)
    norm: str = choice("what the sum is divided by", "relevant", "min")

    name = "Q"
    aliases = {"Q-measure": {}, "QMeasure": {}}
    formula = "sum of (h_i + beta cg_i) / (i + beta icg_i) over the relevant ranks i <= k, over R"
    depends_on = "grades"
    grows_with_k = True
    promoting_helps = False  # it may pass one with a higher gain, which counts at all ranks below
    # Tied documents are neighbours, and the greater gain is always better first.
    tie_handling = TieHandling(sorted_is_best=True)

    def needs(self) -> Needs:
        """Use all ideal labels: each with a gain counts in R."""
        return super().needs()._replace(ideal=None)

    def score(self, a: Alignment) -> Floats:
        hit, found, gained = self._so_far(a)
        blended = self._blended(a, hit, found, gained, self._ideal_gain(a))
        return ratio(a.sum(blended), self._divisor(a))

    def contributions(self, a: Alignment) -> Contributions:
        hit, found, gained = self._so_far(a)
        ideal = self._ideal_gain(a)
        beta = "" if self.beta == 1 else f"{self.beta:g} * "
        return Contributions(
            self._blended(a, hit, found, gained, ideal),
            over=self._divisor(a),
            columns={"found": found, "gained": gained, "ideal_gained": ideal},
            written=f"({{found}} + {beta}{{gained}})/({{rank}} + {beta}{{ideal_gained}})",
        )

    def _so_far(self, a: Alignment) -> tuple[Bools, Floats, Floats]:
        """Return which documents count, how many by each rank, and the gain by then: (H,) each."""
        gains = self.gains(a.label)
        hit = (gains > 0) & a.within(self.k)
        return hit, a.cumsum(hit.astype(np.float64)), a.cumsum(gains)

    def _blended(
        self, a: Alignment, hit: Bools, found: Floats, gained: Floats, ideal: Floats
    ) -> Floats:
        blended = found + self.beta * gained
        possible = a.rank + self.beta * ideal
        return np.where(hit, blended / possible, 0.0)

    def _divisor(self, a: Alignment) -> Floats:
        relevant = a.of_ideal(("gained count", self.gain), lambda: self._gained(a))
        return np.minimum(relevant, a.cutoff(self.k)) if self.norm == "min" else relevant

    def _gained(self, a: Alignment) -> Floats:
        """Count the judged documents with a gain: (Q,) float64."""
        return a.ideal_sum(np.where(self.gains(a.ideal_label) > 0, 1.0, 0.0))

    def _ideal_gain(self, a: Alignment) -> Floats:
        """Return the gain of the ideal ranking up to the rank of each document: (H,) float64."""
        gained = a.of_ideal(("ideal gain", self.gain), lambda: self._accumulated(a))
        rows = np.diff(a.starts)
        begin, end = np.repeat(a.ideal_starts[:-1], rows), np.repeat(a.ideal_starts[1:], rows)
        at = np.minimum(begin + a.rank, end) - 1  # no gain after the last judged document
        ideal: Floats = gained[at]
        return ideal

    def _accumulated(self, a: Alignment) -> Floats:
        gains = descending(self.gains(a.ideal_label), a.ideal_starts)
        return a.perfect().cumsum(gains)


Q = QMeasure()
