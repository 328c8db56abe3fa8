"""alpha-nDCG: alpha-DCG divided by that of the greedy ranking."""

from math import log2

from conformance.reference.subtopics import Ranking, gains, greedy, judged, relevant_to


def alpha_ndcg(
    ranking: Ranking,
    missed: Ranking,
    order: Ranking | None = None,
    *,
    k: int | None = None,
    alpha: float = 0.5,
    rel: float = 1.0,
) -> float:
    """Discounted gains of the first k over those of the first k of the greedy ranking."""
    found = [relevant_to(document, rel) for document in ranking][:k]
    ideal = greedy(judged(ranking, missed, order), rel, alpha)[:k]
    earned, most = (
        sum(float(gain) / log2(rank + 1) for rank, gain in enumerate(gains(one, alpha), start=1))
        for one in (found, ideal)
    )
    return earned / most if most else 0.0
