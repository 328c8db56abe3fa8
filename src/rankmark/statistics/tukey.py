"""Tukey's honestly significant differences of all pairs of systems, randomised and parametric.

Two systems differ if their means are further apart than the best and the worst mean would be by
chance if all systems were alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from rankmark.arguments import number_of_draws, seed_of, share
from rankmark.array_types import Bools, Floats, Ints
from rankmark.statistics.resampling import (
    fixed_point,
    over_blocks,
    permutation_blocks,
    permutations,
)
from rankmark.statistics.scipy_functions import special, stats
from rankmark.statistics.score_arrays import ROUNDING, cube


@dataclass(frozen=True, slots=True, eq=False)
class Tukey:
    """p-values of all pairs of systems, corrected for their number.

    Parameters
    ----------
    null
        What the p-values take to be true, in words.
    pairs
        (baseline, other) each, numbers of systems.
    difference
        (pairs, measures) float64, differences of means, the other minus the baseline.
    adjusted
        (pairs, measures) float64, corrected p-values, two-sided; NaN where ``undefined`` says
        why.
    critical
        (measures,) float64: simultaneous intervals at 1 - level are the difference plus and minus
        this, and exclude 0 where p is at most the level. NaN where ``undefined`` says why;
        infinite if no p can be at most the level.
    n, left_out
        (measures,) int64, queries with a score from every system, and without.
    smallest_p
        (measures,) float64, the smallest p that these queries and resamples can give; 0 where it
        has no limit.
    method
        How p was found.
    resamples, seed
        Of what was drawn, or None.
    undefined
        For each measure, why there is no p, or "".
    """

    null: str
    pairs: tuple[tuple[int, int], ...]
    difference: Floats
    adjusted: Floats
    critical: Floats
    n: Ints
    left_out: Ints
    smallest_p: Floats
    method: str
    resamples: int | None
    seed: int | None
    undefined: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Anova:
    """A two-way analysis of variance without replication: queries by systems, one score each.

    Parameters
    ----------
    systems, queries
        Sums of squares between systems and between queries.
    residual
        Sum of squares of what neither explains.
    df_systems, df_queries, df_residual
        Their degrees of freedom.
    f, p
        F of the systems, and its p-value; NaN where ``undefined`` says why.
    undefined
        Why, or "".
    """

    systems: float
    queries: float
    residual: float
    df_systems: int
    df_queries: int
    df_residual: int
    f: float
    p: float
    undefined: str = ""


def randomised_tukey(
    scores: ArrayLike,
    *,
    resamples: int = 10_000,
    seed: int | None = 0,
    level: float = 0.05,
    threads: int = 1,
) -> Tukey:
    """Compare all pairs of systems by permuting their labels within each query.

    If all systems are alike, each query's scores could have come from the systems in any order. p
    is how often the best and the worst mean are then as far apart as a pair is, counted together
    with the order found: (b + 1) / (resamples + 1).

    Parameters
    ----------
    scores
        (n, systems, measures) float64, or (n, systems). A query with a NaN score is left out of
        that measure.
    resamples, seed
        How many times labels are permuted, and the seed of it; None draws a seed.
    level
        Of ``critical``.
    threads
        The number of threads; the result does not depend on it.

    Returns
    -------
    Tukey
        The corrected p-values keep the probability of any false rejection below the level where
        all systems are alike.

    Raises
    ------
    InputError
        If there is only one system, or an option is invalid.

    Notes
    -----
    Where some systems differ and others do not, scores of systems that are alike vary more under
    permutation than they should, and fewer pairs are significant. ``max_t`` steps down instead.

    References
    ----------
    .. [1] Carterette 2012, Multiple testing in statistical analysis of systems-based information
       retrieval experiments, ACM Transactions on Information Systems 30(1):4, section 3.2.3.
    .. [2] Sakai 2018, Laboratory experiments in information retrieval, section 4.5.

    Examples
    --------
    >>> scores = [[0.1, 0.3, 0.2], [0.2, 0.3, 0.1], [0.3, 0.6, 0.4], [0.1, 0.5, 0.3], [0, 0.1, 0]]
    >>> found = randomised_tukey(scores, resamples=1000)
    >>> found.pairs, bool(found.adjusted[0, 0] < 0.05)
    (((0, 1), (0, 2), (1, 2)), True)
    """
    given = cube("scores", scores)
    n_all, systems, measures = given.shape
    pairs = tuple(combinations(range(systems), 2))
    resamples, seed = number_of_draws(resamples), seed_of(seed)
    few = int(share("level", level) * (resamples + 1))  # p is above the level from so many draws on
    kept = _complete(given)
    # A query that is left out of a measure adds 0 to the sums of all systems.
    values = np.where(kept[:, None, :], given, 0.0)
    rounding = ROUNDING * np.abs(values).max(axis=(0, 1), initial=0.0)
    centred = values - values.mean(axis=1, keepdims=True)
    fixed = fixed_point(centred, rounding)
    whole = fixed.values
    sums = whole.sum(axis=0)
    first, second = (np.array(numbers) for numbers in zip(*pairs, strict=True))
    limits = np.abs(sums[second] - sums[first]) - fixed.slack
    blocks = permutation_blocks(resamples)

    def count(block: int) -> tuple[Ints, Floats]:
        size = blocks[block]
        drawn = np.zeros((size, systems, measures))
        orders = permutations(systems, size, block, seed)
        for query in whole:
            drawn += query[next(orders)]
        ranges = np.sort(drawn.max(axis=1) - drawn.min(axis=1), axis=0)
        counted = np.column_stack(
            [
                size - np.searchsorted(ranges[:, measure], limits[:, measure], side="left")
                for measure in range(measures)
            ]
        )
        return counted, ranges[max(size - few, 0) :]

    def add(one: tuple[Ints, Floats], other: tuple[Ints, Floats]) -> tuple[Ints, Floats]:
        ranges = np.sort(np.concatenate([one[1], other[1]]), axis=0)
        return one[0] + other[0], ranges[max(len(ranges) - few, 0) :]

    at_least, top = over_blocks(count, range(len(blocks)), add, threads, what="testing")
    n = kept.sum(axis=0)
    means = values.sum(axis=0) / np.where(n > 0, n, np.nan)
    undefined = _undefined(n, centred, rounding)
    adjusted = np.where([why != "" for why in undefined], np.nan, (at_least + 1) / (resamples + 1))
    critical = top[0] * fixed.unit / np.maximum(n, 1) if few else np.full(measures, np.inf)
    # A common order of labels for all queries gives the same range.
    fewest = math.factorial(systems) ** (1.0 - np.minimum(n, 30))
    return Tukey(
        null="all systems are alike: each query's scores could belong to them in any order",
        pairs=pairs,
        difference=means[second] - means[first],
        adjusted=adjusted,
        critical=np.where([why != "" for why in undefined], np.nan, critical),
        n=n,
        left_out=n_all - n,
        smallest_p=np.maximum(fewest, 1 / (resamples + 1)),
        method="random orders of the systems within each query",
        resamples=resamples,
        seed=seed,
        undefined=undefined,
    )


def tukey(scores: ArrayLike, *, level: float = 0.05) -> Tukey:
    """Compare all pairs of systems by the studentized range, after a two-way analysis of variance.

    Parameters
    ----------
    scores
        (n, systems, measures) float64, or (n, systems). A query with a NaN score is left out of
        that measure.
    level
        Of ``critical``.

    Returns
    -------
    Tukey
        The differences of means over the root of the residual mean square by n, compared with the
        studentized range of as many normal means.

    Raises
    ------
    InputError
        If there is only one system.

    Notes
    -----
    This pairs the scores of a query. Tukey's test for independent groups, which is
    scipy.stats.tukey_hsd, counts the differences between queries as noise, and has less power.

    References
    ----------
    .. [1] Tukey 1953, The problem of multiple comparisons.
    .. [2] Carterette 2012, Multiple testing in statistical analysis of systems-based information
       retrieval experiments, ACM Transactions on Information Systems 30(1):4, section 3.2.2.
    .. [3] scipy.stats.studentized_range.

    Examples
    --------
    >>> scores = [[0.1, 0.3, 0.2], [0.2, 0.3, 0.1], [0.3, 0.6, 0.4], [0.1, 0.5, 0.3], [0, 0.1, 0]]
    >>> tukey(scores).adjusted.ravel().round(4).tolist()
    [0.0039, 0.4444, 0.0223]
    """
    given, level = cube("scores", scores), share("level", level)
    n_all, systems, measures = given.shape
    pairs = tuple(combinations(range(systems), 2))
    first, second = (np.array(numbers) for numbers in zip(*pairs, strict=True))
    kept = _complete(given)
    n = kept.sum(axis=0)
    difference, adjusted = np.full((2, len(pairs), measures), np.nan)
    critical = np.full(measures, np.nan)
    undefined: list[str] = []
    for measure in range(measures):
        values = given[kept[:, measure], :, measure]
        found = anova(values)
        undefined.append(found.undefined)
        if len(values):
            means = values.mean(axis=0)
            difference[:, measure] = means[second] - means[first]
        if not found.undefined:
            error = math.sqrt(found.residual / found.df_residual / len(values))
            q = np.abs(difference[:, measure]) / error
            adjusted[:, measure] = stats.studentized_range.sf(q, systems, found.df_residual)
            limit = float(stats.studentized_range.isf(level, systems, found.df_residual))
            critical[measure] = limit * error
    return Tukey(
        null="all systems have the same mean, and what neither query nor system explains is normal "
        "with the same variance",
        pairs=pairs,
        difference=difference,
        adjusted=np.clip(adjusted, 0.0, 1.0),
        critical=critical,
        n=n,
        left_out=n_all - n,
        smallest_p=np.zeros(measures),
        method="studentized range, residuals of queries by systems",
        resamples=None,
        seed=None,
        undefined=tuple(undefined),
    )


def anova(scores: ArrayLike) -> Anova:
    """Analyse the variance of scores between queries and systems, one score each.

    Parameters
    ----------
    scores
        (n, systems) float64, without NaN.

    Returns
    -------
    Anova
        Undefined for one query, and where nothing is left to explain.

    Raises
    ------
    InputError
        If there is only one system.

    References
    ----------
    .. [1] Fisher 1925, Statistical methods for research workers, section 48.

    Examples
    --------
    >>> found = anova([[0.1, 0.3, 0.2], [0.2, 0.3, 0.1], [0.3, 0.6, 0.4]])
    >>> round(found.f, 2), found.df_systems, found.df_residual
    (7.75, 2, 4)
    """
    values = cube("scores", scores)[:, :, 0]
    n, systems = values.shape
    if n < 2:
        why = "1 query" if n else "no query has a score from every system"
        return Anova(math.nan, math.nan, math.nan, systems - 1, 0, 0, math.nan, math.nan, why)
    mean, rows, columns = values.mean(), values.mean(axis=1), values.mean(axis=0)
    between_systems = float(n * np.sum((columns - mean) ** 2))
    between_queries = float(systems * np.sum((rows - mean) ** 2))
    residual = float(np.sum((values - rows[:, None] - columns + mean) ** 2))
    df_systems, df_residual = systems - 1, (systems - 1) * (n - 1)
    f = p = math.nan
    undefined = ""
    if residual <= (ROUNDING * float(np.abs(values).max())) ** 2:
        undefined = "systems differ by the same amount for every query, so nothing is left as error"
    else:
        f = between_systems / df_systems / (residual / df_residual)
        p = float(special.fdtrc(df_systems, df_residual, f))
    return Anova(
        between_systems,
        between_queries,
        residual,
        df_systems,
        n - 1,
        df_residual,
        f,
        p,
        undefined,
    )


def _complete(scores: Floats) -> Bools:
    """Return which queries have a score from every system: (n, measures)."""
    return np.asarray(~np.isnan(scores).any(axis=1))


def _undefined(n: Ints, centred: Floats, rounding: Floats) -> tuple[str, ...]:
    same = np.asarray(np.all(np.abs(centred) <= rounding, axis=(0, 1)))
    return tuple(
        "no query has a score from every system"
        if count == 0
        else "all systems have the same scores"
        if alike
        else ""
        for count, alike in zip(n.tolist(), same.tolist(), strict=True)
    )
