"""Precision: the fraction of the first k documents that are relevant."""

from typing import Literal

from conformance.reference.gains import Ranking


def p(
    ranking: Ranking,
    _missed: Ranking,
    *,
    k: int | None = None,
    rel: float = 1.0,
    norm: Literal["k", "retrieved"] = "k",
) -> float:
    """Hits among the first k, divided by k or by the number retrieved."""
    cutoff = len(ranking) if k is None else k
    hits = 0
    for label in ranking[:cutoff]:
        if label is not None and label >= rel:
            hits += 1
    looked_at = cutoff if norm == "k" else min(len(ranking), cutoff)
    return hits / looked_at if looked_at else 0.0
