"""P-plus: the mean blended ratio down to the first of the best documents."""

from __future__ import annotations

from typing import Final

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment, ratio
from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.tie_handling import TieHandling
from rankmark.measures.families.blended_ratio import BlendedRatio, until_preferred
from rankmark.results.explanations.contributions import Contributions


class MeanUntilPreferred(BlendedRatio):
    """The mean blended ratio of the relevant documents down to the preferred one.

    Formula: mean of (h_i + beta cg_i) / (i + beta icg_i) over the ranks i of documents with a gain,
    down to the first with the highest gain among the first k; cg_i is the gain to rank i, icg_i
    that of the ideal ranking, h_i counts documents with a gain. ``beta`` is the weight of gain,
    ``gain`` as in DCG.
    Nothing relevant: 0.
    Ties: by the evaluation's rule; they can decide which document is the preferred one.
    Unjudged documents: gain 0, as for labels below 0.
    Elsewhere: NTCIREVAL ``P-plus``, pyNTCIREVAL ``P+``.
    Source: Sakai, IPSJ Transactions on Databases 48(SIG 9), 2007.
    """

    name = "PPlus"
    full_name = "P+ measure"
    aliases: Aliases = {"P-plus": {}, "PPlusMeasure": {}}
    formula = (
        "mean of (h_i + beta cg_i) / (i + beta icg_i) over the relevant ranks i <= k, down to "
        "the first with the highest g_i"
    )
    latex = (
        r"\text{mean of } \frac{h_i + \beta\, \mathrm{cg}_i}{i + \beta\, \mathrm{icg}_i} "
        r"\text{ over the relevant ranks } i \le k \text{, down to the first with the highest "
        r"} g_i"
    )
    tie_handling: TieHandling = TieHandling(sorted_is_best=False)  # as for P-measure

    def score(self, a: Alignment) -> Floats:
        blended = self.blended(a)
        reached = blended.hit & until_preferred(a, blended)
        return ratio(a.sum(np.where(reached, blended.ratio, 0.0)), a.count(reached))

    def contributions(self, a: Alignment) -> Contributions:
        blended = self.blended(a)
        reached = blended.hit & until_preferred(a, blended)
        return Contributions(
            np.where(reached, blended.ratio, 0.0),
            divisor=a.count(reached),
            columns=blended.columns(),
            written=self.written(),
        )


PPlus: Final = MeanUntilPreferred()
