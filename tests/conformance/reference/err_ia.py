"""ERR-IA: expected reciprocal rank for each subtopic, averaged and normalised."""

from conformance.reference.subtopics import Ranking, all_subtopics, relevant_to


def err_ia(
    ranking: Ranking,
    missed: Ranking,
    _order: Ranking | None = None,
    *,
    k: int | None = None,
    alpha: float = 0.5,
    rel: float = 1.0,
) -> float:
    """Average ERR without its factor alpha over subtopics, and divide by the highest value."""
    depth = len(ranking) if k is None else k
    every = all_subtopics(ranking, missed, rel)
    if not every or not depth:
        return 0.0
    total = 0.0
    for subtopic in every:
        still_looking = 1.0
        for rank, document in enumerate(ranking[:depth], start=1):
            if subtopic in relevant_to(document, rel):
                total += still_looking / rank
                still_looking *= 1 - alpha
    return total / len(every) / sum((1 - alpha) ** (i - 1) / i for i in range(1, depth + 1))
