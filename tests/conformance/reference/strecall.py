"""Subtopic recall: the fraction of subtopics found."""

from conformance.reference.subtopics import Ranking, all_subtopics


def strecall(
    ranking: Ranking,
    missed: Ranking,
    _order: Ranking | None = None,
    *,
    k: int | None = None,
    rel: float = 1.0,
) -> float:
    """Divide the number of subtopics of the first k documents by that of all."""
    every = all_subtopics(ranking, missed, rel)
    return len(all_subtopics(ranking[:k], [], rel)) / len(every) if every else 0.0
