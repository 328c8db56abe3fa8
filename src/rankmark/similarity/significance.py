"""How far chance alone goes: a permutation p-value and a bootstrap interval of a coefficient."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from rankmark.conventions import whole
from rankmark.errors import InputError
from rankmark.similarity.coefficient_parameters import choice, within
from rankmark.similarity.item_orders import Missing, Orders, orders_of_two
from rankmark.similarity.kendall import kendall_tau, tau_of
from rankmark.similarity.spearman import rho_of, spearman_rho
from rankmark.similarity.tau_ap import tau_ap, tau_ap_of
from rankmark.similarity.weighted_tau import weighted_tau, weighted_tau_of

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints
    from rankmark.similarity.given_rankings import Rankable

Alternative = Literal["two-sided", "greater", "less"]
_OF_ORDERS: dict[Callable[..., float], Callable[..., Floats]] = {
    kendall_tau: tau_of,
    spearman_rho: rho_of,
    weighted_tau: weighted_tau_of,
    tau_ap: tau_ap_of,
}


class Interval(NamedTuple):
    """A confidence interval, its ends included."""

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
    """Say how likely a coefficient at least as far from 0 is if b's order has nothing to do with a.

    A permutation test: b's items are put in other orders, against the items of a as they are. Where
    there are no more orders than ``resamples``, as for seven items by default, all are tried, and
    the p-value is exact; else as many are drawn, and counted with the one found, so that it is
    never 0. NaN where the coefficient is.

    RBO and overlaps have no place here: in a search, nobody takes two results for unrelated, and
    lists that hold different items are no order of the same ones.

    Parameters
    ----------
    coefficient
        ``kendall_tau``, ``spearman_rho``, ``weighted_tau`` or ``tau_ap``.
    a, b
        Rankings, as ``ranking`` takes them.
    alternative
        What would speak against chance; "two-sided" doubles the smaller of the two others.
    resamples
        How many orders are tried at most.
    seed
        Of the orders drawn; None for another one each time.
    k, missing, **parameters
        Those of the coefficient.

    Raises
    ------
    InputError
        If a parameter is none of these, or a ranking cannot be taken.

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
    from scipy.stats import permutation_test  # noqa: PLC0415

    choice("alternative", alternative, "two-sided", "greater", "less")
    x, y, value_of = _prepared(coefficient, a, b, k, missing, parameters)
    if math.isnan(value_of(x, y)):
        return math.nan
    found = permutation_test(
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
    """Give a bootstrap interval of a coefficient: where it may lie if the items are a sample.

    Items are drawn with replacement, each with its places in both rankings, and the middle
    ``confidence`` of what the coefficient then comes to is the interval (percentiles). An item
    drawn twice ties with itself in both. Draws in which the coefficient is undefined are left out;
    NaN where it is undefined in all. It has a meaning where there could have been other items:
    systems of a leaderboard, features, queries. The results of one search are no sample.

    Parameters
    ----------
    coefficient
        ``kendall_tau``, ``spearman_rho``, ``weighted_tau`` or ``tau_ap``.
    a, b
        Rankings, as ``ranking`` takes them.
    confidence
        The share of the draws that is within, above 0 and below 1.
    resamples
        How many times items are drawn.
    seed
        Of the draws; None for another one each time.
    k, missing, **parameters
        Those of the coefficient.

    Raises
    ------
    InputError
        If a parameter is none of these, or a ranking cannot be taken.

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
    tail = (1 - within("confidence", confidence)) / 2
    x, y, value_of = _prepared(coefficient, a, b, k, missing, parameters)
    if math.isnan(value_of(x, y)):
        return Interval(math.nan, math.nan)
    rng = np.random.default_rng(seed)
    draws = (rng.integers(len(x), size=len(x)) for _ in range(whole("resamples", resamples)))
    # scipy.stats.bootstrap warns of each undefined draw, and has no interval then.
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
        names = ", ".join(one.__name__ for one in _OF_ORDERS)
        raise InputError(
            f"coefficient is {getattr(coefficient, '__name__', repr(coefficient))}; need one of "
            f"{names}"
        )
    of_orders = _OF_ORDERS[coefficient]
    both = orders_of_two(a, b, k=k, missing=missing)

    def value_of(x: Ints, y: Ints) -> float:
        return float(of_orders(Orders.of_one(x, y), **parameters)[0])

    return both.x, both.y, value_of
