"""The gain of a label and the discount of a rank."""

import math
from collections.abc import Mapping, Sequence
from typing import Literal

Label = float | None
Ranking = Sequence[Label]
Gain = Literal["linear", "exp2"] | Mapping[float, float]
Negative = Literal["zero", "keep"]
Discount = Literal["log2", "rank"] | float


def gain_of(label: Label, gain: Gain, negative: Negative = "zero") -> float:
    """Return the gain of a label; 0 for an unjudged document (None)."""
    if label is None:
        return 0.0
    if isinstance(gain, Mapping):
        return float(gain[label]) if label > 0 else float(gain.get(label, 0.0))
    if label == 0 or (label < 0 and negative == "zero"):
        return 0.0
    if gain == "binary":
        return math.copysign(1.0, label)
    return float(label) if gain == "linear" else 2.0**label - 1.0


def discount_at(rank: int, discount: Discount) -> float:
    """Return the divisor at a 1-based rank.

    log2(rank + 1), the rank, or Järvelin and Kekäläinen's: 1 before rank b, then log_b(rank).
    """
    if discount == "log2":
        return math.log2(rank + 1)
    if discount == "rank":
        return float(rank)
    base = float(discount)
    return 1.0 if rank < base else math.log(rank) / math.log(base)
