"""What a paired t test can detect on queries like those observed, by drawing from them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankmark.arguments import above_zero, number_of_draws, positive, seed_of, share
from rankmark.errors import InputError
from rankmark.statistics.power import Power, required_queries
from rankmark.statistics.resampling import over_blocks, sample_blocks, sample_counts
from rankmark.statistics.scipy_functions import special
from rankmark.statistics.score_arrays import ROUNDING, column, queries

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


_MOST_QUERIES = 100_000
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
    size = len(given) if n is None else positive("n", n)
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
    if high > _MOST_QUERIES:
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
            if high > _MOST_QUERIES:
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
        f"difference is {difference:g}, for which more than {_MOST_QUERIES:,} "
        "queries would have to be drawn",
        "take required_queries, which needs none",
    )
