"""Looking as queries come in: bounds that hold at any number, and the error of others."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from rankmark.arguments import one_of, share, whole
from rankmark.array_types import Floats
from rankmark.errors import InputError, shown
from rankmark.statistics.scipy_functions import special
from rankmark.statistics.score_arrays import ROUNDING, Alternative, column

METHOD = "betting (hedged capital)"

_LARGEST_BET = 0.99  # share of the capital that a bet may lose: any share below 1 is valid
_MEANS = 1000  # means that are tried for the running ends
_ROWS = 1024  # queries that are worked on at once


@dataclass(frozen=True, slots=True)
class ConfidenceSequence:
    """Confidence intervals of a mean after each query, which are valid together.

    Parameters
    ----------
    estimate
        Mean of the differences; NaN without queries.
    low, high
        The interval after the last query, its ends included; NaN where ``undefined`` says why.
    lows, highs
        (n,) float64, the interval after each query that has a difference, in their order. No
        interval is wider than one before it.
    confidence
        How often all intervals of a sequence contain the mean, if the assumptions are met. Each end
        by itself has the confidence (1 + confidence) / 2.
    bounds
        The smallest and the largest difference possible.
    n, left_out
        Queries with a difference, and without.
    method
        How the intervals were found.
    undefined
        Why there is no interval, or "".
    """

    estimate: float
    low: float
    high: float
    lows: Floats = field(compare=False, repr=False)
    highs: Floats = field(compare=False, repr=False)
    confidence: float
    bounds: tuple[float, float]
    n: int
    left_out: int
    method: str = METHOD
    undefined: str = ""


def confidence_sequence(
    differences: ArrayLike, bounds: tuple[float, float] = (-1.0, 1.0), confidence: float = 0.95
) -> ConfidenceSequence:
    """Return intervals of a mean difference that may be looked at after each query.

    An ordinary interval has its confidence for a number of queries that was fixed beforehand. If
    you look again as queries come in, and stop at the first interval that you like, you are wrong
    far more often (``error_after_looks`` returns how often). All of these intervals together
    contain the mean with the given confidence.

    Parameters
    ----------
    differences
        (n,) float64 in the order in which the queries came, the other minus the baseline, NaN where
        there is none.
    bounds
        The smallest and the largest difference possible, whatever was seen: -1 and 1 for measures
        from 0 to 1.
    confidence
        Above 0 and below 1.

    Returns
    -------
    ConfidenceSequence
        The interval after the last query, and those before it.

    Raises
    ------
    InputError
        If a difference is outside the bounds, or an option is invalid.

    Notes
    -----
    For each possible mean, a gambler bets on differences above it and another on those below it,
    each bet fixed before the next query is seen. If it is the true mean, their capitals are
    non-negative martingales, which reach 2 / (1 - confidence) times what they began with in a share
    of (1 - confidence) / 2 of all sequences at most (Ville's inequality). A mean that was once
    ruled out stays ruled out. This requires each new difference to have the same expectation,
    whatever came before: queries that come in as they are drawn from one population, not sorted,
    and not from populations that change.

    The ends after the last query are exact; those before it are rounded outwards to one of 1,000
    values.

    References
    ----------
    .. [1] Waudby-Smith and Ramdas 2024, Estimating means of bounded random variables by betting,
       Journal of the Royal Statistical Society B 86(1), pages 1-27, theorem 3.

    Examples
    --------
    >>> found = confidence_sequence([0.1, 0.0, 0.2, 0.1, -0.1, 0.2, 0.1, 0.0, 0.1, 0.2] * 20)
    >>> round(found.estimate, 3), round(found.low, 3), round(found.high, 3), found.n
    (0.09, 0.065, 0.113, 200)
    """
    confidence = share("confidence", confidence)
    lowest, highest = _bounds(bounds)
    given = column("differences", differences)
    kept = given[~np.isnan(given)]
    left_out = len(given) - len(kept)
    slack = ROUNDING * max(abs(lowest), abs(highest))
    outside = kept[(kept < lowest - slack) | (kept > highest + slack)]
    if len(outside):
        raise InputError(
            f"differences contains {outside[0]:g}, which is outside of the bounds {lowest:g} and "
            f"{highest:g}",
            "need bounds that every difference is sure to lie in",
        )
    width = highest - lowest
    scaled = np.clip((kept - lowest) / width, 0.0, 1.0)
    bets = _bets(scaled, confidence)
    enough = math.log(2 / (1 - confidence))
    lows = lowest + width * _low_ends(scaled, bets, enough)
    highs = highest - width * _low_ends(1 - scaled, bets, enough)
    low, high, undefined = math.nan, math.nan, "no query has a difference"
    if len(kept):
        low, high, undefined = float(lows[-1]), float(highs[-1]), ""
    if low > high:
        low = high = math.nan
        undefined = (
            "no mean is compatible with all looks, so the mean has changed as queries came in"
        )
    return ConfidenceSequence(
        estimate=float(kept.mean()) if len(kept) else math.nan,
        low=low,
        high=high,
        lows=lows,
        highs=highs,
        confidence=confidence,
        bounds=(lowest, highest),
        n=len(kept),
        left_out=left_out,
        undefined=undefined,
    )


def _bounds(bounds: tuple[float, float]) -> tuple[float, float]:
    remedy = "need two finite numbers, the smallest possible difference first"
    try:
        lowest, highest = map(float, bounds)
    except (TypeError, ValueError):
        raise InputError(f"bounds is {shown(bounds)}", remedy) from None
    if not (math.isfinite(highest - lowest) and lowest < highest):
        raise InputError(f"bounds is {shown(bounds)}", remedy)
    return lowest, highest


def _bets(values: Floats, confidence: float) -> Floats:
    """Return the size of each bet, from the values before it: (n,) float64.

    It is asymptotically the best for the variance seen so far [1]_, equation 26.
    """
    count = np.arange(1, len(values) + 1)
    means = (0.5 + np.cumsum(values)) / (count + 1)
    variances = (0.25 + np.cumsum((values - means) ** 2)) / (count + 1)
    before = np.concatenate([[0.25], variances[:-1]])[: len(values)]
    return np.sqrt(2 * math.log(2 / (1 - confidence)) / (before * count * np.log1p(count)))


def _low_ends(values: Floats, bets: Floats, enough: float) -> Floats:
    """Return the largest mean ruled out from below after each value: (n,) float64, from 0 to 1.

    The larger the mean, the less is won by betting against it, so the means ruled out are all
    those up to one of them.
    """
    if not len(values):
        return np.zeros(0)
    last = _last_low_end(values, bets, enough)
    if last == 0:
        return np.zeros(len(values))
    # The ends come near the last one, so the means that are tried lie closest there.
    means = last * (1 - np.linspace(1, 0, _MEANS) ** 2)
    ends = np.empty(len(values))
    capital, most = np.zeros(_MEANS), np.full(_MEANS, -np.inf)
    for first in range(0, len(values), _ROWS):
        rows = slice(first, first + _ROWS)
        won = capital + np.cumsum(_won(values[rows, None], bets[rows, None], means), axis=0)
        capital = won[-1]
        reached = np.maximum(most, np.maximum.accumulate(won, axis=0))
        most = reached[-1]
        ruled_out = np.count_nonzero(reached >= enough, axis=1)
        ends[rows] = np.where(ruled_out > 0, means[ruled_out - 1], 0.0)
    ends[-1] = last
    return ends


def _last_low_end(values: Floats, bets: Floats, enough: float) -> float:
    """Return the largest mean ruled out at any time, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        if np.cumsum(_won(values, bets, middle)).max() >= enough:
            low = middle
        else:
            high = middle
    return low


def _won(values: Floats, bets: Floats, means: Floats | float) -> Floats:
    """Return the logarithm of what betting on values above means multiplies a capital by."""
    with np.errstate(divide="ignore"):
        most = np.divide(_LARGEST_BET, means)
    return np.log1p(np.minimum(bets, most) * (values - means))


_NODES = 2  # per standard deviation of what one look adds
_FAR = 6.0  # standard deviations beyond which nothing counts


def error_after_looks(
    looks: int, level: float = 0.05, *, alternative: Alternative = "two-sided"
) -> float:
    """Return how often a test that is repeated at each look rejects a true null hypothesis.

    A test at the level of 0.05 is wrong in 5% of all cases if it is made once. If it is
    repeated after each new batch of queries until it first rejects, it is wrong more often.

    Parameters
    ----------
    looks
        How often the test is made, each time after as many new queries, on all queries so far.
    level
        Of each test, above 0 and below 1.
    alternative
        "greater" or "less" if the test is one-sided, as one of non-inferiority is.

    Returns
    -------
    float
        The probability that any of the tests rejects. More than 1,000 looks count as 1,000; the
        probability approaches 1 as the number of looks grows.

    Raises
    ------
    InputError
        If looks is not a whole number of at least 1, or an option is invalid.

    Notes
    -----
    Means are taken to be normal with a known standard error, and their distribution among those not
    rejected yet is integrated from look to look, as [1]_ does.

    References
    ----------
    .. [1] Armitage, McPherson and Rowe 1969, Repeated significance tests on accumulating data,
       Journal of the Royal Statistical Society A 132(2), pages 235-244, table 2.

    Examples
    --------
    >>> [round(error_after_looks(looks), 3) for looks in (1, 2, 5, 10, 50, 100)]
    [0.05, 0.083, 0.142, 0.193, 0.32, 0.374]
    >>> round(error_after_looks(30, alternative="greater"), 3)
    0.239
    """
    one_of("alternative", alternative, "two-sided", "greater", "less")
    looks, level = whole("looks", looks), share("level", level)
    return _error(min(looks, 1000), level, alternative == "two-sided")


@lru_cache(maxsize=64)
def _error(looks: int, level: float, two_sided: bool) -> float:  # noqa: FBT001
    limit = float(-special.ndtri(level / 2 if two_sided else level))
    lowest = -limit if two_sided else -_FAR
    count = max(16, math.ceil(_NODES * (limit - lowest) * math.sqrt(looks)))
    nodes, areas = np.polynomial.legendre.leggauss(count)
    # The mean times the root of the number of looks, where no test has rejected so far.
    nodes = (limit + lowest) / 2 + (limit - lowest) / 2 * nodes
    areas = (limit - lowest) / 2 * areas
    places, weights = np.array([0.0]), np.array([1.0])
    rejected = 0.0
    for look in range(1, looks + 1):
        root = math.sqrt(look)
        rejected += float(weights @ special.ndtr(places - limit * root))
        if two_sided:
            rejected += float(weights @ special.ndtr(lowest * root - places))
        density = np.exp(-0.5 * (nodes[:, None] * root - places) ** 2) / math.sqrt(2 * math.pi)
        places, weights = nodes * root, (density @ weights) * areas * root
    return min(1.0, rejected)
