"""Judged: the fraction of the first k documents that are judged."""

from conformance.reference.gains import Ranking


def judged(ranking: Ranking, _missed: Ranking, *, k: int | None = None) -> float:
    """Count the judged documents among the first k, and divide by min(k, n)."""
    seen = list(ranking if k is None else ranking[:k])
    if not seen:
        return 0.0
    return (len(seen) - seen.count(None)) / len(seen)
