"""Recall at fixed precision: the last rank at which precision is kept."""

from conformance.reference.gains import Ranking

CHOICES = {"precision": (0.5, 0.75)}


def recall_at_precision(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    precision: float = 0.5,
    rel: float = 1.0,
) -> float:
    """Try every rank."""
    hits = [label is not None and label >= rel for label in ranking]
    relevant = sum(hits) + sum(label is not None and label >= rel for label in missed)
    ranks = range(1, len(hits[:k]) + 1)
    recalls = [
        sum(hits[:i]) / relevant for i in ranks if sum(hits[:i]) / i >= precision > 0 < relevant
    ]
    return max(recalls, default=0.0)
