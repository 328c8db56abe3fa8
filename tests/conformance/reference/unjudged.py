"""Unjudged: the fraction of the first k documents that are unjudged."""

from typing import Literal

from conformance.reference.gains import Ranking


def unjudged(
    ranking: Ranking,
    _missed: Ranking,
    *,
    k: int | None = None,
    judged: float = 0.0,
    norm: Literal["k", "retrieved"] = "k",
) -> float:
    """Count documents without a label, or with one below ``judged``, and divide by k or n."""
    cutoff = len(ranking) if k is None else k
    unjudged_labels = [label for label in ranking[:cutoff] if label is None or label < judged]
    looked_at = cutoff if norm == "k" else len(ranking[:cutoff])
    return len(unjudged_labels) / looked_at if looked_at else 0.0
