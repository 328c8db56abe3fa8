"""The randomisation test: how often random signs make a mean difference as large as the one seen.

Where a query's two scores could as well have been the other way round, its difference could as
well have had the other sign [1]_ [2]_. Up to 30 differences that are not zero, all 2^n signs are
counted, by halves: each sum of the first half meets the sums of the second in sorted order.
Beyond that, signs are drawn: as many as asked for of a random group of signs [3]_, any two
arrangements of which are independent. If the null is true, the observed arrangement is one of
these like any other, so p is valid, and its sampling error is that of independent signs. One
transform of scores serves all pairs of systems and all measures, since a sum of signed differences
is a difference of signed sums.

References
----------
.. [1] Fisher 1935, The Design of Experiments, section 21.
.. [2] Smucker, Allan and Carterette 2007, A comparison of statistical significance tests for
   information retrieval evaluation, CIKM, pages 623-632.
.. [3] Chung and Fraser 1958, Randomization tests for a multivariate two-sample problem, Journal of
   the American Statistical Association 53(283), pages 729-735.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from rankmark.arguments import number_of_draws, one_of, seed_of
from rankmark.array_types import Floats, Ints
from rankmark.statistics.paired_test import (
    PairedTest,
    floor_warning,
    smallest_of_signs,
    undefined_for_counts,
)
from rankmark.statistics.query_weights import query_weights
from rankmark.statistics.resampling import Signs, over_blocks
from rankmark.statistics.score_arrays import (
    Alternative,
    cluster_numbers,
    columns,
    cube,
    same_queries,
)
from rankmark.statistics.sign_flips import Flips, alike, flips_of, pairs_of

EXACT_UP_TO = 30
"""Differences that are not zero, up to which all signs are counted: 2^15 sums in each half."""

_NEAR = 6
"""Systems whose pairs are counted one after another: twice their sums fit into a cache of 1 MB."""

NULL = "each query's difference is symmetric about 0, as if the two scores could change places"


def randomisation_test(
    baseline: ArrayLike,
    other: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    resamples: int = 100_000,
    seed: int | None = 0,
    clusters: Sequence[Hashable] | ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> PairedTest:
    """Test by random signs whether two systems differ on the same queries.

    The mean of the differences is compared with what other signs would make of it. All 2^n signs
    are counted where at most 30 differences are not zero (a zero has no sign to change), and p is
    exact; otherwise signs are drawn, and p is (b + 1) / (resamples + 1).

    Parameters
    ----------
    baseline, other
        (n,) float64, scores of the same queries in the same order, NaN where there is none.
    alternative
        "greater" if only a better other system counts, "less" if only a worse one.
    resamples
        How many times signs are drawn where they are.
    seed
        Of the signs, from 0 to 2^64 - 1; None draws one, which the result names.
    clusters
        (n,) what each query belongs to, such as a conversation or a user: all queries of a
        cluster change their sign together.
    weights
        (n,) how much each query counts, from 0; a query of weight 0 is left out. The weighted mean
        is what is compared, and the test is as exact as without.

    Returns
    -------
    PairedTest
        ``statistic`` is the mean difference, the other minus the baseline.

    Raises
    ------
    InputError
        If the arrays differ in length, contain infinite numbers, or an option is invalid.

    Notes
    -----
    The null is symmetry. For large n the test is also one of mean 0, as the t test is, since both
    then compare the mean with its standard error.

    References
    ----------
    .. [1] Fisher 1935, The Design of Experiments, section 21.
    .. [2] scipy.stats.permutation_test, with permutation_type="samples".

    Examples
    --------
    >>> result = randomisation_test([0.1, 0.2, 0.3, 0.4], [0.2, 0.4, 0.6, 0.8])
    >>> result.p, result.method, result.smallest_p
    (0.125, 'all 16 signs', 0.125)
    """
    return randomise_pairs(
        np.stack(same_queries(baseline, other), axis=1),
        [(0, 1)],
        alternative=alternative,
        resamples=resamples,
        seed=seed,
        clusters=clusters,
        weights=weights,
    )[0][0]


def randomisation_tests(
    differences: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    resamples: int = 100_000,
    seed: int | None = 0,
    clusters: Sequence[Hashable] | ArrayLike | None = None,
    weights: ArrayLike | None = None,
    threads: int = 1,
) -> tuple[PairedTest, ...]:
    """Test many columns of differences over the same queries, with the same signs for all.

    Parameters
    ----------
    differences
        (n, columns) float64, the other minus the baseline, NaN where there is none.
    alternative, resamples, seed, clusters, weights
        As ``randomisation_test`` has them.
    threads
        The number of threads; the result does not depend on it.

    Returns
    -------
    tuple of PairedTest
        One for each column, the same as ``randomisation_test`` gives for it alone.

    Raises
    ------
    InputError
        If there is no column, or an option is invalid.
    """
    given = columns("differences", differences)
    systems = np.stack([np.zeros_like(given), given], axis=1)
    systems[:, 0][np.isnan(given)] = np.nan
    found = randomise_pairs(
        systems,
        [(0, 1)],
        alternative=alternative,
        resamples=resamples,
        seed=seed,
        clusters=clusters,
        weights=weights,
        threads=threads,
    )
    return found[0]


def randomise_pairs(
    scores: ArrayLike,
    pairs: Sequence[tuple[int, int]] | None = None,
    *,
    alternative: Alternative = "two-sided",
    resamples: int = 100_000,
    seed: int | None = 0,
    clusters: Sequence[Hashable] | ArrayLike | None = None,
    weights: ArrayLike | None = None,
    threads: int = 1,
) -> tuple[tuple[PairedTest, ...], ...]:
    """Test pairs of systems on several measures, all with the same signs.

    Memory does not grow with the number of resamples, and the result is the same, to the bit, for
    any number of threads.

    Parameters
    ----------
    scores
        (n, systems, measures) float64, or (n, systems); NaN where there is no score.
    pairs
        Numbers of systems, (baseline, other) each; all pairs if None.
    alternative, resamples, seed, clusters, weights
        As ``randomisation_test`` has them.
    threads
        The number of threads.

    Returns
    -------
    tuple of tuple of PairedTest
        ``[pair][measure]``, the p-values not corrected for their number.

    Raises
    ------
    InputError
        If a pair names a system that does not exist, or an option is invalid.
    """
    one_of("alternative", alternative, "two-sided", "greater", "less")
    given = cube("scores", scores)
    chosen = pairs_of(given.shape[1], pairs)
    resamples, seed = number_of_draws(resamples), seed_of(seed)
    numbers = cluster_numbers(clusters, len(given))
    weighted = query_weights(weights, len(given))
    if weighted is not None:
        given = np.where(weighted[:, None, None] > 0, given, np.nan)
    results: dict[tuple[int, int], PairedTest] = {}
    for measures in alike(given):
        flips = flips_of(given[:, :, measures], chosen, numbers, weighted)
        signs = Signs(len(flips.values), resamples, seed)
        found = _p_values(flips, signs, alternative, threads)
        for number in range(len(chosen)):
            for at, measure in enumerate(measures):
                p = float(found[number, at])
                results[number, measure] = _result(
                    flips, (number, at), p, signs, alternative, len(given), numbers is not None
                )
    each = range(given.shape[2])
    return tuple(
        tuple(results[number, measure] for measure in each) for number in range(len(chosen))
    )


def _p_values(flips: Flips, signs: Signs, alternative: Alternative, threads: int) -> Floats:
    """Return the p-values of all pairs, by counting if there are few signs, else by sampling."""
    exact = flips.nonzero <= EXACT_UP_TO
    p = np.empty(exact.shape)
    for number, measure in zip(*np.nonzero(exact), strict=True):
        values = flips.of_pair(number, measure)
        p[number, measure] = exact_p(values[np.abs(values) > 1], flips.slack, alternative)
    if exact.all():
        return p
    # A pair that was counted already is drawn too if another pair needs its systems.
    threshold = _threshold(flips.observed, flips.slack, alternative)

    def count(block: int) -> Ints:
        return _counted(flips, flips.signed(signs, block), threshold, alternative)

    at_least = over_blocks(count, signs.blocks, np.add, threads, what="testing")
    return np.where(exact, p, signs.p(at_least))


def _counted(flips: Flips, sums: Floats, threshold: Floats, alternative: Alternative) -> Ints:
    """Count how often differences reach their threshold: (pairs, measures) int64.

    ``sums`` is (systems, measures, arrangements), as ``Flips.signed`` returns it; it is changed.
    """
    found = np.zeros(threshold.shape, dtype=np.int64)
    drawn = np.empty(sums.shape[2])
    # Measure by measure, so that the sums of one stay in the cache.
    for measure in range(sums.shape[1]):
        of_system, limits = sums[:, measure], threshold[:, measure]
        # Less their mean, sums are closer to 0; as all are whole numbers, differences stay the
        # same.
        of_system -= np.rint(of_system.mean(axis=0))
        most, least = of_system.max(axis=1), of_system.min(axis=1)
        up, down = most[flips.second] - least[flips.first], most[flips.first] - least[flips.second]
        farthest = {"two-sided": np.maximum(up, down), "greater": up, "less": down}[alternative]
        # Where two systems differ clearly, no arrangement comes near the threshold.
        reaching = np.flatnonzero(farthest >= limits)
        near = flips.second[reaching] // _NEAR, flips.first[reaching] // _NEAR
        for number in reaching[np.lexsort(near)].tolist():
            first, second = of_system[flips.first[number]], of_system[flips.second[number]]
            extreme = as_extreme(np.subtract(second, first, out=drawn), alternative)
            found[number, measure] = np.count_nonzero(extreme >= limits[number])
    return found


def as_extreme(sums: Floats, alternative: Alternative) -> Floats:
    """Turn sums, in place, into numbers that are the larger the more extreme they are."""
    if alternative == "two-sided":
        return np.abs(sums, out=sums)
    return sums if alternative == "greater" else np.negative(sums, out=sums)


def _threshold(observed: Floats, slack: float, alternative: Alternative) -> Floats:
    return as_extreme(observed.copy(), alternative) - slack


def exact_p(values: Floats, slack: float, alternative: Alternative) -> float:
    """Return the share of all signs of at most 30 values whose sum is as extreme as theirs."""
    threshold = float(_threshold(np.array([values.sum()]), slack, alternative)[0])
    middle = len(values) // 2
    left, right = _signed_sums(values[:middle]), np.sort(_signed_sums(values[middle:]))
    count = len(left) * len(right) - int(np.searchsorted(right, threshold - left).sum())
    p = count / (len(left) * len(right))
    return p if alternative != "two-sided" else 1.0 if threshold <= 0 else min(1.0, 2 * p)


def _signed_sums(values: Floats) -> Floats:
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums + value, sums - value])
    return sums


def _result(
    flips: Flips,
    place: tuple[int, int],
    p: float,
    signs: Signs,
    alternative: Alternative,
    queries: int,
    clustered: bool,  # noqa: FBT001
) -> PairedTest:
    n, nonzero = int(flips.n[place]), int(flips.nonzero[place])
    exact = nonzero <= EXACT_UP_TO
    smallest = smallest_of_signs(nonzero, alternative)
    undefined, warning = undefined_for_counts(n, 1), ""
    if not undefined:
        warning = "all differences are 0" if nonzero == 0 else floor_warning(smallest)
    return PairedTest(
        test="randomisation",
        null=NULL.replace("query", "cluster") if clustered else NULL,
        alternative=alternative,
        n=n,
        left_out=queries - n,
        nonzero=nonzero,
        clusters=len(flips.values) if clustered else None,
        difference=float(flips.means[place]),
        statistic=float(flips.means[place]),
        statistic_name="mean difference"
        if flips.effective_n is None
        else "weighted mean difference",
        p=math.nan if undefined else p,
        smallest_p=smallest if exact else max(smallest, 1 / (signs.arrangements + 1)),
        method=f"all {2**nonzero:,} signs" if exact else "random signs",
        resamples=None if exact else signs.arrangements,
        seed=None if exact else signs.seed,
        effective_n=None if flips.effective_n is None else float(flips.effective_n[place]),
        undefined=undefined,
        warning=warning,
    )
