"""Overlap and Jaccard, as sets."""

import math
from typing import Literal

from conformance.reference.similarity.groups import Groups, items_of, top


def overlap(
    a: Groups,
    b: Groups,
    *,
    k: int | None = None,
    norm: Literal["mean", "k", "min", "count"] = "mean",
) -> float:
    """Size of the intersection, over one of several sizes."""
    one, other = set(items_of(top(a, k))), set(items_of(top(b, k)))
    common = len(one & other)
    if norm == "count":
        return common
    if not one and not other:
        return math.nan  # not 0, for two lists that are the same
    sizes = {
        "mean": (len(one) + len(other)) / 2,
        "k": k or max(len(one), len(other)),
        "min": min(len(one), len(other)),
    }
    return common / sizes[norm] if sizes[norm] else math.nan


def jaccard(a: Groups, b: Groups, *, k: int | None = None) -> float:
    """Intersection over union."""
    one, other = set(items_of(top(a, k))), set(items_of(top(b, k)))
    return len(one & other) / len(one | other) if one | other else math.nan
