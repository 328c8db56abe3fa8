"""Interpolated precision: the best precision at a recall or beyond."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from conformance.reference.gains import Ranking

ELEVEN = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
CHOICES = {"recall": (ELEVEN, 0.0, 0.1, 0.5, (0.25, 1.0))}


def iprec(
    ranking: Ranking,
    missed: Ranking,
    *,
    recall: float | Sequence[float] = ELEVEN,
    rel: float = 1.0,
    rounding: Literal["half", "tenth"] = "half",
) -> float:
    """Average, over the recalls, the best precision at any rank that has as many hits or more."""
    relevant = sum(label is not None and label >= rel for label in [*ranking, *missed])
    recalls = [recall] if isinstance(recall, (int, float)) else list(recall)
    total = 0.0
    for level in recalls:
        if rounding == "half":
            wanted = math.floor(Fraction(level * relevant) + Fraction(1, 2))
        else:
            wanted = math.floor(level * relevant + 0.9)
        best = 0.0
        for rank in range(1, len(ranking) + 1):
            hits = sum(label is not None and label >= rel for label in ranking[:rank])
            if hits >= wanted:
                best = max(best, hits / rank)
        total += best
    return total / len(recalls)
