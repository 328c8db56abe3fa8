"""How two quantities are related that are both measured with known errors."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rankmark.array_types import Floats
from rankmark.statistics.confidence_intervals import Interval, quantile_of_t
from rankmark.statistics.scipy_functions import optimize, special

_SPREADS = 20
_VALUES = 41
_LIKELY = 1e-4  # less likely ones have no part in forecasts


class Measured(NamedTuple):
    """Pairs of measured quantities, with the standard error of each: (n,) float64, n > 2."""

    x: Floats
    y: Floats
    x_error: Floats
    y_error: Floats


class Relation(NamedTuple):
    """How the true values of two quantities are related.

    Parameters
    ----------
    slope
        By how much the true y rises with the true x.
    correlation
        Of the true values.
    smallest
        The smallest x from 0 with which a new pair has a true y above 0 with the probability asked
        for, as x is measured, with the median error of the pairs; NaN where ``unknown`` says why.
    unknown
        Why there is no smallest x, or "".
    """

    slope: Interval
    correlation: Interval
    smallest: float
    unknown: str


def relation(pairs: Measured, *, confidence: float, probability: float) -> Relation:
    """Estimate how true values are related that were measured with errors.

    Each true pair is drawn from a normal distribution in two dimensions, and each measured value
    from one around the true value, with the error given. Variances, slope and correlation maximise
    the likelihood from which the means are integrated out (REML). Deming's regression with known
    errors is the case in which y is a function of x: its intervals are too short where the true
    values scatter around the line, as they do here.

    Intervals have the values whose profile likelihood is not below the largest by more than
    Student's t with n - 2 degrees of freedom allows, instead of the normal distribution, as there
    are few pairs. A new y is forecast with the likelihood over a grid of spreads and correlations,
    which are equally likely beforehand on the scale s / (s + spread measured).

    References
    ----------
    .. [1] Fuller 1987, Measurement Error Models, chapters 1 and 3.
    .. [2] Kelly 2007, Some aspects of measurement error in linear regression of astronomical data,
       The Astrophysical Journal 665, pages 1489-1506.
    """
    n = len(pairs.x)
    spread_x, spread_y = (float(np.std(each, ddof=1)) for each in (pairs.x, pairs.y))
    if not spread_x or not spread_y:
        reason = f"all {'y' if spread_x else 'x'} are the same"
        nothing = Interval(
            math.nan, math.nan, math.nan, confidence, "slope", _METHOD, n, undefined=reason
        )
        return Relation(nothing, replace(nothing, of="correlation"), math.nan, reason)

    def at(parameters: Any) -> tuple[float, float, float]:
        of_x, of_y = (abs(float(each)) for each in parameters[:2])
        return of_x * spread_x, of_y * spread_y, math.sin(parameters[2])

    def minus_likelihood(parameters: Any) -> float:
        return -float(_fitted(pairs, *_covariances(*at(parameters)))[0])

    steps = (np.arange(_SPREADS) + 0.5) / _SPREADS
    spreads = steps / (1.0 - steps)
    shares = np.linspace(-1.0, 1.0, _VALUES)
    grid = np.meshgrid(spreads * spread_x, spreads * spread_y, shares, indexing="ij")
    fitted = _fitted(pairs, *_covariances(*grid))
    top = np.unravel_index(int(fitted[0].argmax()), fitted[0].shape)
    start = [spreads[top[0]], spreads[top[1]], math.asin(0.99 * shares[top[2]])]
    found = optimize.minimize(minus_likelihood, start, method="Nelder-Mead", options=_CLOSE)
    of_x, of_y, rho = at(found.x)
    allowed = quantile_of_t(n - 2.0, confidence) ** 2 / 2.0
    lowest = max(float(fitted[0].max()), -float(found.fun)) - allowed
    low, high = _ends(shares, fitted[0].max(axis=(0, 1)), rho, lowest)
    is_known = low > -1.0 or high < 1.0
    correlation = Interval(
        rho if is_known else math.nan,
        low if is_known else math.nan,
        high if is_known else math.nan,
        confidence,
        "correlation",
        _METHOD,
        n,
        undefined="" if is_known else "the errors leave any correlation possible",
    )
    rise = rho * of_y / of_x if of_x else math.nan
    inner = np.linspace(-1.0, 1.0, 2 * _VALUES + 1)[1:-1]
    slopes = inner / (1.0 - np.abs(inner)) * spread_y / spread_x
    of_slopes = np.meshgrid(spreads * spread_x, spreads * spread_y, slopes, indexing="ij")
    profile = _fitted(pairs, *_around_line(*of_slopes))[0].max(axis=(0, 1))
    is_bounded = not math.isnan(rise) and max(profile[0], profile[-1]) < lowest
    ends = _ends(slopes, profile, rise, lowest) if is_bounded else (math.nan, math.nan)
    slope = Interval(
        rise if is_bounded else math.nan,
        *ends,
        confidence,
        "slope",
        _METHOD,
        n,
        undefined="" if is_bounded else "all that differs in x may be noise",
    )
    smallest, unknown = math.nan, "the correlation may be 0 or less"
    if low > 0:
        smallest, unknown = _smallest(pairs, grid, fitted, probability)
    return Relation(slope, correlation, smallest, unknown)


_METHOD = "profile likelihood"
_CLOSE = {"xatol": 1e-7, "fatol": 1e-9, "maxiter": 2000}


def _covariances(of_x: Any, of_y: Any, rho: Any) -> tuple[Any, Any, Any]:
    """Return variances and covariance of spreads and a correlation."""
    return of_x * of_x, of_y * of_y, rho * of_x * of_y


def _around_line(of_x: Any, scatter: Any, slope: Any) -> tuple[Any, Any, Any]:
    """Return variances and covariance of a spread of x, a slope and the scatter around it."""
    covariance = slope * of_x * of_x
    return of_x * of_x, slope * covariance + scatter * scatter, covariance


def _fitted(pairs: Measured, of_x: Any, of_y: Any, covariance: Any) -> tuple[Any, ...]:
    """Return the likelihood of variances, the means, and the variances of these.

    Returns
    -------
    log likelihood, mean of x, of y, variance of the mean of x, of y, their covariance
        Each of the shape of the variances.
    """
    x, y = pairs.x, pairs.y
    a = np.asarray(of_x)[..., None] + pairs.x_error**2
    b = np.asarray(of_y)[..., None] + pairs.y_error**2
    c = np.asarray(covariance)[..., None]
    determinant = a * b - c * c
    a, b, c = a / determinant, b / determinant, -c / determinant  # of y, of x, of both: inverted
    of_both, sum_x, sum_y = c.sum(axis=-1), b.sum(axis=-1), a.sum(axis=-1)
    right_x, right_y = b @ x + c @ y, c @ x + a @ y
    whole = sum_x * sum_y - of_both * of_both
    mean_x = (sum_y * right_x - of_both * right_y) / whole
    mean_y = (sum_x * right_y - of_both * right_x) / whole
    squares = b @ (x * x) + a @ (y * y) + 2 * (c @ (x * y)) - right_x * mean_x - right_y * mean_y
    likelihood = -(np.log(determinant).sum(axis=-1) + np.log(whole) + squares) / 2
    return likelihood, mean_x, mean_y, sum_y / whole, sum_x / whole, -of_both / whole


def _ends(values: Floats, profile: Floats, estimate: float, lowest: float) -> tuple[float, float]:
    """Return where the likelihood falls below the lowest on both sides of the estimate."""
    ends = []
    for side, order in ((values <= estimate, -1), (values >= estimate, 1)):
        found, likelihoods = values[side][::order], profile[side][::order]
        out = np.flatnonzero(likelihoods < lowest)
        if not len(out):
            ends.append(float(found[-1]) if len(found) else estimate)
            continue
        at = int(out[0])
        inner, above = (
            (found[at - 1], likelihoods[at - 1]) if at else (estimate, max(lowest, profile.max()))
        )
        share = (above - lowest) / (above - likelihoods[at]) if above > likelihoods[at] else 0.0
        ends.append(float(inner + share * (found[at] - inner)))
    return ends[0], ends[1]


def _smallest(
    pairs: Measured, grid: Any, fitted: tuple[Any, ...], probability: float
) -> tuple[float, str]:
    """Return the smallest x that forecasts a y above 0, or why there is none."""
    weights = np.exp(fitted[0] - fitted[0].max())
    kept = weights > _LIKELY
    weights = weights[kept] / weights[kept].sum()
    of_x, of_y, rho = (each[kept] for each in grid)
    mean_x, mean_y, var_x, var_y, var_xy = (each[kept] for each in fitted[1:])
    rise = rho * of_x * of_y / (of_x**2 + float(np.median(pairs.x_error)) ** 2)
    variance = of_y**2 - rise * rho * of_x * of_y + var_y + rise**2 * var_x - 2 * rise * var_xy

    def forecast(x: float) -> float:
        values = special.ndtr((mean_y + rise * (x - mean_x)) / np.sqrt(variance))
        return float(weights @ values) - probability

    largest = float(pairs.x.max())
    if forecast(0.0) >= 0.0:
        return 0.0, ""
    if largest <= 0.0 or forecast(largest) < 0.0:
        return math.nan, "no difference as small as those seen predicts it"
    return float(optimize.brentq(forecast, 0.0, largest)), ""
