"""NRBP: the expected novelty gain of a user who continues with probability beta."""

from conformance.reference.subtopics import Ranking, all_subtopics, relevant_to


def nrbp(
    ranking: Ranking,
    missed: Ranking,
    _order: Ranking | None = None,
    *,
    alpha: float = 0.5,
    rel: float = 1.0,
    beta: float = 0.5,
) -> float:
    """Go down the list once for each subtopic, and average."""
    every = all_subtopics(ranking, missed, rel)
    if not every:
        return 0.0
    total = 0.0
    for subtopic in every:
        novelty, patience = 1.0, 1.0
        for document in ranking:
            if subtopic in relevant_to(document, rel):
                total += novelty * patience
                novelty *= 1 - alpha
            patience *= beta
    return total * (1 - (1 - alpha) * beta) / len(every)
