"""What a user gains from each document, and at one look where each look is chance."""

from collections.abc import Callable
from typing import Literal

from conformance.reference.gains import Label, Ranking

MaxRel = float | Literal["query"] | None
Horizon = Literal[1000, 1, 3]


def utilities(
    ranking: Ranking, missed: Ranking, rel: float, min_rel: float, max_rel: MaxRel
) -> list[float]:
    """Give the gain of each document of the ranking, from 0 to 1."""
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
    """Follow a user down k ranks, those included that the ranking lacks.

    ``goes_on(rank, gain, total)`` is the chance to look at the next rank, having gained so much
    here and so much in all. The value is the gain of a look, looks being weighed by their chance.
    """
    reached, looks, found, total = 1.0, 0.0, 0.0, 0.0
    for rank in range(1, (k or 1000) + 1):
        gain = gains[rank - 1] if rank <= len(gains) else 0.0
        total += gain
        looks += reached
        found += reached * gain
        reached *= goes_on(rank, gain, total)
    return found / looks
