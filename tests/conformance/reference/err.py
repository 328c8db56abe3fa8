"""Expected reciprocal rank, as algorithm 2 of Chapelle et al. 2009 computes it."""

from typing import Literal

from conformance.reference.gains import Label, Ranking


def satisfaction(label: Label, gain: str, max_rel: float) -> float:
    """Return the probability that a document satisfies the user."""
    if label is None or label <= 0:
        return 0.0
    return (2**label - 1) / 2**max_rel if gain == "exp2" else label / (max_rel + 1)


def err(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    gain: Literal["exp2", "linear"] = "exp2",
    max_rel: float | Literal["query"] = 4.0,
) -> float:
    """Follow a user who stops at each document with the probability to be satisfied."""
    judged = [label for label in [*ranking, *missed] if label is not None]
    most = max(judged, default=0.0) if max_rel == "query" else max_rel
    left, value = 1.0, 0.0
    for rank, label in enumerate(ranking[:k], start=1):
        stops = satisfaction(label, gain, most)
        value += left * stops / rank
        left *= 1 - stops
    return value
