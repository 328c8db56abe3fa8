"""Confidence intervals of relative differences."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from rankmark.arguments import share
from rankmark.statistics.confidence_intervals import Interval, quantile_of_t
from rankmark.statistics.score_arrays import NO_QUERY, cube, pair
from rankmark.statistics.sign_flips import pairs_of


def relative_interval(
    baseline: ArrayLike, other: ArrayLike, *, confidence: float = 0.95
) -> Interval:
    """Return an interval of how much another system's mean is above the baseline's, relative to it.

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
        If the arrays differ in length or contain infinite numbers, or an option is invalid.

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
    confidence = share("confidence", confidence)
    both = pair(baseline, other)
    a, b, n = both.baseline, both.other, len(both.baseline)
    means = (float(a.mean()), float(b.mean())) if n else (math.nan, math.nan)
    covariances = (math.nan,) * 3
    if n > 1:
        (var_a, covariance), (_, var_b) = (np.cov(a, b) / n).tolist()
        covariances = var_a, covariance, var_b
    return _fieller(means, covariances, n, both.left_out, confidence)


def relative_intervals(
    scores: ArrayLike,
    pairs: Sequence[tuple[int, int]] | None = None,
    *,
    confidence: float = 0.95,
) -> tuple[tuple[Interval, ...], ...]:
    """Return intervals of how much more the means of systems are than others', for many pairs.

    Parameters
    ----------
    scores
        (n, systems, measures) float64, or (n, systems); NaN where there is no score.
    pairs
        Numbers of systems, (baseline, other) each; all pairs if None.
    confidence
        Above 0 and below 1.

    Returns
    -------
    tuple of tuple of Interval
        ``[pair][measure]``, the same as ``relative_interval`` gives for each, but faster.

    Raises
    ------
    InputError
        If a pair names a system that does not exist, or a score is infinite.
    """
    confidence = share("confidence", confidence)
    given = cube("scores", scores)
    chosen = pairs_of(given.shape[1], pairs)
    columns = []
    for measure in range(given.shape[2]):
        values = given[:, :, measure]
        missing = np.isnan(values)
        left_out = missing.any(axis=1)
        n = len(values) - int(left_out.sum())
        if n < 2 or (left_out != missing.all(axis=1)).any():
            columns.append(
                [
                    relative_interval(values[:, a], values[:, b], confidence=confidence)
                    for a, b in chosen
                ]
            )
            continue
        kept = values[~left_out] if left_out.any() else values
        means = kept.mean(axis=0).tolist()
        covariances = (np.cov(kept, rowvar=False) / n).tolist()
        columns.append(
            [
                _fieller(
                    (means[a], means[b]),
                    (covariances[a][a], covariances[a][b], covariances[b][b]),
                    n,
                    len(values) - n,
                    confidence,
                )
                for a, b in chosen
            ]
        )
    return tuple(zip(*columns, strict=True))


def _fieller(
    means: tuple[float, float],
    covariances: tuple[float, float, float],
    n: int,
    left_out: int,
    confidence: float,
) -> Interval:
    """Return the interval from both means, and their variances with the covariance in between."""
    a, b = means
    var_a, covariance, var_b = covariances
    estimate = low = high = math.nan
    undefined = ""
    if n < 2:
        undefined = "1 query" if n else NO_QUERY
    elif a == 0:
        undefined = "the baseline's mean is 0"
    else:
        estimate = b / a - 1
        t = quantile_of_t(n - 1.0, confidence)
        square = a**2 - t**2 * var_a
        if square <= 0:
            undefined = "the baseline's mean could be 0, so any ratio to it is possible"
        else:
            middle = a * b - t**2 * covariance
            root = math.sqrt(max(0.0, middle**2 - square * (b**2 - t**2 * var_b)))
            low, high = (middle - root) / square - 1, (middle + root) / square - 1
    return Interval(
        estimate,
        low,
        high,
        confidence,
        "relative difference",
        "Fieller",
        n,
        left_out,
        undefined=undefined,
    )
