"""Hole: count what nobody judged."""

from conformance.reference.gains import Ranking


def hole(ranking: Ranking, missed: Ranking, *, k: int | None = None) -> float:  # noqa: ARG001
    """Divide the unjudged of the first k by k; the labels must say what is judged anywhere."""
    cutoff = len(ranking) if k is None else k
    return sum(label is None for label in ranking[:cutoff]) / cutoff if cutoff else 0.0
