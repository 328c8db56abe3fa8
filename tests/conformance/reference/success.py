"""Success: whether a relevant document was found."""

from conformance.reference.gains import Ranking


def success(
    ranking: Ranking,
    _missed: Ranking,
    *,
    k: int | None = None,
    rel: float = 1.0,
) -> float:
    """1 if a relevant document is among the first k, else 0."""
    for rank, label in enumerate(ranking, start=1):
        if k is not None and rank > k:
            return 0.0
        if label is not None and label >= rel:
            return 1.0
    return 0.0
