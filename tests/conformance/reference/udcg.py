"""UDCG: the mean utility of the passages, through the logistic function."""

import math

from conformance.reference.gains import Ranking

CHOICES = {"distractor": (1 / 3, 1.0)}


def udcg(
    ranking: Ranking,
    _missed: Ranking,
    *,
    k: int | None = None,
    distractor: float = 1 / 3,
) -> float:
    """Average what each of the first k passages helps or distracts."""
    passages = ranking[:k]
    if not passages:
        return 0.0
    total = 0.0
    for label in passages:
        if label is not None:
            total += label if label > 0 else distractor * label
    mean = total / len(passages)
    return 1 / (1 + math.exp(-mean))
