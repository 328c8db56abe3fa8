"""P-IA: precision for each subtopic, averaged."""

from conformance.reference.subtopics import Ranking, all_subtopics, relevant_to


def p_ia(
    ranking: Ranking,
    missed: Ranking,
    _order: Ranking | None = None,
    *,
    k: int | None = None,
    rel: float = 1.0,
) -> float:
    """Mean over subtopics of the share of the first k that is relevant to each."""
    every = all_subtopics(ranking, missed, rel)
    depth = len(ranking) if k is None else k
    if not every or not depth:
        return 0.0
    shares = [
        sum(subtopic in relevant_to(document, rel) for document in ranking[:depth]) / depth
        for subtopic in every
    ]
    return sum(shares) / len(every)
