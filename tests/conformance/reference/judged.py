"""Judged: the share of what was looked at that anybody has judged."""

from conformance.reference.gains import Ranking


def judged(ranking: Ranking, _missed: Ranking, *, k: int | None = None) -> float:
    """Judged documents among the first k, divided by how many documents there are."""
    seen = list(ranking if k is None else ranking[:k])
    if not seen:
        return 0.0
    return (len(seen) - seen.count(None)) / len(seen)
