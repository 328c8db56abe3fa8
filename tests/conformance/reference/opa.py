"""Ordered pair accuracy: the fraction of pairs with different labels in order."""

from itertools import combinations

from conformance.reference.gains import Ranking
from conformance.reference.ranking import tied


def opa(ranking: Ranking, missed: Ranking) -> float:
    """Compare every pair of judged documents, at least one of them retrieved."""
    pairs = right = 0
    judged = [(place, label) for place, label in enumerate(ranking) if label is not None]
    for (above, first), (below, second) in combinations(judged, 2):
        pairs += first != second
        right += first > second and not tied(ranking, above, below)
    for _, label in judged:
        for other in missed:
            pairs += other is not None and label != other
            right += other is not None and label > other
    return right / pairs if pairs else 0.0
