"""nDCGrel: nDCG at the rank of each relevant document, averaged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.alignment import positions, query_of_rows, ratio
from rankmark.measures.gains import Graded, costs
from rankmark.measures.parameters import discount

if TYPE_CHECKING:
    from rankmark.alignment import Alignment, Floats


class NormalizedDiscountedCumulativeGainAtRelevant(Graded):
    """The mean, over the documents with a gain, of nDCG at the rank of each.

    Formula: the mean over the documents with a gain above 0 of nDCG_i, i being the document's rank;
    of one that was not retrieved, the gain of the whole ranking over that of all judged documents.
    ``gain`` and ``discount`` as in DCG.
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: worth 0. Labels below 0 as well.
    Elsewhere: trec_eval and pytrec_eval ``ndcg_rel``.
    Source: trec_eval 10.0, m_ndcg_rel.c.
    """

    discount: Any = discount()

    name = "nDCGrel"
    aliases = {"ndcg_rel": {}}
    formula = "mean of nDCG_i over the ranks i of the documents with a gain"
    sees = "grades"
    promoting_helps = False
    source = "trec_eval 10.0, m_ndcg_rel.c"

    def score(self, a: Alignment) -> Floats:
        gains = self.gains(a.label)
        earned = gains / costs(a.rank, self.discount)
        ideal_gains = self.ideal_gains(a)
        ideal = ideal_gains / costs(positions(a.ideal_starts), self.discount)
        possible = a.ideal_upto(ideal, query_of_rows(a.starts), a.rank.astype(np.int64))
        gained = gains > 0
        found = a.sum(np.where(gained, ratio(a.cumsum(earned), possible), 0.0))
        all_gained = a.ideal_sum((ideal_gains > 0).astype(np.float64))
        missed = all_gained - a.count(gained)
        whole = ratio(a.sum(earned), a.ideal_sum(ideal))
        return ratio(found + missed * whole, all_gained)


nDCGrel = NormalizedDiscountedCumulativeGainAtRelevant()
