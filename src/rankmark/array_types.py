"""Names for the types of arrays, sets of numbers as arrays that rise, and exact sums.

Sums are rounded once, so that they depend neither on the order of the numbers nor on other columns:
NumPy adds one column in pairs and several columns row by row, so the mean of a measure would differ
in its last bit with the number of measures asked for, and with the order of queries.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# As NDArray, whose module takes as long to import as two of ours.
Floats = np.ndarray[tuple[Any, ...], np.dtype[np.float64]]
Bools = np.ndarray[tuple[Any, ...], np.dtype[np.bool_]]
Ints = np.ndarray[tuple[Any, ...], np.dtype[np.int64]]
Ranks = np.ndarray[tuple[Any, ...], np.dtype[np.int32]]
Values = np.ndarray[tuple[Any, ...], np.dtype[np.floating[Any] | np.integer[Any] | np.bool_]]


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """Return the distinct values of an array without NaN: (n,) of its type, rising.

    ``np.unique`` of NumPy 2.3 and later hashes them, which takes up to 90 times as long.
    """
    ordered = np.sort(values, axis=None)
    is_new = np.ones(len(ordered), dtype=np.bool_)
    is_new[1:] = ordered[1:] != ordered[:-1]
    return ordered[is_new]


def are_among(values: NDArray[Any], known: NDArray[Any]) -> Bools:
    """Return which values are among others, which are ``distinct``: of the shape of ``values``."""
    if not len(known):
        return np.zeros(np.shape(values), dtype=np.bool_)
    return known[np.minimum(np.searchsorted(known, values), len(known) - 1)] == values


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
