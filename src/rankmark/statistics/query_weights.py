"""Weights of queries, the effective number of queries, and errors of weighted means."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankmark.array_types import Floats, Ints
from rankmark.errors import InputError
from rankmark.statistics.score_arrays import column, sums_by_cluster


class WeightedMeans(NamedTuple):
    """Weighted means of columns.

    Attributes
    ----------
    means, errors
        (columns,) float64, the means and their standard errors.
    degrees
        Degrees of freedom of the errors.
    effective_n
        How many queries of equal weight would be worth as much.
    """

    means: Floats
    errors: Floats
    degrees: float
    effective_n: float


def query_weights(weights: ArrayLike | None, n: int) -> Floats | None:
    """Return a weight for each query, scaled so that the largest is above 0.5 and at most 1."""
    if weights is None:
        return None
    given = column("weights", weights)
    if len(given) != n:
        raise InputError(f"weights has {len(given):,} numbers for {n:,} queries", "need one each")
    if not (given >= 0).all():
        raise InputError("weights contains NaN or numbers below 0", "need numbers of at least 0")
    if n and given.max() == 0:
        raise InputError("all weights are 0", "give some queries more")
    return given / _scale(given) if n else given


def scaled_like(weights: ArrayLike | None, size: float | None) -> float | None:
    """Return a weight on the scale to which ``query_weights`` brings these."""
    if weights is None or size is None:
        return size
    return size / _scale(column("weights", weights))


def _scale(weights: Floats) -> float:
    return float(2.0 ** np.ceil(np.log2(weights.max())))


def effective_number(weights: Floats) -> float:
    """Return how many queries of equal weight have a mean of the same variance [1]_.

    References
    ----------
    .. [1] Kish 1965, Survey Sampling, section 11.7.
    """
    squares = float(np.sum(weights**2))
    return float(weights.sum()) ** 2 / squares if squares else 0.0


def weighted_means(values: Floats, weights: Floats, clusters: Ints | None) -> WeightedMeans:
    """Return weighted means of columns, their standard errors, and the degrees of freedom of these.

    Residuals are squared as they are, so variances may differ between queries; if they do not, the
    squared error is unbiased [1]_. Degrees of freedom are one less than queries are worth. With
    equal weights this is Student's t. With clusters, residuals are added up in each before they are
    squared, and the degrees of freedom are one less than there are clusters.

    References
    ----------
    .. [1] Bell and McCaffrey 2002, Bias reduction in standard errors for linear regression with
       multi-stage samples, Survey Methodology 28(2), pages 169-181.
    """
    effective = effective_number(weights)
    shares = weights / weights.sum()
    # Columns are summed one by one: whatever the other columns are.
    means = np.sum(np.ascontiguousarray(values.T) * shares, axis=-1)
    residuals = shares[:, None] * (values - means)
    if clusters is not None:
        residuals = sums_by_cluster(residuals, clusters)
        units = float(len(residuals))
        correction = units / (units - 1) if units > 1 else np.nan
    else:
        units = effective
        second, third = float(np.sum(shares**2)), float(np.sum(shares**3))
        left = second - 2 * third + second**2
        correction = second / left if len(values) > 1 else np.nan
    squares = np.sum(np.ascontiguousarray(residuals.T) ** 2, axis=-1)
    errors = np.sqrt(correction * squares)
    return WeightedMeans(means, errors, units - 1, effective)
