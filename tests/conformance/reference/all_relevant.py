"""Whether all relevant documents were found."""

from conformance.reference.gains import Ranking


def all_relevant(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    rel: float = 1.0,
) -> float:
    """1 if no relevant document is below rank k or missed, and there is one, else 0."""
    found = [label is not None and label >= rel for label in ranking]
    below = found[k:] if k is not None else []
    if any(below) or any(label is not None and label >= rel for label in missed):
        return 0.0
    return 1.0 if any(found) else 0.0
