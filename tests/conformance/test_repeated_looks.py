"""Confidence sequences and repeated looks give what the literature and confseq give."""

import math

import numpy as np
import pytest

from rankmark.errors import InputError
from rankmark.statistics import (
    confidence_sequence,
    confidence_sequences,
    error_after_looks,
    mean_intervals,
)


@pytest.mark.parametrize(
    ("looks", "level", "published"),
    [
        # Armitage, McPherson and Rowe 1969, table 2, normal with known variance.
        (1, 0.05, 0.050),
        (2, 0.05, 0.083),
        (3, 0.05, 0.107),
        (4, 0.05, 0.126),
        (5, 0.05, 0.142),
        (10, 0.05, 0.193),
        (20, 0.05, 0.248),
        (50, 0.05, 0.320),
        (100, 0.05, 0.374),
        (200, 0.05, 0.424),
        (5, 0.01, 0.033),
        (10, 0.01, 0.047),
    ],
)
def test_repeated_looks_are_as_wrong_as_published(looks, level, published) -> None:
    assert error_after_looks(looks, level) == pytest.approx(published, abs=6e-4)


def test_repeated_one_sided_looks_are_as_wrong_as_a_random_walk() -> None:
    rng = np.random.default_rng(0)
    walks = rng.standard_normal((20_000, 30)).cumsum(axis=1) / np.sqrt(np.arange(1, 31))
    share = np.mean((walks > 1.6448536).any(axis=1))
    expected = error_after_looks(30, alternative="greater")
    assert share == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / 20_000))
    assert error_after_looks(30, alternative="less") == expected


@pytest.mark.parametrize(
    ("n", "low", "high"), [(40, -0.0207, 0.1989), (400, 0.0740, 0.1267)]
)  # confseq 0.0.11, betting_cs(x, breaks=20000, running_intersection=True, trunc_scale=0.9)
def test_confidence_sequences_are_those_of_confseq(
    n: int, low: float, high: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confidence_sequences, "_LARGEST_BET", 0.9)
    differences = 0.6 * ((np.arange(1, n + 1) * 0.6180339887498949) % 1) - 0.2
    found = confidence_sequence(differences)
    assert (found.low, found.high) == pytest.approx((low, high), abs=2e-4)


def test_ends_are_those_of_the_definition() -> None:
    # The formulas of the paper, one query and one mean at a time.
    rng = np.random.default_rng(3)
    differences = rng.uniform(-0.3, 0.5, 60)
    means = np.linspace(-1, 1, 401)
    possible = np.ones(401, dtype=bool)
    found = confidence_sequence(differences, confidence=0.9)
    up, down = np.ones(401), np.ones(401)
    total, squares = 0.5, 0.25
    for number, difference in enumerate(differences, 1):
        bet = math.sqrt(2 * math.log(20) / (squares / number * number * math.log(1 + number)))
        x, m = (difference + 1) / 2, (means + 1) / 2
        with np.errstate(divide="ignore"):
            up *= 1 + np.minimum(bet, 0.99 / m) * (x - m)
            down *= 1 - np.minimum(bet, 0.99 / (1 - m)) * (x - m)
        total += x
        squares += (x - total / (number + 1)) ** 2
        possible &= (np.maximum(up, down) / 2) < 1 / 0.1
        low, high = means[possible][[0, -1]]
        assert low - 0.01 <= found.lows[number - 1] <= low
        assert high <= found.highs[number - 1] <= high + 0.01
    assert found.low == pytest.approx(low, abs=0.005)


def test_few_sequences_ever_exclude_the_mean_where_repeated_intervals_often_do() -> None:
    rng = np.random.default_rng(1)
    differences = rng.beta(0.8, 1.2, (200, 100)) - rng.beta(0.8, 1.2, (200, 100))
    missed = 0
    repeated = np.zeros(100, dtype=bool)
    for n in range(10, 201, 10):
        looks = mean_intervals(differences[:n], method="t")
        repeated |= [not one.low <= 0 <= one.high for one in looks]
    for one in map(confidence_sequence, differences.T):
        missed += (one.lows > 0).any() or (one.highs < 0).any()
    assert missed <= 5
    assert repeated.sum() >= 15


def test_a_sequence_goes_on_as_it_began() -> None:
    differences = np.random.default_rng(2).normal(0.05, 0.1, 80).clip(-1, 1)
    whole, part = confidence_sequence(differences), confidence_sequence(differences[:50])
    assert np.all(np.diff(whole.lows) >= 0)
    assert np.all(np.diff(whole.highs) <= 0)
    assert part.low >= whole.lows[49] >= part.low - 0.004
    assert (whole.lows[-1], whole.highs[-1]) == (whole.low, whole.high)
    mirrored = confidence_sequence(-differences)
    assert (-mirrored.high, -mirrored.low) == pytest.approx((whole.low, whole.high), abs=1e-9)


def test_bounds_are_in_units_of_the_differences() -> None:
    differences = np.random.default_rng(2).normal(0.05, 0.1, 80).clip(-1, 1)
    one, other = confidence_sequence(differences), confidence_sequence(3 * differences, (-3, 3))
    assert (other.low, other.high) == pytest.approx((3 * one.low, 3 * one.high))
    assert confidence_sequence(differences, (-1, 2)).high > one.high


def test_what_a_sequence_cannot_say_is_said_in_words() -> None:
    nothing = confidence_sequence([math.nan, math.nan])
    assert nothing.undefined == "no query has a difference"
    assert (nothing.n, nothing.left_out, len(nothing.lows)) == (0, 2, 0)
    same = confidence_sequence([0.0] * 5 + [math.nan])
    assert -1 <= same.low < 0 < same.high <= 1
    drifting = confidence_sequence([-0.5] * 300 + [0.5] * 3000)
    assert (
        drifting.undefined
        == "no mean is compatible with all looks, so the mean has changed as queries came in"
    )
    assert math.isnan(drifting.low)


@pytest.mark.parametrize("bounds", [(1, -1), (0, 0), (0, math.inf), (0,), "wide", None])
def test_bounds_that_are_none_are_refused(bounds) -> None:
    with pytest.raises(InputError, match="two finite numbers"):
        confidence_sequence([0.1], bounds)


def test_differences_outside_of_the_bounds_are_refused() -> None:
    with pytest.raises(InputError, match="outside of the bounds -1 and 1"):
        confidence_sequence([0.1, 1.5])
    for looks in (0, 1.5, True):
        with pytest.raises(InputError, match="looks is"):
            error_after_looks(looks)
