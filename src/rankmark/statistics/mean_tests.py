"""Tests of a mean difference other than randomisation: Student's t, and the bootstrap.

Differences are the other system's scores minus the baseline's. Those that differ from 0 by
rounding only are zeros.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from rankmark.arguments import number_of_draws, one_of, seed_of
from rankmark.array_types import Floats, Ints
from rankmark.statistics.paired_test import (
    PairedTest,
    p_of_tails,
    without_p,
)
from rankmark.statistics.query_weights import query_weights, weighted_means
from rankmark.statistics.randomisation import as_extreme
from rankmark.statistics.resampling import fixed_point, over_blocks, sample_blocks, sample_counts
from rankmark.statistics.scipy_functions import special
from rankmark.statistics.score_arrays import (
    Alternative,
    alike_columns,
    cluster_numbers,
    columns,
    mean_and_error,
    pair,
    renumbered,
    same_queries,
    spread_unknown,
    t_distribution,
)


def t_test(
    baseline: ArrayLike,
    other: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    clusters: Sequence[Hashable] | ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> PairedTest:
    """Test by Student's t whether the mean difference of two systems is 0.

    Parameters
    ----------
    baseline, other
        (n,) float64, scores of the same queries in the same order, NaN where there is none.
    alternative
        "greater" if only a better other system counts, "less" if only a worse one.
    clusters
        (n,) what each query belongs to: the standard error then allows for queries of one cluster
        to be alike, and the degrees of freedom are those of the clusters.
    weights
        (n,) how much each query counts, from 0; a query of weight 0 is left out. The standard error
        allows for differences of any variance, and the degrees of freedom are one less than the
        effective number of queries [4]_.

    Returns
    -------
    PairedTest
        Undefined where all differences are the same, so that their spread is unknown.

    Raises
    ------
    InputError
        If the arrays differ in length or contain infinite numbers, or an option is invalid.

    References
    ----------
    .. [1] Student 1908, The probable error of a mean, Biometrika 6(1), pages 1-25.
    .. [2] Cameron and Miller 2015, A practitioner's guide to cluster-robust inference, Journal of
       Human Resources 50(2), section II.
    .. [3] scipy.stats.ttest_rel.
    .. [4] Kish 1965, Survey Sampling, section 11.7.

    Examples
    --------
    >>> result = t_test([0.1, 0.2, 0.3, 0.4], [0.2, 0.4, 0.6, 0.8])
    >>> round(result.statistic, 3), round(result.p, 4), result.method
    (3.873, 0.0305, 't distribution, 3 degrees of freedom')
    """
    one_of("alternative", alternative, "two-sided", "greater", "less")
    first, second = same_queries(baseline, other)
    each = query_weights(weights, len(first))
    both = pair(first if each is None else np.where(each > 0, first, np.nan), second)
    numbers = renumbered(cluster_numbers(clusters, len(both.kept)), both.kept)
    mean, error, units = mean_and_error(both.differences[:, None], numbers)
    null = "the mean of the differences is 0"
    result = without_p(both.differences, "t", null, alternative, both.left_out)
    degrees, method = units - 1.0, t_distribution(units)
    if each is not None and units:
        mean, error, degrees, effective_n = weighted_means(
            both.differences[:, None], each[both.kept], numbers
        )
        result = replace(result, difference=float(mean[0]), effective_n=effective_n)
        if numbers is None:
            method = f"t distribution, {degrees:,.1f} degrees of freedom, of weighted differences"
    undefined = result.undefined or spread_unknown(units, float(error[0]), both.differences)
    if undefined:
        return replace(result, undefined=undefined)
    t = float(mean[0] / error[0])
    return replace(
        result,
        clusters=None if numbers is None else units,
        statistic=t,
        p=p_of_tails(partial(special.stdtr, degrees), t, alternative),
        method=method,
    )


def bootstrap_test(
    baseline: ArrayLike,
    other: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    resamples: int = 10_000,
    seed: int | None = 0,
) -> PairedTest:
    """Test by bootstrap whether the mean difference of two systems is 0.

    Differences are shifted to mean 0 and drawn with replacement; p is the share of draws whose
    Student's t is at least as extreme as the observed one, which counts as one of the draws.

    Parameters
    ----------
    baseline, other
        (n,) float64, scores of the same queries in the same order, NaN where there is none.
    alternative
        "greater" if only a better other system counts, "less" if only a worse one.
    resamples
        How many times n queries are drawn.
    seed
        Of the draws, from 0 to 2^64 - 1; None draws one, which the result names.

    Returns
    -------
    PairedTest
        ``statistic`` is Student's t.

    Raises
    ------
    InputError
        If the arrays differ in length or contain infinite numbers, or an option is invalid.

    References
    ----------
    .. [1] Efron and Tibshirani 1993, An introduction to the bootstrap, section 16.4.
    .. [2] Sakai 2006, Evaluating evaluation metrics based on the bootstrap, SIGIR, pages 525-532,
       figure 1.

    Examples
    --------
    >>> result = bootstrap_test([0.1, 0.2, 0.3, 0.4, 0.5], [0.3, 0.3, 0.5, 0.4, 0.6], seed=1)
    >>> 0 < result.p < 0.2, result.resamples, result.seed
    (True, 10000, 1)
    """
    both = pair(baseline, other)
    result = bootstrap_tests(
        both.differences, alternative=alternative, resamples=resamples, seed=seed
    )[0]
    return replace(result, left_out=both.left_out)


def bootstrap_tests(
    differences: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    resamples: int = 10_000,
    seed: int | None = 0,
    threads: int = 1,
) -> tuple[PairedTest, ...]:
    """Test many columns of differences, drawing the same queries for all.

    Parameters
    ----------
    differences
        (n, columns) float64, the other minus the baseline, NaN where there is none.
    alternative, resamples, seed
        As ``bootstrap_test`` has them.
    threads
        The number of threads; the result does not depend on it.

    Returns
    -------
    tuple of PairedTest
        One for each column, the same as ``bootstrap_test`` gives for it alone.

    Raises
    ------
    InputError
        If the differences are not numbers, or infinite, or an option is invalid.
    """
    one_of("alternative", alternative, "two-sided", "greater", "less")
    resamples, seed = number_of_draws(resamples), seed_of(seed)
    given = columns("differences", differences)
    found: dict[int, PairedTest] = {}
    for kept, group in alike_columns(given):
        results = _drawn(given[kept][:, group], alternative, resamples, seed, threads)
        for number, result in zip(group.tolist(), results, strict=True):
            found[number] = replace(result, left_out=int(len(kept) - kept.sum()))
    return tuple(found[number] for number in range(given.shape[1]))


def _drawn(
    differences: Floats, alternative: Alternative, resamples: int, seed: int, threads: int
) -> list[PairedTest]:
    null = "the mean of the differences is 0"
    means, errors, n = mean_and_error(differences, None)
    results = [without_p(one, "bootstrap", null, alternative) for one in differences.T]
    undefined = [
        result.undefined or spread_unknown(n, error, one)
        for result, error, one in zip(results, errors.tolist(), differences.T, strict=True)
    ]
    tested = np.array([not why for why in undefined])
    results = [
        replace(result, undefined=why) for result, why in zip(results, undefined, strict=True)
    ]
    if not tested.any():
        return results
    t = means[tested] / errors[tested]
    centred = differences[:, tested] - means[tested]
    threshold = as_extreme(t.copy(), alternative)
    # Sums of whole numbers are exact, so draws of the same queries have the same t.
    sums, squares = fixed_point(centred, 0.0), fixed_point(centred**2, 0.0)
    sizes = sample_blocks(n, resamples)

    def count(block: int) -> Ints:
        counts = sample_counts(n, sizes[block], block, seed)
        drawn = _students_t(
            counts @ sums.values * sums.unit, counts @ squares.values * squares.unit, n
        )
        return np.asarray(np.count_nonzero(as_extreme(drawn, alternative) >= threshold, axis=0))

    at_least = iter(over_blocks(count, range(len(sizes)), np.add, threads).tolist())
    return [
        replace(
            result,
            statistic=float(mean / error),
            p=(next(at_least) + 1) / (resamples + 1),
            smallest_p=1 / (resamples + 1),
            method="Student's t of draws with replacement, shifted to mean 0",
            resamples=resamples,
            seed=seed,
        )
        if one
        else result
        for result, one, mean, error in zip(results, tested, means, errors, strict=True)
    ]


def _students_t(sums: Floats, squares: Floats, n: int) -> Floats:
    """Return t of samples from the sums of their values and squares, (samples, columns) each."""
    means = sums / n
    variance = np.maximum(squares / n - means**2, 0.0)
    # A sample of one query only, n times, is as extreme as can be.
    variance[variance <= 1e-12 * squares / n] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        t: Floats = means / np.sqrt(variance / (n - 1))
    t[np.isnan(t)] = 0.0
    return t
