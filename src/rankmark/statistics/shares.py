"""Intervals of the share of queries that succeed, for measures that are 0 or 1."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from rankmark.errors import InputError
from rankmark.statistics.confidence_intervals import Interval
from rankmark.statistics.score_arrays import column, one_of, share

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def share_interval(
    values: ArrayLike,
    *,
    method: Literal["Wilson", "Clopper-Pearson"] = "Wilson",
    confidence: float = 0.95,
) -> Interval:
    """Give an interval of the share of queries whose score is 1, where all are 0 or 1.

    Parameters
    ----------
    values
        (n,) float64, 0 or 1, NaN where a query has none.
    method
        "Wilson" inverts the score test, and holds its confidence on average over shares;
        "Clopper-Pearson" inverts the binomial test, and holds at least its confidence for each.
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
    from scipy.special import betaincinv, ndtri  # noqa: PLC0415

    one_of("method", method, "Wilson", "Clopper-Pearson")
    confidence = share("confidence", confidence)
    given = column("values", values)
    kept = given[~np.isnan(given)]
    if not np.isin(kept, (0.0, 1.0)).all():
        odd = kept[~np.isin(kept, (0.0, 1.0))]
        raise InputError(
            f"values holds {odd[0]:g}",
            "a share needs scores of 0 or 1, and others mean_interval",
        )
    n, successes = len(kept), int(kept.sum())
    if n == 0:
        low = high = math.nan
    elif method == "Wilson":
        z = float(ndtri((1 + confidence) / 2))
        centre = (successes + z**2 / 2) / (n + z**2)
        half = z / (n + z**2) * math.sqrt(successes * (n - successes) / n + z**2 / 4)
        low = 0.0 if successes == 0 else centre - half
        high = 1.0 if successes == n else centre + half
    else:
        tail = (1 - confidence) / 2
        low = float(betaincinv(successes, n - successes + 1, tail)) if successes else 0.0
        high = 1.0
        if successes < n:
            high = float(betaincinv(successes + 1, n - successes, 1 - tail))
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
