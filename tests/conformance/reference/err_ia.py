"""ERR-IA: where a user with one of several intents stops, averaged over the intents."""

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
    """Mean over intents of ERR without its factor alpha, over the most that it could be."""
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
