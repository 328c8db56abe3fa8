"""Normalised cumulative utility: the expected blended ratio where users stop."""

from typing import Literal

from conformance.reference.blended import blended
from conformance.reference.gains import Gain, Ranking

CHOICES = {"gamma": (0.95,)}


def ncu(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    gain: Gain = "linear",
    beta: float = 1.0,
    stop: Literal["graded", "rank"] = "graded",
    gamma: float = 0.95,
) -> float:
    """Weight each ratio by the share of the users who stop there."""
    gains, ratios, best = blended(ranking, missed, gain, beta)
    gains = gains[:k]
    if stop == "graded":
        weights = {rank: g for rank, g in enumerate(gains, start=1) if g > 0}
        total = sum(best)
    else:
        ranks = [rank for rank, g in enumerate(gains, start=1) if g > 0]
        weights = {rank: gamma**place for place, rank in enumerate(ranks)}
        total = sum(gamma**place for place in range(sum(g > 0 for g in best)))
    found = sum(weight * ratios[rank - 1] for rank, weight in weights.items())
    return found / total if total else 0.0
