"""Whether every subtopic was found."""

from conformance.reference.subtopics import Ranking, all_subtopics


def all_groups(
    ranking: Ranking,
    missed: Ranking,
    _order: Ranking | None = None,
    *,
    k: int | None = None,
    rel: float = 1.0,
) -> float:
    """1 if the first k documents have all the subtopics that there are, else 0."""
    every = all_subtopics(ranking, missed, rel)
    return float(bool(every) and all_subtopics(ranking[:k], [], rel) == every)
