"""Coverage error: the depth at which all relevant documents have been seen."""

from conformance.reference.gains import Ranking
from conformance.reference.ranking import tied


def coverage_error(ranking: Ranking, missed: Ranking, *, rel: float = 1.0) -> float:
    """Return the end of the last relevant document's tie, or count on for missed documents."""
    num_missed = sum(label is not None and label >= rel for label in missed)
    if num_missed:
        return len(ranking) + num_missed
    depth = 0
    for place, label in enumerate(ranking):
        if label is not None and label >= rel:
            depth = max(other + 1 for other in range(len(ranking)) if tied(ranking, place, other))
    return depth
