"""nNRBP: NRBP divided by that of the greedy ranking."""

from conformance.reference.subtopics import Ranking, gains, greedy, judged, relevant_to


def nnrbp(
    ranking: Ranking,
    missed: Ranking,
    order: Ranking | None = None,
    *,
    alpha: float = 0.5,
    rel: float = 1.0,
    beta: float = 0.5,
) -> float:
    """Weight gains by the probability to reach them, and divide by the greedy ranking's sum."""
    found = [relevant_to(document, rel) for document in ranking]
    ideal = greedy(judged(ranking, missed, order), rel, alpha)
    earned, most = (
        sum(float(gain) * beta**above for above, gain in enumerate(gains(one, alpha)))
        for one in (found, ideal)
    )
    return earned / most if most else 0.0
