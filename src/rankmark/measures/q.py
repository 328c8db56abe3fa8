"""Q-measure: average precision for graded labels."""

from __future__ import annotations

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment, ratio
from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import choice
from rankmark.measures.base.tie_handling import TieHandling
from rankmark.measures.families.blended_ratio import BlendedRatio
from rankmark.results.explanations.contributions import Contributions


class QMeasure(BlendedRatio):
    """Precision at each relevant document, blended with the fraction of the ideal gain so far.

    Formula: (sum of (h_i + beta cg_i) / (i + beta icg_i) over ranks i <= k with a gain) / R; cg_i
    is the gain to rank i, icg_i that of the ideal ranking, h_i counts documents with a gain. R is
    the number of judged documents with a gain; ``norm="min"`` divides by min(R, k). ``beta`` is the
    weight of gain; with 0 it is AP. ``gain`` as in DCG.
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: gain 0, as for labels below 0.
    Elsewhere: NTCIREVAL and pyNTCIREVAL ``Q-measure``, at a cutoff norm="min".
    Source: Sakai, AIRS 2004; Sakai and Song, SIGIR 2011, section 2.
    """

    norm: str = choice("what the sum is divided by", "relevant", "min")

    name = "Q"
    full_name = "Q measure"
    aliases: Aliases = {"Q-measure": {}, "QMeasure": {}}
    formula = "(sum of (h_i + beta cg_i) / (i + beta icg_i) over the relevant ranks i <= k) / R"
    latex = (
        r"\frac{1}{R} \sum_{\text{relevant } i \le k} \frac{h_i + \beta\, \mathrm{cg}_i}{i + "
        r"\beta\, \mathrm{icg}_i}"
    )
    grows_with_k = True
    # Tied documents are neighbours, and the greater gain is always better first.
    tie_handling: TieHandling = TieHandling(sorted_is_best=True)

    def score(self, a: Alignment) -> Floats:
        return ratio(a.sum(self.blended(a).ratio), self._divisor(a))

    def contributions(self, a: Alignment) -> Contributions:
        blended = self.blended(a)
        return Contributions(
            blended.ratio,
            divisor=self._divisor(a),
            columns=blended.columns(),
            written=self.written(),
        )

    def _divisor(self, a: Alignment) -> Floats:
        relevant = self.num_gained(a)
        return np.minimum(relevant, a.cutoff(self.k)) if self.norm == "min" else relevant


Q = QMeasure()
