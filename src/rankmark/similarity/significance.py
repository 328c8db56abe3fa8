"""Significance: a permutation p-value and a bootstrap interval of a coefficient."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from rankmark.arguments import share, whole
from rankmark.array_types import Floats, Ints
from rankmark.errors import InputError
from rankmark.formulas import choice
from rankmark.similarity.given_rankings import Rankable
from rankmark.similarity.item_orders import Missing, Orders, orders_of_two
from rankmark.similarity.kendall import kendall_tau, tau_of
from rankmark.similarity.spearman import rho_of, spearman_rho
from rankmark.similarity.tau_ap import tau_ap, tau_ap_of
from rankmark.similarity.weighted_tau import weighted_tau, weighted_tau_of
from rankmark.statistics.scipy_functions import stats

Alternative = Literal["two-sided", "greater", "less"]
_OF_ORDERS: dict[Callable[..., float], Callable[..., Floats]] = {
    kendall_tau: tau_of,
    spearman_rho: rho_of,
    weighted_tau: weighted_tau_of,
    tau_ap: tau_ap_of,
}


class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float


def p_value(
    coefficient: Callable[..., float],
    a: Rankable,
    b: Rankable,
    *,
    alternative: Alternative = "two-sided",
    resamples: int = 9999,
    seed: int | None = 0,
    k: int | None = None,
    missing: Missing = "last",
    **parameters: Any,
) -> float:
    """Test by permutation whether two rankings agree more than unrelated rankings would.

    The items of b are reordered while those of a stay. If there are no more orders than
    ``resamples``, as for up to seven items by default, all are tried and the p-value is exact;
    otherwise, orders are drawn and counted together with the observed one, so that it is never 0.
    NaN if the coefficient is NaN.

    RBO and overlaps are not supported: lists of different items are not orders of the same items.

    Parameters
    ----------
    coefficient
        ``kendall_tau``, ``spearman_rho``, ``weighted_tau`` or ``tau_ap``.
    a, b
        Rankings; see ``ranking``.
    alternative
        The alternative hypothesis; "two-sided" doubles the smaller of the two other p-values.
    resamples
        The maximum number of orders.
    seed
        Seed of the orders drawn; None for a new one each time.
    k, missing, **parameters
        Those of the coefficient.

    References
    ----------
    .. [1] scipy.stats.permutation_test, with permutation_type="pairings".
    .. [2] Phipson and Smyth 2010, Permutation p-values should never be zero.

    Examples
    --------
    >>> from rankmark.similarity import kendall_tau, p_value
    >>> round(p_value(kendall_tau, [1, 2, 3, 4, 5], [3, 1, 2, 5, 4], alternative="greater"), 4)
    0.2417
    """
    choice("alternative", alternative, "two-sided", "greater", "less")
    x, y, value_of = _prepared(coefficient, a, b, k, missing, parameters)
    if math.isnan(value_of(x, y)):
        return math.nan
    found = stats.permutation_test(
        (y,),
        lambda other: value_of(x, other),
        permutation_type="pairings",
        vectorized=False,
        n_resamples=whole("resamples", resamples),
        alternative=alternative,
        rng=np.random.default_rng(seed),
    )
    return float(found.pvalue)


def interval(
    coefficient: Callable[..., float],
    a: Rankable,
    b: Rankable,
    *,
    confidence: float = 0.95,
    resamples: int = 9999,
    seed: int | None = 0,
    k: int | None = None,
    missing: Missing = "last",
    **parameters: Any,
) -> Interval:
    """Return a bootstrap interval of a coefficient, for items that are a sample.

    Items are drawn with replacement, each with its positions in both rankings; the interval has the
    percentiles that enclose the middle ``confidence`` of the resulting values. An item drawn twice
    ties with itself. Draws for which the coefficient is undefined are left out; NaN if it is
    undefined for all. Systems of a leaderboard, features or queries can be a sample of others;
    the results of one search are not.

    Parameters
    ----------
    coefficient
        ``kendall_tau``, ``spearman_rho``, ``weighted_tau`` or ``tau_ap``.
    a, b
        Rankings; see ``ranking``.
    confidence
        The fraction of the draws inside the interval, above 0 and below 1.
    resamples
        The number of draws.
    seed
        Seed of the draws; None for a new one each time.
    k, missing, **parameters
        Those of the coefficient.

    References
    ----------
    .. [1] Efron and Tibshirani 1993, An introduction to the bootstrap, chapter 13.

    Examples
    --------
    >>> from rankmark.similarity import interval, kendall_tau
    >>> low, high = interval(kendall_tau, range(20), [1, 0, *range(2, 20)], resamples=500)
    >>> 0.9 < low < 1, high
    (True, 1.0)
    """
    tail = (1 - share("confidence", confidence)) / 2
    x, y, value_of = _prepared(coefficient, a, b, k, missing, parameters)
    if math.isnan(value_of(x, y)):
        return Interval(math.nan, math.nan)
    rng = np.random.default_rng(seed)
    draws = (rng.integers(len(x), size=len(x)) for _ in range(whole("resamples", resamples)))
    # scipy.stats.bootstrap has no interval if a draw is undefined.
    drawn = np.array([value_of(x[draw], y[draw]) for draw in draws])
    defined = drawn[~np.isnan(drawn)]
    if not len(defined):
        return Interval(math.nan, math.nan)
    low, high = np.quantile(defined, [tail, 1 - tail]).tolist()
    return Interval(low, high)


def _prepared(
    coefficient: Callable[..., float],
    a: Rankable,
    b: Rankable,
    k: int | None,
    missing: Missing,
    parameters: dict[str, Any],
) -> tuple[Ints, Ints, Callable[[Ints, Ints], float]]:
    if coefficient not in _OF_ORDERS:
        names = ", ".join(function.__name__ for function in _OF_ORDERS)
        name = getattr(coefficient, "__name__", repr(coefficient))
        raise InputError(f"coefficient is {name}", f"need one of {names}")
    of_orders = _OF_ORDERS[coefficient]
    both = orders_of_two(a, b, k=k, missing=missing)

    def value_of(x: Ints, y: Ints) -> float:
        orders = Orders.of_common_items(x, y, np.array([0, len(x)]))
        return float(of_orders(orders, **parameters)[0])

    return both.x, both.y, value_of
