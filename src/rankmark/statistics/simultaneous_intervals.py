"""Which intervals of a family of differences go with its corrected p-values.

An interval of one difference has a confidence of its own. These are simultaneous: the probability
that any of the family misses its true difference is below the level, as that of any false rejection
is with the correction.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from rankmark.arguments import one_of, share
from rankmark.statistics.multiple_comparisons import CONTROLS, adjust
from rankmark.statistics.score_arrays import column

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from rankmark.array_types import Bools, Floats
    from rankmark.statistics.multiple_comparisons import Correction


class Ends(NamedTuple):
    """Where the ends of each interval of a family are.

    Parameters
    ----------
    low, high
        (n,) float64, the confidence of the single two-sided interval whose lower, or upper, end it
        is; NaN where there is no test.
    beyond
        (n,) 1 where the interval has only numbers above 0, -1 where it has only those below 0, and
        0 where it is not limited: the end near 0 is 0, and not part of the interval, if ``low``, or
        ``high``, is infinite, or if that end would lie beyond 0.
    """

    low: Floats
    high: Floats
    beyond: Floats


def simultaneous_ends(
    p: ArrayLike,
    differences: ArrayLike,
    correction: Correction | Literal["none"] = "holm",
    level: float = 0.05,
) -> Ends:
    """Return the ends of intervals that go with the correction of two-sided p-values.

    Parameters
    ----------
    p
        (n,) float64, two-sided p-values, not corrected; NaN where there was no test.
    differences
        (n,) float64, of which only the sign matters.
    correction
        "bonferroni" divides the level by the number of tests n, and so does "hochberg", for whose
        procedure no intervals are known.
        "holm" has those of Strassburger and Bretz [1]_ and Guilbaud [2]_, of one-sided tests in
        each direction at half the level: if R of n hypotheses are rejected, the lower ends of these
        are 0, and those of the others have the level divided by n - R; if all are rejected, they
        have the level divided by n, but are at least 0.
        "bh" divides the level by n / R, where R differences are significant, and "by" by n / R
        times 1 + 1/2 + ... + 1/n: the expected share of the significant ones whose intervals miss
        is below the level [3]_.
        "none" returns single intervals.

    Returns
    -------
    Ends
        As confidences of single intervals, whatever their method.

    Raises
    ------
    InputError
        If the arrays differ in length, or the correction is none of these.

    References
    ----------
    .. [1] Strassburger and Bretz 2008, Compatible simultaneous lower confidence bounds for the Holm
       procedure and other Bonferroni-based closed tests, Statistics in Medicine 27(24), pages
       4914-4927.
    .. [2] Guilbaud 2008, Simultaneous confidence regions corresponding to Holm's step-down
       procedure and other closed-testing procedures, Biometrical Journal 50(5), pages 678-692.
    .. [3] Benjamini and Yekutieli 2005, False discovery rate-adjusted multiple confidence intervals
       for selected parameters, Journal of the American Statistical Association 100(469), pages
       71-81.

    Examples
    --------
    >>> simultaneous_ends([0.01, 0.2], [0.1, 0.1], "bonferroni").low.tolist()
    [0.975, 0.975]
    >>> found = simultaneous_ends([0.01, 0.2], [0.1, 0.1], "holm")
    >>> found.low.tolist(), found.high.tolist(), found.beyond.tolist()
    ([inf, 0.95], [0.975, 0.975], [1.0, 0.0])
    """
    one_of("correction", correction, *CONTROLS, "none")
    given, values = column("p", p), column("differences", differences)
    level = share("level", level)
    tested = ~np.isnan(given)
    n = int(tested.sum())
    beyond = np.zeros(len(given))
    if correction == "holm" and n:
        low, risen = _of_one_direction(given, tested & (values > 0), n, level)
        high, fallen = _of_one_direction(given, tested & (values < 0), n, level)
        beyond = risen.astype(np.float64) - fallen
    else:
        each = 1 - level * _part(given[tested], correction, level)
        low, high = np.full(len(given), each), np.full(len(given), each)
    unknown = np.where(tested, 0.0, math.nan)
    return Ends(low + unknown, high + unknown, beyond)


def _part(p: Floats, correction: Correction | Literal["none"], level: float) -> float:
    """Return the part of the level that each interval has."""
    n = len(p)
    if correction == "none" or not n:
        return 1.0
    if correction in {"bonferroni", "hochberg"}:
        return 1 / n
    found = adjust(p, correction)
    part = max(int(np.sum(found.adjusted <= level)), 1) / n
    return part / sum(1 / number for number in range(1, n + 1)) if correction == "by" else part


def _of_one_direction(p: Floats, towards: Bools, n: int, level: float) -> tuple[Floats, Bools]:
    """Return confidences of the ends towards 0, and which hypotheses of a direction are rejected.

    ``towards`` says which differences lie in the direction that is tested: a one-sided p is half of
    p for these, compared with half of the level, and all others are above one half.
    """
    rejected = np.zeros(len(p), dtype=bool)
    for place in np.flatnonzero(towards)[np.argsort(p[towards], kind="stable")]:
        if p[place] * (n - int(rejected.sum())) > level:
            break
        rejected[place] = True
    left = n - int(rejected.sum())
    if not left:
        return np.full(len(p), 1 - level / n), rejected
    return np.where(rejected, math.inf, 1 - level / left), rejected
