"""Tables of labels by query: what coefficients are computed from, and what is left out or drawn."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.array_types import Floats, Ints


def tables_of(
    first: NDArray[np.int8], second: NDArray[np.int8], query: Ints, queries: int, labels: int
) -> Floats:
    """Count the labels of two judges by query: (queries, labels, labels) float64.

    Parameters
    ----------
    first, second
        (n,) int8, numbers of labels, -1 where there is none; such pairs are left out.
    query
        (n,) int64, rising.
    """
    both = (first >= 0) & (second >= 0)
    if not both.all():
        first, second, query = first[both], second[both], query[both]
    cells = labels * labels
    cell = query * cells
    cell += first * np.int16(labels) + second
    counts = np.bincount(cell, minlength=queries * cells)
    return counts.reshape(queries, labels, labels).astype(np.float64)


def coincidence_tables(codes: NDArray[np.int8], query: Ints, queries: int, labels: int) -> Floats:
    """Return the coincidence matrices of several judges by query: (queries, labels, labels).

    For each pair of a query and a document that m judges labelled, each ordered pair of labels
    counts 1 / (m - 1); one that a single judge labelled does not count.

    Parameters
    ----------
    codes
        (judges, n) int8, numbers of labels, -1 where there is none.
    query
        (n,) int64.
    """
    judges = (codes >= 0).sum(0)
    found = np.zeros((queries, labels, labels))
    for first, second in combinations(codes, 2):
        both = np.flatnonzero((first >= 0) & (second >= 0))
        cell = query[both] * (labels * labels) + first[both] * np.int16(labels) + second[both]
        weights = 1.0 / (judges[both] - 1)
        counts = np.bincount(cell, weights=weights, minlength=found.size).reshape(found.shape)
        found += counts + np.swapaxes(counts, -2, -1)
    return found
