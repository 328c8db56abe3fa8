"""Normalised discounted cumulative gain: DCG against the best ranking's."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankmark.alignment.alignment import positions, query_of_rows, ratio
from rankmark.alignment.tie_probabilities import is_cut, places
from rankmark.errors import MeasureError
from rankmark.measures.base.parameters import choice
from rankmark.measures.dcg import DiscountedCumulativeGain
from rankmark.measures.families.gains import costs_under, descending

if TYPE_CHECKING:
    from rankmark.alignment.alignment import Alignment
    from rankmark.array_types import Floats
    from rankmark.explanations.contributions import Contributions


_MOST_RANKS = 10_000_000


class NormalizedDiscountedCumulativeGain(DiscountedCumulativeGain):
    """DCG at k over the DCG at k of an ideal ranking.

    Formula: DCG_k / IDCG_k; ``gain`` and ``discount`` as in DCG. ``ideal`` says which ranking is
    perfect: "judged" all judged documents by gain, high to low; "retrieved" those of the run,
    reordered; "k" as many documents of the query's highest gain as the cutoff has ranks.
    Nothing relevant: 0.
    Ties: by the evaluation's rule. scikit-learn and torchmetrics average over the orders of ties.
    Unjudged documents: worth 0. Labels below 0 as well.
    Elsewhere: trec_eval ``ndcg`` and ``ndcg_cut_k``, ir_measures ``nDCG@k``, ranx ``ndcg@k``,
    BEIR and MTEB ``NDCG@k`` as here by default; LightGBM, XGBoost, gdeval, ranx ``ndcg_burges``
    gain="exp2" (the first two give 1 where nothing is relevant); trec_eval ``ndcg_p`` discount=2;
    RecTools and LlamaIndex ideal="k"; Quepid ideal="retrieved". pyNTCIREVAL ``MSnDCG`` takes the
    gains that it is given, as ``gain={label: gain}``; its nDCG is ``discount=2`` or another base.
    Source: Järvelin and Kekäläinen, ACM TOIS 20(4), 2002, section 2.2; trec_eval m_ndcg.c.
    """

    ideal: str = choice("which ranking is perfect", "judged", "retrieved", "k")

    name = "nDCG"
    aliases = {
        "ndcg_cut": {},
        "ndcg_burges": {"gain": "exp2"},
        "ndcg_p": {"discount": 2},
        "MSnDCG": {},
        "normalized_discounted_cumulative_gain": {},
    }
    bounds = (0.0, 1.0)
    grows_with_k = False
    formula = "DCG_k / IDCG_k"
    depends_on = "grades"
    judged_alike = False  # the best ranking divides
    source = "Järvelin and Kekäläinen 2002, ACM TOIS 20(4), section 2.2; trec_eval 10.0, m_ndcg.c"

    def deepest_rank(self) -> int | None:
        """Look at every rank where what was retrieved makes the ideal."""
        return None if self.ideal == "retrieved" else self.k

    def score(self, a: Alignment) -> Floats:
        return ratio(super().score(a), self.ideal_dcg(a))

    def contributions(self, a: Alignment) -> Contributions:
        frame = "{sum} / {over}" if self.ideal == "k" else "{sum} / {ideal}"
        return replace(super().contributions(a), over=self.ideal_dcg(a), frame=frame)

    def ideal_ranking(self, a: Alignment) -> Alignment | None:
        """Rank the documents that make the ideal; none where nobody need have them."""
        if self.ideal == "judged":
            return super().ideal_ranking(a)
        if self.ideal == "k":
            return None
        order = np.lexsort((-self.gains(a.label), query_of_rows(a.starts)))
        rank = positions(a.starts).astype(np.int32)
        return replace(a, rank=rank, label=a.label[order], tie_first=None, tie_last=None)

    def expected(self, a: Alignment) -> Floats | None:
        """Give it exactly, unless ties across a depth decide what makes the ideal."""
        if self.ideal != "retrieved":
            return super().expected(a)
        return None if is_cut(a) else ratio(super().score(places(a, self.k)), self.ideal_dcg(a))

    def sorted_is_best(self) -> bool:
        """Say no where what a depth leaves makes the ideal."""
        return self.ideal != "retrieved"

    def ideal_dcg(self, a: Alignment) -> Floats:
        """Give what DCG is divided by, the DCG at k of the ideal ranking: (Q,) float64."""
        if self.ideal == "judged":
            return a.of_ideal(self, lambda: self._of_the_judged(a))
        if self.ideal == "retrieved":
            gains = descending(self.gains(a.label), a.starts)
            return a.sum(self.discounted(gains, positions(a.starts)))
        # The highest gain, earned at each of the k ranks.
        highest = np.zeros(len(a.starts) - 1)
        np.maximum.at(highest, a.ideal_query(), self.gains(a.ideal_label))
        cutoff = a.cutoff(self.k).astype(np.int64)
        if cutoff.max(initial=0) > _MOST_RANKS:
            raise MeasureError(
                f'{self}: ideal="k" adds up each rank; need a cutoff to {_MOST_RANKS:,}'
            )
        ranks = np.arange(1, cutoff.max(initial=0) + 1)
        earned = np.append(0.0, np.cumsum(1.0 / costs_under(self, ranks)))
        ideal: Floats = highest * earned[cutoff]
        return ideal

    def _of_the_judged(self, a: Alignment) -> Floats:
        return a.ideal_sum(self.discounted(self.ideal_gains(a), a.ideal_rank()))


nDCG = NormalizedDiscountedCumulativeGain()
