"""Intervals of shares of queries that succeed, and of differences of shares."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rankmark.arguments import one_of, share
from rankmark.array_types import Floats
from rankmark.errors import InputError
from rankmark.statistics.confidence_intervals import Interval, mean_interval
from rankmark.statistics.scipy_functions import special
from rankmark.statistics.score_arrays import NO_QUERY, column, pair


def share_interval(
    values: ArrayLike,
    *,
    method: Literal["Wilson", "Clopper-Pearson"] = "Wilson",
    confidence: float = 0.95,
) -> Interval:
    """Return an interval of the share of queries whose score is 1, where all are 0 or 1.

    Parameters
    ----------
    values
        (n,) float64, 0 or 1, NaN where a query has none.
    method
        "Wilson" inverts the score test, and has its confidence on average over shares;
        "Clopper-Pearson" inverts the binomial test, and has at least its confidence for each.
    confidence
        Above 0 and below 1.

    Returns
    -------
    Interval
        Within 0 and 1, and never a single point.

    Raises
    ------
    InputError
        If a value is neither 0 nor 1.

    References
    ----------
    .. [1] Wilson 1927, Probable inference, the law of succession, and statistical inference,
       Journal of the American Statistical Association 22(158), pages 209-212.
    .. [2] Clopper and Pearson 1934, The use of confidence or fiducial limits illustrated in the
       case of the binomial, Biometrika 26(4), pages 404-413.
    .. [3] Brown, Cai and DasGupta 2001, Interval estimation for a binomial proportion, Statistical
       Science 16(2), pages 101-133.
    .. [4] scipy.stats.binomtest, proportion_ci.

    Examples
    --------
    >>> interval = share_interval([1] * 10)
    >>> round(interval.low, 3), interval.high
    (0.722, 1.0)
    """
    one_of("method", method, "Wilson", "Clopper-Pearson")
    confidence = share("confidence", confidence)
    given = column("values", values)
    kept = given[~np.isnan(given)]
    _refuse_all_but_0_and_1("values", kept)
    n, successes = len(kept), int(kept.sum())
    if n == 0:
        low = high = math.nan
    elif method == "Wilson":
        low, high = _wilson(successes, n, float(special.ndtri((1 + confidence) / 2)))
    else:
        low, high = clopper_pearson(successes, n, (1 - confidence) / 2)
    return Interval(
        successes / n if n else math.nan,
        low,
        high,
        confidence,
        "share",
        method,
        n,
        len(given) - n,
        undefined="" if n else "no query has a score",
    )


def ratio_interval(
    values: Floats, weights: Floats, *, confidence: float = 0.95, is_share: bool = True
) -> Interval:
    """Return an interval of the ratio of two sums over units, such as users or queries.

    It is the delta method's, or Wilson's of the number of units where all are alike. Units whose
    weight is 0 have no part in it.

    Parameters
    ----------
    values, weights
        (n_units,) float64, what is added up above and below the line.
    is_share
        Whether the ratio is from 0 to 1.
    """
    ratio = float(values.sum() / weights.sum()) if weights.sum() else math.nan
    has = weights > 0
    values, weights = values[has], weights[has]
    if is_share and len(values) and ratio in {0.0, 1.0}:
        return share_interval(np.full(len(values), ratio), confidence=confidence)
    linear = ratio + (values - ratio * weights) / weights.mean() if has.any() else values
    return mean_interval(linear, method="t", confidence=confidence)


def clopper_pearson(successes: int, n: int, tail: float) -> tuple[float, float]:
    """Return ends of a share, each of which is missed with the probability of a tail at most."""
    low = float(special.betaincinv(successes, n - successes + 1, tail)) if successes else 0.0
    high = (
        float(special.betaincinv(successes + 1, n - successes, 1 - tail)) if successes < n else 1.0
    )
    return low, high


def share_difference_interval(
    baseline: ArrayLike,
    other: ArrayLike,
    *,
    method: Literal["Newcombe", "Tango"] = "Newcombe",
    confidence: float = 0.95,
) -> Interval:
    """Return an interval of how much larger another system's share of successes is.

    For measures of 0 and 1, such as Success@10. An interval by t misses the true difference
    too often if the systems differ for few queries.

    Parameters
    ----------
    baseline, other
        (n,) float64, 0 or 1 for the same queries in the same order, NaN where there is none.
    method
        "Newcombe" puts Wilson's intervals of both shares together, allowing for their correlation
        (his method 10) [1]_; "Tango" inverts the score test of a difference [2]_.
    confidence
        Above 0 and below 1.

    Returns
    -------
    Interval
        Of the other's share minus the baseline's: within -1 and 1, and never a single point.

    Raises
    ------
    InputError
        If a value is neither 0 nor 1, or the arrays differ in length.

    References
    ----------
    .. [1] Newcombe 1998, Improved confidence intervals for the difference between binomial
       proportions based on paired data, Statistics in Medicine 17(22), pages 2635-2650.
    .. [2] Tango 1998, Equivalence test and confidence interval for the difference in proportions
       for the paired-sample design, Statistics in Medicine 17(8), pages 891-908.
    .. [3] Fagerland, Lydersen and Laake 2014, Recommended tests and confidence intervals for paired
       binomial proportions, Statistics in Medicine 33(16), pages 2850-2875.

    Examples
    --------
    >>> baseline, other = [1] * 30 + [0] * 20, [1] * 29 + [0] + [1] * 6 + [0] * 14
    >>> interval = share_difference_interval(baseline, other)
    >>> round(interval.estimate, 3), round(interval.low, 3), round(interval.high, 3)
    (0.1, -0.007, 0.204)
    """
    one_of("method", method, "Newcombe", "Tango")
    confidence = share("confidence", confidence)
    both = pair(baseline, other)
    for name, scores in (("baseline", both.baseline), ("other", both.other)):
        _refuse_all_but_0_and_1(name, scores)
    n = len(both.baseline)
    estimate = low = high = math.nan
    if n:
        estimate = float((both.other.sum() - both.baseline.sum()) / n)
        z = float(special.ndtri((1 + confidence) / 2))
        ends = _newcombe if method == "Newcombe" else _tango
        low, high = ends(both.other, both.baseline, z)
    return Interval(
        estimate,
        low,
        high,
        confidence,
        "difference of shares",
        method,
        n,
        both.left_out,
        undefined="" if n else NO_QUERY,
    )


def _refuse_all_but_0_and_1(name: str, scores: Floats) -> None:
    odd = scores[~np.isin(scores, (0.0, 1.0))]
    if len(odd):
        raise InputError(
            f"{name} contains {odd[0]:g}",
            "a share needs scores of 0 or 1; for other scores, use mean_interval",
        )


def _wilson(successes: int, n: int, z: float) -> tuple[float, float]:
    centre = (successes + z**2 / 2) / (n + z**2)
    half = z / (n + z**2) * math.sqrt(successes * (n - successes) / n + z**2 / 4)
    return 0.0 if successes == 0 else centre - half, 1.0 if successes == n else centre + half


def _newcombe(first: Floats, second: Floats, z: float) -> tuple[float, float]:
    """Return the ends of the difference of the first share minus the second."""
    n = len(first)
    a, b = int(np.sum(first * second)), int(np.sum(first * (1 - second)))
    c, d = int(np.sum((1 - first) * second)), int(np.sum((1 - first) * (1 - second)))
    p, q = (a + b) / n, (a + c) / n
    (low_p, high_p), (low_q, high_q) = _wilson(a + b, n, z), _wilson(a + c, n, z)
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    excess: float = a * d - b * c
    if excess > 0:
        excess = max(excess - n / 2, 0)
    correlation = excess / math.sqrt(margins) if margins else 0.0

    def apart(x: float, y: float) -> float:
        return math.sqrt(max(0.0, x**2 - 2 * correlation * x * y + y**2))

    return (
        max(-1.0, p - q - apart(p - low_p, high_q - q)),
        min(1.0, p - q + apart(high_p - p, q - low_q)),
    )


def _tango(first: Floats, second: Floats, z: float) -> tuple[float, float]:
    """Return the ends of the difference of the first share minus the second."""
    n = len(first)
    b, c = int(np.sum(first * (1 - second))), int(np.sum((1 - first) * second))

    def score(difference: float) -> float:
        """Return how far the observed difference is above another, in standard errors."""
        linear = -b - c + (2 * n - b + c) * difference
        constant = -c * difference * (1 - difference)
        # The share of queries that only the second answers, most likely given the difference.
        only = (math.sqrt(max(0.0, linear**2 - 8 * n * constant)) - linear) / (4 * n)
        variance = n * (2 * only + difference * (1 - difference))
        above = b - c - n * difference
        return above / math.sqrt(variance) if variance > 0 else math.copysign(math.inf, above)

    def end(limit: float, low: float, high: float) -> float:
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if score(middle) > limit else (low, middle)
        return (low + high) / 2

    middle = (b - c) / n
    return end(z, -1.0, middle), end(-z, middle, 1.0)
