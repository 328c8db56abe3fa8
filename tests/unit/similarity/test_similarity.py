"""Two rankings compared: the examples of the textbooks, edges, and words for what is wrong."""

import math

import numpy as np
import pytest

import rankmark as rm
from rankmark.errors import DuplicateError, InputError, MismatchError, SchemaError
from rankmark.similarity import (
    ALL,
    Interval,
    average_overlap,
    compatibility,
    interval,
    jaccard,
    kendall_distance,
    kendall_tau,
    overlap,
    p_value,
    rbo,
    rbo_weight,
    spearman_footrule,
    spearman_rho,
    tau_ap,
    weighted_tau,
)

ONE, OTHER = [1, 2, 3, 4, 5], [3, 1, 2, 5, 4]
OF_PAIRS = [kendall_distance, kendall_tau, spearman_rho, spearman_footrule, weighted_tau, tau_ap]
OF_SETS = [average_overlap, overlap, jaccard]


def test_three_of_ten_pairs_are_in_another_order() -> None:
    assert kendall_distance(ONE, OTHER, normalized=False) == 3
    assert kendall_distance(ONE, OTHER) == 0.3
    assert kendall_tau(ONE, OTHER) == 0.4
    assert spearman_rho(ONE, OTHER) == 0.6


def test_a_list_and_its_reverse_are_as_far_as_it_goes() -> None:
    assert kendall_distance(ONE, ONE[::-1]) == 1
    assert kendall_tau(ONE, ONE[::-1]) == -1
    assert spearman_rho(ONE, ONE[::-1]) == -1


def test_one_pair_of_lists_has_all_the_numbers_that_packages_give() -> None:
    found = rbo(list("abcde"), list("bcdae"), p=0.9)
    assert round(found.truncated, 4) == 0.2375
    assert round(found.min, 4) == 0.5
    assert round(found.residual, 4) == 0.328
    assert round(found.normalized, 4) == 0.58
    assert round(found.extrapolated, 4) == 0.828
    assert float(found) == found.extrapolated
    assert found.max == found.min + found.residual


def test_the_module_is_an_attribute_of_the_package() -> None:
    assert rm.similarity.kendall_tau is kendall_tau


@pytest.mark.parametrize("function", OF_PAIRS)
@pytest.mark.parametrize(("a", "b"), [([], []), ([], ["a"]), (["a"], ["a"])])
def test_where_there_is_no_pair_there_is_no_value(function, a, b) -> None:
    assert math.isnan(function(a, b))
    assert math.isnan(function(b, a))


@pytest.mark.parametrize("function", OF_SETS)
def test_an_empty_list_has_nothing_in_common(function) -> None:
    assert function([], ["a"]) == function(["a"], []) == 0
    assert math.isnan(function([], []))


def test_rbo_of_empty_lists_is_all_residual() -> None:
    one, both = rbo([], ["a", "b"]), rbo([], [])
    assert (one.min, one.residual, one.extrapolated) == pytest.approx((0, 1, 0))
    assert (both.min, both.residual) == (0, 1)
    assert math.isnan(both.extrapolated)
    assert math.isnan(both.normalized)


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.function.__name__)
def test_lists_with_nothing_in_common_or_of_different_lengths_have_a_value(one) -> None:
    for a, b in ((["a", "b"], ["c", "d"]), (["a", "b", "c"], ["b"]), (["x"], ["a", "b", "c"])):
        assert math.isfinite(one.function(a, b))


def test_nothing_in_common_is_the_end_of_what_measures_top_lists() -> None:
    a, b = ["a", "b", "c"], ["x", "y", "z"]
    assert kendall_distance(a, b, form="top-k", p=0) == 1
    assert kendall_distance(a, b, form="top-k", p=0.5) == 1
    assert spearman_footrule(a, b, form="top-k") == 1
    assert rbo(a, b).extrapolated == average_overlap(a, b) == overlap(a, b) == jaccard(a, b) == 0


def test_what_is_all_tied_has_no_correlation() -> None:
    flat, ranked = {"a": 1.0, "b": 1.0, "c": 1.0}, ["a", "b", "c"]
    for function in (kendall_tau, spearman_rho, weighted_tau):
        assert math.isnan(function(flat, ranked))
    assert math.isnan(tau_ap(ranked, flat, variant="b"))
    assert kendall_tau(flat, ranked, variant="a") == 0
    assert tau_ap(ranked, flat) == pytest.approx(0)
    assert kendall_distance(flat, ranked, p=0.25) == 0.25


def test_k_cuts_before_anything_is_compared() -> None:
    a, b = ["a", "b", "c", "d"], ["b", "a", "d", "c"]
    assert kendall_distance(a, b, k=2) == 1
    assert kendall_tau(a, b, k=2) == -1
    assert overlap(a, b, 1) == jaccard(a, b, 1) == 0
    assert average_overlap(a, b, k=2) == 0.5
    assert rbo(a, b, k=2) == rbo(["a", "b"], ["b", "a"])


def test_a_tie_across_k_is_kept_whole() -> None:
    tied = {"a": 3.0, "b": 2.0, "c": 2.0, "d": 1.0}
    assert kendall_distance(tied, ["c", "b", "a"], k=2, normalized=False) == 2 + 0.5
    assert overlap(tied, ["b", "c"], 2, norm="count") == 2


def test_items_of_one_list_alone_can_be_dropped_or_refused() -> None:
    a, b = ["a", "x", "b"], ["b", "a", "y"]
    assert kendall_distance(a, b, missing="drop") == 1
    with pytest.raises(MismatchError, match="items in only one of the two rankings: 'x', 'y'"):
        kendall_tau(a, b, missing="error")


def test_equal_scores_are_ties() -> None:
    a = {"a": 2.0, "b": 2.0, "c": 1.0}
    assert kendall_distance(a, ["a", "b", "c"], normalized=False, p=0.5) == 0.5
    assert rbo(a, a, ties="a").extrapolated < 1
    assert rbo(a, a, ties="b").extrapolated == pytest.approx(1)
    assert rbo(a, a, ties="w").extrapolated == pytest.approx(1)


def test_compatibility_is_one_for_an_ideal_ranking_and_zero_without_one() -> None:
    qrels = {"a": 2, "b": 2, "c": 1, "d": 0, "e": -1}
    assert compatibility(["b", "a", "c"], qrels) == pytest.approx(1)
    assert compatibility(["b", "a", "c", "z"], qrels) == pytest.approx(1)
    assert compatibility(["d", "e"], qrels) == compatibility([], qrels) == 0
    assert compatibility(["d"], {"d": 0}) == 0
    assert compatibility(["x", "a"], {"a"}) == compatibility(["x", "a"], ["a"])


def test_compatibility_orders_equal_scores_by_id_ascending() -> None:
    assert compatibility({"a": 1.0, "b": 1.0}, {"a": 1}) == pytest.approx(1)
    assert compatibility({"a": 1.0, "b": 1.0}, {"b": 1}) < 1


@pytest.mark.parametrize("function", [one.function for one in ALL])
def test_an_item_that_stands_twice_is_named(function) -> None:
    with pytest.raises(DuplicateError, match="b: some items appear more than once: 'x', 'y'"):
        function(["x"], ["x", "y", "x", "y", "z"])


def test_arrays_of_different_lengths_are_refused() -> None:
    with pytest.raises(SchemaError, match="a has 2 numbers and b 3; items are identified"):
        kendall_tau(np.array([0.1, 0.2]), np.array([0.1, 0.2, 0.3]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rbo(ONE, OTHER, p=1), "p is 1; need a number above 0 and below 1"),
        (lambda: rbo(ONE, OTHER, p="0.9"), "p is '0.9'; need a number above 0"),
        (lambda: rbo(ONE, OTHER, ties="best"), 'ties is \'best\'; need one of "a", "b", "w"'),
        (lambda: kendall_distance(ONE, OTHER, p=1.5), "p is 1.5; need a number from 0 to 1"),
        (lambda: kendall_distance(ONE, OTHER, p=[]), "need a number from 0 to 1"),
        (lambda: kendall_distance(ONE, OTHER, form="part"), "form is 'part'"),
        (lambda: spearman_footrule(ONE, OTHER, form="part"), "form is 'part'"),
        (lambda: kendall_tau(ONE, OTHER, variant="d"), "variant is 'd'; need one of \"a\""),
        (lambda: tau_ap(ONE, OTHER, variant="w"), "variant is 'w'"),
        (lambda: kendall_tau(ONE, OTHER, k=0), "k is 0; need a whole number from 1"),
        (lambda: kendall_tau(ONE, OTHER, missing="first"), "missing is 'first'"),
        (lambda: average_overlap(ONE, OTHER, k=1.5), "k is 1.5"),
        (lambda: average_overlap(ONE, OTHER, ties="mean"), "ties is 'mean'"),
        (lambda: overlap(ONE, OTHER, norm="max"), "norm is 'max'"),
        (lambda: compatibility(ONE, {1: 1}, depth=0), "depth is 0"),
        (lambda: compatibility(ONE, "abc"), "qrels is 'abc'; need {document: label}"),
        (lambda: compatibility(ONE, {1: "high"}), "qrels: no number for '1'"),
        (lambda: p_value(rbo, ONE, OTHER), "coefficient is rbo; need one of kendall_tau"),
        (lambda: p_value(kendall_tau, ONE, OTHER, alternative="more"), "alternative is 'more'"),
        (lambda: p_value(kendall_tau, ONE, OTHER, resamples=0), "resamples is 0"),
        (lambda: interval(kendall_tau, ONE, OTHER, confidence=95), "confidence is 95"),
    ],
)
def test_a_parameter_that_is_none_is_refused(call, message: str) -> None:
    with pytest.raises(InputError) as refused:
        call()
    assert message in str(refused.value)


def test_a_p_value_over_all_orders_of_few_items_is_exact() -> None:
    # Of the 120 orders of five items 29 have three inversions or fewer (1 + 4 + 9 + 15).
    found = p_value(kendall_tau, ONE, OTHER, alternative="greater")
    assert found == pytest.approx(29 / 120)
    assert p_value(kendall_tau, ONE, OTHER) == pytest.approx(2 * 29 / 120)


def test_a_p_value_of_drawn_orders_hangs_on_the_seed_alone() -> None:
    a = list(range(10))
    b = [1, 0, 2, 3, 5, 4, 6, 7, 9, 8]
    drawn = [p_value(tau_ap, a, b, resamples=99, seed=seed) for seed in (0, 0)]
    assert drawn[0] == drawn[1] == 2 / 100  # never 0: the order found is one of them
    parameters = {"resamples": 50, "variant": "a", "k": 9, "missing": "drop"}
    assert 0 < p_value(kendall_tau, a, b, **parameters) < 0.1


@pytest.mark.slow
def test_an_interval_surrounds_what_was_found() -> None:
    a, b = list(range(12)), [1, 0, 2, 3, 5, 4, 6, 7, 9, 8, 11, 10]
    for function in (kendall_tau, spearman_rho, weighted_tau, tau_ap):
        low, high = interval(function, a, b, resamples=100)
        assert -1 <= low < function(a, b) < high <= 1
        assert interval(function, a, b, resamples=100) == (low, high)
    wide, narrow = (interval(kendall_tau, a, b, confidence=c, resamples=100) for c in (0.99, 0.5))
    assert wide.low < narrow.low < narrow.high < wide.high


def test_what_has_no_value_has_no_p_value_and_no_interval() -> None:
    assert math.isnan(p_value(kendall_tau, ["a"], ["a"]))
    assert all(map(math.isnan, interval(kendall_tau, ["a"], ["a"])))
    assert interval(kendall_tau, ["a", "b"], ["a", "b"], resamples=20) == Interval(1.0, 1.0)


def test_the_weight_of_any_number_of_ranks_is_quickly_known() -> None:
    assert rbo_weight(10**9) == rbo_weight(10**18, p=0.999) == 1.0
    with pytest.raises(rm.InputError, match="too many terms"):
        rbo_weight(10**12, p=1 - 1e-12)
