"""The number of documents that a review screens."""

from conformance.reference.gains import Ranking


def screened(ranking: Ranking, missed: Ranking, collection: int | None) -> int:
    """Count the documents retrieved or those judged, whichever are more, or the collection."""
    judged = sum(label is not None for label in [*ranking, *missed])
    return collection or max(len(ranking), judged)


def relevant(ranking: Ranking, rel: float) -> list[bool]:
    """Tell which documents are relevant."""
    return [label is not None and label >= rel for label in ranking]
