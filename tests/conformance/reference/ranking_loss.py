"""Ranking loss: the fraction of pairs of a relevant and another document out of order."""

from conformance.reference.gains import Ranking
from conformance.reference.ranking import tied


def ranking_loss(
    ranking: Ranking, missed: Ranking, *, k: int | None = None, rel: float = 1.0
) -> float:
    """Count the pairs lost to a document above, to a tie, and to not being among the first k."""
    seen = range(len(ranking))[:k]
    relevant = [place for place, label in enumerate(ranking) if label is not None and label >= rel]
    num_missed = sum(label is not None and label >= rel for label in missed)
    if not relevant and not num_missed:
        return 0.0
    others = [place for place in seen if place not in relevant]
    if not others:
        return 0.0 if any(place in seen for place in relevant) else 1.0
    lost = num_missed * len(others)
    for place in relevant:
        for other in others:
            lost += place not in seen or other < place or tied(ranking, place, other)
    return lost / (len(others) * (len(relevant) + num_missed))
