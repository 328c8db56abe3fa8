"""nDCGrel: nDCG at the rank of each relevant document, averaged."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment, positions, query_of_rows, ratio
from rankmark.measures.base.measure import Aliases, DependsOn
from rankmark.measures.base.parameters import discount
from rankmark.measures.families.gains import Graded, discounts_of
from rankmark.results.explanations.contributions import Contributions


class NormalizedDiscountedCumulativeGainAtRelevant(Graded):
    """The mean, over the documents with a gain, of nDCG at the rank of each.

    Formula: the mean over the documents with a gain above 0 of nDCG_i, i being the document's rank;
    for one that was not retrieved, DCG of the whole ranking divided by that of all judged
    documents. ``gain`` and ``discount`` as in DCG.
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: gain 0, as for labels below 0.
    Elsewhere: trec_eval and pytrec_eval ``ndcg_rel``.
    Source: trec_eval 10.0, m_ndcg_rel.c.
    """

    discount: Any = discount()

    name = "nDCGrel"
    full_name = "normalised discounted cumulative gain at relevant documents"
    aliases: Aliases = {"ndcg_rel": {}}
    formula = "mean of nDCG_i over all documents with g_i > 0, i being their ranks"
    latex = r"\text{mean of } \mathrm{nDCG}_i \text{ over all documents with } g_i > 0"
    depends_on: DependsOn = "grades"
    promoting_helps = False

    def score(self, a: Alignment) -> Floats:
        gains = self.gains(a.label)
        earned, ideal, all_gained = self._steps(a, gains)
        found = a.sum(self._at_rank(gains, a.cumsum(earned), self._possible(a, ideal)))
        missed = all_gained - a.count(gains > 0)
        whole = ratio(a.sum(earned), a.ideal_sum(ideal))
        return ratio(found + missed * whole, all_gained)

    def contributions(self, a: Alignment) -> Contributions:
        gains = self.gains(a.label)
        earned, ideal, all_gained = self._steps(a, gains)
        dcg, possible = a.cumsum(earned), self._possible(a, ideal)
        whole = ratio(a.sum(earned), a.ideal_sum(ideal))
        return Contributions(
            self._at_rank(gains, dcg, possible),
            divisor=all_gained,
            missed=lambda query, label: np.where(self.gains(label) > 0, whole[query], 0.0),
            columns={"gain": gains, "DCG": dcg, "ideal_DCG": possible},
            written="{DCG}/{ideal_DCG}",
            frame="({sum} + {missed} * {whole}) / {divisor}",
            numbers={"missed": all_gained - a.count(gains > 0), "whole": whole},
        )

    def _steps(self, a: Alignment, gains: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the discounted gains of the ranking, (H,), and of the ideal one, (J,).

        The third is the number of judged documents with a gain: (Q,).
        """
        ideal_gains = self.ideal_gains(a)
        ideal = ideal_gains / discounts_of(self, positions(a.ideal_starts))
        all_gained = a.ideal_sum((ideal_gains > 0).astype(np.float64))
        return gains / discounts_of(self, a.rank), ideal, all_gained

    def _possible(self, a: Alignment, ideal: Floats) -> Floats:
        """Return the ideal DCG at the rank of each document: (H,) float64."""
        return a.ideal_upto(ideal, query_of_rows(a.starts), a.rank.astype(np.int64))

    def _at_rank(self, gains: Floats, dcg: Floats, possible: Floats) -> Floats:
        return np.where(gains > 0, ratio(dcg, possible), 0.0)


nDCGrel: Final = NormalizedDiscountedCumulativeGainAtRelevant()
