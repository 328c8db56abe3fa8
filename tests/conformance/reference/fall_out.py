"""Fall-out: the fraction of the non-relevant documents that are among the first k."""

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
    """Count the non-relevant documents of the ranking, or of the judgments."""
    if norm == "retrieved":
        nonrelevant = [label is None or label < rel for label in ranking]
        total = sum(nonrelevant)
    else:
        nonrelevant = [label is not None and label < rel for label in ranking]
        total = sum(nonrelevant) + sum(label is not None and label < rel for label in missed)
    return sum(nonrelevant[:k]) / total if total else 0.0
