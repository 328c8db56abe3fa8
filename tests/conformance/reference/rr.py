"""Reciprocal rank: one over the rank of the first relevant document."""

from conformance.reference.gains import Ranking


def rr(
    ranking: Ranking,
    _missed: Ranking,
    *,
    k: int | None = None,
    rel: float = 1.0,
) -> float:
    """1 / rank of the first hit; 0 where there is none within the first k."""
    for rank, label in enumerate(ranking, start=1):
        if label is not None and label >= rel:
            return 1 / rank if k is None or rank <= k else 0.0
    return 0.0
