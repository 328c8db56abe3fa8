"""Fall-out: the share of documents that are not relevant which are among the first k."""

from typing import Literal

from conformance.reference.gains import Ranking


def fall_out(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    rel: float = 1.0,
    norm: Literal["retrieved", "judged"] = "retrieved",
) -> float:
    """Count the documents that are not relevant, of the ranking or of the judgments."""
    if norm == "retrieved":
        bad = [label is None or label < rel for label in ranking]
        there = sum(bad)
    else:
        bad = [label is not None and label < rel for label in ranking]
        there = sum(bad) + sum(label is not None and label < rel for label in missed)
    return sum(bad[:k]) / there if there else 0.0
