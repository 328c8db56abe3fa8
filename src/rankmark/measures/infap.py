"""Inferred average precision: AP estimated from judgments of a sample of the pool."""

from __future__ import annotations

from typing import Final

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment, Needs, ratio
from rankmark.measures.base.measure import Aliases, DependsOn, Measure
from rankmark.measures.base.parameters import judgment, threshold
from rankmark.results.explanations.contributions import Contributions

_EPSILON = 1e-5  # trec_eval's INFAP_EPSILON


class InferredAveragePrecision(Measure):
    """An estimate of AP if only a random sample of the pool is judged.

    Formula: (sum of (1 + M_i (h_i - 1 + eps) / (h_i - 1 + N_i + 2 eps)) / i over the relevant ranks
    i) / R, where above rank i stand M_i documents of the pool, of which h_i - 1 are judged relevant
    and N_i judged not relevant; eps = 0.00001.
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: those with labels below ``judged`` (usually -1) are in the pool, and assumed
    to be relevant as often as the judged ones above; those without a label are not relevant.
    Elsewhere: trec_eval, pytrec_eval and ir_measures ``infAP``. Without labels below 0 it is AP, up
    to the e.
    Source: Yilmaz and Aslam, CIKM 2006; trec_eval 10.0, m_infap.c.
    """

    rel: float = threshold()
    judged: float = judgment()

    name = "infAP"
    full_name = "inferred average precision"
    aliases: Aliases = {"inferred_average_precision": {}}
    formula = (
        "(sum of (1 + M_i (h_i - 1 + eps) / (h_i - 1 + N_i + 2 eps)) / i over the relevant "
        "ranks i) / R"
    )
    latex = (
        r"\frac{1}{R} \sum_{\text{relevant } i} \frac{1}{i} \left(1 + M_i\, \frac{h_i - 1 + "
        r"\varepsilon}{h_i - 1 + N_i + 2 \varepsilon}\right)"
    )
    depends_on: DependsOn = "judged"
    reaches_bound = False
    promoting_helps = False

    def score(self, a: Alignment) -> Floats:
        pooled, share = self._above(a)
        return ratio(a.sum(self._inferred(a, pooled, share)), a.num_relevant(self.rel))

    def contributions(self, a: Alignment) -> Contributions:
        pooled, share = self._above(a)
        return Contributions(
            self._inferred(a, pooled, share),
            divisor=a.num_relevant(self.rel),
            columns={"pool_above": pooled, "relevant_share": share},
            written="(1 + {pool_above} * {relevant_share})/{rank}",
        )

    def _above(self, a: Alignment) -> tuple[Floats, Floats]:
        """Return the size of the pool above each document, and its relevant fraction: (H,) each."""
        hit = a.relevant(self.rel)
        known = hit | (a.label >= self.judged)
        found = a.cumsum(hit.astype(np.float64)) - hit
        judged = a.cumsum(known.astype(np.float64)) - known
        pooled = a.cumsum(np.ones(len(a.rank))) - 1.0
        return pooled, (found + _EPSILON) / (judged + 2 * _EPSILON)

    def _inferred(self, a: Alignment, pooled: Floats, share: Floats) -> Floats:
        return np.where(a.relevant(self.rel), (1.0 + pooled * share) / a.rank, 0.0)

    def needs(self) -> Needs:
        """Use all labels: every document with one is in the pool."""
        return Needs()


infAP: Final = InferredAveragePrecision()
