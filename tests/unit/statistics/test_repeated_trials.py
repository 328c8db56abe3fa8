"""Variances between queries and trials, and how often trials pass."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import f_oneway

from rankmark.statistics.repeated_trials import pass_rates, trial_trade, variance_components


def test_components_are_those_of_one_way_analysis_of_variance() -> None:
    scores = np.random.default_rng(0).normal(size=(40, 1)) + np.random.default_rng(1).normal(
        size=(40, 4)
    )
    found = variance_components(scores)
    ratio = f_oneway(*scores).statistic  # of the mean squares
    assert found.icc == pytest.approx((ratio - 1) / (ratio + 3))


def test_components_are_unbiased_and_unknown_of_too_few() -> None:
    rng = np.random.default_rng(2)
    each = [
        variance_components(rng.normal(0, 2, (30, 1)) + rng.normal(0, 1, (30, 3)))
        for _ in range(300)
    ]
    assert np.mean([one.queries for one in each]) == pytest.approx(4, abs=0.2)
    assert np.mean([one.trials for one in each]) == pytest.approx(1, abs=0.03)
    assert math.isnan(variance_components(np.ones((3, 1))).trials)
    assert math.isnan(variance_components(np.array([[1.0, 2.0]])).queries)
    alike = variance_components(np.ones((3, 2)))
    assert (alike.queries, alike.trials) == (0, 0)
    assert math.isnan(alike.icc)


def test_pass_rates_are_means_over_all_choices_of_trials() -> None:
    passed = np.random.default_rng(3).random((7, 5)) < 0.5
    weights = np.arange(1.0, 8.0)
    for given in (None, weights):
        found = pass_rates(passed, given)
        for k in range(1, 6):
            chosen = [passed[:, list(trials)] for trials in combinations(range(5), k)]
            any_of = np.mean([one.any(axis=1) for one in chosen], axis=0)
            all_of = np.mean([one.all(axis=1) for one in chosen], axis=0)
            assert found.any_of[k - 1] == pytest.approx(np.average(any_of, weights=given))
            assert found.all_of[k - 1] == pytest.approx(np.average(all_of, weights=given))
        differ = passed.any(axis=1) & ~passed.all(axis=1)
        assert found.flips == pytest.approx(np.average(differ, weights=given))


def test_one_more_trial_costs_as_much_as_queries_at_the_cost_that_is_told() -> None:
    trials, n = [(0.03, 3), (0.05, 2)], 60
    spread = 0.2
    found = trial_trade(spread, n, trials)
    between = spread**2 - 0.03 / 3 - 0.05 / 2
    assert found.variance_of_queries == pytest.approx(between)
    later = between + 0.03 / 4 + 0.05 / 3
    more = n + found.queries
    assert spread**2 / more == pytest.approx(later / n)  # the same error of the mean
    assert more * (found.cost + 5) == pytest.approx(n * (found.cost + 7))  # and the same cost
    assert trial_trade(0.2, 60, [(0.0, 2)]).cost == math.inf
    assert trial_trade(0.01, 60, [(0.5, 2)]).variance_of_queries == 0
