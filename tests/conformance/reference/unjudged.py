"""Unjudged: the share of what was looked at that nobody has judged."""

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
    """Documents among the first k without a label, or with too low a one, over their number."""
    cutoff = len(ranking) if k is None else k
    unseen = [label for label in ranking[:cutoff] if label is None or label < judged]
    looked_at = cutoff if norm == "k" else len(ranking[:cutoff])
    return len(unseen) / looked_at if looked_at else 0.0
