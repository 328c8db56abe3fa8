"""R-precision: precision at the rank that equals the number of relevant documents."""

import math

from conformance.reference.gains import Ranking

CHOICES = {"multiple": (1.0, 0.2, 0.35, 5.0)}


def rprec(ranking: Ranking, missed: Ranking, *, rel: float = 1.0, multiple: float = 1.0) -> float:
    """Hits among the first R documents, or a multiple of R, divided by as many."""
    relevant = 0
    for label in [*ranking, *missed]:
        if label is not None and label >= rel:
            relevant += 1
    cutoff = math.floor(relevant * multiple + 0.9)
    if cutoff == 0:
        return 0.0
    hits = 0
    for label in ranking[:cutoff]:
        if label is not None and label >= rel:
            hits += 1
    return hits / cutoff
