"""R-precision: precision at the rank that equals the number of relevant documents."""

from conformance.reference.gains import Ranking


def rprec(ranking: Ranking, missed: Ranking, *, rel: float = 1.0) -> float:
    """Hits among the first R documents, divided by R."""
    relevant = 0
    for label in [*ranking, *missed]:
        if label is not None and label >= rel:
            relevant += 1
    if relevant == 0:
        return 0.0
    hits = 0
    for label in ranking[:relevant]:
        if label is not None and label >= rel:
            hits += 1
    return hits / relevant
