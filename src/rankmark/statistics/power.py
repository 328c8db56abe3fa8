"""How many queries a paired test needs: by the noncentral t distribution, and in simulations."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rankmark.arguments import above_zero, number_of_draws, seed_of, share, whole
from rankmark.errors import InputError
from rankmark.statistics.resampling import over_blocks, sample_blocks, sample_counts
from rankmark.statistics.scipy_functions import optimize, special
from rankmark.statistics.score_arrays import ROUNDING, column, queries

if TYPE_CHECKING:
    pass
    from numpy.typing import ArrayLike

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
    if whole("n", n) < 2:
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


_MOST_SIMULATED = 100_000
_FINENESS = 500  # queries up to which every number is tried


def simulated_power(
    differences: ArrayLike,
    difference: float,
    n: int | None = None,
    *,
    level: float = 0.05,
    resamples: int = 10_000,
    seed: int | None = 0,
) -> Power:
    """Return the power of a paired t test on queries like those observed.

    The observed differences are shifted so that their mean is the one asked about, and n queries
    are drawn from them with replacement, again and again; each time the t test is made.

    Parameters
    ----------
    differences
        (queries,) float64, observed, NaN where there is none.
    difference
        True mean difference, in units of the scores.
    n
        Queries drawn; as many as were observed if None.
    level
        Of the two-sided test.
    resamples, seed
        How many times queries are drawn, and the seed of it; None draws a seed.

    Returns
    -------
    Power
        Its standard error is at most 0.5 / sqrt(resamples).

    Raises
    ------
    InputError
        If a number is out of range.

    References
    ----------
    .. [1] Urbano and Nagler 2018, Stochastic simulation of test collections: evaluation scores,
       SIGIR, pages 695-704.

    Examples
    --------
    >>> power = simulated_power([0.1, -0.1, 0.2, -0.2, 0.05, 0.0, -0.05], 0.1, n=30, resamples=2000)
    >>> 0.95 < power.power < 1
    True
    """
    level = share("level", level)
    resamples, seed = number_of_draws(resamples), seed_of(seed)
    given = column("differences", differences)
    given = np.sort(given[~np.isnan(given)])  # so that draws do not depend on the order of queries
    size = len(given) if n is None else whole("n", n)
    spread = float(given.std(ddof=1)) if len(given) > 1 else math.nan
    way = "draws from the observed differences"
    undefined = ""
    if len(given) < 2 or size < 2:
        undefined = f"{queries(min(len(given), size))}; a t test needs at least 2"
    elif spread <= ROUNDING * float(np.abs(given).max()):
        undefined = f"all differences are {given[0]:.6g}"
    if undefined:
        return Power(
            float(difference), spread, size, math.nan, level, way, resamples, seed, undefined
        )
    shifted = given - given.mean() + difference
    powers = np.column_stack([shifted, shifted**2])
    critical = float(special.stdtrit(size - 1, 1 - level / 2))
    blocks = sample_blocks(max(len(given), size), resamples)

    def count(block: int) -> int:
        counts = sample_counts(len(given), blocks[block], block, seed, drawn=size)
        sums = counts @ powers
        means = sums[:, 0] / size
        squares = sums[:, 1] / size
        variance = squares - means**2
        # Where all draws are the same, but for rounding, the t test is undefined.
        varied = variance > 1e-12 * squares
        error = np.sqrt(np.maximum(variance, 0.0) / (size - 1))
        return int(np.count_nonzero(varied & (np.abs(means) > critical * error)))

    found = over_blocks(count, range(len(blocks)), lambda a, b: a + b)
    return Power(float(difference), spread, size, found / resamples, level, way, resamples, seed)


def simulated_queries(
    differences: ArrayLike,
    difference: float,
    *,
    power: float = 0.8,
    level: float = 0.05,
    resamples: int = 10_000,
    seed: int | None = 0,
) -> Power:
    """Return how many queries like those observed a paired t test needs to find a difference.

    Parameters
    ----------
    differences
        (queries,) float64, observed, NaN where there is none.
    difference
        True mean difference, in units of the scores, not 0.
    power
        How often it must be found.
    level
        Of the two-sided test.
    resamples, seed
        How many times queries are drawn, and the seed of it; None draws a seed.

    Returns
    -------
    Power
        Its ``n`` is the answer, and its ``power`` what was simulated with as many. Next to n, power
        differs by less than the error of the simulation, so n is known to a few percent; from 500
        on it is searched to 0.2%.

    Raises
    ------
    InputError
        If a number is out of range, or 100,000 queries would be too few.

    Examples
    --------
    >>> observed = [0.1, -0.1, 0.2, -0.2, 0.05, 0.0, -0.05]
    >>> found = simulated_queries(observed, 0.1, resamples=2000)
    >>> 12 < found.n < 20, found.power >= 0.8
    (True, True)
    """
    power, seed = share("power", power), seed_of(seed)
    above_zero("difference", abs(difference))

    def at(n: int) -> Power:
        return simulated_power(
            differences, difference, n, level=level, resamples=resamples, seed=seed
        )

    found = at(2)
    if found.undefined:
        return replace(found, n=0)
    high = required_queries(difference, found.spread, power=power, level=level).n
    if high > _MOST_SIMULATED:
        raise _too_many(difference)
    # The answer is near what the closed form says, so look there first.
    low, step = high, high // 16 + 1
    found = at(high)
    if found.power >= power:
        while low > 1 and (tried := at(low := max(low - step, 1))).power >= power:
            high, found, step = low, tried, 2 * step
    else:
        while found.power < power:
            low, high, step = high, high + step, 2 * step
            if high > _MOST_SIMULATED:
                raise _too_many(difference)
            found = at(high)
    while high - low > 1 + high // _FINENESS:
        middle = (low + high) // 2
        tried = at(middle)
        if tried.power >= power:
            high, found = middle, tried
        else:
            low = middle
    return found


def _too_many(difference: float) -> InputError:
    return InputError(
        f"difference is {difference:g}, for which more than {_MOST_SIMULATED:,} "
        "queries would have to be drawn",
        "take required_queries, which needs none",
    )
