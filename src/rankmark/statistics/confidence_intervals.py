"""Confidence intervals of means: by t, and by the bootstrap (BCa)."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from rankmark.errors import InputError
from rankmark.scipy_functions import special
from rankmark.statistics.query_weights import query_weights, weighted_means
from rankmark.statistics.resampling import (
    FixedPoint,
    fixed_point,
    over_blocks,
    sample_blocks,
    sample_counts,
)
from rankmark.statistics.score_arrays import (
    ROUNDING,
    alike_columns,
    cluster_numbers,
    column,
    columns,
    number_of_draws,
    one_of,
    renumbered,
    seed_of,
    share,
    sums_by_cluster,
)
from rankmark.statistics.standard_errors import mean_and_error, spread_unknown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from rankmark.array_types import Floats, Ints

Method = Literal["t", "BCa"]


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
    for kept, group in alike_columns(given):
        # Each column in one piece: it is added up as if it were alone.
        part = np.asfortranarray(given[:, group][kept])
        clustered = renumbered(numbers, kept)
        if method == "t":
            weighted = None if each is None else each[kept]
            intervals = _students(part, clustered, weighted, confidence)
        else:
            intervals = _bootstrapped(part, clustered, confidence, resamples, seed, threads)
        for number, interval in zip(group.tolist(), intervals, strict=True):
            left_out = int(len(kept) - kept.sum())
            found[number] = _told(interval, left_out, given[kept, number])
    return tuple(found[number] for number in range(given.shape[1]))


def _students(
    values: Floats, clusters: Ints | None, weights: Floats | None, confidence: float
) -> list[Interval]:
    means, errors, units = mean_and_error(values, clusters)
    degrees, effective_n = units - 1.0, None
    if weights is not None and units:
        means, errors, degrees, effective_n = weighted_means(values, weights, clusters)
    t = float(special.stdtrit(degrees, (1 + confidence) / 2)) if units > 1 else math.nan
    found = []
    for number, (mean, error) in enumerate(zip(means.tolist(), errors.tolist(), strict=True)):
        undefined = _undefined(values[:, number], units, error)
        half = math.nan if undefined else t * error
        found.append(
            Interval(
                mean,
                mean - half,
                mean + half,
                confidence,
                "mean",
                "t",
                len(values),
                clusters=None if clusters is None else units,
                effective_n=effective_n,
                undefined=undefined,
            )
        )
    return found


def _bootstrapped(
    values: Floats,
    clusters: Ints | None,
    confidence: float,
    resamples: int,
    seed: int,
    threads: int,
) -> list[Interval]:
    means, errors, units = mean_and_error(values, clusters)
    sums, sizes = values, np.ones(len(values))
    if clusters is not None and units:
        sums = sums_by_cluster(values, clusters)
        sizes = np.bincount(clusters).astype(np.float64)
    found: list[Interval] = []
    undefined = [
        _undefined(values[:, number], units, error) for number, error in enumerate(errors.tolist())
    ]
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
                clusters=None if clusters is None else units,
                resamples=resamples,
                seed=seed,
                undefined=undefined[number],
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


def _undefined(values: Floats, units: int, error: float) -> str:
    if not len(values):
        return "no query has a score"
    return spread_unknown(units, error, values, "values")


def _told(interval: Interval, left_out: int, values: Floats) -> Interval:
    """Return the interval with the queries left out, and a warning if another method suits it."""
    warning = ""
    if len(values) and values[0] in {-1.0, 0.0, 1.0} and np.isin(values, (-1.0, 0.0, 1.0)).all():
        if (values < 0).any():
            better = "a difference of shares (Newcombe) suits them better"
            warning = f"all values are -1, 0 or 1: an interval of {better}"
        else:
            better = "a share (Wilson), or of a difference of shares (Newcombe), suits them better"
            warning = f"all values are 0 or 1: an interval of {better}"
    return replace(interval, left_out=left_out, warning=warning)
