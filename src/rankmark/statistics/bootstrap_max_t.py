"""The max-T test by the bootstrap: many pairs at once, where differences may be skewed.

Queries (or the tasks of a leaderboard) are drawn with replacement, every pair is studentised in
every resample around its mean in the sample, and each t is compared with the largest of all pairs.
Unlike random signs, this does not take differences to be symmetric: a pair that others show could
lose much on a query that is not in the sample has to be far from 0 itself.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankmark.arguments import number_of_draws, one_of, seed_of, share
from rankmark.array_types import Floats, Ints
from rankmark.statistics.max_t import Family, undefined_for
from rankmark.statistics.resampling import (
    fewer_than,
    fixed_point,
    over_blocks,
    sample_blocks,
    sample_counts,
)
from rankmark.statistics.score_arrays import (
    ROUNDING,
    alike_columns,
    cluster_numbers,
    cube,
    mean_and_error,
    renumbered,
    sums_by_cluster,
    without_rounding,
)
from rankmark.statistics.sign_flips import pairs_of

NULL = "the mean of the differences is 0"

LEAST_ERROR, LEAST_ERROR_DRAWN = 0.4, 0.2
"""The least standard error of a pair, and of one in a resample, in the root mean square of all.

Without the second, a pair that differs on few queries has no spread in the resamples that lack
these, and an infinite t there, so that no pair at all could be significant. The first, twice as
large, is for pairs that look more alike than the others do: what they differ on may be missing from
the sample. Both were chosen by simulation (``benchmarks/family_errors.py``).
"""


@dataclass(frozen=True, slots=True, eq=False)
class BootstrapMaxT:
    """p-values and intervals of pairs of systems, corrected by the bootstrap of the largest t.

    Parameters
    ----------
    null
        What the p-values take to be true, in words.
    pairs
        (baseline, other) each, numbers of systems.
    difference, error
        (pairs, measures) float64, the mean differences, and the standard errors that t is in, which
        are at least ``LEAST_ERROR`` of the root mean square of those of the measure.
    t
        (pairs, measures) float64, one over the other; NaN where ``undefined`` says why.
    adjusted
        (pairs, measures) float64, corrected p-values; NaN likewise.
    critical
        (pairs, measures) float64: simultaneous intervals at 1 - level are the mean difference and
        this many errors on both sides. They leave 0 out if and only if the corrected p-value is at
        most the level. NaN likewise; infinite if there are too few resamples or queries.
    family
        (pairs, measures) int64, how many hypotheses each was corrected for.
    smallest_p
        The smallest p that these queries and resamples can give.
    n, left_out
        (pairs, measures) int64, queries with a score from both, and without.
    resamples, seed
        Of the draws.
    undefined
        ``[pair][measure]``, why there is no p, or "".
    """

    null: str
    pairs: tuple[tuple[int, int], ...]
    difference: Floats
    error: Floats
    t: Floats
    adjusted: Floats
    critical: Floats
    family: Ints
    smallest_p: float
    n: Ints
    left_out: Ints
    resamples: int
    seed: int
    undefined: tuple[tuple[str, ...], ...]


def bootstrap_max_t(
    scores: ArrayLike,
    pairs: Sequence[tuple[int, int]] | None = None,
    *,
    family: Family = "measure",
    resamples: int = 10_000,
    seed: int | None = 0,
    clusters: Sequence[Hashable] | ArrayLike | None = None,
    level: float = 0.05,
    threads: int = 1,
) -> BootstrapMaxT:
    """Test pairs of systems by the bootstrap, and correct for their number by the largest t.

    Parameters
    ----------
    scores
        (n, systems, measures) float64, or (n, systems); NaN where there is no score.
    pairs
        Numbers of systems, (baseline, other) each; all pairs if None.
    family
        "measure" corrects each measure by itself, "all" over all measures together.
    resamples, seed
        How many times n queries are drawn, and the seed of it; None draws a seed.
    clusters
        (n,) what each query belongs to: clusters are drawn in place of queries.
    level
        Of ``critical``.
    threads
        The number of threads; the result does not depend on it.

    Returns
    -------
    BootstrapMaxT
        p-values and intervals of a single step, so that they always agree.

    Raises
    ------
    InputError
        If a pair names a system that does not exist, or an option is invalid.

    Notes
    -----
    The p-value of a pair is the share of resamples in which the largest deviation of any pair from
    its mean in the sample, in its standard errors in the resample, is at least the t of the pair
    [1]_, [2]_; the sample counts as one of the resamples. Errors have a floor, as in [3]_: see
    ``LEAST_ERROR``. A resample of one query only, drawn n times, counts as larger than any t. With
    three queries or fewer, nothing can therefore be significant at 5%.

    References
    ----------
    .. [1] Westfall and Young 1993, Resampling-based multiple testing, section 2.3.
    .. [2] Romano and Wolf 2005, Exact and approximate stepdown methods for multiple hypothesis
       testing, Journal of the American Statistical Association 100(469), pages 94-108.
    .. [3] Tusher, Tibshirani and Chu 2001, Significance analysis of microarrays applied to the
       ionizing radiation response, PNAS 98(9), pages 5116-5121.

    Examples
    --------
    >>> scores = [[0.1, 0.3, 0.2], [0.2, 0.3, 0.1], [0.3, 0.6, 0.4], [0.1, 0.5, 0.3], [0, 0.1, 0]]
    >>> found = bootstrap_max_t(scores, [(0, 1), (0, 2)])
    >>> found.adjusted.ravel().round(2).tolist(), found.resamples
    ([0.06, 0.4], 10000)
    """
    one_of("family", family, "measure", "all")
    given = cube("scores", scores)
    chosen = pairs_of(given.shape[1], pairs)
    resamples, seed, level = number_of_draws(resamples), seed_of(seed), share("level", level)
    numbers = cluster_numbers(clusters, len(given))
    units = len(given) if numbers is None else int(numbers.max(initial=-1)) + 1
    shape = (len(chosen), given.shape[2])
    columns, n, nonzero = _differences(given, chosen)
    difference, errors = (np.full(columns.shape[1], np.nan) for _ in range(2))
    for kept, group in alike_columns(columns):
        of_group = renumbered(numbers, kept)
        difference[group], errors[group], _ = mean_and_error(columns[kept][:, group], of_group)
    difference, errors = difference.reshape(shape), np.nan_to_num(errors).reshape(shape)
    typical = _typical(errors)
    tested = (nonzero > 0) & (typical > 0)
    error = np.where(tested, np.maximum(errors, LEAST_ERROR * typical), np.nan)
    t = difference / error
    families = [tested] if family == "all" else list(_by_measure(tested))
    floors = LEAST_ERROR_DRAWN * np.broadcast_to(typical, shape)
    groups = [
        list(_groups(columns[:, members.ravel()], floors[members], numbers)) for members in families
    ]
    sizes = sample_blocks(units, resamples)

    def largest(block: int) -> list[Floats]:
        counts = sample_counts(units, sizes[block], block, seed)
        found = np.zeros((len(families), len(counts)))
        for top, of_family in zip(found, groups, strict=True):
            for group in of_family:
                np.maximum(top, group.largest(counts), out=top)
        found[:, counts.max(axis=1) == units] = math.inf
        return [found]

    drawn = over_blocks(largest, range(len(sizes)), list.__add__, threads, what="testing")
    tops = np.sort(np.sqrt(np.concatenate(drawn, axis=1)), axis=1)
    adjusted, critical = np.full(shape, np.nan), np.full(shape, np.nan)
    sizes_of = np.zeros(shape, dtype=np.int64)
    few = fewer_than(level, resamples)
    for members, of in zip(families, tops, strict=True):
        # What is equal in truth is not told apart by rounding.
        below = np.searchsorted(of, np.abs(t[members]) * (1 - 1e-12), side="left")
        adjusted[members] = (resamples - below + 1.0) / (resamples + 1.0)
        critical[members] = of[resamples - few] if few else math.inf
        sizes_of[members] = np.count_nonzero(members)
    alone = units * float(units) ** -units if units else 1.0
    return BootstrapMaxT(
        null=NULL,
        pairs=tuple(chosen),
        difference=difference,
        error=error,
        t=np.where(tested, t, np.nan),
        adjusted=adjusted,
        critical=critical,
        family=sizes_of,
        smallest_p=max(1.0 / (resamples + 1.0), alone),
        n=n,
        left_out=len(given) - n,
        resamples=resamples,
        seed=seed,
        undefined=tuple(
            tuple(_undefined(*one) for one in zip(*row, strict=True))
            for row in zip(n.tolist(), nonzero.tolist(), tested.tolist(), strict=True)
        ),
    )


class _Group(NamedTuple):
    """Differences that have numbers for the same queries, ready to be drawn.

    All are in units, a power of two for each column, in which deviations are whole numbers: sums
    are then exact, and do not depend on the order of additions.

    Attributes
    ----------
    sums, squares
        (units, columns) float64, deviations from the mean added up by unit, and their squares.
    floors
        (columns,) float64, the least error squared.
    crossed
        (units, columns) float64, deviations times the queries of the unit, if ``queries``.
    queries
        (units,) float64, the queries of each unit; None if each has one.
    """

    sums: Floats
    squares: Floats
    floors: Floats
    crossed: Floats | None
    queries: Floats | None

    def largest(self, counts: Floats) -> Floats:
        """Return the largest t squared in resamples: (resamples, units) to (resamples,)."""
        sums, spread = counts @ self.sums, counts @ self.squares
        if self.queries is None or self.crossed is None:
            each = float(counts.shape[1])
            np.multiply(sums, sums, out=sums)
            spread -= sums / each
            np.maximum(spread, self.floors * (each * (each - 1.0)), out=spread)
            np.divide(sums, spread, out=sums)
            return np.asarray(sums.max(axis=1) * ((each - 1.0) / each))
        n = np.maximum(counts @ self.queries, 1.0)[:, None]
        units = (counts @ (self.queries > 0))[:, None]
        means = sums / n
        spread += means**2 * (counts @ self.queries**2)[:, None]
        spread -= 2.0 * means * (counts @ self.crossed)
        spread *= units / np.maximum(units - 1.0, 1.0)
        np.maximum(spread, self.floors * n**2, out=spread)
        return np.asarray((sums**2 / spread).max(axis=1))


def _groups(columns: Floats, floors: Floats, clusters: Ints | None) -> Iterator[_Group]:
    """Yield the differences of a family, those together that have numbers for the same queries."""
    for kept, group in alike_columns(columns):
        values = columns[:, group]
        deviations = np.where(kept[:, None], values - values[kept].mean(axis=0), 0.0)
        queries: Floats | None = None if kept.all() else kept.astype(np.float64)
        if clusters is not None:
            deviations = sums_by_cluster(deviations, clusters)
            queries = np.bincount(clusters, kept).astype(np.float64)
        rounding = ROUNDING * np.abs(values[kept]).max(axis=0)  # where all deviations are 0
        sums, squares = fixed_point(deviations, rounding), fixed_point(deviations**2, 0.0)
        crossed = None
        if queries is not None:
            fixed = fixed_point(deviations * queries[:, None], 0.0)
            crossed = fixed.values * (fixed.unit / sums.unit)
        yield _Group(
            sums.values,
            squares.values * (squares.unit / sums.unit**2),
            (floors[group] / sums.unit) ** 2,
            crossed,
            queries,
        )


def _differences(given: Floats, pairs: Sequence[tuple[int, int]]) -> tuple[Floats, Ints, Ints]:
    """Return differences, (n, pairs x measures), and how many there are and are not 0."""
    first, second = np.array(pairs).T
    rounding = ROUNDING * np.nan_to_num(np.abs(given)).max(axis=(0, 1), initial=0.0)
    found = without_rounding(given[:, second] - given[:, first], rounding)
    present = ~np.isnan(found)
    n = np.count_nonzero(present, axis=0)
    nonzero = np.count_nonzero(present & (found != 0.0), axis=0)
    return found.reshape(len(given), -1), n, nonzero


def _typical(errors: Floats) -> Floats:
    """Return the root mean square of the errors of each measure that are not 0: (measures,)."""
    known = np.count_nonzero(errors, axis=0)
    return np.sqrt(np.sum(errors**2, axis=0) / np.maximum(known, 1))


def _by_measure(tested: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the hypotheses of each measure."""
    for measure in range(tested.shape[1]):
        members = np.zeros_like(tested)
        members[:, measure] = tested[:, measure]
        yield members


def _undefined(n: int, nonzero: int, tested: object) -> str:
    if tested or not nonzero:
        return undefined_for(n, tested)
    return "all pairs differ by the same on every query, so that their spread is unknown"
