"""Normalised discounted cumulative gain: DCG divided by that of an ideal ranking."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment, Needs, positions, query_of_rows, ratio
from rankmark.measures.base.measure import Aliases, DependsOn, TermOf
from rankmark.measures.base.parameters import choice
from rankmark.measures.base.tie_handling import ADDITIVE, TieHandling
from rankmark.measures.families.discounted_gain import DiscountedGain
from rankmark.measures.families.gains import (
    FIRST_LOG2,
    descending,
    discounts_of,
    ranks_to,
    weighable,
)
from rankmark.measures.families.possible_losses import discount_losses, of_ideal_share
from rankmark.results.explanations.contributions import Contributions


class NormalizedDiscountedCumulativeGain(DiscountedGain):
    """DCG at k divided by the DCG at k of an ideal ranking.

    Formula: DCG_k / IDCG_k; ``gain`` and ``discount`` as in DCG. The ideal ranking consists of
    (``ideal``) "judged" all judged documents, by gain; "retrieved" the retrieved documents, by
    gain; "k" k documents with the highest gain of the query; "uncut" all judged documents, by gain,
    of which those beyond rank k count, too: DCG_k / IDCG. With ``weighted``, the gain of each
    document is multiplied by its weight.
    Nothing relevant: 0.
    Ties: by the evaluation's rule. scikit-learn and torchmetrics average over the orders of ties.
    Unjudged documents: gain 0, as for labels below 0.
    Elsewhere: trec_eval ``ndcg`` and ``ndcg_cut_k``, ir_measures ``nDCG@k``, ranx ``ndcg@k``, BEIR
    and MTEB ``NDCG@k`` as here by default; LightGBM, XGBoost, gdeval, ranx ``ndcg_burges``
    gain="exp2" (the first two give 1 if nothing is relevant); trec_eval ``ndcg_p`` discount=2;
    RecTools ideal="k"; scikit-learn and torchmetrics ideal="retrieved"; Quepid 8.1 ``ndcg_cut@10``
    gain="exp2", and its ``ndcg@10`` also ideal="uncut". pyNTCIREVAL ``MSnDCG`` takes gains as they
    are, like ``gain={label: gain}``; its nDCG is ``discount=2`` or another base. Weighted by
    inverse propensities, it is ``PSnDCG@k`` of extreme classification, whose tools divide the sums
    over all queries.
    Source: Järvelin and Kekäläinen, ACM TOIS 20(4), 2002, section 2.2; trec_eval m_ndcg.c.
    """

    ideal: str = choice("which ranking is ideal", "judged", "retrieved", "k", "uncut")

    name = "nDCG"
    full_name = "normalised discounted cumulative gain"
    aliases: Aliases = {
        "ndcg_cut": {},
        "ndcg_burges": {"gain": "exp2"},
        "ndcg_p": {"discount": 2},
        "MSnDCG": {},
        "PSnDCG": {"weighted": True},
        "normalized_discounted_cumulative_gain": {},
    }
    common = weighable(DiscountedGain.common)
    bounds: tuple[float, float] = (0.0, 1.0)
    grows_with_k = False
    formula = "DCG_k / IDCG_k"
    latex = r"\frac{\mathrm{DCG}_k}{\mathrm{IDCG}_k}"
    depends_on: DependsOn = "grades"

    @property
    def term_of(self) -> TermOf | None:  # type: ignore[override]
        """The label of a document, unless the divisor depends on those retrieved."""
        return None if self.ideal == "retrieved" else "label"

    def score(self, a: Alignment) -> Floats:
        return ratio(super().score(a), self.ideal_dcg(a))

    def possible_loss(self, moved: Floats) -> Floats | None:
        """Return the largest loss; it does not depend on the gains, which are at least 0."""
        if self.ideal == "retrieved":
            return None
        k = moved.shape[1] if self.k is None else self.k
        weights = 1.0 / discounts_of(self, ranks_to(self, k))
        if self.ideal == "k":
            return discount_losses(moved, weights).sum(axis=1) / weights.sum()
        return of_ideal_share(moved, weights)

    def contributions(self, a: Alignment) -> Contributions:
        frame = "{sum} / {divisor}" if self.ideal == "k" else "{sum} / {ideal}"
        return super().contributions(a)._replace(divisor=self.ideal_dcg(a), frame=frame)

    def needs(self) -> Needs:
        """Use every rank, or every judged document, if these form the ideal ranking."""
        needs = super().needs()._replace(deepest=None if self.ideal == "retrieved" else self.k)
        return needs._replace(ideal=None) if self.ideal == "uncut" else needs

    def ideal_dcg(self, a: Alignment) -> Floats:
        """Return the DCG at k of the ideal ranking: (Q,) float64."""
        return _IDEAL_DCG[self.ideal](self, a)

    def ideal_ranking(self, a: Alignment) -> Alignment | None:
        """Return the ranking behind ``ideal_dcg``; None for "k", since it may not exist."""
        if self.ideal in {"judged", "uncut"}:
            return super().ideal_ranking(a)
        if self.ideal == "k":
            return None
        order = np.lexsort((-self.gains(a.label), query_of_rows(a.starts)))
        rank = positions(a.starts).astype(np.int32)
        return replace(a, rank=rank, label=a.label[order], tie_first=None, tie_last=None)

    def for_ideal(self) -> NormalizedDiscountedCumulativeGain:
        """Return the measure that counts the ideal ranking: without the cutoff for "uncut"."""
        return self.with_parameters(k=None) if self.ideal == "uncut" and self.k else self

    @property
    def tie_handling(self) -> TieHandling:
        """Add up documents; a tie across the last rank can change which of them were retrieved."""
        if self.ideal == "retrieved":
            return ADDITIVE._replace(expected=_expected_if_none_is_cut, sorted_is_best=False)
        return ADDITIVE


def _of_judged(measure: DiscountedGain, a: Alignment) -> Floats:
    """Return the DCG of all judged documents, by gain."""
    return a.of_ideal(measure, lambda: _sum_of_judged(measure, a))


def _sum_of_judged(measure: DiscountedGain, a: Alignment) -> Floats:
    gains = measure.ideal_gains(a)
    if measure.discount == "log2" and measure.k is not None and measure.k <= len(FIRST_LOG2):
        return a.ideal_sum_of_first(measure.k, gains, FIRST_LOG2)
    return a.ideal_sum(measure.discounted(gains, a.ideal_rank()))


def _of_judged_uncut(measure: DiscountedGain, a: Alignment) -> Floats:
    """Return the DCG of all judged documents, by gain, whatever the cutoff."""
    return _of_judged(measure.with_parameters(k=None), a)


def _of_retrieved(measure: DiscountedGain, a: Alignment) -> Floats:
    """Return the DCG of the retrieved documents, by gain."""
    gains = descending(measure.gains(a.label), a.starts)
    return a.sum(measure.discounted(gains, positions(a.starts)))


def _of_highest_gain(measure: DiscountedGain, a: Alignment) -> Floats:
    """Return the DCG of k documents with the highest gain of the query."""
    gains = measure.ideal_gains(a)
    highest = a.perfect().first(np.ones(len(gains), dtype=bool), gains)
    k = a.cutoff(measure.k).astype(np.int64)
    weights = 1.0 / discounts_of(measure, ranks_to(measure, k.max(initial=0)))
    return highest * np.append(0.0, np.cumsum(weights))[k]


_IDEAL_DCG = {
    "judged": _of_judged,
    "retrieved": _of_retrieved,
    "k": _of_highest_gain,
    "uncut": _of_judged_uncut,
}


def _expected_if_none_is_cut(measure: DiscountedGain, a: Alignment) -> Floats | None:
    from rankmark.data.alignment.tie_probabilities import is_cut, places  # noqa: PLC0415

    if is_cut(a):
        return None
    dcg = DiscountedGain.score(measure, places(a, measure.k))
    return ratio(dcg, _of_retrieved(measure, a))


nDCG: Final[NormalizedDiscountedCumulativeGain] = NormalizedDiscountedCumulativeGain()
