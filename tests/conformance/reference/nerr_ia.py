"""nERR-IA: intent-aware ERR divided by that of the greedy ranking."""

from conformance.reference.subtopics import Ranking, gains, greedy, judged, relevant_to


def nerr_ia(
    ranking: Ranking,
    missed: Ranking,
    order: Ranking | None = None,
    *,
    k: int | None = None,
    alpha: float = 0.5,
    rel: float = 1.0,
) -> float:
    """Gains of the first k over their ranks, over those of the first k of the greedy ranking."""
    found = [relevant_to(document, rel) for document in ranking][:k]
    ideal = greedy(judged(ranking, missed, order), rel, alpha)[:k]
    earned, most = (
        sum(float(gain) / rank for rank, gain in enumerate(gains(one, alpha), start=1))
        for one in (found, ideal)
    )
    return earned / most if most else 0.0
