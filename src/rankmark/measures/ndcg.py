"""Normalised discounted cumulative gain: DCG against the best ranking's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.alignment import positions
from rankmark.measures.dcg import DiscountedCumulativeGain
from rankmark.measures.gains import Gained, costs, descending
from rankmark.measures.parameters import choice, discount
from rankmark.measures.ratio import ratio

if TYPE_CHECKING:
    from rankmark.alignment import Alignment, Floats, Ints


@dataclass(frozen=True, repr=False)
class NormalizedDiscountedCumulativeGain(Gained):
    """DCG at k over the DCG at k of an ideal ranking.

    Formula: DCG_k / IDCG_k; ``gain`` and ``discount`` as in DCG. ``ideal`` says which ranking is
    perfect: "judged" all judged documents by gain, high to low; "retrieved" those of the run,
    reordered; "k" as many documents of the query's highest gain as the cutoff has ranks.
    Nothing relevant: 0.
    Ties: by the evaluation's rule. scikit-learn and torchmetrics average over the orders of ties.
    Unjudged documents: worth 0. Labels below 0 as well.
    Elsewhere: trec_eval ``ndcg`` and ``ndcg_cut_k``, ir_measures ``nDCG@k``, ranx ``ndcg@k``,
    BEIR and MTEB ``NDCG@k`` as here by default; LightGBM, XGBoost, gdeval, ranx ``ndcg_burges``
    gain="exp2" (the first two give 1 where nothing is relevant); RecTools and LlamaIndex
    ideal="k"; Quepid ideal="retrieved".
    Source: Järvelin and Kekäläinen, ACM TOIS 20(4), 2002, section 2.2; trec_eval m_ndcg.c.
    """

    discount: Any = discount()
    ideal: str = choice("judged", "retrieved", "k")

    name = "nDCG"
    aliases = {"ndcg_cut": {}, "ndcg_burges": {"gain": "exp2"}}
    formula = "DCG_k / IDCG_k"
    sees = "grades"
    source = "Järvelin and Kekäläinen 2002, ACM TOIS 20(4), section 2.2; trec_eval 10.0, m_ndcg.c"

    def score(self, a: Alignment) -> Floats:
        dcg = DiscountedCumulativeGain(k=self.k, gain=self.gain, discount=self.discount)
        return ratio(dcg.score(a), self._ideal(a))

    def _ideal(self, a: Alignment) -> Floats:
        if self.ideal == "retrieved":
            gains = descending(self.gains(a.label), a.starts)
            return a.sum(self._discounted(gains, positions(a.starts)))
        gains = self.gains(a.ideal_label)
        if not isinstance(self.gain, str):
            gains = descending(gains, a.ideal_starts)
        if self.ideal == "judged":
            return a.ideal_sum(self._discounted(gains, a.ideal_rank()))
        # The first ideal gain is the highest; it is earned at each of the k ranks.
        highest = a.ideal_sum(np.where(a.ideal_rank() == 1, gains, 0.0))
        cutoff = a.cutoff(self.k).astype(np.int64)
        ranks = np.arange(1, cutoff.max(initial=0) + 1)
        earned = np.append(0.0, np.cumsum(1.0 / costs(ranks, self.discount)))
        return highest * earned[cutoff]

    def _discounted(self, gains: Floats, rank: Ints) -> Floats:
        discounted = gains / costs(rank, self.discount)
        return discounted if self.k is None else np.where(rank <= self.k, discounted, 0.0)


nDCG = NormalizedDiscountedCumulativeGain()
