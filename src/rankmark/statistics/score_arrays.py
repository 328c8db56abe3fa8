"""Scores of queries as arrays, checked once for all tests, and standard errors of their means."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankmark.array_types import Bools, Floats, Ints
from rankmark.errors import InputError, shown

Alternative = Literal["two-sided", "greater", "less"]

NO_QUERY = "no query has a score from both systems"

# Differences smaller than this share of the largest score come from rounding in the last digits.
ROUNDING = 2.0**-40
_LARGEST = 1e100


def by_id(queries: Sequence[str]) -> Ints | None:
    """Return the numbers of queries in the order of their ids; None if they have it already."""
    ids = list(queries)
    if all(a <= b for a, b in pairwise(ids)):
        return None
    return np.array(sorted(range(len(ids)), key=ids.__getitem__), dtype=np.int64)


class Paired(NamedTuple):
    """Differences of the queries that both systems have a score for, the other minus the baseline.

    Attributes
    ----------
    baseline, other
        (n,) float64, the scores of these queries.
    differences
        (n,) float64; exactly 0 where two scores differ by rounding only.
    kept
        (n_queries,) bool, which of the queries given these are.
    rounding
        What two numbers differ by at most if they differ by rounding only.
    """

    baseline: Floats
    other: Floats
    differences: Floats
    kept: Bools
    rounding: float

    @property
    def left_out(self) -> int:
        """Count the queries without a score from one of the two."""
        return int(len(self.kept) - self.kept.sum())

    @property
    def by_query(self) -> Floats:
        """(n_queries,) float64, the difference of each query given, NaN where there is none."""
        found = np.full(len(self.kept), np.nan)
        found[self.kept] = self.differences
        return found


def same_queries(
    baseline: ArrayLike, other: ArrayLike, called: tuple[str, str] = ("baseline", "other")
) -> tuple[Floats, Floats]:
    """Return the scores of two systems for the same queries: (n,) float64 each."""
    a, b = map(column, called, (baseline, other))
    if len(a) != len(b):
        raise InputError(
            f"{called[0]} has {len(a):,} scores and {called[1]} {len(b):,}",
            "give both for the same queries, in the same order",
        )
    return a, b


def pair(baseline: ArrayLike, other: ArrayLike) -> Paired:
    """Subtract the scores of two systems for the same queries, leaving NaN out."""
    a, b = same_queries(baseline, other)
    kept = ~(np.isnan(a) | np.isnan(b))
    a, b = a[kept], b[kept]
    rounding = ROUNDING * float(np.max(np.abs([a, b]), initial=0.0))
    return Paired(a, b, without_rounding(b - a, rounding), kept, rounding)


def without_rounding(differences: Floats, rounding: float | Floats) -> Floats:
    """Set to 0 what differs from 0 by rounding only."""
    return np.where(np.abs(differences) <= rounding, 0.0, differences)


def on_grid(differences: Floats, rounding: float) -> Floats:
    """Round differences, so that those which differ by rounding only are tied."""
    if rounding == 0:
        return differences
    grid = 2.0 ** math.ceil(math.log2(rounding))
    return np.rint(differences / grid) * grid


def column(name: str, values: ArrayLike) -> Floats:
    """Return one score per query: (n,) float64, NaN where there is none."""
    array = _numbers(name, values)
    if array.ndim != 1:
        raise InputError(f"{name} has the shape {array.shape}", "need one score for each query")
    return array


def columns(name: str, values: ArrayLike) -> Floats:
    """Return columns of one score per query: (n, columns) float64, NaN where there is none."""
    array = _numbers(name, values)
    if array.ndim not in {1, 2}:
        raise InputError(
            f"{name} has the shape {array.shape}",
            "need one row for each query, and one column for each thing that is scored",
        )
    return array if array.ndim == 2 else array[:, None]


def alike_columns(values: Floats, most: int = 128) -> Iterator[tuple[Bools, Ints]]:
    """Yield which rows have a number, and the numbers of columns of which that is true.

    No more columns at once than can be worked on together.
    """
    groups: dict[bytes, list[int]] = {}
    missing = np.ascontiguousarray(np.isnan(values).T)
    for number, pattern in enumerate(missing):
        groups.setdefault(pattern.tobytes(), []).append(number)
    for same in groups.values():
        for at in range(0, len(same), most):
            yield ~missing[same[0]], np.array(same[at : at + most])


def cube(name: str, values: ArrayLike) -> Floats:
    """Return the scores of systems: (n, systems, measures) float64; two axes mean one measure."""
    array = _numbers(name, values)
    if array.ndim not in {2, 3}:
        raise InputError(
            f"{name} has the shape {array.shape}",
            "need (queries, systems) or (queries, systems, measures)",
        )
    if array.shape[1] < 2:
        raise InputError(f"{name} contains {_count(array.shape[1], 'system')}", "need at least two")
    if array.ndim == 3 and array.shape[2] == 0:
        raise InputError(f"{name} contains no measure", "need at least one")
    return array if array.ndim == 3 else array[:, :, None]


def cluster_numbers(clusters: Sequence[Hashable] | ArrayLike | None, n: int) -> Ints | None:
    """Return numbers to the clusters that queries belong to from 0, in order of appearance."""
    if clusters is None:
        return None
    names = clusters.tolist() if isinstance(clusters, np.ndarray) else clusters
    if not isinstance(names, Sequence) or len(names) != n:
        raise InputError(f"clusters is {shown(names)}", "need the name of a cluster for each query")
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)


def sums_by_cluster(values: Floats, numbers: Ints) -> Floats:
    """Add up the rows of each cluster: (n, columns) to (clusters, columns)."""
    sums = np.zeros((int(numbers.max(initial=-1)) + 1, values.shape[1]))
    np.add.at(sums, numbers, values)
    return sums


def renumbered(numbers: Ints | None, kept: Bools) -> Ints | None:
    """Return new numbers to the clusters that keep a query."""
    if numbers is None:
        return None
    return np.unique(numbers[kept], return_inverse=True)[1]


def queries(count: int) -> str:
    """Write a number of queries."""
    return f"{count:,} query" if count == 1 else f"{count:,} queries"


def skewness(differences: Floats) -> float:
    """Return g1, the third central moment over the cubed standard deviation; 0 where all are equal.

    Positive where few queries gain much and many lose little.
    """
    if not len(differences) or np.ptp(differences) == 0:
        return 0.0
    centred = (differences - differences.mean()) / np.max(np.abs(differences))
    return float(np.mean(centred**3) / np.mean(centred**2) ** 1.5)


def _numbers(name: str, values: ArrayLike) -> Floats:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} is {shown(values)}", "need an array of numbers") from None
    if np.isinf(array).any():
        raise InputError(
            f"{name} contains infinite numbers", "leave these queries out, or give NaN"
        )
    if np.nanmax(np.abs(array), initial=0.0) > _LARGEST:
        raise InputError(
            f"{name} contains numbers beyond {_LARGEST:g}, whose squares are too large",
            "scale them down",
        )
    return array


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def mean_and_error(values: Floats, clusters: Ints | None) -> tuple[Floats, Floats, int]:
    """Return means, their standard errors, and how many units the errors come from.

    (n, columns) float64 to (columns,) each. With clusters, residuals are added up in each before
    they are squared.
    """
    n = len(values)
    units = n if clusters is None else int(clusters.max(initial=-1)) + 1
    if units == 0:
        return np.full(values.shape[1], np.nan), np.full(values.shape[1], np.nan), 0
    columns = np.ascontiguousarray(values.T)  # summed one by one: whatever the other columns are
    means = columns.mean(axis=-1)
    residuals = values - means
    if clusters is not None:
        residuals = sums_by_cluster(residuals, clusters)
    if units == 1:
        return means, np.full(values.shape[1], np.nan), 1
    squares = np.sum(np.ascontiguousarray(residuals.T) ** 2, axis=-1)
    return means, np.sqrt(units / (units - 1) * squares) / n, units


def t_distribution(units: int) -> str:
    """Return the name of the t distribution for a number of units."""
    return f"t distribution, {units - 1:,} degree{'s' * (units != 2)} of freedom"


def spread_unknown(units: int, error: float, values: Floats, what: str = "differences") -> str:
    """Return why the spread of values is unknown, or ""."""
    if units < 2:
        return "1 cluster" if len(values) > 1 else "1 query"
    most = float(np.max(np.abs(values)))
    if error <= 1e-14 * most:
        return f"all {what} are {values[0]:.6g}, so their spread is unknown"
    return ""
