"""The reweighting bound: a confidence bound of a mean that rare large losses cannot deceive.

Student's t knows only the spread that it has seen. If 2% of queries lose everything, half of all
samples of 35 queries contain none of them, and t then takes the mean to be known almost exactly.
This bound adds one imagined query with the worst value that is possible, and gives random weights
to all. The distribution of a randomly weighted sum is found by saddlepoints: exactly, or fast for
many.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rankmark.arguments import share
from rankmark.array_types import Floats, Ints
from rankmark.errors import InputError
from rankmark.statistics.query_weights import query_weights, scaled_like
from rankmark.statistics.scipy_functions import special
from rankmark.statistics.score_arrays import cluster_numbers, column, renumbered, sums_by_cluster

METHOD = "reweighting"
_MOST_STEPS = 100
_MOST_QUERIES = 10**9
_PRECISE = 1e-11  # of the quantile of p
_FAR = 38.0  # standard deviations, beyond which p is 0 in float64
_ROUNDING = 1e-9  # what a value may lie beyond its bounds


@dataclass(frozen=True, slots=True)
class Reweighted:
    """Sums of queries, or of clusters of them, whose random weighting bounds a mean or a ratio.

    The bound is of the t for which the mean of ``values - t * sizes`` is 0.

    Parameters
    ----------
    values
        (units,) float64, the sum of each unit.
    sizes
        (units,) float64, what t is multiplied by: the weight of each unit, or its sum of baseline
        scores if the bound is of a ratio.
    counts
        (units,) float64, how many units are just like this one.
    worst, worst_size
        The same of the imagined unit: ``worst - t * worst_size`` is at most 0 for all t that are
        asked about.
    """

    values: Floats
    sizes: Floats
    counts: Floats
    worst: float
    worst_size: float

    def p(self, t: float) -> float:
        """Return the p-value of the null hypothesis that the mean, or ratio, is at most t."""
        beyond = self.values - t * self.sizes
        # A heavy unit can lose more than the imagined one, which is then as bad as the worst seen.
        loss = max(t * self.worst_size - self.worst, -float(beyond.min()))
        return probability(beyond, self.counts, loss)

    def low(self, level: float) -> float:
        """Return the largest t whose p-value is at most the level."""
        n, has_size = float(self.counts.sum()), self.sizes > 0
        if not has_size.any():
            return math.nan
        low = self.worst / self.worst_size if self.worst_size else -math.inf
        high = float((self.values[has_size] / self.sizes[has_size]).max())
        if len(self.values) == 1 and self.worst_size == self.sizes[0] > 0:  # a closed form
            return high + (high - low) * math.expm1(math.log(level) / n)
        if high <= low or self.p(high) <= level:
            return max(low, high)
        # Begin with a normal approximation, and go on by secants: as a quantile, p is almost
        # linear in t.
        size = float(self.counts @ self.sizes) + self.worst_size
        t = (float(self.counts @ self.values) + self.worst) / size
        beyond = self.values - t * self.sizes
        spread = float(self.counts @ beyond**2) + (self.worst - t * self.worst_size) ** 2
        slope = size / math.sqrt(spread)
        wanted = float(special.ndtri(level))
        t += wanted / slope
        before: tuple[float, float] | None = None
        for _ in range(_MOST_STEPS):
            if not low < t < high:
                t = (low + high) / 2 if math.isfinite(low) else high - 1 / slope
            missed = max(float(special.ndtri(self.p(t))), -_FAR) - wanted
            low, high = (low, t) if missed > 0 else (t, high)
            if abs(missed) <= _PRECISE or high - low <= _PRECISE * abs(high):
                break
            if before is not None and (missed - before[1]) * (t - before[0]) > 0:
                slope = (missed - before[1]) / (t - before[0])
            before = (t, missed)
            t -= missed / slope
        return t


def of_mean(
    values: Floats,
    worst: float,
    weights: Floats | None = None,
    clusters: Ints | None = None,
    largest: float | None = None,
) -> Reweighted:
    """Return what bounds a mean from below, whose values are at least ``worst``.

    With clusters, a cluster is one unit. ``largest`` is as ``imagined_size`` has it.
    """
    sums, sizes = _units(np.column_stack((values, np.ones(len(values)))), weights, clusters)
    extra = imagined_size(sizes, largest)
    counts = np.ones(len(sums))
    if sizes.max() == sizes.min():  # most differences are often 0
        sums, found = np.unique(sums, return_counts=True)
        sizes, counts = sizes[: len(sums)], found.astype(np.float64)
    return Reweighted(sums, sizes, counts, extra * worst, extra)


def of_ratio(
    numerator: Floats,
    denominator: Floats,
    worst: tuple[float, float],
    weights: Floats | None = None,
    clusters: Ints | None = None,
    largest: float | None = None,
) -> Reweighted:
    """Return what bounds the ratio of two means from below, whose denominators are not negative.

    ``worst`` is the numerator and the denominator of the imagined query.
    """
    ones = np.ones(len(numerator))
    extra = imagined_size(_units(np.column_stack((ones, ones)), weights, clusters)[1], largest)
    sums, bases = _units(np.column_stack((numerator, denominator)), weights, clusters)
    return Reweighted(sums, bases, np.ones(len(sums)), extra * worst[0], extra * worst[1])


def _units(pairs: Floats, weights: Floats | None, clusters: Ints | None) -> tuple[Floats, Floats]:
    weighted = pairs if weights is None else pairs * weights[:, None]
    sums = weighted if clusters is None else sums_by_cluster(weighted, clusters)
    return np.ascontiguousarray(sums[:, 0]), np.ascontiguousarray(sums[:, 1])


def imagined_size(sizes: Floats, largest: float | None = None) -> float:
    """Return the size of the imagined unit: that of the largest unit of the population.

    With weights, the bound is that of the mean of ``w (x - t)``, whose lowest value possible is
    that of the heaviest query, lost. A size that is taken from the spread of sizes in the sample,
    such as the sum of cubes over the sum of squares, is too small where the sample lacks the heavy
    queries that are lost: up to 83% of samples then pass at a level of 5%.

    Parameters
    ----------
    sizes
        (units,) of the sample.
    largest
        The size of the largest unit of the population; None for the largest of the sample, if the
        population has none larger.
    """
    return max(float(sizes.max()), 0.0 if largest is None else largest)


def lower_bound(
    values: ArrayLike,
    *,
    worst: float = -1.0,
    confidence: float = 0.95,
    weights: ArrayLike | None = None,
    clusters: Sequence[Hashable] | ArrayLike | None = None,
    largest: float | None = None,
) -> float:
    """Return a one-sided lower confidence bound of the mean of bounded values.

    Add one imagined query with the worst value, weight all queries at random by independent
    exponential numbers, and take the (1 - confidence) quantile of the weighted mean. No random
    numbers are drawn; the quantile is computed.

    Parameters
    ----------
    values
        (n,) float64, differences of queries, NaN where there is none.
    worst
        The lowest value possible: -1 for differences of measures from 0 to 1. None of the values
        may be lower.
    confidence
        Above 0.5 and below 1.
    weights
        (n,) how much each query counts, from 0; one of weight 0 is left out.
    clusters
        (n,) what each query belongs to, such as a user.
    largest
        The weight of the heaviest query of the population, or of clusters the largest sum of
        weights, or number of queries; None if no unit is larger than the largest of these. The
        imagined query has this weight.

    Returns
    -------
    float
        The bound, in units of the values; NaN without a value.

    Raises
    ------
    InputError
        If a value is below the worst, or an option is invalid.

    Notes
    -----
    For values that are 0 or ``worst`` it is the exact binomial bound of Clopper and Pearson. That
    it keeps its level whatever the distribution is a conjecture of Gaffke [1]_: proven for two
    possible values and for one query, supported by wide searches for a counterexample, but not a
    theorem. For many queries it comes close to Student's t.

    References
    ----------
    .. [1] Gaffke 2005, Three test statistics for a nonparametric one-sided hypothesis on the mean
       of a nonnegative variable, Mathematical Methods of Statistics 14(4), pages 451-467.
    .. [2] Learned-Miller and Thomas 2019, A new confidence interval for the mean of a bounded
       random variable, arXiv:1905.06208.

    Examples
    --------
    >>> round(lower_bound([0.0] * 50), 4)  # nothing changed in 50 queries
    -0.0582
    >>> round(lower_bound([0.0] * 49 + [-1.0]), 4)
    -0.0914
    """
    confidence = share("confidence", confidence)
    given = column("values", values)
    each = query_weights(weights, len(given))
    numbers = cluster_numbers(clusters, len(given))
    kept = ~np.isnan(given) if each is None else ~np.isnan(given) & (each > 0)
    found = given[kept]
    if not len(found):
        return math.nan
    if (found < worst - _ROUNDING).any():
        raise InputError(
            f"values contains {found.min():g}, which is below worst, {worst:g}",
            "need the lowest value possible",
        )
    return of_mean(
        np.maximum(found, worst),
        worst,
        None if each is None else each[kept],
        renumbered(numbers, kept),
        scaled_like(weights, largest),
    ).low(1 - confidence)


def smallest_margin(n: float, confidence: float = 0.95, largest_loss: float = 1.0) -> float:
    """Return the smallest loss of the mean that n queries can rule out if nothing changes.

    No valid bound can do better: if a share q of queries loses ``largest_loss``, n queries contain
    none of them with probability (1 - q)^n.

    Parameters
    ----------
    n
        Queries, or the effective number of them.
    confidence
        Above 0 and below 1.
    largest_loss
        The most that one query can lose.

    Returns
    -------
    float
        In units of the scores; NaN for no query.

    Examples
    --------
    >>> [round(smallest_margin(n), 4) for n in (50, 100, 200)]
    [0.0582, 0.0295, 0.0149]
    """
    if n <= 0:
        return math.nan
    return -largest_loss * math.expm1(math.log1p(-confidence) / n)


def number_if_unchanged(margin: float, confidence: float, largest_loss: float) -> float:
    """Return the number of queries whose ``smallest_margin`` it is, which need not be whole."""
    return math.log1p(-confidence) / math.log1p(-margin / largest_loss)


def queries_if_unchanged(
    margin: float, confidence: float = 0.95, largest_loss: float = 1.0
) -> int | None:
    """Return how many queries can rule out a loss of a margin if nothing changes.

    None if no reasonable number can: for a margin of 0 or hardly more, or losses without a limit.
    0 if no loss could be as large.

    Examples
    --------
    >>> [queries_if_unchanged(margin) for margin in (0.01, 0.02, 0.05)]
    [299, 149, 59]
    """
    if not (margin > 0 and math.isfinite(largest_loss)):
        return None
    if margin >= largest_loss:
        return 0
    if math.log1p(-confidence) < _MOST_QUERIES * math.log1p(-margin / largest_loss):
        return None
    needed = number_if_unchanged(margin, confidence, largest_loss)
    return math.floor(needed) + 1 if needed == math.floor(needed) else math.ceil(needed)


_STEPS = 7  # of the trapezoid rule between its line and the nearest pole
_NODES = 16  # of the trapezoid rule that are computed at once
_VALUES = 512  # that fit into the processor's cache, for all of these nodes
_MOST_NODES = 1 << 17
_NEGLIGIBLE = 1e-13  # a term of the trapezoid rule, beside the largest
_NEAR_MIDDLE = 0.5  # standard deviations: how near to 0 a line of integration may come


def probability(values: Floats, counts: Floats, loss: float) -> float:
    """Return P(sum of E_i values_i <= E_0 loss) for independent exponential E of mean 1.

    Parameters
    ----------
    values
        (n,) float64.
    counts
        (n,) float64, how often each value occurs.
    loss
        At least 0.

    Returns
    -------
    float
        To about ten digits: the inversion of the moment generating function along a vertical line
        through its saddlepoint, by the trapezoid rule, which converges exponentially there.

    References
    ----------
    .. [1] Daniels 1954, Saddlepoint approximations in statistics, Annals of Mathematical Statistics
       25(4), pages 631-650.
    """
    lowest, highest = min(float(values.min()), -loss), float(values.max())
    if highest <= 0:
        return 1.0
    if lowest >= 0:
        return 0.0
    # W = sum of E_i values_i - E_0 loss has the cumulant generating function
    # K(s) = -sum of log(1 - s values_i) - log(1 + s loss), between the poles.
    left, right = 1 / lowest, 1 / highest
    all_values, all_counts = np.append(values, -loss), np.append(counts, 1.0)
    s = _saddlepoint(all_values, all_counts, left, right)
    # The integrand has a pole at 0. A line near it takes many nodes, so the line is moved away.
    spread = math.sqrt(float(all_counts @ all_values**2))
    away = _NEAR_MIDDLE / spread
    s = max(min(s, -away), 0.9 * left) if s <= 0 else min(max(s, away), 0.9 * right)
    ratios = all_values / (1 - s * all_values)
    # The error is about exp(-2 pi d / step), d the distance of the line from the nearest pole.
    distance = min(abs(s), s - left, right - s)
    step = min(distance / _STEPS, 0.6 / math.sqrt(float(all_counts @ ratios**2)))
    single = all_counts == 1
    once, often, times = ratios[single], ratios[~single], all_counts[~single]
    total, first = 0.0, 0
    while first < _MOST_NODES:
        # As many steps of nodes as fit into the cache, at most as many as were computed before.
        steps = max(1, min(first // _NODES, _VALUES // len(all_values)))
        steps = min(steps, (_MOST_NODES - first) // _NODES)
        y = step * np.arange(first, first + steps * _NODES)
        # 1 - (s + iy) v = (1 - s v)(1 - iy v / (1 - s v))
        turned = np.ones(len(y), dtype=np.complex128)
        for at in range(0, len(once), _VALUES):
            turned *= np.multiply.reduce(1 - 1j * y[:, None] * once[at : at + _VALUES], axis=1)
        if len(often):
            logs = np.log(1 - 1j * y[:, None] * often).reshape(steps, _NODES, len(often))
            turned = turned * np.exp((logs @ times).ravel())
        terms = 1 / (turned * -(s + 1j * y))
        negligible = np.abs(terms[_NODES - 1 :: _NODES]) <= _NEGLIGIBLE / abs(s)
        sums = terms.real.reshape(steps, _NODES).sum(axis=1)
        if first == 0:
            sums[0] -= terms[0].real / 2
        last = int(negligible.argmax()) + 1 if negligible.any() else steps
        for one in sums[:last].tolist():
            total += one
        if last < steps or negligible[-1]:
            break
        first += steps * _NODES
    scale = -float(all_counts @ np.log1p(-s * all_values))
    tail = total * step / math.pi * math.exp(scale)
    # To the right of the pole, the integral is minus the probability of the other side.
    return min(1.0, max(0.0, tail if s < 0 else 1.0 + tail))


def _saddlepoint(values: Floats, counts: Floats, left: float, right: float) -> float:
    """Return the zero of K', by Newton's method kept between the poles; K' increases."""
    weighted = counts * values
    low, high = left, right
    s = -float(weighted.sum()) / float(weighted @ values)
    if not low < s < high:
        s = 0.9 * (low if s <= low else high)
    for _ in range(100):
        ratios = values / (1 - s * values)
        first = float(counts @ ratios)
        second = float(counts @ ratios**2)
        low, high = (low, s) if first > 0 else (s, high)
        new = s - first / second
        if not low < new < high:
            new = (low + high) / 2
        if abs(new - s) <= 1e-10 * abs(s):
            return new
        s = new
    return s


def approximate_probabilities(values: Floats, losses: Floats) -> Floats:
    """Return ``probability`` for many rows at once, by the formula of Lugannani and Rice.

    Parameters
    ----------
    values
        (rows, n) float64.
    losses
        (rows,) float64, above 0.

    Returns
    -------
    (rows,) float64
        Near 5%, within 3% of the probability for 10 values, 2% for 25 to 100 and 1% for 1,000; 1
        where it is above 1/e, since the saddlepoint is then on the other side.

    References
    ----------
    .. [1] Lugannani and Rice 1980, Saddle point approximation for the distribution of the sum of
       independent random variables, Advances in Applied Probability 12(2), pages 475-490.
    """
    found = np.ones(len(values))
    below = np.flatnonzero(values.sum(axis=1) > losses)
    if not len(below):
        return found
    z, loss = values[below], losses[below]
    low, high = -1 / np.maximum(loss, -z.min(axis=1)), np.zeros(len(below))
    s = np.maximum((loss - z.sum(axis=1)) / (np.sum(z**2, axis=1) + loss**2), 0.9 * low)
    second = np.ones(len(below))
    for _ in range(60):
        ratios = z / (1 - s[:, None] * z)
        ratio = loss / (1 + s * loss)
        first = ratios.sum(axis=1) - ratio
        second = np.einsum("ij,ij->i", ratios, ratios) + ratio**2
        low, high = np.where(first > 0, low, s), np.where(first > 0, s, high)
        new = s - first / second
        new = np.where((low < new) & (new < high), new, (low + high) / 2)
        done = np.abs(new - s) <= 1e-9 * np.abs(s)
        s = new
        if done.all():
            break
    k = -np.log1p(-s[:, None] * z).sum(axis=1) - np.log1p(s * loss)
    root = -np.sqrt(np.maximum(-2 * k, 1e-9))
    slope = s * np.sqrt(second)
    tail = special.ndtr(root) + np.exp(k) / math.sqrt(2 * math.pi) * (1 / root - 1 / slope)
    found[below] = np.clip(tail, 0.0, 1.0)
    return found
