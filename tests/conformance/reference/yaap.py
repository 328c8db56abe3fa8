"""yaAP, Robertson's smoothed log-odds of average precision."""

import math

from conformance.reference.gains import Ranking


def yaap(ranking: Ranking, missed: Ranking, *, rel: float = 1.0) -> float:
    """The logarithm of one plus the precisions found over one plus those lost."""
    relevant = sum(label is not None and label >= rel for label in [*ranking, *missed])
    hits = 0
    found = 0.0
    for rank, label in enumerate(ranking, start=1):
        if label is not None and label >= rel:
            hits += 1
            found += hits / rank
    lost = relevant - found
    return math.log(1 + found) - math.log(1 + lost)
