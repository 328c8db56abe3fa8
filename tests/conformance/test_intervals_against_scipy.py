"""Intervals and effect sizes give what scipy, statsmodels and the literature give."""

import itertools
from dataclasses import replace
from statistics import mean, stdev

import numpy as np
import pytest
from scipy import stats

from rankmark.errors import InputError
from rankmark.statistics import (
    effect_size,
    mean_interval,
    mean_intervals,
    relative_interval,
    relative_intervals,
    share_difference_interval,
    share_interval,
)
from rankmark.statistics.resampling import sample_blocks, sample_counts
from rankmark.statistics.score_arrays import skewness

SLEEP = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]  # Student 1908, differences


def drawn_means(values: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    sizes = sample_blocks(len(values), resamples)
    counts = [sample_counts(len(values), n, block, seed) for block, n in enumerate(sizes)]
    return np.concatenate(counts) @ values / len(values)


def test_students_sleep_has_the_interval_that_r_prints() -> None:
    interval = mean_interval(SLEEP, method="t")
    assert (round(interval.low, 7), round(interval.high, 7)) == (0.7001142, 2.4598858)


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_t_intervals_are_those_of_scipy(confidence: float) -> None:
    values = np.random.default_rng(0).random(33)
    theirs = stats.ttest_1samp(values, 0).confidence_interval(confidence)
    ours = mean_interval(values, method="t", confidence=confidence)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=1e-12)


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("kind", ["skewed", "tied", "differences"])
def test_bca_of_the_same_draws_is_that_of_scipy(confidence: float, kind: str) -> None:
    rng = np.random.default_rng(1)
    values = {
        "skewed": rng.beta(0.4, 1.5, 40),
        "tied": rng.integers(0, 11, 40) / 10,
        "differences": rng.normal(0.02, 0.2, 40),
    }[kind]
    ours = mean_interval(values, confidence=confidence, resamples=3000, seed=4)
    begun = stats.bootstrap((values,), np.mean, n_resamples=2, method="percentile")
    drawn = replace(begun, bootstrap_distribution=drawn_means(values, 3000, 4))
    theirs = stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=0,
        bootstrap_result=drawn,
        method="BCa",
        confidence_level=confidence,
    ).confidence_interval
    # scipy parts draws that equal the mean from it by their last digit.
    tolerance = 1e-9 if kind == "differences" else 0.005
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=tolerance)


def test_many_columns_have_the_intervals_of_each_alone() -> None:
    values = np.random.default_rng(2).random((30, 5))
    values[3, 1] = np.nan
    values[:, 4] = 0.5
    for method in ("t", "BCa"):
        together = mean_intervals(values, method=method, resamples=500)
        alone = [mean_interval(column, method=method, resamples=500) for column in values.T]
        assert [str(one) for one in together] == [str(one) for one in alone]
        assert [one.left_out for one in together] == [0, 1, 0, 0, 0]


def test_t_intervals_of_clusters_are_those_of_a_regression_with_clustered_errors() -> None:
    sm = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(3)
    clusters = rng.integers(0, 9, size=60)
    values = rng.random(60) + rng.random(9)[clusters]
    fitted = sm.OLS(values, np.ones(60)).fit(
        cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True
    )
    ours = mean_interval(values, method="t", clusters=clusters)
    assert (ours.low, ours.high) == pytest.approx(tuple(fitted.conf_int()[0]), rel=1e-9)


def test_clusters_of_equal_size_are_drawn_like_their_means() -> None:
    values = np.random.default_rng(4).random(60)
    clustered = mean_interval(values, clusters=[f"user {one // 5}" for one in range(60)], seed=2)
    of_means = mean_interval(values.reshape(12, 5).mean(axis=1), seed=2)
    assert (clustered.low, clustered.high) == pytest.approx((of_means.low, of_means.high))
    assert (clustered.n, clustered.clusters) == (60, 12)


@pytest.mark.parametrize(
    ("successes", "n", "wilson", "exact"),
    [  # Newcombe 1998, Two-sided confidence intervals for the single proportion, table I
        (81, 263, (0.2553, 0.3662), (0.2527, 0.3676)),
        (15, 148, (0.0624, 0.1605), (0.0578, 0.1617)),
        (0, 20, (0.0, 0.1611), (0.0, 0.1684)),
        (1, 29, (0.0061, 0.1718), (0.0009, 0.1776)),
    ],
)
def test_shares_have_newcombes_intervals(
    successes: int, n: int, wilson: tuple[float, float], exact: tuple[float, float]
) -> None:
    values = [1] * successes + [0] * (n - successes)
    for method, expected in (("Wilson", wilson), ("Clopper-Pearson", exact)):
        interval = share_interval(values, method=method)
        assert (round(interval.low, 4), round(interval.high, 4)) == expected


@pytest.mark.parametrize("n", [1, 10, 57])
def test_shares_have_scipys_intervals(n: int) -> None:
    for successes in range(n + 1):
        values = [1] * successes + [0] * (n - successes)
        for method, theirs in (("Wilson", "wilson"), ("Clopper-Pearson", "exact")):
            expected = stats.binomtest(successes, n).proportion_ci(0.9, theirs)
            ours = share_interval(values, method=method, confidence=0.9)
            assert (ours.low, ours.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_the_ends_of_a_relative_interval_are_ratios_that_t_just_rejects() -> None:
    rng = np.random.default_rng(5)
    baseline = rng.random(25)
    other = baseline + rng.normal(0.05, 0.1, 25)
    interval = relative_interval(baseline, other, confidence=0.9)
    assert interval.low < interval.estimate < interval.high
    for end in (interval.low, interval.high):
        p = stats.ttest_rel(other, (1 + end) * baseline).pvalue
        assert p == pytest.approx(0.1, rel=1e-9)


def test_relative_intervals_do_not_depend_on_the_unit() -> None:
    a, b = np.random.default_rng(6).random((2, 25)) + 0.5
    one, other = relative_interval(a, b), relative_interval(100 * a, 100 * b)
    assert (one.low, one.high) == pytest.approx((other.low, other.high))


def test_effect_sizes_are_their_formulas() -> None:
    rng = np.random.default_rng(7)
    a, b = (rng.integers(0, 8, (2, 30)) / 8).tolist()
    effect = effect_size(a, b)
    differences = [y - x for x, y in zip(a, b, strict=True)]
    assert effect.d_z == pytest.approx(mean(differences) / stdev(differences))
    average = ((stdev(a) ** 2 + stdev(b) ** 2) / 2) ** 0.5
    assert effect.d_av == pytest.approx(mean(differences) / average)
    assert effect.hedges == pytest.approx(1 - 3 / (4 * 29 - 1))
    assert effect.relative == pytest.approx(mean(b) / mean(a) - 1)
    assert effect.wins == sum(one > 0 for one in differences)
    assert effect.losses == sum(one < 0 for one in differences)
    assert effect.wins + effect.ties + effect.losses == 30
    assert effect.dominance == pytest.approx(2 * effect.probability_of_superiority - 1)
    pairs = [(y > x) - (y < x) for x, y in itertools.product(a, b)]
    assert effect.cliffs_delta == pytest.approx(sum(pairs) / 900)
    theirs = stats.mannwhitneyu(b, a).statistic / 900
    assert effect.cliffs_delta == pytest.approx(2 * theirs - 1)
    assert effect.d_z * 30**0.5 == pytest.approx(stats.ttest_rel(b, a).statistic)


def test_pingouins_cohens_d_of_pairs_is_d_av() -> None:
    pingouin = pytest.importorskip("pingouin")
    a, b = np.random.default_rng(8).random((2, 30))
    theirs = pingouin.compute_effsize(b, a, paired=True, eftype="cohen")
    assert effect_size(a, b).d_av == pytest.approx(theirs)


def test_skewness_is_that_of_scipy() -> None:
    values = np.random.default_rng(9).exponential(size=50)
    assert skewness(values) == pytest.approx(stats.skew(values))
    assert skewness(np.full(5, 0.3)) == 0.0


def paired(both: int, other: int, baseline: int, neither: int) -> tuple[np.ndarray, np.ndarray]:
    """Give the scores of a baseline and another system, from the numbers of queries they answer."""
    counts = [both, other, baseline, neither]
    return np.repeat([1.0, 0, 1, 0], counts), np.repeat([1.0, 1, 0, 0], counts)


@pytest.mark.parametrize(
    ("counts", "method", "low", "high"),
    [
        # Fagerland, Lydersen and Laake 2014, and R's contingencytables 3.0.0: complete response
        # before and after consolidation therapy.
        ((59, 6, 16, 80), "Newcombe", -0.1186, -0.0046),
        ((59, 6, 16, 80), "Tango", -0.1240, -0.0054),
        # With all queries alike, z^2 / (n + z^2), as Wilson's interval of 0 or n successes has it.
        ((40, 0, 0, 0), "Tango", -0.08762, 0.08762),
        ((40, 0, 0, 0), "Newcombe", -0.08762, 0.08762),
        # Newcombe by hand for 0 of 20 and 20 of 20: 1 - sqrt(2) z^2 / (20 + z^2).
        ((0, 20, 0, 0), "Newcombe", 1 - 2**0.5 * 0.161125, 1.0),
    ],
)
def test_differences_of_shares_are_as_published(counts, method, low, high) -> None:
    found = share_difference_interval(*paired(*counts), method=method)
    assert (found.low, found.high) == pytest.approx((low, high), abs=6e-5)
    assert found.estimate == pytest.approx((counts[1] - counts[2]) / sum(counts))
    assert (found.of, found.method, found.n) == ("difference of shares", method, sum(counts))


@pytest.mark.parametrize("method", ["Newcombe", "Tango"])
def test_differences_of_shares_swap_ends_with_the_systems(method) -> None:
    baseline, other = paired(14, 5, 3, 10)
    found = share_difference_interval(baseline, other, method=method, confidence=0.9)
    swapped = share_difference_interval(other, baseline, method=method, confidence=0.9)
    assert (swapped.low, swapped.high) == pytest.approx((-found.high, -found.low))
    wide = share_difference_interval(baseline, other, method=method, confidence=0.99)
    assert -1 <= wide.low < found.low < found.estimate < found.high < wide.high <= 1


def test_tangos_ends_are_where_the_score_test_rejects() -> None:
    # The score statistic with the likelihood maximised by brute force.
    n, b, c = 32, 5, 3
    found = share_difference_interval(*paired(14, b, c, 10), method="Tango")
    for end in (found.low, found.high):
        q = np.linspace(max(0.0, -end) + 1e-9, (1 - end) / 2 - 1e-9, 2_000_001)
        likelihood = b * np.log(q + end) + c * np.log(q) + (n - b - c) * np.log(1 - 2 * q - end)
        only = q[np.argmax(likelihood)]
        error = (n * (2 * only + end - end**2)) ** 0.5
        assert abs(b - c - n * end) / error == pytest.approx(stats.norm.ppf(0.975), abs=1e-4)


def test_shares_of_no_query_and_of_other_scores_are_refused_in_words() -> None:
    nothing = share_difference_interval([np.nan], [1.0])
    assert (nothing.undefined, nothing.left_out) == ("no query has a score from both systems", 1)
    with pytest.raises(InputError, match="other contains 0"):
        share_difference_interval([1.0, 0.0], [0.5, 1.0])
    warned = mean_interval([1.0, 0.0, -1.0, 0.0], method="t").warning
    assert "difference of shares" in warned
    assert "Wilson" in mean_interval([1.0, 0.0, 1.0], method="t").warning
    assert mean_interval([1.0, 0.0, 0.5], method="t").warning == ""


def test_many_relative_intervals_are_those_of_each_pair() -> None:
    scores = np.random.default_rng(5).random((30, 4, 3))
    scores[2, :, 1] = np.nan  # a query without scores
    scores[[4, 5], [0, 1], 2] = np.nan  # scores that single systems lack
    scores[:, 3, 0] = 0.0
    pairs = [(0, 1), (2, 1), (3, 0)]
    found = relative_intervals(scores, pairs, confidence=0.9)
    for (a, b), row in zip(pairs, found, strict=True):
        for measure, one in enumerate(row):
            alone = relative_interval(scores[:, a, measure], scores[:, b, measure], confidence=0.9)
            assert (one.undefined, one.n, one.left_out) == (
                alone.undefined,
                alone.n,
                alone.left_out,
            )
            assert [one.estimate, one.low, one.high] == pytest.approx(
                [alone.estimate, alone.low, alone.high], nan_ok=True
            )
    assert found[2][0].undefined == "the baseline's mean is 0"
