"""Confidence intervals of means: by t, and by the bootstrap (BCa)."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankmark.arguments import number_of_draws, one_of, seed_of, share
from rankmark.array_types import Bools, Floats, Ints
from rankmark.errors import InputError
from rankmark.statistics.query_weights import query_weights, weighted_means
from rankmark.statistics.resampling import (
    FixedPoint,
    fixed_point,
    over_blocks,
    sample_blocks,
    sample_counts,
)
from rankmark.statistics.scipy_functions import special
from rankmark.statistics.score_arrays import (
    ROUNDING,
    alike_columns,
    cluster_numbers,
    column,
    columns,
    mean_and_error,
    renumbered,
    spread_unknown,
    sums_by_cluster,
)

Method = Literal["t", "BCa"]

EVERYWHERE = (-math.inf, math.inf)
"""Between which values lie whose range is unknown."""
_OF_SHARES = (-1.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval, its ends included.

    Parameters
    ----------
    estimate
        What the interval is of; NaN where there is none.
    low, high
        Its ends; NaN where ``undefined`` says why.
    confidence
        How often such intervals contain the true value, if the assumptions are met.
    of
        "mean", "share" or "relative difference".
    method
        How it was found, such as "t" or "Wilson".
    n, left_out
        Queries with a number, and without.
    clusters
        Number of clusters that the queries belong to, or None.
    resamples, seed
        Of what was drawn, or None.
    effective_n
        How many queries of equal weight would be worth as much, or None without weights.
    undefined
        Why there is no interval, or "".
    warning
        What to know when reading it, or "".
    """

    estimate: float
    low: float
    high: float
    confidence: float
    of: str
    method: str
    n: int
    left_out: int = 0
    clusters: int | None = None
    resamples: int | None = None
    seed: int | None = None
    effective_n: float | None = None
    undefined: str = ""
    warning: str = ""

    def within(self, between: tuple[float, float]) -> Interval:
        """Return the interval without what lies beyond the lowest and the highest value."""
        low, high = within((self.low, self.high), between)
        return self if (low, high) == (self.low, self.high) else replace(self, low=low, high=high)


def within(ends: tuple[float, float], between: tuple[float, float]) -> tuple[float, float]:
    """Cut an interval of a mean where no value is, so no mean: that costs no coverage.

    With few queries, Student's t reaches beyond the values that are possible. NaN stays NaN.
    """
    low, high = ends
    if math.isnan(low) or math.isnan(high):
        return ends
    return max(low, between[0]), min(high, between[1])


def mean_interval(
    values: ArrayLike,
    *,
    method: Method = "BCa",
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int | None = 0,
    clusters: Sequence[Hashable] | ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> Interval:
    """Return an interval of the mean of scores, or of differences.

    Parameters
    ----------
    values
        (n,) float64, NaN where a query has none.
    method
        "BCa" is the bootstrap, corrected for bias and acceleration [1]_; "t" is Student's.
    confidence
        Above 0 and below 1.
    resamples, seed
        How many times queries are drawn, and the seed of it; None draws a seed. Only for "BCa".
    clusters
        (n,) what each query belongs to, such as a conversation or a user: clusters are drawn, and
        t takes the spread of clusters.
    weights
        (n,) how much each query counts, from 0; a query of weight 0 is left out. Only for "t",
        which takes the degrees of freedom from the effective number of queries [3]_: a bootstrap
        of weighted queries gives intervals that are too short.

    Returns
    -------
    Interval
        Undefined for one query, and if all values are the same: a bootstrap of ten successes in
        ten would give [1, 1], which is no interval. ``share_interval`` gives one.

    Raises
    ------
    InputError
        If the values are not numbers, or infinite, or an option is invalid.

    References
    ----------
    .. [1] Efron 1987, Better bootstrap confidence intervals, Journal of the American Statistical
       Association 82(397), pages 171-185.
    .. [2] scipy.stats.bootstrap, with method="BCa".
    .. [3] Kish 1965, Survey Sampling, section 11.7.

    Examples
    --------
    >>> interval = mean_interval([0.1, 0.4, 0.4, 0.5, 0.6], method="t")
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.168, 0.632)
    """
    return mean_intervals(
        column("values", values)[:, None],
        method=method,
        confidence=confidence,
        resamples=resamples,
        seed=seed,
        clusters=clusters,
        weights=weights,
    )[0]


def mean_intervals(
    values: ArrayLike,
    *,
    method: Method = "BCa",
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int | None = 0,
    clusters: Sequence[Hashable] | ArrayLike | None = None,
    weights: ArrayLike | None = None,
    threads: int = 1,
) -> tuple[Interval, ...]:
    """Return an interval of the mean of each column, drawing the same queries for all.

    Parameters
    ----------
    values
        (n, columns) float64, a row a query, NaN where it has none.
    method, confidence, resamples, seed, clusters, weights
        As ``mean_interval`` has them.
    threads
        The number of threads; the result does not depend on it.

    Returns
    -------
    tuple of Interval
        One for each column, the same as ``mean_interval`` gives for it alone.

    Raises
    ------
    InputError
        If the values are not numbers, or infinite, or an option is invalid.
    """
    one_of("method", method, "t", "BCa")
    confidence = share("confidence", confidence)
    given = columns("values", values)
    resamples, seed = number_of_draws(resamples), seed_of(seed)
    numbers = cluster_numbers(clusters, len(given))
    each = query_weights(weights, len(given))
    if each is not None:
        if method != "t":
            raise InputError(
                f'weights cannot be used with method="{method}": its intervals would be too short',
                'take method="t"',
            )
        given = np.where(each[:, None] > 0, given, np.nan)
    found: dict[int, Interval] = {}
    for group, of_group in _in_groups(given, numbers):
        if method == "t":
            students = _students(of_group, None if each is None else each[of_group.kept])
            intervals = [one.interval(confidence) for one in students]
        else:
            intervals = _bootstrapped(of_group, confidence, resamples, seed, threads)
        found |= zip(group, intervals, strict=True)
    return tuple(found[number] for number in range(given.shape[1]))


@dataclass(frozen=True, slots=True)
class StudentMean:
    """The mean of a column, with what intervals by t need at any confidence.

    Parameters
    ----------
    mean, error
        The mean and its standard error.
    degrees
        Degrees of freedom of the error.
    n, left_out, clusters, effective_n, undefined, warning
        As ``Interval`` has them.
    """

    mean: float
    error: float
    degrees: float
    n: int
    left_out: int
    clusters: int | None
    effective_n: float | None
    undefined: str
    warning: str

    def interval(self, confidence: float) -> Interval:
        """Return Student's interval."""
        half = math.nan if self.undefined else quantile_of_t(self.degrees, confidence) * self.error
        return Interval(
            self.mean,
            self.mean - half,
            self.mean + half,
            confidence,
            "mean",
            "t",
            self.n,
            self.left_out,
            clusters=self.clusters,
            effective_n=self.effective_n,
            undefined=self.undefined,
            warning=self.warning,
        )


def student_means(
    values: ArrayLike,
    *,
    clusters: Sequence[Hashable] | ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> tuple[StudentMean, ...]:
    """Return the mean of each column, of which ``mean_intervals`` by t are.

    ``values``, ``clusters`` and ``weights`` are as that function has them. Intervals of several
    confidences need means and errors only once.
    """
    given = columns("values", values)
    numbers = cluster_numbers(clusters, len(given))
    each = query_weights(weights, len(given))
    if each is not None:
        given = np.where(each[:, None] > 0, given, np.nan)
    found: dict[int, StudentMean] = {}
    for group, of_group in _in_groups(given, numbers):
        weighted = None if each is None else each[of_group.kept]
        found |= zip(group, _students(of_group, weighted), strict=True)
    return tuple(found[number] for number in range(given.shape[1]))


class _Group(NamedTuple):
    """Columns that have numbers in the same rows.

    Attributes
    ----------
    values
        (n, columns) float64, the numbers, each column in one piece.
    kept
        Which rows these are.
    clusters
        (n,) of the rows, or None.
    """

    values: Floats
    kept: Bools
    clusters: Ints | None

    @property
    def left_out(self) -> int:
        """Count the rows without numbers."""
        return int(len(self.kept) - self.kept.sum())


def _in_groups(given: Floats, clusters: Ints | None) -> Iterator[tuple[list[int], _Group]]:
    """Yield columns that have numbers in the same rows, by their numbers."""
    for kept, group in alike_columns(given):
        # Each column in one piece: it is added up as if it were alone.
        part = given.T[group]
        part = np.ascontiguousarray(part if kept.all() else part[:, kept])
        yield group.tolist(), _Group(part.T, kept, renumbered(clusters, kept))


def _students(group: _Group, weights: Floats | None) -> list[StudentMean]:
    values, clusters = group.values, group.clusters
    means, errors, units = mean_and_error(values, clusters)
    degrees, effective_n = units - 1.0, None
    if weights is not None and units:
        means, errors, degrees, effective_n = weighted_means(values, weights, clusters)
    undefined, left_out = _undefined(values, units, errors), group.left_out
    return [
        StudentMean(
            mean,
            error,
            degrees if units > 1 else math.nan,
            len(values),
            left_out,
            clusters=None if clusters is None else units,
            effective_n=effective_n,
            undefined=undefined[number],
            warning=_warning(values[:, number]),
        )
        for number, (mean, error) in enumerate(zip(means.tolist(), errors.tolist(), strict=True))
    ]


@lru_cache(maxsize=256)
def quantile_of_t(degrees: float, confidence: float) -> float:
    """Return how many standard errors an interval by t reaches on both sides."""
    return float(special.stdtrit(degrees, (1 + confidence) / 2))


def p_of_t(t: float, degrees: float) -> float:
    """Return the chance of a statistic of Student's t distribution to be at least this."""
    return float(special.stdtr(degrees, -t))


def _bootstrapped(
    group: _Group, confidence: float, resamples: int, seed: int, threads: int
) -> list[Interval]:
    values, clusters = group.values, group.clusters
    means, errors, units = mean_and_error(values, clusters)
    sums, sizes = values, np.ones(len(values))
    if clusters is not None and units:
        sums = sums_by_cluster(values, clusters)
        sizes = np.bincount(clusters).astype(np.float64)
    found: list[Interval] = []
    undefined, left_out = _undefined(values, units, errors), group.left_out
    if not all(undefined):
        drawn = _drawn_means(sums, sizes, resamples, seed, threads)
        # What the mean would be without each cluster, less the mean of these.
        without = (sums.sum(axis=0) - sums) / (sizes.sum() - sizes)[:, None]
        influence = without.mean(axis=0) - without
    tails = special.ndtri([(1 - confidence) / 2, (1 + confidence) / 2])
    for number, mean in enumerate(means.tolist()):
        low = high = math.nan
        if not undefined[number]:
            values_drawn, one = drawn[:, number], influence[:, number]
            # Draws that are equal in truth to the mean count half, whatever their last digit.
            near = ROUNDING * float(np.abs(values[:, number]).max())
            below = np.count_nonzero(values_drawn < mean - near)
            at_most = np.count_nonzero(values_drawn <= mean + near)
            bias = float(special.ndtri((below + at_most) / (2 * resamples)))
            speed = float(np.sum(one**3) / (6 * np.sum(one**2) ** 1.5))
            corrected = bias + tails
            levels = special.ndtr(bias + corrected / (1 - speed * corrected))
            low, high = np.quantile(values_drawn, levels).tolist()
        found.append(
            Interval(
                mean,
                low,
                high,
                confidence,
                "mean",
                "BCa",
                len(values),
                left_out,
                clusters=None if clusters is None else units,
                resamples=resamples,
                seed=seed,
                undefined=undefined[number],
                warning=_warning(values[:, number]),
            )
        )
    return found


def _drawn_means(sums: Floats, sizes: Floats, resamples: int, seed: int, threads: int) -> Floats:
    """Draw units with replacement, and give the means of all columns: (resamples, columns)."""
    n = len(sums)
    fixed: FixedPoint = fixed_point(sums, 0.0)
    blocks = sample_blocks(n, resamples)

    def means(block: int) -> list[Floats]:
        counts = sample_counts(n, blocks[block], block, seed)
        return [counts @ fixed.values * fixed.unit / (counts @ sizes)[:, None]]

    return np.concatenate(over_blocks(means, range(len(blocks)), list.__add__, threads))


def _undefined(values: Floats, units: int, errors: Floats) -> list[str]:
    """Return for each column why it has no interval, or ""."""
    if not len(values):
        return ["no query has a score"] * values.shape[1]
    return [
        spread_unknown(units, error, column, "values")
        for error, column in zip(errors.tolist(), values.T, strict=True)
    ]


def _warning(values: Floats) -> str:
    """Return a warning if another method suits a column better, or ""."""
    if not len(values) or values[0] not in _OF_SHARES or not np.isin(values, _OF_SHARES).all():
        return ""
    if (values < 0).any():
        better = "a difference of shares (Newcombe) suits them better"
        return f"all values are -1, 0 or 1: an interval of {better}"
    better = "a share (Wilson), or of a difference of shares (Newcombe), suits them better"
    return f"all values are 0 or 1: an interval of {better}"
