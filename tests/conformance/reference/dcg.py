"""Discounted cumulative gain: gains divided by the discount of their rank."""

from conformance.reference.gains import Discount, Gain, Negative, Ranking, discount_at, gain_of


def dcg(
    ranking: Ranking,
    _missed: Ranking,
    *,
    k: int | None = None,
    gain: Gain = "linear",
    discount: Discount = "log2",
    negative: Negative = "zero",
) -> float:
    """Sum the gains of the first k documents, each divided by its rank's discount."""
    total = 0.0
    for rank, label in enumerate(ranking, start=1):
        if k is None or rank <= k:
            total += gain_of(label, gain, negative) / discount_at(rank, discount)
    return total
