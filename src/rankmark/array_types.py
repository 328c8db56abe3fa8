"""Names for the types of arrays, sets of numbers as arrays that rise, and exact sums.

Sums are rounded once, so that they depend neither on the order of the numbers nor on other columns:
NumPy adds one column in pairs and several columns row by row, so the mean of a measure would differ
in its last bit with the number of measures asked for, and with the order of queries.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Ranks = NDArray[np.int32]
Values = NDArray[np.floating[Any] | np.integer[Any] | np.bool_]


_AT_ONCE = 1 << 17  # values, which stay in the cache of a processor


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """Return the distinct values of an array without NaN: (n,) of its type, rising.

    ``np.unique`` of NumPy 2.3 and later hashes them, which takes up to 90 times as long.
    """
    ordered = np.sort(values, axis=None)
    is_new = np.ones(len(ordered), dtype=np.bool_)
    is_new[1:] = ordered[1:] != ordered[:-1]
    found: NDArray[Any] = ordered[is_new]
    return found


def are_among(values: NDArray[Any], known: NDArray[Any]) -> Bools:
    """Return which values are among others, which are ``distinct``: of the shape of ``values``."""
    if not len(known):
        return np.zeros(np.shape(values), dtype=np.bool_)
    found: Bools = known[np.minimum(np.searchsorted(known, values), len(known) - 1)] == values
    return found


def by_appearance(values: NDArray[Any]) -> tuple[NDArray[np.uint32], Ints] | None:
    """Give whole numbers numbers from 0 in the order in which they first appear.

    Returns
    -------
    tuple of (n,) uint32 and (m,) int64
        The number of each value, and the distinct values; None if there are none, or they are so
        far apart that a table of all between would be larger than the values are.
    """
    if not len(values):
        return None
    low, high = int(values.min()), int(values.max())
    if high - low > 2 * len(values) or high >= 2**63:
        return None
    begins = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
    if 4 * len(begins) < len(values):  # equal ones stand together
        found = by_appearance(values[begins])
        ends = np.append(begins[1:], len(values))
        return None if found is None else (np.repeat(found[0], ends - begins), found[1])
    unknown = np.uint32(2**32 - 1)
    number = np.full(high - low + 1, unknown)
    numbers = np.empty(len(values), dtype=np.uint32)
    distinct_ones: list[Ints] = []
    many = 0
    for first in range(0, len(values), _AT_ONCE):
        places = np.subtract(values[first : first + _AT_ONCE], low, dtype=np.int64)
        found_here = number[places]
        is_new = found_here == unknown
        if is_new.any():
            ones, at = np.unique(places[is_new], return_index=True)
            ones = ones[np.argsort(at)]
            number[ones] = np.arange(many, many + len(ones), dtype=np.uint32)
            many += len(ones)
            distinct_ones.append(ones)
            found_here = number[places]
        numbers[first : first + _AT_ONCE] = found_here
    return numbers, np.concatenate(distinct_ones) + low


def exact_sum(values: Floats) -> float:
    """Add numbers, (n,) float64, and round once.

    Where they contain infinities, or an intermediate sum is too large, NumPy's sum.
    """
    try:
        return math.fsum(values.tolist())
    except (OverflowError, ValueError):
        with np.errstate(invalid="ignore", over="ignore"):
            return float(np.sum(values))


def column_sums(values: Floats) -> list[float]:
    """Return the exact sum of each column: (n, columns) float64."""
    return [exact_sum(column) for column in values.T]


def exact_mean(values: Floats) -> float:
    """Average numbers, (n,) float64; NaN if there are none."""
    return exact_sum(values) / len(values) if len(values) else math.nan


def column_means(values: Floats) -> Floats:
    """Average each column: (n, columns) float64 to (columns,)."""
    return np.array([exact_mean(column) for column in values.T])


def defined_means(values: Floats) -> tuple[float, ...]:
    """Average what is not NaN in each column, (n, columns) float64; NaN if nothing is."""
    present = ~np.isnan(values)
    if present.all():
        return tuple(exact_mean(column) for column in values.T)
    return tuple(exact_mean(column[has]) for column, has in zip(values.T, present.T, strict=True))
