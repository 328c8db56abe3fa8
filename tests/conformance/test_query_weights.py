"""Tests and intervals of weighted queries give what their definitions give."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from rankmark.errors import InputError
from rankmark.statistics import (
    mean_interval,
    mean_intervals,
    randomisation_test,
    randomise_pairs,
    t_test,
)

RNG = np.random.default_rng(4)
BASELINE, OTHER = RNG.random((2, 12))
WEIGHTS = RNG.lognormal(0, 1, 12)


def test_random_signs_are_put_on_weighted_differences() -> None:
    found = randomisation_test(BASELINE, OTHER, weights=WEIGHTS)
    weighted = WEIGHTS * (OTHER - BASELINE)
    sums = np.array([signs @ weighted for signs in itertools.product((1, -1), repeat=12)])
    assert found.p == np.mean(np.abs(sums) >= abs(weighted.sum()) - 1e-12)
    assert found.difference == pytest.approx(np.average(OTHER - BASELINE, weights=WEIGHTS))
    assert found.effective_n == pytest.approx(WEIGHTS.sum() ** 2 / (WEIGHTS**2).sum())
    assert found.statistic_name == "weighted mean difference"


def test_weighted_random_signs_hold_their_level_whatever_the_weights() -> None:
    rng = np.random.default_rng(0)
    scores = np.stack([np.zeros((40, 2000)), rng.laplace(size=(40, 2000))], axis=1)
    weights = rng.lognormal(0, 1.5, 40)
    found = randomise_pairs(scores, resamples=499, weights=weights)[0]
    assert np.mean([one.p <= 0.05 for one in found]) == pytest.approx(0.05, abs=0.015)


@pytest.mark.parametrize("test", [randomisation_test, t_test])
def test_equal_weights_change_nothing(test) -> None:
    plain, weighted = test(BASELINE, OTHER), test(BASELINE, OTHER, weights=[3.0] * 12)
    assert weighted.p == pytest.approx(plain.p, rel=1e-12)
    assert weighted.difference == pytest.approx(plain.difference)
    assert (plain.effective_n, weighted.effective_n) == (None, pytest.approx(12))


def test_equal_weights_change_no_interval() -> None:
    plain = mean_interval(OTHER, method="t")
    weighted = mean_interval(OTHER, method="t", weights=[7.0] * 12)
    assert (weighted.low, weighted.high) == pytest.approx((plain.low, plain.high), rel=1e-9)


@pytest.mark.parametrize("scale", [2.0, 0.37, 1e-9])
def test_only_the_ratio_of_weights_counts(scale) -> None:
    for give in (
        lambda weights: randomisation_test(BASELINE, OTHER, weights=weights).p,
        lambda weights: t_test(BASELINE, OTHER, weights=weights).p,
        lambda weights: mean_interval(OTHER, method="t", weights=weights).high,
    ):
        assert give(scale * WEIGHTS) == pytest.approx(give(WEIGHTS), rel=1e-9)


def test_a_query_of_weight_0_is_left_out() -> None:
    weights = WEIGHTS.copy()
    weights[[2, 5]] = 0
    kept = weights > 0
    for test in (randomisation_test, t_test):
        all_of_them = test(BASELINE, OTHER, weights=weights)
        without = test(BASELINE[kept], OTHER[kept], weights=weights[kept])
        assert all_of_them.p == pytest.approx(without.p)
        assert (all_of_them.n, all_of_them.left_out) == (10, 2)
    all_queries = mean_interval(OTHER, method="t", weights=weights)
    without = mean_interval(OTHER[kept], method="t", weights=weights[kept])
    assert all_queries.low == pytest.approx(without.low)
    assert (all_queries.n, all_queries.left_out) == (10, 2)


def test_the_weighted_t_is_the_mean_over_its_error() -> None:
    found = t_test(BASELINE, OTHER, weights=WEIGHTS)
    differences, shares = OTHER - BASELINE, WEIGHTS / WEIGHTS.sum()
    mean = shares @ differences
    # What residuals of a unit variance would be squared, by the matrix that makes them.
    residuals = np.eye(12) - shares
    expected = np.trace(residuals @ residuals.T * np.diag(shares**2))
    square = np.sum((shares * (differences - mean)) ** 2) * np.sum(shares**2) / expected
    assert found.statistic == pytest.approx(mean / square**0.5)
    degrees = 1 / np.sum(shares**2) - 1
    assert found.p == pytest.approx(2 * stats.t.sf(abs(found.statistic), degrees))
    low = mean - stats.t.isf(0.025, degrees) * square**0.5
    assert mean_interval(differences, method="t", weights=WEIGHTS).low == pytest.approx(low)


@pytest.mark.parametrize(("spread", "n"), [(1.0, 10), (1.0, 50), (1.5, 25)])
def test_weighted_t_intervals_hold_their_confidence(spread, n) -> None:
    weights = np.random.default_rng(n).lognormal(0, spread, n)
    values = np.random.default_rng(1).normal(size=(n, 2000))
    found = mean_intervals(values, method="t", weights=weights)
    assert np.mean([one.low <= 0 <= one.high for one in found]) == pytest.approx(0.95, abs=0.02)


def test_clusters_of_weighted_queries_are_taken_together() -> None:
    clusters = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    one_weight = np.repeat(RNG.lognormal(0, 1, 6), 2)
    found = randomisation_test(BASELINE, OTHER, weights=one_weight, clusters=clusters)
    sums = (OTHER - BASELINE).reshape(6, 2).sum(axis=1) * one_weight[::2]
    drawn = np.array([signs @ sums for signs in itertools.product((1, -1), repeat=6)])
    assert found.p == np.mean(np.abs(drawn) >= abs(sums.sum()) - 1e-12)
    interval = mean_interval(OTHER, method="t", weights=one_weight, clusters=clusters)
    shares = one_weight / one_weight.sum()
    residuals = (shares * (OTHER - shares @ OTHER)).reshape(6, 2).sum(axis=1)
    half = stats.t.isf(0.025, 5) * (6 / 5 * np.sum(residuals**2)) ** 0.5
    assert interval.high - interval.estimate == pytest.approx(half)
    assert interval.clusters == 6


@pytest.mark.parametrize(
    ("weights", "found"),
    [
        ([1.0] * 11, "weights has 11 numbers for 12 queries"),
        ([1.0] * 11 + [-1.0], "weights contains NaN or numbers below 0"),
        ([1.0] * 11 + [math.nan], "weights contains NaN or numbers below 0"),
        ([0.0] * 12, "all weights are 0"),
        (["much"] * 12, "weights is"),
    ],
)
def test_weights_that_are_none_are_refused(weights, found) -> None:
    for give in (
        lambda: randomisation_test(BASELINE, OTHER, weights=weights),
        lambda: t_test(BASELINE, OTHER, weights=weights),
        lambda: mean_interval(OTHER, method="t", weights=weights),
    ):
        with pytest.raises(InputError, match=found):
            give()


def test_one_query_of_some_weight_has_no_spread() -> None:
    weights = [1.0] + [0.0] * 11
    assert t_test(BASELINE, OTHER, weights=weights).undefined == "1 query"
    assert mean_interval(OTHER, method="t", weights=weights).undefined == "1 query"


def test_a_bootstrap_of_weighted_queries_is_refused() -> None:
    with pytest.raises(InputError, match="weights cannot be used with method"):
        mean_interval(OTHER, method="BCa", weights=WEIGHTS)
