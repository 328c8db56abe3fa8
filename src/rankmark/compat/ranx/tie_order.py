"""The order in which ranx puts documents, whose sort is unstable but always the same.

ranx sorts with numba's quicksort, which moves tied documents if there are more than 15. Its order
is reproduced here, so that the numbers are the same for runs with ties, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

Number = TypeVar("Number", int, float)

LONGEST_STABLE = 15
"""The most documents that are sorted by insertion, which leaves ties in the order given."""


def ranked(scores: Mapping[str, Number], times: int = 1) -> dict[str, Number]:
    """Order documents by score, high to low, as ranx's Run does if it is sorted several times."""
    items = list(scores.items())
    if len(items) <= LONGEST_STABLE or len({*scores.values()}) == len(items):
        return dict(sorted(items, key=lambda item: -item[1]))
    for _ in range(times):
        items = [items[at] for at in _sorted([-score for _, score in items])]
    return dict(items)


def ranked_of_dict(scores: Mapping[str, float]) -> dict[str, float]:
    """Order documents by score, high to low, as ranx does for a run that is a plain dict."""
    items = list(scores.items())
    return dict(items[at] for at in reversed(_sorted([score for _, score in items])))


@lru_cache(maxsize=1024)
def _order_of_equal(number: int) -> tuple[int, ...]:
    """Return where equal values go, which depends only on how many they are."""
    return tuple(_sorted([0] * number))


def _sorted(values: Sequence[float]) -> list[int]:
    """Return positions in increasing order of their values."""
    keys, order = list(values), list(range(len(values)))
    parts = [(0, len(keys) - 1)]
    while parts:
        low, high = parts.pop()
        here = range(low, high + 1)
        distinct = len({*keys[low : high + 1]})
        if high - low < LONGEST_STABLE or distinct == len(here):
            order[low : high + 1] = [order[at] for at in sorted(here, key=keys.__getitem__)]
            continue
        if distinct == 1 and len(here) < len(keys):
            order[low : high + 1] = [order[low + at] for at in _order_of_equal(len(here))]
            continue
        middle = _divide(keys, order, low, high)
        parts += [(low, middle - 1), (middle + 1, high)]
    return order


def _divide(keys: list[float], order: list[int], low: int, high: int) -> int:
    """Put smaller keys before a pivot, and greater ones after it; return its position."""

    def swap(one: int, other: int) -> None:
        keys[one], keys[other] = keys[other], keys[one]
        order[one], order[other] = order[other], order[one]

    middle = (low + high) // 2
    for left, right in ((low, middle), (middle, high), (low, middle)):
        if keys[right] < keys[left]:
            swap(left, right)
    pivot = keys[middle]
    swap(middle, high)
    left, right = low, high - 1
    while True:
        while left < high and keys[left] < pivot:
            left += 1
        while right >= low and pivot < keys[right]:
            right -= 1
        if left >= right:
            break
        keys[left], keys[right] = keys[right], keys[left]  # written out, as it is done most
        order[left], order[right] = order[right], order[left]
        left += 1
        right -= 1
    swap(left, high)
    return left
