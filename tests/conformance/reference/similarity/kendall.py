"""Kendall's distance and tau, pair by pair."""

import itertools
import math
from typing import Literal

from conformance.reference.similarity.groups import Groups, completed, items_of, place, union


def kendall_distance(
    a: Groups,
    b: Groups,
    *,
    p: float = 0.5,
    form: Literal["full", "top-k"] = "full",
    normalized: bool = True,
) -> float:
    """Add up Fagin's penalties over all pairs of items (2003, section 3.1, cases 1 to 4)."""
    of_a, of_b = place(a), place(b)
    total = sum(
        _penalty(_order(i, j, of_a), _order(i, j, of_b), p)
        for i, j in itertools.combinations(union(a, b), 2)
    )
    if not normalized:
        return total
    m, n, either = len(items_of(a)), len(items_of(b)), len(union(a, b))
    most = math.comb(either, 2)
    if form == "top-k":
        most = m * n + p * (math.comb(m, 2) + math.comb(n, 2))
    return total / most if most else math.nan


def _order(i: str, j: str, places: dict[str, int]) -> int | None:
    """Say who is ahead: -1 for i, 1 for j; None where it is not said."""
    if i in places and j in places:
        return None if places[i] == places[j] else (-1 if places[i] < places[j] else 1)
    if i not in places and j not in places:
        return None
    return -1 if i in places else 1


def _penalty(one: int | None, other: int | None, p: float) -> float:
    if one is None and other is None:
        return 0
    if one is None or other is None:
        return p
    return 0 if one == other else 1


def kendall_tau(a: Groups, b: Groups, *, variant: Literal["a", "b", "c"] = "b") -> float:
    """(C - D) over all pairs, or over the mean of those that tie in neither."""
    items = union(a, b)
    of_a, of_b = place(completed(a, items)), place(completed(b, items))
    balance = all_pairs = untied_a = untied_b = 0
    for i, j in itertools.combinations(items, 2):
        x, y = _sign(of_a[i] - of_a[j]), _sign(of_b[i] - of_b[j])
        balance += x * y
        all_pairs += 1
        untied_a += x != 0
        untied_b += y != 0
    if variant == "c":
        fewer = min(len(set(of_a.values())), len(set(of_b.values())))
        return 2 * balance / (len(items) ** 2 * (fewer - 1) / fewer) if fewer > 1 else math.nan
    most = all_pairs if variant == "a" else math.sqrt(untied_a) * math.sqrt(untied_b)
    return balance / most if most else math.nan


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
