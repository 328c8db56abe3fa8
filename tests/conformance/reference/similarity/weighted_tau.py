"""Weighted tau, pair by pair (Vigna 2015, section 3)."""

import itertools
import math
from typing import Literal

from conformance.reference.similarity.groups import Groups, completed, place, union


def weighted_tau(
    a: Groups, b: Groups, *, additive: bool = True, rank: Literal["both", "a"] = "both"
) -> float:
    """Mean over both rankings as the one that weighs, its ties in the order of the other."""
    items = union(a, b)
    of_a, of_b = place(completed(a, items)), place(completed(b, items))
    by_a = sorted(items, key=lambda item: (of_a[item], of_b[item]))
    by_b = sorted(items, key=lambda item: (of_b[item], of_a[item]))
    if rank == "a":
        return _weighted(of_a, of_b, by_a, additive)
    return (_weighted(of_a, of_b, by_a, additive) + _weighted(of_a, of_b, by_b, additive)) / 2


def _weighted(
    of_a: dict[str, int], of_b: dict[str, int], ranked: list[str], additive: bool
) -> float:
    weight = {item: 1 / rank for rank, item in enumerate(ranked, 1)}

    def product(r: dict[str, int], s: dict[str, int]) -> float:
        total = 0.0
        for i, j in itertools.combinations(ranked, 2):
            both = weight[i] + weight[j] if additive else weight[i] * weight[j]
            total += _sign(r[i] - r[j]) * _sign(s[i] - s[j]) * both
        return total

    square = product(of_a, of_a) * product(of_b, of_b)
    return product(of_a, of_b) / math.sqrt(square) if square else math.nan


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
