"""Q-measure: the blended ratio at each relevant document's rank, averaged."""

from typing import Literal

from conformance.reference.gains import Gain, Ranking, gain_of


def q(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    gain: Gain = "linear",
    beta: float = 1.0,
    norm: Literal["relevant", "min"] = "relevant",
) -> float:
    """Blend hits with gain, of the ranking and of the best one, at every rank that has a gain."""
    cutoff = len(ranking) if k is None else k
    best = sorted(
        (gain_of(label, gain) for label in [*ranking, *missed] if label is not None), reverse=True
    )
    gains = [gain_of(label, gain) for label in ranking]
    total = 0.0
    for rank in range(1, min(cutoff, len(ranking)) + 1):
        if gains[rank - 1] > 0:
            hits = sum(g > 0 for g in gains[:rank])
            total += (hits + beta * sum(gains[:rank])) / (rank + beta * sum(best[:rank]))
    relevant = sum(g > 0 for g in best)
    divisor = relevant if norm == "relevant" else min(relevant, cutoff)
    return total / divisor if divisor else 0.0
