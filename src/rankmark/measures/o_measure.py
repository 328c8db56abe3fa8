"""O-measure: the blended ratio at the first relevant document."""

from __future__ import annotations

from typing import Final

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment
from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.tie_handling import TieHandling
from rankmark.measures.families.blended_ratio import BlendedRatio
from rankmark.results.explanations.contributions import Contributions


class FirstBlended(BlendedRatio):
    """The blended ratio at the first relevant document: reciprocal rank for graded labels.

    Formula: (1 + beta g_i) / (i + beta icg_i) at the rank i <= k of the first document with a gain;
    icg_i is the gain of the ideal ranking to rank i, and ``beta`` the weight of gain; with 0 it is
    RR. ``gain`` as in DCG.
    Nothing relevant: 0.
    Ties: by the evaluation's rule; they can decide which document is the first relevant one.
    Unjudged documents: gain 0, as for labels below 0.
    Elsewhere: NTCIREVAL and pyNTCIREVAL ``O-measure``.
    Source: Sakai, IPSJ Transactions on Databases 48(SIG 9), 2007.
    """

    name = "OMeasure"
    full_name = "O measure"
    aliases: Aliases = {"O-measure": {}}
    formula = "(1 + beta g_i) / (i + beta icg_i) at the first relevant rank i <= k"
    latex = (
        r"\frac{1 + \beta\, g_i}{i + \beta\, \mathrm{icg}_i} \text{ at the first relevant rank "
        r"} i \le k"
    )
    grows_with_k = True
    # The first relevant document is best early, and of the greatest gain.
    tie_handling: TieHandling = TieHandling(sorted_is_best=True)

    def score(self, a: Alignment) -> Floats:
        blended = self.blended(a)
        return a.first(blended.hit, blended.ratio)

    def contributions(self, a: Alignment) -> Contributions:
        blended = self.blended(a)
        first = blended.hit & (blended.found == 1.0)
        return Contributions(
            np.where(first, blended.ratio, 0.0), columns=blended.columns(), written=self.written()
        )


OMeasure: Final = FirstBlended()
