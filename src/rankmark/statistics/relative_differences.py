"""Confidence intervals of relative differences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rankmark.statistics.confidence_intervals import Interval
from rankmark.statistics.score_arrays import NO_QUERY, pair, share

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def relative_interval(
    baseline: ArrayLike, other: ArrayLike, *, confidence: float = 0.95
) -> Interval:
    """Give an interval of how much another system's mean is above the baseline's, relative to it.

    By Fieller's theorem: the ratios of means that a paired t test would not reject. Where the
    baseline's mean may itself be 0, there is no bounded interval, and ``undefined`` says so.

    Parameters
    ----------
    baseline, other
        (n,) float64, scores of the same queries in the same order, NaN where there is none.
    confidence
        Above 0 and below 1.

    Returns
    -------
    Interval
        ``estimate`` is mean(other) / mean(baseline) - 1: 0.1 is 10% more.

    Raises
    ------
    InputError
        If the arrays differ in length or hold infinite numbers, or an option cannot be.

    References
    ----------
    .. [1] Fieller 1954, Some problems in interval estimation, Journal of the Royal Statistical
       Society B 16(2), pages 175-185.

    Examples
    --------
    >>> interval = relative_interval([0.4, 0.5, 0.6, 0.5], [0.5, 0.5, 0.7, 0.7])
    >>> round(interval.estimate, 3), round(interval.low, 3), round(interval.high, 3)
    (0.2, -0.06, 0.489)
    """
    from scipy.special import stdtrit  # noqa: PLC0415

    confidence = share("confidence", confidence)
    both = pair(baseline, other)
    a, b, n = both.baseline, both.other, len(both.baseline)

    def interval(estimate: float, low: float, high: float, undefined: str = "") -> Interval:
        return Interval(
            estimate,
            low,
            high,
            confidence,
            "relative difference",
            "Fieller",
            n,
            both.left_out,
            undefined=undefined,
        )

    if n < 2:
        why = "1 query" if n else NO_QUERY
        return interval(math.nan, math.nan, math.nan, why)
    if a.mean() == 0:
        return interval(math.nan, math.nan, math.nan, "the baseline's mean is 0")
    estimate = float(b.mean() / a.mean() - 1)
    t = float(stdtrit(n - 1, (1 + confidence) / 2))
    (var_a, covariance), (_, var_b) = np.cov(a, b) / n
    square = a.mean() ** 2 - t**2 * var_a
    if square <= 0:
        why = "the baseline's mean is not told from 0, so any ratio to it is possible"
        return interval(estimate, math.nan, math.nan, why)
    middle = a.mean() * b.mean() - t**2 * covariance
    rest = b.mean() ** 2 - t**2 * var_b
    root = math.sqrt(max(0.0, float(middle**2 - square * rest)))
    low, high = float((middle - root) / square) - 1, float((middle + root) / square) - 1
    return interval(estimate, low, high)
