"""Names for the types of arrays, and sets of numbers as arrays that rise."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Ranks = NDArray[np.int32]
Values = NDArray[np.floating[Any] | np.integer[Any] | np.bool_]


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
