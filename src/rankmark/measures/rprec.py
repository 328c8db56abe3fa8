"""R-precision: precision at the number of relevant documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from rankmark.array_types import Bools, Floats
from rankmark.data.alignment import Alignment, ratio
from rankmark.measures.base.measure import Aliases, DependsOn, Measure
from rankmark.measures.base.parameters import positive, threshold
from rankmark.measures.base.tie_handling import ADDITIVE
from rankmark.measures.families.possible_losses import lost_to_rank
from rankmark.results.explanations.contributions import Contributions


class RPrecision(Measure):
    """Precision at rank R, R being the number of relevant documents; recall there is the same.

    Formula: h_R / R; with ``multiple`` h_j / j at rank j = multiple * R, rounded up from one tenth.
    Nothing relevant: 0.
    Ties: matter only across that rank.
    Unjudged documents: not relevant.
    Elsewhere: trec_eval and ir_measures ``Rprec``, trec_eval ``Rprec_mult_0.20``, ranx
    ``r-precision``. RecTools' ``r_precision`` divides by min(k, R); recommenders' leaves out users
    without a hit.
    Source: TREC-2 proceedings, appendix A, 1994; trec_eval 10.0, m_Rprec.c.
    """

    rel: float = threshold()
    multiple: float = positive("the rank as a multiple of R", 1.0)

    name = "Rprec"
    full_name = "R-precision"
    aliases: Aliases = {
        "RPrecision": {},
        "R-precision": {},
        "r_precision": {},
        "R-Prec": {},
        "RetrievalRPrecision": {},
        "retrieval_r_precision": {},
    }
    numbered: Mapping[str, str] = {"Rprec_mult": "multiple", "Rprec_mult_avgjg": "multiple"}
    formula = "h_R / R"
    latex = r"\frac{h_R}{R}"
    depends_on: DependsOn = "order"
    tie_handling = ADDITIVE

    def score(self, a: Alignment) -> Floats:
        return ratio(a.count(self._found(a)), self._cutoff(a))

    def possible_loss(self, moved: Floats) -> Floats | None:
        """Return the largest share of documents dropped from the first R, whatever R is."""
        if self.multiple != 1:
            return None
        lost = lost_to_rank(moved, None)
        return (lost / np.arange(1, lost.shape[1] + 1)).max(axis=1, initial=0.0)

    def contributions(self, a: Alignment) -> Contributions:
        return Contributions(self._found(a).astype(np.float64), divisor=self._cutoff(a))

    def _cutoff(self, a: Alignment) -> Floats:
        return np.floor(self.multiple * a.num_relevant(self.rel) + 0.9)

    def _found(self, a: Alignment) -> Bools:
        return a.relevant(self.rel) & (a.rank <= a.spread(self._cutoff(a)))


Rprec: Final = RPrecision()
