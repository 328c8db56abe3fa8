"""Utility: the weighted sum of the four cells of the contingency table."""

from conformance.reference.gains import Ranking

CHOICES = {"hit": (1.0, 2.0), "noise": (-1.0, 0.5), "miss": (0.0, -0.25), "rest": (0.0, 0.01)}


def utility(
    ranking: Ranking,
    missed: Ranking,
    *,
    rel: float = 1.0,
    hit: float = 1.0,
    noise: float = -1.0,
    miss: float = 0.0,
    rest: float = 0.0,
    collection: int | None = None,
) -> float:
    """Add up the weights of all documents of the collection."""
    total = 0.0
    for label in ranking:
        total += hit if label is not None and label >= rel else noise
    others = (collection or 0) - len(ranking)
    for label in missed:
        if label is not None and label >= rel:
            total += miss
            others -= 1
    return total + rest * others
