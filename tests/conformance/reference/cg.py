"""Cumulative gain: the sum of the gains of the first k documents."""

from conformance.reference.gains import Gain, Negative, Ranking, gain_of


def cg(
    ranking: Ranking,
    _missed: Ranking,
    *,
    k: int | None = None,
    gain: Gain = "linear",
    negative: Negative = "zero",
) -> float:
    """Sum the gains of the first k documents."""
    total = 0.0
    for rank, label in enumerate(ranking, start=1):
        if k is None or rank <= k:
            total += gain_of(label, gain, negative)
    return total
