"""Paired tests give what scipy and statsmodels give, what was published, and what one counts."""

import itertools
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from rankmark.statistics import (
    PairedTest,
    bootstrap_test,
    bootstrap_tests,
    randomisation_test,
    randomisation_tests,
    randomise_pairs,
    sign_test,
    t_test,
    wilcoxon_test,
)

ALTERNATIVES = ("two-sided", "greater", "less")
# Charles Darwin's maize, in eighths of an inch, crossed less self-fertilised: Fisher 1935, §17.
MAIZE = np.array([49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48.0])
# Hours of sleep gained, Student 1908; the data set "sleep" of R.
SLEEP_1 = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
SLEEP_2 = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
# Depression scales, Hollander and Wolfe 1973, page 29; the example of R's wilcox.test.
FIRST = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
SECOND = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]


def counted(tenths: list[int], alternative: str) -> float:
    """Count all signs in whole numbers."""
    found = sum(tenths)
    signed = [
        sum(sign * tenth for sign, tenth in zip(signs, tenths, strict=True))
        for signs in itertools.product((1, -1), repeat=len(tenths))
    ]
    extreme = {
        "two-sided": [abs(one) >= abs(found) for one in signed],
        "greater": [one >= found for one in signed],
        "less": [one <= found for one in signed],
    }[alternative]
    return float(Fraction(sum(extreme), len(signed)))


def test_fishers_maize_has_1726_of_32768_arrangements() -> None:
    result = randomisation_test(np.zeros(15), MAIZE)
    assert result.p == 1726 / 32768
    assert (result.method, result.smallest_p) == ("all 32,768 signs", 2 / 32768)
    assert result.statistic == pytest.approx(314 / 15)
    assert randomisation_test(np.zeros(15), MAIZE, alternative="greater").p == 863 / 32768


def test_fishers_maize_has_t_of_2_148() -> None:
    result = t_test(np.zeros(15), MAIZE)
    assert round(result.statistic, 3) == 2.148
    assert round(result.p, 4) == 0.0497


def test_students_sleep_is_as_r_prints_it() -> None:
    result = t_test(SLEEP_1, SLEEP_2)
    assert round(result.statistic, 4) == 4.0621
    assert round(result.p, 6) == 0.002833
    assert result.method == "t distribution, 9 degrees of freedom"


def test_hollander_and_wolfes_depression_is_as_r_prints_it() -> None:
    result = wilcoxon_test(SECOND, FIRST, alternative="greater")
    assert result.statistic == 40
    assert round(result.p, 5) == 0.01953


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("seed", range(8))
def test_all_signs_are_counted_as_one_by_one_with_ties_and_zeros(
    alternative: str, seed: int
) -> None:
    tenths = np.random.default_rng(seed).integers(-3, 4, size=9)
    # 0.1 * 3 is not 0.3: rounding in the last digit must part no tie.
    differences = [0.1 * tenth for tenth in tenths.tolist()]
    result = randomisation_test(np.zeros(9), differences, alternative=alternative)
    assert result.p == counted(tenths.tolist(), alternative)
    assert result.nonzero == np.count_nonzero(tenths)


def test_rounding_in_the_last_digits_is_no_difference() -> None:
    baseline = np.array([0.3, 0.7, 0.2, 0.9])
    other = np.array([0.1 + 0.2, 0.1 * 7, 0.2 + 1e-16, 0.5])
    assert randomisation_test(baseline, other).nonzero == 1
    assert wilcoxon_test(baseline, other).nonzero == 1
    assert sign_test(baseline, other).nonzero == 1


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_random_signs_agree_with_scipys_within_chance(alternative: str) -> None:
    rng = np.random.default_rng(5)
    a, b = rng.random((2, 60))
    ours = randomisation_test(a, b, alternative=alternative, resamples=50_000)
    theirs = stats.permutation_test(
        (b - a,),
        np.mean,
        permutation_type="samples",
        n_resamples=50_000,
        alternative=alternative,
        rng=rng,
    )
    assert ours.p == pytest.approx(theirs.pvalue, abs=5 * (2 * 0.25 / 50_000) ** 0.5)
    assert (ours.method, ours.resamples, ours.seed) == ("random signs", 50_000, 0)
    assert ours.smallest_p == 1 / 50_001


def test_exact_and_random_signs_meet_where_counting_gives_way() -> None:
    rng = np.random.default_rng(1)
    differences = rng.normal(0.3, 1, 31)
    differences[30] = 1e-6  # no part of the sum, but one more sign
    fewer = randomisation_test(np.zeros(30), differences[:30])
    more = randomisation_test(np.zeros(31), differences, resamples=100_000)
    assert (fewer.method, more.method) == ("all 1,073,741,824 signs", "random signs")
    assert more.p == pytest.approx(fewer.p, abs=5 * (fewer.p / 100_000) ** 0.5)


def test_a_p_value_drawn_is_never_zero_and_counts_what_was_found() -> None:
    result = randomisation_test(np.zeros(40), np.ones(40), resamples=999)
    assert result.p == 1 / 1000


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_t_is_that_of_scipy(alternative: str) -> None:
    rng = np.random.default_rng(2)
    a, b = rng.random((2, 37))
    ours, theirs = (
        t_test(a, b, alternative=alternative),
        stats.ttest_rel(b, a, None, "raise", alternative),
    )
    assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-12)
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-10)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("zeros", ["wilcox", "pratt", "zsplit"])
@pytest.mark.parametrize("n", [9, 200])
def test_wilcoxon_is_that_of_scipy_with_ties_and_zeros(
    alternative: str, zeros: str, n: int
) -> None:
    differences = np.random.default_rng(n).integers(-4, 6, size=n) / 10
    ours = wilcoxon_test(np.zeros(n), differences, alternative=alternative, zeros=zeros)
    rounded = np.round(differences, 6)
    if n == 9:  # all signs of what scipy computes from them, its statistic being R+
        method = stats.PermutationMethod(n_resamples=np.inf)
        theirs = stats.wilcoxon(rounded, zero_method=zeros, alternative=alternative, method=method)
    else:
        theirs = stats.wilcoxon(
            rounded, zero_method=zeros, alternative=alternative, method="asymptotic"
        )
    if zeros == "zsplit" and n == 200:
        # scipy counts the zeros in the variance, though no sign of theirs can change.
        pratt = wilcoxon_test(np.zeros(n), differences, alternative=alternative, zeros="pratt")
        assert ours.p == pratt.p
        assert ours.p == pytest.approx(theirs.pvalue, rel=0.02)
    else:
        assert ours.p == pytest.approx(theirs.pvalue, rel=1e-9)
    if alternative != "two-sided":  # there, scipy gives the smaller of both sums
        assert ours.statistic == pytest.approx(theirs.statistic)


def test_wilcoxon_without_ties_is_scipys_exact_one() -> None:
    differences = np.random.default_rng(9).normal(0.2, 1, 28)
    theirs = stats.wilcoxon(differences, method="exact")
    assert wilcoxon_test(np.zeros(28), differences).p == pytest.approx(theirs.pvalue, rel=1e-12)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_sign_test_is_scipys_binomial_test(alternative: str) -> None:
    differences = np.random.default_rng(3).integers(-2, 4, size=40)
    wins, losses = int(np.sum(differences > 0)), int(np.sum(differences < 0))
    ours = sign_test(np.zeros(40), differences, alternative=alternative)
    assert ours.p == stats.binomtest(wins, wins + losses, alternative=alternative).pvalue
    assert (ours.statistic, ours.nonzero) == (wins, wins + losses)


def test_bootstrap_is_the_textbooks_loop() -> None:
    differences = np.random.default_rng(4).normal(0.3, 1, 20)
    ours = bootstrap_test(np.zeros(20), differences, resamples=20_000)
    t = stats.ttest_1samp(differences, 0).statistic
    rng = np.random.default_rng(0)
    drawn = rng.choice(differences - differences.mean(), size=(20_000, 20))
    slow = stats.ttest_1samp(drawn, 0, axis=1).statistic
    expected = np.mean(np.abs(slow) >= abs(t))
    assert ours.statistic == pytest.approx(t)
    assert ours.p == pytest.approx(expected, abs=5 * (2 * expected / 20_000) ** 0.5)


def test_the_t_test_of_clusters_is_that_of_a_regression_with_clustered_errors() -> None:
    sm = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(6)
    clusters = rng.integers(0, 12, size=70)
    differences = rng.normal(0.1, 1, 70) + rng.normal(0, 1, 12)[clusters]
    theirs = sm.OLS(differences, np.ones(70)).fit(
        cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True
    )
    ours = t_test(np.zeros(70), differences, clusters=clusters)
    assert ours.statistic == pytest.approx(theirs.tvalues[0], rel=1e-9)
    assert ours.p == pytest.approx(theirs.pvalues[0], rel=1e-9)
    assert ours.clusters == 12


def test_signs_of_clusters_are_those_of_their_sums() -> None:
    tenths = [3, -1, 2, 2, 0, -2, 4, 1]
    clusters = ["a", "a", "b", "c", "c", "d", "e", "b"]
    sums = [2, 3, 2, -2, 4]
    result = randomisation_test(np.zeros(8), np.array(tenths) / 10, clusters=clusters)
    assert result.p == counted(sums, "two-sided")
    assert (result.n, result.clusters, result.nonzero) == (8, 5, 5)
    assert result.difference == pytest.approx(sum(tenths) / 80)


def test_pairs_and_measures_together_are_tested_as_alone() -> None:
    rng = np.random.default_rng(7)
    scores = rng.random((50, 4, 3))
    scores[5, :, 1] = np.nan  # undefined for every system
    scores[[7, 9], 2, 2] = np.nan  # missing from one system
    together = randomise_pairs(scores, resamples=2000, seed=3)
    pairs = list(itertools.combinations(range(4), 2))
    for tests, (first, second) in zip(together, pairs, strict=True):
        for measure, test in enumerate(tests):
            alone = randomisation_test(
                scores[:, first, measure], scores[:, second, measure], resamples=2000, seed=3
            )
            assert test.p == alone.p
            assert (test.n, test.left_out, test.nonzero) == (
                alone.n,
                alone.left_out,
                alone.nonzero,
            )
            assert test.difference == pytest.approx(alone.difference)


def test_columns_of_differences_are_tested_as_alone() -> None:
    differences = np.random.default_rng(8).normal(size=(45, 3))
    differences[4, 1] = np.nan
    for many, one_by_one in (
        (randomisation_tests, randomisation_test),
        (bootstrap_tests, bootstrap_test),
    ):
        together = many(differences, resamples=500)
        alone = [one_by_one(np.zeros(45), column, resamples=500) for column in differences.T]
        assert [one.p for one in together] == [one.p for one in alone]
        assert [one.left_out for one in together] == [0, 1, 0]


def test_pingouin_finds_the_same() -> None:
    pingouin = pytest.importorskip("pingouin")
    rng = np.random.default_rng(10)
    a, b = rng.random((2, 40))
    theirs = pingouin.ttest(b, a, paired=True)
    column = "p_val" if "p_val" in theirs else "p-val"
    assert t_test(a, b).p == pytest.approx(float(theirs[column].iloc[0]), rel=1e-9)


EVERY: list[Callable[..., PairedTest]] = [
    randomisation_test,
    t_test,
    wilcoxon_test,
    sign_test,
    bootstrap_test,
]


@pytest.mark.parametrize("test", EVERY)
def test_swapping_the_systems_turns_the_difference_around(
    test: Callable[..., PairedTest],
) -> None:
    a, b = np.random.default_rng(11).random((2, 45))
    forth, back = test(a, b), test(b, a)
    assert forth.p == pytest.approx(back.p, rel=1e-12)
    assert forth.difference == -back.difference
    assert test(a, b, alternative="greater").p == pytest.approx(
        test(b, a, alternative="less").p, rel=1e-12
    )


@pytest.mark.parametrize("test", EVERY)
def test_queries_without_a_score_are_left_out_and_counted(
    test: Callable[..., PairedTest],
) -> None:
    a, b = np.random.default_rng(12).random((2, 20))
    kept = test(a[2:], b[2:])
    a[0], b[1] = np.nan, np.nan
    result = test(a, b)
    assert (result.n, result.left_out) == (18, 2)
    assert result.p == pytest.approx(kept.p)
