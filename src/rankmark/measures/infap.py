"""Inferred average precision: AP estimated from judgments of a sample of the pool."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.alignment import ratio
from rankmark.measures.measure import Measure
from rankmark.measures.parameters import judgment, threshold

if TYPE_CHECKING:
    from rankmark.alignment import Alignment, Floats

_EPSILON = 1e-5  # trec_eval's INFAP_EPSILON


class InferredAveragePrecision(Measure):
    """What AP would be if the whole pool were judged, where only a random part of it is.

    Formula: (1/R) sum over the relevant documents retrieved, at rank i, of
    (1 + p (r + e) / (r + s + 2e)) / i, where above it stand p documents of the pool, of which r are
    judged relevant and s judged non-relevant; e = 0.00001.
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: one whose label is below ``judged`` (-1, as a rule) is in the pool, and
    taken for relevant as often as the judged ones above; one without a label is not relevant.
    Elsewhere: trec_eval, pytrec_eval and ir_measures ``infAP``. Without labels below 0 it is AP, up
    to the e.
    Source: Yilmaz and Aslam, CIKM 2006; trec_eval 10.0, m_infap.c.
    """

    rel: float = threshold()
    judged: float = judgment()

    name = "infAP"
    aliases = {"inferred_average_precision": {}}
    formula = "sum of (1 + p (r + e) / (r + s + 2e)) / i over the relevant ranks i, over R"
    sees = "judged"
    reaches_bound = False
    promoting_helps = False
    source = "Yilmaz and Aslam 2006, CIKM; trec_eval 10.0, m_infap.c"

    def score(self, a: Alignment) -> Floats:
        hit = a.relevant(self.rel)
        found = a.cumsum(hit.astype(np.float64)) - 1.0
        judged = a.cumsum((hit | (a.label >= self.judged)).astype(np.float64)) - 1.0
        pooled = a.cumsum(np.ones(len(a.rank))) - 1.0
        share = (found + _EPSILON) / (judged + 2 * _EPSILON)
        terms = np.where(hit, (1.0 + pooled * share) / a.rank, 0.0)
        return ratio(a.sum(terms), a.num_relevant(self.rel))

    def lowest_label(self) -> float:
        """Give minus infinity: whatever has a label is in the pool."""
        return float("-inf")


infAP = InferredAveragePrecision()
