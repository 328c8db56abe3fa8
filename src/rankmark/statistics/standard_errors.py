"""Means and their standard errors, of queries or of clusters of queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.statistics.score_arrays import sums_by_cluster

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints


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
