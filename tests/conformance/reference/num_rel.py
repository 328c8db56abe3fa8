"""The number of relevant documents."""

from conformance.reference.gains import Ranking


def num_rel(ranking: Ranking, missed: Ranking, *, rel: float = 1.0) -> float:
    """How many judged documents are relevant, retrieved or not."""
    return float(sum(label is not None and label >= rel for label in [*ranking, *missed]))
