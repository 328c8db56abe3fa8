"""P-measure: the blended ratio at the first of the best documents."""

from __future__ import annotations

from typing import Final

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment
from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.tie_handling import TieHandling
from rankmark.measures.families.blended_ratio import BlendedRatio, until_preferred
from rankmark.results.explanations.contributions import Contributions


class PreferredBlended(BlendedRatio):
    """The blended ratio at the preferred document, the first with the highest gain retrieved.

    Formula: (h_i + beta cg_i) / (i + beta icg_i) at the rank i of the first document with the
    highest gain among the first k; cg_i is the gain to rank i, icg_i that of the ideal ranking, h_i
    counts documents with a gain. ``beta`` is the weight of gain, ``gain`` as in DCG.
    Nothing relevant: 0.
    Ties: by the evaluation's rule; they can decide which document is the preferred one.
    Unjudged documents: gain 0, as for labels below 0.
    Elsewhere: NTCIREVAL and pyNTCIREVAL ``P-measure``.
    Source: Sakai, IPSJ Transactions on Databases 48(SIG 9), 2007.
    """

    name = "PMeasure"
    full_name = "P measure"
    aliases: Aliases = {"P-measure": {}}
    formula = "(h_i + beta cg_i) / (i + beta icg_i) at the first rank i <= k with the highest g_i"
    latex = (
        r"\frac{h_i + \beta\, \mathrm{cg}_i}{i + \beta\, \mathrm{icg}_i} \text{ at the first "
        r"rank } i \le k \text{ with the highest } g_i"
    )
    # A relevant document may be better above the preferred one than below it.
    tie_handling: TieHandling = TieHandling(sorted_is_best=False)

    def score(self, a: Alignment) -> Floats:
        return a.sum(self._preferred(a))

    def contributions(self, a: Alignment) -> Contributions:
        return Contributions(
            self._preferred(a), columns=self.blended(a).columns(), written=self.written()
        )

    def _preferred(self, a: Alignment) -> Floats:
        """Return the ratio of the preferred document, 0 for the others: (H,) float64."""
        blended = self.blended(a)
        reached = blended.hit & until_preferred(a, blended)
        last = a.count(reached)
        return np.where(reached & (blended.found == a.spread(last)), blended.ratio, 0.0)


PMeasure: Final = PreferredBlended()
