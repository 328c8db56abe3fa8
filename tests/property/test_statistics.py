"""What is true of every array of scores: seeds, threads, orders of queries, swaps, bounds."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmark.statistics import (
    adjust,
    bootstrap_test,
    bootstrap_tests,
    effect_size,
    effect_sizes,
    letters,
    max_t,
    mean_interval,
    mean_intervals,
    randomisation_test,
    randomise_pairs,
    randomised_tukey,
    sign_test,
    t_test,
    wilcoxon_test,
)
from rankmark.statistics.resampling import Signs, fixed_point

TENTHS = st.lists(st.integers(-10, 10), min_size=1, max_size=9)
SCORES = st.lists(
    st.tuples(*[st.floats(0, 1, allow_nan=False, width=16)] * 2), min_size=2, max_size=40
)
P = st.lists(st.floats(0, 1) | st.just(math.nan), min_size=1, max_size=12)
TESTS = [randomisation_test, t_test, wilcoxon_test, sign_test, bootstrap_test]
FEW = {randomisation_test: {"resamples": 99}, bootstrap_test: {"resamples": 99}}


@pytest.mark.parametrize("test", TESTS)
@given(SCORES)
def test_p_is_above_0_and_at_most_1_or_undefined_in_words(test, scores) -> None:
    result = test(*zip(*scores, strict=True), **FEW.get(test, {}))
    if result.undefined:
        assert math.isnan(result.p)
    else:
        assert 0 < result.p <= 1
        assert result.p >= result.smallest_p * (1 - 1e-12)
        assert result.n == len(scores)


@given(TENTHS, st.randoms(use_true_random=False))
def test_where_signs_are_counted_the_order_of_queries_is_nothing(tenths, random) -> None:
    differences = np.array(tenths) / 10
    shuffled = differences.copy()
    random.shuffle(shuffled)
    zeros = np.zeros(len(tenths))
    for test in (randomisation_test, wilcoxon_test, sign_test):
        one, other = test(zeros, differences), test(zeros, shuffled)
        assert (one.p, one.undefined) == (other.p, other.undefined) or math.isnan(one.p)


@given(TENTHS)
def test_counted_signs_are_exact_whatever_the_rounding_of_scores(tenths) -> None:
    found = abs(sum(tenths))
    sums = [
        abs(sum(map(int.__mul__, tenths, signs)))
        for signs in itertools.product((1, -1), repeat=len(tenths))
    ]
    expected = float(Fraction(sum(one >= found for one in sums), len(sums)))
    for unit in (0.1, 1 / 3, 1e-7, 7e5):
        shifted = [0.3 * unit + unit * tenth for tenth in tenths]
        result = randomisation_test([0.3 * unit] * len(tenths), shifted)
        assert result.p == expected


@given(SCORES)
def test_swapping_systems_swaps_wins_and_losses(scores) -> None:
    a, b = (list(column) for column in zip(*scores, strict=True))
    forth, back = effect_size(a, b), effect_size(b, a)
    assert (forth.wins, forth.ties, forth.losses) == (back.losses, back.ties, back.wins)
    assert forth.difference == -back.difference
    assert forth.cliffs_delta == pytest.approx(-back.cliffs_delta)
    assert forth.probability_of_superiority == pytest.approx(1 - back.probability_of_superiority)


@given(SCORES)
def test_an_interval_holds_its_mean_and_moves_with_its_values(scores) -> None:
    values = np.array(scores)[:, 0]
    interval = mean_interval(values, method="t")
    if not interval.undefined:
        assert interval.low <= interval.estimate <= interval.high
        moved = mean_interval(values + 2, method="t")
        assert moved.low == pytest.approx(interval.low + 2, abs=1e-9)
    drawn = mean_interval(values, resamples=50)
    if not drawn.undefined:
        assert values.min() <= drawn.low <= drawn.high <= values.max()


@pytest.mark.parametrize("correction", ["holm", "hochberg", "bonferroni", "bh", "by"])
@given(P)
def test_corrected_p_values_are_no_smaller_and_keep_their_order(correction, p) -> None:
    adjusted = adjust(p, correction).adjusted
    given_p = np.array(p)
    tested = ~np.isnan(given_p)
    assert (np.isnan(adjusted) == ~tested).all()
    assert (adjusted[tested] >= given_p[tested] * (1 - 1e-12)).all()
    assert (adjusted[tested] <= 1).all()
    order = np.argsort(given_p[tested], kind="stable")
    assert (np.diff(adjusted[tested][order]) >= -1e-15).all()


@given(P)
def test_bonferroni_holm_and_hochberg_are_each_at_least_as_strict_as_the_next(p) -> None:
    strict, step, loose = (
        np.nan_to_num(adjust(p, name).adjusted) for name in ("bonferroni", "holm", "hochberg")
    )
    assert (strict >= step - 1e-15).all()
    assert (step >= loose - 1e-15).all()


@given(st.integers(2, 7).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, 2**21 - 1))))
def test_two_systems_share_a_letter_unless_they_are_told_apart(drawn) -> None:
    count, bits = drawn
    pairs = list(itertools.combinations(range(count), 2))
    p = [0.01 if bits >> at & 1 else 0.5 for at in range(len(pairs))]
    found = letters(list(range(count)), pairs, p)
    assert all(found)
    for (a, b), one in zip(pairs, p, strict=True):
        assert bool(set(found[a]) & set(found[b])) == (one > 0.05)
    used = set("".join(found))
    for letter in used:  # no letter is without need
        without = [set(one) - {letter} for one in found]
        missed = [(a, b) for (a, b), x in zip(pairs, p, strict=True) if x > 0.05]
        assert any(not without[a] & without[b] for a, b in missed) or not all(without)


@pytest.mark.parametrize(("n", "count"), [(40, 1), (35, 1000), (200, 10_000), (20_000, 20_000)])
def test_sums_are_those_of_signs(n: int, count: int) -> None:
    values = fixed_point(np.random.default_rng(n).normal(size=(n, 3)), 0.0).values
    signs = Signs(n, count, 5)
    drawn = 0
    for block in signs.blocks:
        sums = signs.sums(block, values)
        drawn += sums.shape[1]
        some = slice(0, None, max(1, sums.shape[1] // 4))
        for query in range(0, n, n // 5):
            one = np.zeros((n, 1))
            one[query] = 1
            assert set(np.unique(signs.sums(block, one))) <= {-1.0, 1.0}
        if n <= 200:
            each = signs.sums(block, np.eye(n))
            assert np.array_equal(sums[:, some], values.T @ each[:, some])
            assert (each.min(axis=0) < 0).all()  # never as they are
        assert (
            sums.tobytes()
            == np.concatenate(
                [signs.sums(block, values[:, [column]]) for column in range(3)]
            ).tobytes()
        )
    assert drawn == count


def test_signs_are_as_often_plus_as_minus_and_any_two_arrangements_independent() -> None:
    draws = []
    for seed in range(300):
        signs = Signs(40, 20, seed)
        draws.append(signs.sums(0, np.eye(40)))
    drawn = np.stack(draws)  # (seeds, queries, arrangements)
    assert set(np.unique(drawn)) == {-1.0, 1.0}
    assert abs(drawn.mean()) < 5 / drawn.size**0.5
    for shared in (drawn @ drawn.transpose(0, 2, 1), drawn.transpose(0, 2, 1) @ drawn):
        total = shared.sum(axis=0) - np.diag(np.diag(shared.sum(axis=0)))
        assert np.abs(total).max() < 5.5 * (drawn.size / len(total)) ** 0.5


def test_estimates_scatter_no_more_than_those_of_independent_signs() -> None:
    differences = np.random.default_rng(6).normal(0.02, 0.1, 40)
    found = [
        randomisation_test(np.zeros(40), differences, resamples=999, seed=seed).p
        for seed in range(400)
    ]
    exact = randomisation_test(np.zeros(40), differences, resamples=2**20 - 1, seed=1).p
    spread = (exact * (1 - exact) / 1000) ** 0.5
    assert np.mean(found) == pytest.approx(exact, abs=4 * spread / 20)
    assert np.std(found) == pytest.approx(spread, rel=0.15)


def test_all_signs_are_all_of_them_once() -> None:
    signs = Signs.of(11, 5000, 0)
    drawn = np.concatenate([signs.sums(block, np.eye(11)) for block in signs.blocks], axis=1)
    assert signs.arrangements == drawn.shape[1] == 2048
    assert len(np.unique(drawn, axis=1).T) == 2048


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_no_bit(threads: int) -> None:
    rng = np.random.default_rng(1)
    scores = rng.random((60, 5, 2))
    scores[3, 2, 1] = np.nan
    assert randomise_pairs(scores, resamples=5000) == randomise_pairs(
        scores, resamples=5000, threads=threads
    )
    for function in (max_t, randomised_tukey):
        alone = function(scores, resamples=5000)
        together = function(scores, resamples=5000, threads=threads)
        assert alone.adjusted.tobytes() == together.adjusted.tobytes()
    columns = scores.reshape(60, -1)
    assert bootstrap_tests(columns, resamples=5000) == bootstrap_tests(
        columns, resamples=5000, threads=threads
    )
    assert mean_intervals(columns, resamples=5000) == mean_intervals(
        columns, resamples=5000, threads=threads
    )


def test_seeds_give_the_same_again_and_others_give_others() -> None:
    a, b = np.random.default_rng(2).random((2, 50))
    for test in (randomisation_test, bootstrap_test):
        found = [test(a, b, resamples=2000, seed=seed).p for seed in (1, 1, 2, 2**64 - 1)]
        assert found[0] == found[1]
        assert len(set(found)) == 3


def test_inputs_are_not_changed() -> None:
    scores = np.random.default_rng(3).random((20, 3, 2))
    kept = scores.copy()
    scores.flags.writeable = False
    randomise_pairs(scores, resamples=100)
    max_t(scores, resamples=100)
    randomised_tukey(scores, resamples=100)
    mean_intervals(scores[:, :, 0], resamples=100)
    assert (scores == kept).all()


def test_p_values_under_the_null_are_no_smaller_than_they_should_be() -> None:
    rng = np.random.default_rng(4)
    differences = rng.integers(-3, 4, size=(60, 400)) / 10
    scores = np.stack([np.zeros_like(differences), differences], axis=1)
    p = np.array([one.p for one in randomise_pairs(scores, [(0, 1)], resamples=999)[0]])
    for level in (0.05, 0.2, 0.5):
        assert np.mean(p <= level) <= level + 3 * (level * (1 - level) / 400) ** 0.5


def test_effect_sizes_of_many_pairs_are_those_of_each() -> None:
    rng = np.random.default_rng(3)
    scores = rng.integers(0, 4, (30, 5, 3)) / 3
    scores[:, 4] = scores[:, 3]
    scores[rng.random((30, 5)) < 0.1, 2] = np.nan
    pairs = [(a, b) for a in range(5) for b in range(5) if a != b]
    many = effect_sizes(scores, pairs)
    for (a, b), found in zip(pairs, many, strict=True):
        for measure, one in enumerate(found):
            alone = effect_size(scores[:, a, measure], scores[:, b, measure])
            assert repr(one) == repr(alone)
    assert repr(effect_sizes(scores[:1], pairs[:1])[0][0].undefined) == "'1 query'"
