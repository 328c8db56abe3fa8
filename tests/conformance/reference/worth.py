"""Gains of documents from 0 to 1, and the expected gain of user models per rank."""

from collections.abc import Callable
from typing import Literal

from conformance.reference.gains import Label, Ranking

MaxRel = float | Literal["query"] | None
Horizon = Literal[1000, 1, 3]


def utilities(
    ranking: Ranking, missed: Ranking, rel: float, min_rel: float, max_rel: MaxRel
) -> list[float]:
    """Return the gain of each document of the ranking, from 0 to 1."""
    if max_rel == "query":
        judged = [label for label in [*ranking, *missed] if label is not None]
        max_rel = max(judged, default=0.0)

    def utility(label: Label) -> float:
        if label is None:
            return 0.0
        if max_rel is None:
            return 1.0 if label >= rel else 0.0
        return (label - min_rel) / (max_rel - min_rel) if label > min_rel else 0.0

    return [utility(label) for label in ranking]


def expected_gain(
    gains: list[float], k: int | None, goes_on: Callable[[int, float, float], float]
) -> float:
    """Return the expected gain per rank of a user who reads up to k ranks.

    ``goes_on(rank, gain, total)`` is the probability to continue to the next rank, after gaining
    ``gain`` at this one and ``total`` so far. Ranks after the end of the ranking are included.
    """
    reached, looks, found, total = 1.0, 0.0, 0.0, 0.0
    for rank in range(1, (k or 1000) + 1):
        gain = gains[rank - 1] if rank <= len(gains) else 0.0
        total += gain
        looks += reached
        found += reached * gain
        reached *= goes_on(rank, gain, total)
    return found / looks
