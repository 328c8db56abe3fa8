"""Coverage error: the depth to which one must go to have all that is relevant."""

from conformance.reference.gains import Ranking
from conformance.reference.ranking import tied


def coverage_error(ranking: Ranking, missed: Ranking, *, rel: float = 1.0) -> float:
    """Go down to the end of the last relevant document's tie, and past the end for missed ones."""
    absent = sum(label is not None and label >= rel for label in missed)
    if absent:
        return len(ranking) + absent
    depth = 0
    for place, label in enumerate(ranking):
        if label is not None and label >= rel:
            depth = max(other + 1 for other in range(len(ranking)) if tied(ranking, place, other))
    return depth
