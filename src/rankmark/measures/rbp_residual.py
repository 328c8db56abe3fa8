"""The residual of rank-biased precision: what unjudged documents could add."""

from __future__ import annotations

from typing import Final

import numpy as np

from rankmark.array_types import Floats, Ints
from rankmark.data.alignment import Alignment, Needs
from rankmark.measures.base.measure import Aliases, DependsOn, Measure
from rankmark.measures.base.parameters import cutoff, probability
from rankmark.measures.base.tie_handling import ADDITIVE
from rankmark.results.explanations.contributions import Contributions


class RankBiasedPrecisionResidual(Measure):
    """How much higher RBP could be if all unjudged documents were relevant.

    Formula: 1 - (1 - p) sum of p^(i-1) over the judged ranks i <= k, which is the weight in RBP of
    unjudged documents, and of all ranks beyond k or the end of the ranking.
    Nothing relevant: no special case.
    Ties: by the evaluation's rule.
    Unjudged documents: what it measures. Labels below 0 count as judged.
    Elsewhere: trec_eval 10 ``rbp_resid`` (p = 0.9) is 0 if every document retrieved is judged,
    although the ranks beyond still have the weight p^n, and treats labels below 0 as unjudged, so
    its name is refused; cwl_eval computes it by a second evaluation.
    Source: Moffat and Zobel, ACM TOIS 27(1), 2008, section 3.3; trec_eval m_rbp_resid.c.
    """

    k: int | None = cutoff()
    p: float = probability("the probability to continue to the next rank", 0.9)

    name = "RBPResidual"
    full_name = "residual of rank-biased precision"
    aliases: Aliases = {"rbp_residual": {}}
    formula = "1 - (1 - p) * sum of p^(i-1) over the judged ranks i <= k"
    latex = r"1 - (1 - p) \sum_{\text{judged } i \le k} p^{i - 1}"
    depends_on: DependsOn = "judged"
    more_is_better = False
    nothing_relevant: float | None = None
    promoting_helps = False
    tie_handling = ADDITIVE

    def needs(self) -> Needs:
        """Use only documents that were retrieved."""
        return Needs(deepest=self.k, ideal=1)

    def score(self, a: Alignment) -> Floats:
        return 1.0 - (1.0 - self.p) * a.sum(self._looks(a))

    def contributions(self, a: Alignment) -> Contributions:
        looks, cutoff = self._looks(a), a.cutoff(self.k)

        def unjudged(query: Ints, rank: Ints) -> Floats:
            return np.where(rank <= cutoff[query], (1.0 - self.p) * self.p ** (rank - 1.0), 0.0)

        return Contributions(
            np.zeros(len(a.rank)),
            unjudged=unjudged,
            rest=self.p ** np.minimum(a.retrieved, cutoff),
            rest_is="ranks further down",
            columns={"looks": looks},
            frame=f"1 - (1 - {self.p}) * {{looks_judged}}",
            numbers={"looks_judged": a.sum(looks)},
        )

    def _looks(self, a: Alignment) -> Floats:
        return np.where(a.within(self.k), self.p ** (a.rank - 1.0), 0.0)


RBPResidual: Final = RankBiasedPrecisionResidual()
