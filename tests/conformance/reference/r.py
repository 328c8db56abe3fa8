"""Recall: the share of the relevant documents that was found."""

from typing import Literal

from conformance.reference.gains import Ranking


def r(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: int | None = None,
    rel: float = 1.0,
    norm: Literal["relevant", "min"] = "relevant",
) -> float:
    """Hits among the first k, divided by all relevant documents, or by those that k can hold."""
    cutoff = len(ranking) if k is None else k
    found = [label for label in ranking[:cutoff] if label is not None and label >= rel]
    everything = [label for label in [*ranking, *missed] if label is not None and label >= rel]
    wanted = len(everything)
    if norm == "min":
        wanted = min(wanted, cutoff)
    return len(found) / wanted if wanted else 0.0
