"""Gains, discounted by rank."""

import math
from typing import Literal

from conformance.reference.gains import Discount, Gain, Negative, Ranking, discount_at, gain_of
from conformance.reference.screening import screened
from conformance.reference.worth import Horizon, MaxRel, expected_gain, utilities

CHOICES = {
    "ncg.percent": (None, 40),
    "udcg.distractor": (1 / 3, 1.0),
}


# Cumulative gain: the sum of the gains of the first k documents.
def cg(
    ranking: Ranking,
    _missed: Ranking,
    *,
    k: int | None = None,
    gain: Gain = "linear",
    negative: Negative = "zero",
    weighted: bool = False,
) -> float:
    """Sum the gains of the first k documents."""
    gain = "linear" if weighted else gain  # labels are gains, times the weights
    total = 0.0
    for rank, label in enumerate(ranking, start=1):
        if k is None or rank <= k:
            total += gain_of(label, gain, negative)
    return total


# Discounted cumulative gain: gains divided by the discount of their rank.
def dcg(
    ranking: Ranking,
    _missed: Ranking,
    *,
    k: int | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    negative: Negative = "zero",
    weighted: bool = False,
) -> float:
    """Sum the gains of the first k documents, each divided by its rank's discount."""
    gain = "linear" if weighted else gain  # labels are gains, times the weights
    total = 0.0
    for rank, label in enumerate(ranking, start=1):
        if k is None or rank <= k:
            total += gain_of(label, gain, negative) / discount_at(rank, discount)
    return total


# Normalised discounted cumulative gain: DCG divided by that of an ideal list.
def ndcg(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    ideal: Literal["judged", "retrieved", "k", "uncut"] = "judged",
    weighted: bool = False,
) -> float:
    """DCG over the DCG of an ideal list, both cut at k; with "uncut" the ideal list is not.

    The ideal list contains every judged document, or the retrieved ones, or k documents of the
    highest judged gain (without k, as many as were retrieved).
    """
    gain = "linear" if weighted else gain  # labels are gains, times the weights
    retrieved = [gain_of(label, gain) for label in ranking]
    if ideal in {"judged", "uncut"}:
        judged = [label for label in [*ranking, *missed] if label is not None]
        best = sorted((gain_of(label, gain) for label in judged), reverse=True)
    elif ideal == "retrieved":
        best = sorted(retrieved, reverse=True)
    else:
        highest = max((gain_of(label, gain) for label in [*ranking, *missed]), default=0.0)
        best = [highest] * (len(ranking) if k is None else k)
    if k is not None:
        retrieved = retrieved[:k]
        best = best if ideal == "uncut" else best[:k]
    found = sum(g / discount_at(rank, discount) for rank, g in enumerate(retrieved, start=1))
    possible = sum(g / discount_at(rank, discount) for rank, g in enumerate(best, start=1))
    return found / possible if possible else 0.0


# nDCGrel: nDCG as each document with a gain is reached, averaged over these documents.
def ndcg_rel(
    ranking: Ranking, missed: Ranking, *, gain: Gain = "linear", discount: Discount = "log2"
) -> float:
    """Average nDCG at the ranks of documents with a gain; at the end for those not retrieved."""
    values = [
        ndcg(ranking, missed, k=rank, gain=gain, discount=discount)
        for rank, label in enumerate(ranking, start=1)
        if gain_of(label, gain) > 0
    ]
    values += [
        ndcg(ranking, missed, gain=gain, discount=discount)
        for label in missed
        if gain_of(label, gain) > 0
    ]
    return sum(values) / len(values) if values else 0.0


# Normalised cumulative gain at a rank, or at a percentage of the documents.
def ncg(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    gain: Gain = "linear",
    percent: float | None = None,
    norm: Literal["ideal", "all"] = "ideal",
    collection: int | None = None,
    weighted: bool = False,
) -> float:
    """Add up gains to the cutoff, and divide by those of the sorted judged documents."""
    gain = "linear" if weighted else gain  # labels are gains, times the weights
    cutoff = len(ranking) if k is None else k
    if percent is not None:
        share = round(screened(ranking, missed, collection) * percent / 100)
        cutoff = share if k is None else min(share, k)
    judged = [gain_of(label, gain) for label in [*ranking, *missed] if label is not None]
    best = sorted(judged, reverse=True)
    possible = sum(best if norm == "all" else best[:cutoff])
    found = sum(gain_of(label, gain) for label in ranking[:cutoff])
    return found / possible if possible else 0.0


# SDCG: a user model with the discounts of DCG.
def sdcg(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: Horizon = 1000,
    rel: float = 1.0,
    min_rel: float = 0.0,
    max_rel: MaxRel = None,
) -> float:
    """Continue with probability log(i + 1) / log(i + 2), to rank k."""
    last = k or 1000

    def goes_on(rank: int, _gain: float, _total: float) -> float:
        return math.log(rank + 1) / math.log(rank + 2) if rank < last else 0.0

    return expected_gain(utilities(ranking, missed, rel, min_rel, max_rel), k, goes_on)


# Rndcg: nDCG at the sizes of the grades, where an ideal list drops to a lower gain.
def rndcg(
    ranking: Ranking, missed: Ranking, *, gain: Gain = "linear", discount: Discount = "log2"
) -> float:
    """Average nDCG@c over the numbers c of documents of a gain or a better one, and nDCG@n."""
    judged = [label for label in [*ranking, *missed] if label is not None]
    gains = [worth for label in judged if (worth := gain_of(label, gain)) > 0]
    cutoffs = [sum(worth >= level for worth in gains) for level in set(gains)]
    if gains and len(ranking) > len(gains):
        cutoffs.append(len(ranking))
    values = [ndcg(ranking, missed, k=k, gain=gain, discount=discount) for k in cutoffs]
    return sum(values) / len(values) if values else 0.0


# UDCG: the mean utility of the passages, through the logistic function.
def udcg(
    ranking: Ranking,
    _missed: Ranking,
    *,
    k: int | None = None,
    distractor: float = 1 / 3,
) -> float:
    """Average what each of the first k passages helps or distracts."""
    passages = ranking[:k]
    if not passages:
        return 0.0
    total = 0.0
    for label in passages:
        if label is not None:
            total += label if label > 0 else distractor * label
    mean = total / len(passages)
    return 1 / (1 + math.exp(-mean))
