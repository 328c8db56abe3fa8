"""Rank-biased precision: the gain of a user who continues with probability p."""

from typing import Literal

from conformance.reference.gains import Ranking
from conformance.reference.worth import MaxRel, utilities


def rbp(
    ranking: Ranking,
    missed: Ranking,
    *,
    k: Literal[None, 1, 3, 1000] = None,  # noqa: PYI061 (each is a choice to try)
    rel: float = 1.0,
    min_rel: float = 0.0,
    max_rel: MaxRel = None,
    p: float = 0.9,
    norm: Literal["endless", "k", "ideal"] = "endless",
) -> float:
    """Weight the gain at rank i by p^(i - 1), and divide as ``norm`` says."""
    cutoff = len(ranking) if k is None else k
    gains = utilities(ranking, missed, rel, min_rel, max_rel)
    found = sum(gain * p ** (rank - 1) for rank, gain in enumerate(gains[:cutoff], start=1))
    if norm == "endless":
        return (1 - p) * found
    if norm == "k":
        looks = sum(p ** (rank - 1) for rank in range(1, cutoff + 1))
        return found / looks if looks else 0.0
    judged = [label for label in [*ranking, *missed] if label is not None]
    best = sorted(utilities(judged, [], rel, min_rel, max_rel), reverse=True)[:k]
    possible = sum(gain * p ** (rank - 1) for rank, gain in enumerate(best, start=1))
    return found / possible if possible else 0.0
