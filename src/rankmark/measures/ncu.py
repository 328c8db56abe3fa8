"""Normalised cumulative utility: the expected blended ratio where users stop."""

from __future__ import annotations

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment, ratio
from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import choice, fraction
from rankmark.measures.base.tie_handling import TieHandling
from rankmark.measures.families.blended_ratio import Blended, BlendedRatio
from rankmark.results.explanations.contributions import Contributions


class NormalizedCumulativeUtility(BlendedRatio):
    """The blended ratio at each relevant document, weighted by how many users stop there.

    Formula: (sum of w_i (h_i + beta cg_i) / (i + beta icg_i) over ranks i <= k with a gain) / W;
    cg_i is the gain to rank i, icg_i that of the ideal ranking, h_i counts documents with a gain.
    With ``stop="graded"`` w_i is the gain at rank i, and W the gain of all judged documents; with
    "rank" w_i is gamma^(h_i - 1), and W the sum of gamma^(j - 1) over the R judged documents with a
    gain. ``beta`` is the weight of gain; with 0 the utility is precision. ``gain`` as in DCG.
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: gain 0, as for labels below 0.
    Elsewhere: pyNTCIREVAL ``NCUguBR``, ``NCUguP``, ``NCUrbBR`` and ``NCUrbP``, the first two with
    the gains as stop probabilities, as here. With as many users stopping everywhere, it is Q.
    Source: Sakai and Robertson, EVIA 2008, section 3.
    """

    stop: str = choice("what the users who stop at a document depend on", "graded", "rank")
    gamma: float = fraction("the weight of a relevant document relative to the one before", 0.95)

    name = "NCU"
    full_name = "normalised cumulative utility"
    aliases: Aliases = {
        "NCUguBR": {},
        "NCUguP": {"beta": 0.0},
        "NCUrbBR": {"stop": "rank"},
        "NCUrbP": {"stop": "rank", "beta": 0.0},
    }
    formula = "(sum of w_i (h_i + beta cg_i) / (i + beta icg_i) over the relevant ranks i <= k) / W"
    latex = (
        r"\frac{1}{W} \sum_{\text{relevant } i \le k} w_i\, \frac{h_i + \beta\, "
        r"\mathrm{cg}_i}{i + \beta\, \mathrm{icg}_i}"
    )
    grows_with_k = True

    @property
    def tie_handling(self) -> TieHandling:
        """Sort by gain, unless the weights go with the documents."""
        return TieHandling(sorted_is_best=self.stop == "rank")

    def score(self, a: Alignment) -> Floats:
        blended = self.blended(a)
        return ratio(a.sum(self._weight(blended) * blended.ratio), self._all_weights(a))

    def contributions(self, a: Alignment) -> Contributions:
        blended = self.blended(a)
        weight = self._weight(blended)
        return Contributions(
            weight * blended.ratio,
            divisor=self._all_weights(a),
            columns={"weight": np.where(blended.hit, weight, np.nan), **blended.columns()},
            written=f"{{weight}} * {self.written()}",
        )

    def _weight(self, blended: Blended) -> Floats:
        if self.stop == "graded":
            return blended.gain
        return self.gamma ** np.maximum(blended.found - 1.0, 0.0)

    def _all_weights(self, a: Alignment) -> Floats:
        if self.stop == "graded":
            return a.ideal_sum(self.gains(a.ideal_label))
        relevant = self.num_gained(a)
        if self.gamma == 1:
            return relevant
        return (1.0 - self.gamma**relevant) / (1.0 - self.gamma)


NCU = NormalizedCumulativeUtility()
