"""The blended ratio at each rank."""

from conformance.reference.gains import Gain, Ranking, gain_of


def blended(
    ranking: Ranking, missed: Ranking, gain: Gain, beta: float
) -> tuple[list[float], list[float], list[float]]:
    """Return the gains in rank order, the ratio at each rank, and the gains of a sorted ranking."""
    best = sorted(
        (gain_of(label, gain) for label in [*ranking, *missed] if label is not None), reverse=True
    )
    gains = [gain_of(label, gain) for label in ranking]
    ratios = []
    for rank in range(1, len(gains) + 1):
        hits = sum(g > 0 for g in gains[:rank])
        ratios.append((hits + beta * sum(gains[:rank])) / (rank + beta * sum(best[:rank])))
    return gains, ratios, best


def preferred(gains: list[float]) -> int:
    """Return the rank of the first document with the highest gain; 0 if nothing has one."""
    return gains.index(max(gains)) + 1 if any(gains) else 0
