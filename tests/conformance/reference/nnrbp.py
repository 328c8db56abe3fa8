"""nNRBP: NRBP as a share of a greedy ranking's."""

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
    """Gains times the chance to come so far, over the same of the greedy ranking."""
    found = [relevant_to(document, rel) for document in ranking]
    ideal = greedy(judged(ranking, missed, order), rel, alpha)
    earned, most = (
        sum(float(gain) * beta**above for above, gain in enumerate(gains(one, alpha)))
        for one in (found, ideal)
    )
    return earned / most if most else 0.0
