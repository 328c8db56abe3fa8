"""Normalised discounted cumulative gain: DCG against the best ranking's."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.alignment.alignment import Needs, positions, query_of_rows, ratio
from rankmark.alignment.tie_probabilities import is_cut, places
from rankmark.errors import MeasureError
from rankmark.measures.base.ideal import by_merit, unknown
from rankmark.measures.base.parameters import choice
from rankmark.measures.base.tie_handling import ADDITIVE, TieHandling
from rankmark.measures.dcg import DiscountedCumulativeGain
from rankmark.measures.families.gains import costs_under, descending

if TYPE_CHECKING:
    from collections.abc import Callable

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
    source = "Järvelin and Kekäläinen 2002, ACM TOIS 20(4), section 2.2; trec_eval 10.0, m_ndcg.c"

    def score(self, a: Alignment) -> Floats:
        return ratio(super().score(a), self.ideal_dcg(a))

    def contributions(self, a: Alignment) -> Contributions:
        frame = "{sum} / {over}" if self.ideal == "k" else "{sum} / {ideal}"
        return replace(super().contributions(a), over=self.ideal_dcg(a), frame=frame)

    def needs(self) -> Needs:
        """Look at every rank where the retrieved documents make the ideal."""
        deepest = None if self.ideal == "retrieved" else self.k
        return super().needs()._replace(deepest=deepest)

    def ideal_dcg(self, a: Alignment) -> Floats:
        """Give what DCG is divided by, the DCG at k of the ideal ranking: (Q,) float64."""
        return _IDEALS[self.ideal].dcg(self, a)

    def ideal_ranking(self, a: Alignment) -> Alignment | None:
        """Rank the documents that make the ideal."""
        return _IDEALS[self.ideal].ranking(self, a)

    @property
    def tie_handling(self) -> TieHandling:  # type: ignore[override]
        """Add up documents, unless the order of ties decides which ones make the ideal."""
        return _IDEALS[self.ideal].tie_handling


class _Ideal(NamedTuple):
    """An ideal ranking: its DCG at k, (Q,) float64; the ranking itself; and what ties do to nDCG.

    The functions take the measure and the alignment.
    """

    dcg: Callable[[Any, Alignment], Floats]
    ranking: Callable[[Any, Alignment], Alignment | None]
    tie_handling: TieHandling


def _judged(measure: DiscountedCumulativeGain, a: Alignment) -> Floats:
    """Rank all judged documents by gain."""
    return a.of_ideal(
        measure,
        lambda: a.ideal_sum(measure.discounted(measure.ideal_gains(a), a.ideal_rank())),
    )


def _retrieved(measure: DiscountedCumulativeGain, a: Alignment) -> Floats:
    """Rank the documents that the run retrieved by gain."""
    gains = descending(measure.gains(a.label), a.starts)
    return a.sum(measure.discounted(gains, positions(a.starts)))


def _reranked(measure: DiscountedCumulativeGain, a: Alignment) -> Alignment:
    order = np.lexsort((-measure.gains(a.label), query_of_rows(a.starts)))
    rank = positions(a.starts).astype(np.int32)
    return replace(a, rank=rank, label=a.label[order], tie_first=None, tie_last=None)


def _expected_share(measure: DiscountedCumulativeGain, a: Alignment) -> Floats | None:
    """Divide the expected DCG, unless ties across a depth decide what makes the ideal."""
    if is_cut(a):
        return None
    dcg = DiscountedCumulativeGain.score(measure, places(a, measure.k))
    return ratio(dcg, _retrieved(measure, a))


def _at_cutoff(measure: DiscountedCumulativeGain, a: Alignment) -> Floats:
    """Earn the query's highest gain at each of the k ranks."""
    highest = np.zeros(len(a.starts) - 1)
    np.maximum.at(highest, a.ideal_query(), measure.gains(a.ideal_label))
    cutoff = a.cutoff(measure.k).astype(np.int64)
    deepest = cutoff.max(initial=0)
    if deepest > _MOST_RANKS:
        raise MeasureError(
            f'{measure}: ideal="k" adds up each rank; need a cutoff to {_MOST_RANKS:,}'
        )
    weights = 1.0 / costs_under(measure, np.arange(1, deepest + 1))
    ideal: Floats = highest * np.append(0.0, np.cumsum(weights))[cutoff]
    return ideal


_IDEALS = {
    "judged": _Ideal(_judged, by_merit, ADDITIVE),
    "retrieved": _Ideal(
        _retrieved,
        _reranked,
        replace(ADDITIVE, expected=_expected_share, sorted_is_best=False),
    ),
    "k": _Ideal(_at_cutoff, unknown, ADDITIVE),  # no such documents need exist
}


nDCG = NormalizedDiscountedCumulativeGain()
