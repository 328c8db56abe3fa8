"""Corrections of p-values for multiple comparisons, and the intervals that go with them.

An interval of one difference has a confidence of its own. These are simultaneous: the probability
that any of the family misses its true difference is below the level, as that of any false rejection
is with the correction.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankmark.arguments import number_of_draws, one_of, seed_of, share
from rankmark.array_types import Bools, Floats
from rankmark.errors import InputError
from rankmark.statistics.scipy_functions import stats
from rankmark.statistics.score_arrays import column

Correction = Literal["holm", "hochberg", "bonferroni", "bh", "by"]

CONTROLS: dict[str, str] = {
    "holm": "the probability of any false rejection, whatever the dependence",
    "hochberg": "the probability of any false rejection, for positively dependent tests",
    "bonferroni": "the probability of any false rejection, whatever the dependence",
    "bh": "the expected share of false rejections, for positively dependent tests",
    "by": "the expected share of false rejections, whatever the dependence",
}
"""What each correction keeps below the level."""


@dataclass(frozen=True, slots=True, eq=False)
class Adjusted:
    """The p-values of one family, corrected.

    Parameters
    ----------
    p
        As given, any shape.
    adjusted
        The corrected p-values, in the same shape: reject where they are at most the level. NaN
        where p is NaN.
    correction
        Its name.
    controls
        The error rate that it keeps below the level, in words.
    family
        How many p-values it is corrected for.
    left_out
        How many were NaN: a test that cannot be made is not one of the family.
    """

    p: Floats
    adjusted: Floats
    correction: str
    controls: str
    family: int
    left_out: int


def adjust(p: ArrayLike, correction: Correction = "holm") -> Adjusted:
    """Correct p-values for their number, as one family.

    Parameters
    ----------
    p
        Any shape, each from 0 to 1, or NaN where there was no test.
    correction
        "holm" [1]_, "hochberg" [2]_ and "bonferroni" control the probability of any false
        rejection; "bh" (Benjamini and Hochberg [3]_) and "by" (Benjamini and Yekutieli [4]_) the
        expected share of false rejections among all rejections.

    Returns
    -------
    Adjusted
        In the shape given.

    Raises
    ------
    InputError
        If a p-value is below 0 or above 1, or the correction is none of these.

    References
    ----------
    .. [1] Holm 1979, A simple sequentially rejective multiple test procedure, Scandinavian Journal
       of Statistics 6(2), pages 65-70.
    .. [2] Hochberg 1988, A sharper Bonferroni procedure for multiple tests of significance,
       Biometrika 75(4), pages 800-802.
    .. [3] Benjamini and Hochberg 1995, Controlling the false discovery rate, Journal of the Royal
       Statistical Society B 57(1), pages 289-300.
    .. [4] Benjamini and Yekutieli 2001, The control of the false discovery rate in multiple testing
       under dependency, Annals of Statistics 29(4), pages 1165-1188.

    Examples
    --------
    >>> adjust([0.01, 0.04, 0.03, 0.005]).adjusted.tolist()
    [0.03, 0.06, 0.06, 0.02]
    """
    one_of("correction", correction, *CONTROLS)
    given = np.asarray(p, dtype=np.float64)
    if np.any((given < 0) | (given > 1)):
        raise InputError(
            "p contains a number below 0 or above 1", "need p-values, or NaN for no test"
        )
    tested = ~np.isnan(given)
    adjusted = np.full(given.shape, np.nan)
    adjusted[tested] = _adjusted(given[tested], correction)
    family = int(tested.sum())
    return Adjusted(given, adjusted, correction, CONTROLS[correction], family, given.size - family)


def _adjusted(p: Floats, correction: Correction) -> Floats:
    count = len(p)
    if correction in {"bh", "by"}:
        return stats.false_discovery_control(p, method=correction) if count else p
    if correction == "bonferroni":
        return np.minimum(1.0, p * count)
    order = np.argsort(p, kind="stable")
    scaled = p[order] * np.arange(count, 0, -1)
    if correction == "holm":
        stepped = np.maximum.accumulate(scaled)
    else:
        stepped = np.minimum.accumulate(scaled[::-1])[::-1]
    adjusted = np.empty(count)
    adjusted[order] = np.minimum(1.0, stepped)
    return adjusted


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


@dataclass(frozen=True, slots=True, eq=False)
class LargestT:
    """Corrections of a family of estimates by the distribution of the largest t of all.

    Parameters
    ----------
    adjusted
        (k,) float64, corrected two-sided p-values; NaN where an estimate has no error.
    critical
        Simultaneous intervals are the estimates and this many standard errors on both sides.
    family
        Number of estimates with an error.
    degrees
        Degrees of freedom, the fewest of all.
    resamples, seed
        Of the draws.
    """

    adjusted: Floats
    critical: float
    family: int
    degrees: float
    resamples: int
    seed: int


def largest_t(
    t: ArrayLike,
    contributions: ArrayLike,
    degrees: float,
    *,
    confidence: float = 0.95,
    resamples: int = 100_000,
    seed: int | None = 0,
) -> LargestT:
    """Correct estimates that come from the same queries, as far as they are correlated [1]_.

    Parameters
    ----------
    t
        (k,) float64, each estimate less its null, over its standard error; NaN where it has none.
    contributions
        (units, k) float64, what each independent unit contributes to the error of each.
    degrees
        Degrees of freedom of the errors.
    confidence
        With which all intervals together contain the true values.
    resamples, seed
        How often a multivariate t is drawn, and the seed of it.

    References
    ----------
    .. [1] Hothorn, Bretz and Westfall 2008, Simultaneous inference in general parametric models,
       Biometrical Journal 50(3), pages 346-363.

    Examples
    --------
    >>> found = largest_t([2.5, 0.3], [[1, 1], [-1, 1], [1, -1], [-1, -1]], 20)
    >>> round(found.critical, 1), found.family
    (2.4, 2)
    """
    confidence = share("confidence", confidence)
    resamples, seed = number_of_draws(resamples), seed_of(seed)
    observed = np.asarray(t, dtype=np.float64)
    each = np.asarray(contributions, dtype=np.float64)
    tested = ~np.isnan(observed)
    adjusted = np.full(len(observed), np.nan)
    family = int(tested.sum())
    if not family:
        return LargestT(adjusted, math.nan, 0, degrees, resamples, seed)
    scaled = each[:, tested] / np.sqrt(np.sum(each[:, tested] ** 2, axis=0))
    values, vectors = np.linalg.eigh(scaled.T @ scaled)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    generator = np.random.Generator(np.random.PCG64(seed))
    largest = np.empty(resamples)
    step = max(1, (1 << 20) // family)
    for at in range(0, resamples, step):
        size = min(step, resamples - at)
        drawn = np.abs(generator.standard_normal((size, family)) @ root.T).max(axis=1)
        if math.isfinite(degrees):
            drawn /= np.sqrt(generator.chisquare(degrees, size) / degrees)
        largest[at : at + size] = drawn
    largest.sort()
    below = np.searchsorted(largest, np.abs(observed[tested]), side="left")
    adjusted[tested] = (resamples - below + 1) / (resamples + 1)
    critical = float(np.quantile(largest, confidence, method="higher"))
    return LargestT(adjusted, critical, family, degrees, resamples, seed)
