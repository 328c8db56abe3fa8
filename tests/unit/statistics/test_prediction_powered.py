"""Prediction-powered means: what must hold for every sample."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.statistics.label_planning import (
    effective_labels,
    labels_for_difference,
    labels_for_half_width,
)
from rankmark.statistics.labelled_samples import drawn, inclusion_probabilities
from rankmark.statistics.multiple_comparisons import largest_t
from rankmark.statistics.prediction_powered import prediction_powered


def sample(n: int = 30, others: int = 200, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    model = rng.random(n + others)
    people = np.clip(model + rng.normal(0, 0.2, n + others), 0, 1)
    people[n:] = np.nan
    return people, model


def test_a_constant_model_falls_back_to_people_alone() -> None:
    people, _ = sample()
    found = prediction_powered(people, np.full(len(people), 0.3))
    assert found.lam == 0
    assert found.interval.low == found.people.low
    assert found.effective_n == pytest.approx(30)
    assert math.isnan(found.correlation)


def test_a_model_that_is_off_by_a_constant_changes_nothing() -> None:
    people, model = sample()
    found, off = prediction_powered(people, model), prediction_powered(people, model - 0.4)
    assert off.estimate == pytest.approx(found.estimate)
    assert off.error == pytest.approx(found.error)
    assert off.model.estimate == pytest.approx(found.model.estimate - 0.4)


def test_a_good_model_is_worth_labels_and_a_useless_one_costs_some_with_ppi() -> None:
    people, model = sample()
    assert prediction_powered(people, model).effective_n > 60
    noise = np.random.default_rng(5).random(len(model))
    assert prediction_powered(people, noise, method="ppi").effective_n < 25


def test_equal_probabilities_are_a_random_sample_to_the_bit() -> None:
    people, model = sample()
    plain = prediction_powered(people, model)
    equal = prediction_powered(people, model, probabilities=np.full(len(model), 30 / 230))
    assert (equal.estimate, equal.error) == (plain.estimate, plain.error)
    nearly = np.full(len(model), 30 / 230)
    nearly[:5] *= 1 + 1e-7
    found = prediction_powered(people, model, probabilities=nearly)
    assert found.estimate == pytest.approx(plain.estimate, rel=1e-3)
    assert found.error == pytest.approx(plain.error, rel=1e-2)


def test_a_cluster_for_each_query_changes_nothing() -> None:
    people, model = sample()
    own = prediction_powered(people, model, clusters=list(range(len(model))))
    plain = prediction_powered(people, model)
    assert (own.estimate, own.error) == pytest.approx((plain.estimate, plain.error))
    assert own.interval.clusters == 30


def test_repeating_each_query_as_a_cluster_adds_no_information() -> None:
    people, model = sample()
    twice = prediction_powered(
        np.repeat(people, 2), np.repeat(model, 2), clusters=np.repeat(np.arange(230), 2)
    )
    plain = prediction_powered(people, model)
    assert (twice.estimate, twice.error) == pytest.approx((plain.estimate, plain.error))
    assert prediction_powered(np.repeat(people, 2), np.repeat(model, 2)).error < 0.8 * plain.error


def test_order_of_queries_does_not_matter() -> None:
    people, model = sample()
    order = np.random.default_rng(1).permutation(len(model))
    strata = np.where(model > 0.5, "high", "low")
    a = prediction_powered(people, model, strata=strata)
    b = prediction_powered(people[order], model[order], strata=strata[order])
    assert (a.estimate, a.error) == pytest.approx((b.estimate, b.error))


def test_strata_are_weighted_by_their_shares_of_all_queries() -> None:
    people = np.array([1.0, 0.8, 0.9, 0.1, 0.3] + [np.nan] * 15)
    strata = ["a"] * 3 + ["b"] * 2 + ["a"] * 1 + ["b"] * 14
    found = prediction_powered(people, np.linspace(0, 1, 20), strata=strata, method="human")
    assert found.estimate == pytest.approx(4 / 20 * 0.9 + 16 / 20 * 0.2)
    within = (4 / 20) ** 2 * 0.01 / 3 + (16 / 20) ** 2 * 0.02 / 2
    between = 4 / 20 * 0.56**2 + 16 / 20 * 0.14**2
    assert found.error**2 == pytest.approx(within + between / 20)
    known = prediction_powered(
        people, np.linspace(0, 1, 20), strata=strata, method="human", finite=True
    )
    left = (4 / 20) ** 2 * 0.01 / 3 * (1 - 3 / 4) + (16 / 20) ** 2 * 0.02 / 2 * (1 - 2 / 16)
    assert known.error**2 == pytest.approx(left)


def test_of_a_finite_set_that_is_judged_whole_nothing_is_unknown() -> None:
    people, model = sample(30, 0)
    found = prediction_powered(people, model, finite=True)
    assert found.estimate == pytest.approx(people.mean())
    assert found.error == 0
    assert found.interval.undefined == "people judged all 30 queries, and the set is finite"
    assert prediction_powered(people, model).interval.undefined == ""


def test_ends_are_undefined_where_people_agree_on_everything() -> None:
    people = np.array([1.0] * 5 + [np.nan] * 20)
    found = prediction_powered(people, np.linspace(0, 1, 25))
    assert found.interval.undefined == "all 5 values by people are 1, so their spread is unknown"
    assert math.isnan(found.interval.low)
    assert math.isnan(found.p)


def test_a_model_that_agrees_on_all_judged_queries_is_warned_of() -> None:
    _, model = sample()
    people = np.where(np.arange(len(model)) < 30, model, np.nan)
    found = prediction_powered(people, model, method="ppi")
    assert "errs alike" in found.interval.warning


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"probabilities": [0.0] * 230}, "a probability is 0"),
        ({"probabilities": [0.5] * 3}, "3 numbers for 230"),
        ({"strata": ["a"] + ["b"] * 229}, "of stratum 'a'"),
        ({"clusters": [0, 0] * 115, "strata": ["a", "b"] * 115}, "several strata"),
        ({"clusters": [0] * 230, "finite": True}, "finite"),
        ({"form": "normal", "finite": True}, "normal"),
        ({"lam": 2.0}, "lam is 2.0"),
        ({"method": "ppi+"}, "method"),
        ({"clusters": [0] * 230}, "1 of the clusters"),
    ],
)
def test_what_is_impossible_is_refused(change: dict[str, Any], told: str) -> None:
    with pytest.raises(rm.InputError, match=told):
        prediction_powered(*sample(), **change)


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9])
def test_labels_are_worth_what_the_variance_says(correlation: float) -> None:
    n, others = 30, 300
    expected = n * (n + others) / (n + (1 - correlation**2) * others)
    assert effective_labels(n, correlation, n + others) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("of", "size"), [(labels_for_half_width, 0.05), (labels_for_difference, 0.1)]
)
def test_fewer_labels_are_needed_with_a_better_model(of: Callable[..., Any], size: float) -> None:
    found = [of(size, 0.3, one, queries=2_000) for one in (0.0, 0.5, 0.9)]
    assert found[0].with_model == found[0].alone
    assert found[0].with_model > found[1].with_model > found[2].with_model
    assert len({one.alone for one in found}) == 1
    assert of(size / 100, 0.3, 0.9, queries=100).with_model is None


def test_without_a_model_power_is_that_of_a_t_test() -> None:
    from rankmark.statistics import required_queries

    assert labels_for_difference(0.05, 0.2, 0.0).alone == required_queries(0.05, 0.2).n


def test_systematic_draws_have_their_probabilities() -> None:
    chances = inclusion_probabilities([0, 1, 1, 2, 5, 20], 3, uniform=0.2)
    assert chances.sum() == pytest.approx(3)
    assert chances.max() == 1
    rng = np.random.default_rng(0)
    counts = np.zeros(6)
    for _ in range(4000):
        rows = drawn(chances, rng)
        assert len(set(rows.tolist())) == 3
        counts[rows] += 1
    assert np.abs(counts / 4000 - chances).max() < 0.03


def test_equal_sizes_have_equal_probabilities() -> None:
    assert inclusion_probabilities(np.zeros(8), 2).tolist() == [0.25] * 8
    assert inclusion_probabilities([3, 3, 3], 3).tolist() == [1, 1, 1]


def test_one_estimate_needs_no_correction_and_equal_ones_none_either() -> None:
    rng = np.random.default_rng(0)
    one = rng.normal(size=(40, 1))
    single = largest_t([2.1], one, 39)
    same = largest_t([2.1, 2.1], np.repeat(one, 2, axis=1), 39)
    assert single.adjusted[0] == pytest.approx(0.0422, abs=0.002)
    assert same.adjusted.tolist() == pytest.approx([single.adjusted[0]] * 2, abs=0.003)
    apart = largest_t([2.1, 2.1], rng.normal(size=(40, 2)), 39)
    assert apart.adjusted[0] > 1.5 * single.adjusted[0]
    assert apart.critical > same.critical


@pytest.mark.parametrize("design", [{"probabilities": np.full(60, 1 / 3)}, {"strata": ["a"] * 60}])
def test_a_sample_with_equal_probabilities_is_a_random_one(design: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    people = np.where(np.arange(60) < 3, -0.4, rng.integers(0, 2, 60) * 0.5)  # 3 of 20 lose
    model, people[20:] = people + 0.1 * rng.standard_normal(60), math.nan
    plain = prediction_powered(people, model, between=(-1, 1))
    same = prediction_powered(people, model, between=(-1, 1), **design)
    for one, other in ((plain.interval, same.interval), (plain.people, same.people)):
        assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=1e-12)
    assert same.p == pytest.approx(plain.p)
