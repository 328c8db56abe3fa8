"""What statistics cannot say is said in words, and what they are asked wrongly is refused."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rankmark.errors import InputError
from rankmark.statistics import (
    PairedTest,
    adjust,
    anova,
    bootstrap_test,
    detectable_difference,
    effect_size,
    letters,
    max_t,
    mean_interval,
    mean_intervals,
    power_of_t,
    randomisation_test,
    randomise_pairs,
    randomised_tukey,
    relative_interval,
    required_queries,
    share_interval,
    sign_test,
    simulated_power,
    simulated_queries,
    t_test,
    tukey,
    wilcoxon_test,
)

EVERY: list[Callable[..., PairedTest]] = [
    randomisation_test,
    t_test,
    wilcoxon_test,
    sign_test,
    bootstrap_test,
]


@pytest.mark.parametrize("test", EVERY)
def test_without_a_query_there_is_no_p(test: Callable[..., PairedTest]) -> None:
    result = test([math.nan, 1.0], [1.0, math.nan])
    assert math.isnan(result.p)
    assert math.isnan(result.difference)
    assert result.undefined == "no query has a score from both systems"
    assert (result.n, result.left_out) == (0, 2)


@pytest.mark.parametrize("test", [t_test, bootstrap_test])
def test_one_query_has_no_spread(test: Callable[..., PairedTest]) -> None:
    result = test([0.1], [0.3])
    assert math.isnan(result.p)
    assert result.undefined == "1 query"


@pytest.mark.parametrize("test", [randomisation_test, wilcoxon_test, sign_test])
def test_one_query_has_two_signs_and_so_a_p_of_1(test: Callable[..., PairedTest]) -> None:
    result = test([0.1], [0.3])
    assert (result.p, result.smallest_p) == (1.0, 1.0)
    assert "no p-value below 1 is possible" in result.warning


@pytest.mark.parametrize("test", [t_test, wilcoxon_test, sign_test, bootstrap_test])
def test_where_all_differences_are_0_there_is_no_p(test: Callable[..., PairedTest]) -> None:
    result = test([0.1, 0.2, 0.3], [0.1, 0.2, 0.3])
    assert math.isnan(result.p)
    assert result.undefined == "all differences are 0 (3 queries)"


def test_where_all_differences_are_0_every_sign_gives_the_same() -> None:
    result = randomisation_test([0.1, 0.2, 0.3], [0.1, 0.2, 0.3])
    assert (result.p, result.warning) == (1.0, "all differences are 0")


@pytest.mark.parametrize("test", [t_test, bootstrap_test])
def test_where_all_differences_are_alike_nothing_is_known_of_their_spread(
    test: Callable[..., PairedTest],
) -> None:
    result = test([0.1, 0.2, 0.3], [0.2, 0.3, 0.4])
    assert math.isnan(result.p)
    assert result.undefined == "all differences are 0.1, so their spread is unknown"


@pytest.mark.parametrize("test", [wilcoxon_test, sign_test])
def test_who_tests_symmetry_on_skewed_differences_is_told_the_skew(
    test: Callable[..., PairedTest],
) -> None:
    differences = np.random.default_rng(1).exponential(size=250) - 1
    result = test(np.zeros(250), differences)
    assert result.p < 0.05  # though their mean is 0
    assert "the differences that are not 0 are skewed (skewness +2.77)" in result.warning
    assert randomisation_test(np.zeros(250), differences).p > 0.05
    even = np.random.default_rng(0).normal(size=250)
    assert test(np.zeros(250), even).warning == ""


@pytest.mark.parametrize("test", [wilcoxon_test, sign_test])
def test_a_small_skew_of_very_many_differences_is_told_too(
    test: Callable[..., PairedTest],
) -> None:
    rng = np.random.default_rng(0)
    differences = rng.beta(2, 3, size=5000) - 0.4  # skewness 0.29
    result = test(np.zeros(5000), differences)
    assert "skewed (skewness +0.2" in result.warning
    sparse = np.where(rng.random(5000) < 0.95, 0.0, rng.normal(size=5000))
    assert test(np.zeros(5000), sparse).warning == ""


def test_every_result_names_its_null() -> None:
    a, b = np.random.default_rng(1).random((2, 12))
    nulls = [test(a, b).null for test in EVERY]
    assert ["mean" in null for null in nulls] == [False, True, False, False, True]
    assert ["symmetric" in null for null in nulls] == [True, False, True, False, False]


def test_the_seed_that_chance_chose_is_named_and_gives_the_same_again() -> None:
    a, b = np.random.default_rng(2).random((2, 50))
    by_chance = randomisation_test(a, b, resamples=500, seed=None)
    assert by_chance.seed is not None
    assert randomisation_test(a, b, resamples=500, seed=by_chance.seed) == by_chance


def test_intervals_without_spread_are_none() -> None:
    for method in ("t", "BCa"):
        ten_of_ten = mean_interval([1.0] * 10, method=method)
        assert (ten_of_ten.estimate, ten_of_ten.n) == (1.0, 10)
        assert math.isnan(ten_of_ten.low)
        assert math.isnan(ten_of_ten.high)
        assert ten_of_ten.undefined == "all values are 1, so their spread is unknown"
        assert "share" in ten_of_ten.warning
        assert mean_interval([0.3], method=method).undefined == "1 query"
        assert mean_interval([math.nan], method=method).undefined == "no query has a score"


def test_one_cluster_has_no_spread() -> None:
    assert mean_interval([0.1, 0.2], method="t", clusters=["a", "a"]).undefined == "1 cluster"
    assert t_test([0.1, 0.2], [0.3, 0.3], clusters=["a", "a"]).undefined == "1 cluster"


def test_a_ratio_to_what_may_be_0_has_no_interval() -> None:
    result = relative_interval([0.0, 0.0, 0.5, 0.0], [0.1, 0.2, 0.3, 0.1])
    assert result.estimate == pytest.approx(0.4)
    assert math.isnan(result.low)
    assert "could be 0" in result.undefined
    assert relative_interval([0.0, 0.0], [0.1, 0.2]).undefined == "the baseline's mean is 0"
    assert relative_interval([0.1], [0.2]).undefined == "1 query"


def test_shares_of_no_query_are_undefined() -> None:
    result = share_interval([math.nan])
    assert (result.undefined, result.left_out) == ("no query has a score", 1)


def test_effects_of_one_query_or_none_say_so() -> None:
    assert effect_size([0.1], [0.2]).undefined == "1 query"
    assert effect_size([math.nan], [0.2]).undefined == "no query has a score from both systems"
    same = effect_size([0.1, 0.2], [0.2, 0.3])
    assert same.undefined == "all differences are 0.1"
    assert math.isnan(same.d_z)


def test_corrections_leave_out_tests_that_could_not_be_made() -> None:
    result = adjust([[0.01, math.nan], [0.03, 0.02]])
    assert result.adjusted[0, 0] == pytest.approx(0.03)
    assert math.isnan(result.adjusted[0, 1])
    assert (result.family, result.left_out) == (3, 1)
    assert adjust([math.nan]).family == 0


def test_max_t_leaves_out_pairs_without_a_difference() -> None:
    scores = np.random.default_rng(3).random((8, 3))
    scores[:, 2] = scores[:, 0]
    result = max_t(scores)
    assert [one[0] for one in result.undefined] == ["", "all differences are 0", ""]
    assert result.family[:, 0].tolist() == [2, 0, 2]
    assert np.isnan(result.adjusted[1, 0])
    assert np.isnan(result.t[1, 0])


def test_all_pairs_of_no_query_are_undefined() -> None:
    empty = np.empty((0, 3))
    why = "no query has a score from both systems"
    assert [one[0].undefined for one in randomise_pairs(empty)] == [why] * 3
    assert max_t(empty).undefined == ((why,),) * 3
    for result in (randomised_tukey(empty, resamples=10), tukey(empty)):
        assert result.undefined == ("no query has a score from every system",)
        assert np.isnan(result.difference).all()
    one_query = max_t([[1, 2, 3]])
    assert one_query.adjusted.tolist() == [[1.0]] * 3
    assert np.isnan(one_query.t).all()


@pytest.mark.slow
def test_tukeys_undefined_measures_say_why() -> None:
    scores = np.full((4, 3, 3), 0.5)
    scores[:, 0, 1] = np.nan
    scores[:, :, 2] = np.random.default_rng(4).random((4, 3))
    for result in (randomised_tukey(scores, resamples=100), tukey(scores)):
        assert result.undefined[1] == "no query has a score from every system"
        assert result.undefined[2] == ""
        assert np.isnan(result.adjusted[:, :2]).all()
        assert result.n.tolist() == [4, 0, 4]
    assert (
        randomised_tukey(scores, resamples=100).undefined[0] == "all systems have the same scores"
    )
    assert anova([[0.1, 0.2]]).undefined == "1 query"


def test_posteriors_and_margins_without_spread_say_so() -> None:
    assert simulated_power([0.1], 0.1).undefined == "1 query; a t test needs at least 2"
    nothing = simulated_queries([0.1, 0.1], 0.1)
    assert (nothing.undefined, nothing.n) == ("all differences are 0.1", 0)


WRONG: list[tuple[Callable[[], Any], str]] = [
    (lambda: t_test([1, 2], [1, 2, 3]), "baseline has 2 scores and other 3"),
    (lambda: t_test([1, math.inf], [1, 2]), "infinite"),
    (lambda: t_test([[1, 2]], [[1, 2]]), "shape"),
    (lambda: t_test(["a"], ["b"]), "need an array of numbers"),
    (lambda: t_test([1], [2], alternative="up"), "alternative is 'up'; need one of two-sided"),
    (lambda: t_test([1, 2], [2, 1], clusters=["a"]), "cluster for each query"),
    (lambda: wilcoxon_test([1], [2], zeros="drop"), "zeros is 'drop'"),
    (lambda: randomisation_test([1], [2], resamples=0), "resamples is 0"),
    (lambda: randomisation_test([1], [2], seed=-1), "seed is -1"),
    (lambda: randomise_pairs([[1]]), "1 system; need at least two"),
    (lambda: randomise_pairs([[1, 2]], [(0, 2)]), r"pairs contains \(0, 2\)"),
    (lambda: randomise_pairs([[1, 2]], [(1, 1)]), "two different systems"),
    (lambda: randomise_pairs([[1, 2]], []), "pairs is empty"),
    (lambda: max_t([1.0, 2.0]), "shape"),
    (lambda: max_t([[1.0, 2.0]] * 3, threads=0), "threads is 0"),
    (lambda: mean_interval([1, 2], method="normal"), "method is 'normal'"),
    (lambda: mean_interval([1, 2], confidence=95), "confidence is 95"),
    (lambda: mean_intervals(np.zeros((2, 2, 2))), "shape"),
    (lambda: share_interval([0, 0.5]), "values contains 0.5"),
    (lambda: adjust([1.2]), "above 1"),
    (lambda: adjust([0.2], "sidak"), "correction is 'sidak'"),
    (lambda: letters([1, 2], [(0, 1)], [0.1, 0.2]), "1 pair and 2 p-values"),
    (lambda: t_test([1, 1e200], [2, 3]), "beyond 1e\\+100"),
    (lambda: max_t(np.zeros((3, 2, 0))), "contains no measure"),
    (lambda: letters([1, 2, 3], [(0, 1)], [0.1]), "letters need the p-values of all pairs"),
    (lambda: power_of_t(0.1, 1, 1), "at least 2"),
    (lambda: power_of_t(0.1, 0, 5), "spread is 0"),
    (lambda: required_queries(0, 1), "difference is 0"),
    (lambda: required_queries(1e-9, 1), "a billion queries"),
    (lambda: simulated_queries([0.1, 0.2], 1e-5), "more than 100,000 queries"),
    (lambda: simulated_queries([0.1, 0.2], 0), "difference is 0"),
    (lambda: detectable_difference(1, 10, power=0.01), "no more than the level"),
]


@pytest.mark.parametrize(("ask", "words"), WRONG, ids=[words for _, words in WRONG])
def test_what_cannot_be_is_refused_in_words(ask: Callable[[], Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        ask()


@pytest.mark.slow
def test_scipy_is_imported_only_when_it_is_used() -> None:
    import subprocess
    import sys

    code = "import sys, rankmark.statistics; print(any(m.startswith('scipy') for m in sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
