"""How often a test of a fixed number of queries is wrong if it is repeated as queries come in."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from rankmark.arguments import one_of, positive, share
from rankmark.statistics.scipy_functions import special
from rankmark.statistics.score_arrays import Alternative

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
    looks, level = positive("looks", looks), share("level", level)
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
