"""Cumulative gain: the sum of gains, whatever their ranks."""

from __future__ import annotations

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment
from rankmark.measures.base.measure import Aliases, DependsOn, TermOf
from rankmark.measures.base.tie_handling import ADDITIVE
from rankmark.measures.families.gains import SignedGain, losses, weighable
from rankmark.results.explanations.contributions import Contributions


class CumulativeGain(SignedGain):
    """The sum of the gains of the first k documents.

    Formula: sum of g_i over ranks i <= k; ``gain`` is "linear", the label itself; "exp2", 2^label -
    1; "binary", 1 for labels above 0; or {label: gain}. ``negative`` is "zero": labels below 0 gain
    nothing; or "keep": they are losses, as of documents that mislead, of
    the label, 2^label - 1 or 1. A mapping has the gains of all labels. With ``weighted``, the gain
    of each document is multiplied by its weight.
    Nothing relevant: 0.
    Ties: matter only across rank k.
    Unjudged documents: gain 0.
    Elsewhere: few tools have it; it is the numerator that DCG discounts.
    Source: Järvelin and Kekäläinen, ACM TOIS 20(4), 2002, equation 1.
    """

    negative: str = losses()

    name = "CG"
    full_name = "cumulative gain"
    aliases: Aliases = {"cumulative_gain": {}}
    common = weighable(SignedGain.common)
    formula = "sum of g_i over the ranks i <= k"
    latex = r"\sum_{i \le k} g_i"
    depends_on: DependsOn = "grades"
    grows_with_k = True
    tie_handling = ADDITIVE
    term_of: TermOf | None = "label"

    def score(self, a: Alignment) -> Floats:
        return a.sum(self._counted(a))

    def contributions(self, a: Alignment) -> Contributions:
        return Contributions(
            self._counted(a), columns={"gain": self.gains(a.label)}, written="{gain}"
        )

    def _counted(self, a: Alignment) -> Floats:
        return np.where(a.within(self.k), self.gains(a.label), 0.0)


CG = CumulativeGain()
