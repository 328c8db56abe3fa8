"""Normalised discounted cumulative gain: DCG divided by that of an ideal list."""

from typing import Literal

from conformance.reference.gains import Discount, Gain, Ranking, discount_at, gain_of


def ndcg(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    ideal: Literal["judged", "retrieved", "k", "uncut"] = "judged",
) -> float:
    """DCG over the DCG of an ideal list, both cut at k; with "uncut" the ideal list is not.

    The ideal list contains every judged document, or the retrieved ones, or k documents of the
    highest judged gain (without k, as many as were retrieved).
    """
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
