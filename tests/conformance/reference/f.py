"""F, one minus van Rijsbergen's E: the harmonic mean of precision and recall."""

from conformance.reference.gains import Ranking


def f(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    rel: float = 1.0,
    beta: float = 1.0,
) -> float:
    """Weight recall beta times as much as precision, in a harmonic mean."""
    cutoff = len(ranking) if k is None else k
    hits = sum(label is not None and label >= rel for label in ranking[:cutoff])
    relevant = sum(label is not None and label >= rel for label in [*ranking, *missed])
    if hits == 0:
        return 0.0
    precision = hits / cutoff
    recall = hits / relevant
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
