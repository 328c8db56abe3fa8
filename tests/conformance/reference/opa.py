"""Ordered pair accuracy: the share of pairs with different labels in order."""

from itertools import combinations

from conformance.reference.gains import Ranking
from conformance.reference.ranking import tied


def opa(ranking: Ranking, missed: Ranking) -> float:
    """Look at every pair of judged documents, one at least of the ranking."""
    pairs = right = 0
    judged = [(place, label) for place, label in enumerate(ranking) if label is not None]
    for (above, first), (below, second) in combinations(judged, 2):
        pairs += first != second
        right += first > second and not tied(ranking, above, below)
    for _, label in judged:
        for absent in missed:
            pairs += absent is not None and label != absent
            right += absent is not None and label > absent
    return right / pairs if pairs else 0.0
