"""Power of the paired t test, the smallest detectable difference, and the queries required."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankmark.arguments import above_zero, positive, share
from rankmark.errors import InputError
from rankmark.statistics.scipy_functions import optimize, special

if TYPE_CHECKING:
    pass

_MOST_QUERIES = 10**9


@dataclass(frozen=True, slots=True)
class Power:
    """What a two-sided paired t test can detect.

    Parameters
    ----------
    difference
        True mean difference, in units of the scores.
    spread
        Standard deviation of the differences of queries.
    n
        Queries.
    power
        Probability that the test finds the difference.
    level
        Of the test.
    method
        "noncentral t", or "draws from the observed differences".
    resamples, seed
        Of what was drawn, or None.
    undefined
        Why there is no answer, or "": what was asked for is then NaN, or 0 queries.
    """

    difference: float
    spread: float
    n: int
    power: float
    level: float
    method: str
    resamples: int | None = None
    seed: int | None = None
    undefined: str = ""


def power_of_t(difference: float, spread: float, n: int, *, level: float = 0.05) -> Power:
    """Return the probability that a paired t test finds a true difference.

    Parameters
    ----------
    difference
        True mean difference, in units of the scores.
    spread
        Standard deviation of the differences of queries, above 0.
    n
        Queries, at least 2.
    level
        Of the two-sided test.

    Returns
    -------
    Power
        From the noncentral t distribution; exact where differences are normal.

    Raises
    ------
    InputError
        If a number is out of range.

    References
    ----------
    .. [1] Cohen 1988, Statistical power analysis for the behavioral sciences, section 2.5.
    .. [2] Sakai 2016, Topic set size design, Information Retrieval Journal 19, pages 256-283,
       section 3.1.

    Examples
    --------
    >>> round(power_of_t(0.05, 0.1, 30).power, 3)
    0.754
    """
    spread, level = above_zero("spread", spread), share("level", level)
    _at_least_two(n)
    power = _power(abs(difference) / spread, n, level)
    return Power(float(difference), spread, n, power, level, "noncentral t")


def detectable_difference(
    spread: float, n: int, *, power: float = 0.8, level: float = 0.05
) -> Power:
    """Return the smallest true difference that a paired t test finds as often as asked.

    Parameters
    ----------
    spread
        Standard deviation of the differences of queries, above 0.
    n
        Queries, at least 2.
    power
        How often it must be found.
    level
        Of the two-sided test.

    Returns
    -------
    Power
        Its ``difference`` is the answer.

    Raises
    ------
    InputError
        If a number is out of range.

    References
    ----------
    .. [1] Cohen 1988, Statistical power analysis for the behavioral sciences, section 2.5.

    Examples
    --------
    >>> round(detectable_difference(0.1, 50).difference, 4)
    0.0404
    """
    spread, level, power = (
        above_zero("spread", spread),
        share("level", level),
        share("power", power),
    )
    _at_least_two(n)
    if power <= level:
        raise InputError(f"power is {power:g}, no more than the level", "need more")
    most = 1.0
    while _power(most, n, level) < power:
        most *= 2
    effect = float(optimize.brentq(lambda d: _power(d, n, level) - power, 0.0, most, xtol=1e-12))
    return Power(effect * spread, spread, n, power, level, "noncentral t")


def required_queries(
    difference: float, spread: float, *, power: float = 0.8, level: float = 0.05
) -> Power:
    """Return the smallest number of queries on which a paired t test finds a true difference.

    Parameters
    ----------
    difference
        True mean difference, in units of the scores, not 0.
    spread
        Standard deviation of the differences of queries, above 0.
    power
        How often it must be found.
    level
        Of the two-sided test.

    Returns
    -------
    Power
        Its ``n`` is the answer, and its ``power`` what these queries have.

    Raises
    ------
    InputError
        If a number is out of range, or a billion queries would be too few.

    References
    ----------
    .. [1] Sakai 2016, Topic set size design, Information Retrieval Journal 19, pages 256-283,
       section 3.1.

    Examples
    --------
    >>> required_queries(0.05, 0.1).n
    34
    """
    spread, level, power = (
        above_zero("spread", spread),
        share("level", level),
        share("power", power),
    )
    effect = above_zero("difference", abs(difference)) / spread
    low, high = 1, 2
    while _power(effect, high, level) < power:
        low, high = high, 2 * high
        if high > _MOST_QUERIES:
            raise InputError(
                f"difference is {difference:g}, which a billion queries would not "
                f"tell from 0 at a spread of {spread:g}",
                "ask for a larger one",
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _power(effect, middle, level) >= power else (middle, high)
    reached = _power(effect, high, level)
    return Power(float(difference), spread, high, reached, level, "noncentral t")


def _at_least_two(n: int) -> None:
    if positive("n", n) < 2:
        raise InputError("n is 1", "a t test needs at least 2 queries")


def _power(effect: float, n: int, level: float) -> float:
    critical = float(special.stdtrit(n - 1, 1 - level / 2))
    shift = effect * math.sqrt(n)
    if shift > 30:  # nctdtr loses its digits there, and nothing is missed anyhow
        return float(special.ndtr(shift - critical))
    found = 1 - float(special.nctdtr(n - 1, shift, critical))
    opposite = float(special.nctdtr(n - 1, shift, -critical))
    # scipy may give NaN for this tail, where it is below Phi(-shift) < 1e-11.
    return found if math.isnan(opposite) else found + opposite
