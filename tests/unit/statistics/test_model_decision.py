"""Decisions about a margin by the labels of people and of a model, against a slow reference."""

import math
from fractions import Fraction
from statistics import NormalDist, variance
from typing import Any

import numpy as np
import pytest
from scipy import optimize

from rankmark.errors import InputError
from rankmark.statistics.margin_decision import MarginDecision, decide_margin
from rankmark.statistics.model_decision import decide_with_model
from rankmark.statistics.prediction_powered import prediction_powered

QUERIES, JUDGED = 300, 60


def drawn(seed: int = 0, queries: int = QUERIES, judged: int = JUDGED) -> list[np.ndarray]:
    """Return scores of two systems by people, NaN where they did not judge, and by a model."""
    rng = np.random.default_rng(seed)
    old = rng.uniform(0.2, 0.8, queries)
    change = rng.normal(0, 0.1, queries).clip(-0.2, 0.2)
    model = [old + 0.1, old + 0.1 + 0.8 * change + rng.normal(0, 0.02, queries).clip(-0.05, 0.05)]
    people = [np.where(np.arange(queries) < judged, one, math.nan) for one in (old, old + change)]
    return [*people, *(one.clip(0, 1) for one in model)]


def share_below(values: list[float], worst: float, t: float) -> float:
    """Return P(the randomly weighted mean of the values and of the worst one is at most t).

    By partial fractions, for values no two of which are the same, in exact arithmetic.
    """
    sizes = [Fraction(value) - Fraction(t) for value in [*values, worst]]
    above = Fraction(0)
    for at, one in enumerate(sizes):
        if one > 0:
            product = Fraction(1)
            for other in sizes[:at] + sizes[at + 1 :]:
                product *= one / (one - other)
            above += product
    return float(1 - above)


def low_of(values: list[float], worst: float, level: float) -> float:
    low, high = worst, max(values)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if share_below(values, worst, middle) <= level else (low, middle)
    return low


def reference_low(y: Any, h: Any, rest: Any, level: float) -> float:
    """Return the lower bound as the documentation has it."""
    every = sorted([*h, *rest], reverse=True)
    share = 1 - level ** (1 / len(y))
    left, top = share * len(every), 0.0
    for one in every:
        top += min(1.0, left) * one
        left -= min(1.0, left)
    top /= share * len(every)

    def width(lam: float) -> float:
        residuals = [a - lam * b for a, b in zip(y, h, strict=True)]
        error = variance(residuals) / len(y) + lam**2 * variance(rest) / len(rest)
        return -NormalDist().inv_cdf(level) * math.sqrt(error) + share * (1 + lam * top)

    lam = optimize.minimize_scalar(
        width, bounds=(0, 1), method="bounded", options={"xatol": 1e-12}
    ).x
    residuals = [a - lam * b for a, b in zip(y, h, strict=True)]
    mean, of_rest = sum(residuals) / len(residuals), lam * sum(rest) / len(rest)
    first = mean - low_of(residuals, min(-1 - lam * top, *residuals), level)
    second = of_rest - low_of([lam * one for one in rest], -lam, level)
    return mean + of_rest - math.hypot(first, second)


def in_pieces(seed: int) -> tuple[list[np.ndarray], Any, Any, Any]:
    given = drawn(seed, 26, 9)
    y, h = given[1] - given[0], given[3] - given[2]
    return given, y[:9].tolist(), h[:9].tolist(), h[9:].tolist()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_bounds_and_p_are_those_of_a_slow_reference(seed: int) -> None:
    given, y, h, rest = in_pieces(seed)
    found = decide_with_model(*given, 0.3, confidence=0.9)
    assert found.with_model is not None
    assert 0.1 < found.with_model.bound_lam < found.with_model.lam
    assert found.low == pytest.approx(reference_low(y, h, rest, 0.1), abs=1e-8)
    turned = [[-one for one in each] for each in (y, h, rest)]
    assert found.high == pytest.approx(-reference_low(*turned, 0.1), abs=1e-8)
    at_the_bound = decide_with_model(*given, -found.low, confidence=0.9)
    assert at_the_bound.p == pytest.approx(0.1, abs=1e-8)


@pytest.mark.slow
def test_the_estimate_is_that_of_prediction_powered() -> None:
    a, b, model_a, model_b = drawn()
    found = decide_with_model(a, b, model_a, model_b, 0.05)
    expected = prediction_powered(b - a, model_b - model_a)
    assert found.difference == pytest.approx(expected.estimate, abs=1e-14)
    assert found.baseline == prediction_powered(a, model_a).estimate
    assert found.other == prediction_powered(b, model_b).estimate
    added = found.with_model
    assert added is not None
    assert added.effective_n == pytest.approx(expected.effective_n)
    assert (added.others, found.n) == (QUERIES - JUDGED, JUDGED)
    assert added.effective_n > 2 * JUDGED
    people = decide_margin(a, b, 0.05)
    assert (people.difference, people.low, people.high, people.verdict) == added[6:]
    assert added.model_estimate == pytest.approx(float(np.mean(model_b - model_a)))


def numbers(found: MarginDecision) -> list[float]:
    return [found.baseline, found.other, found.difference, found.low, found.high, found.p]


def test_if_people_judged_all_queries_the_model_changes_nothing() -> None:
    a, b, model_a, model_b = drawn(1, 40, 40)
    found, plain = decide_with_model(a, b, model_a, model_b, 0.05), decide_margin(a, b, 0.05)
    assert numbers(found) == numbers(plain)
    assert (found.verdict, found.method) == (plain.verdict, plain.method)


@pytest.mark.parametrize("kind", ["constant", "opposite"])
def test_a_model_of_no_use_leaves_the_bounds_of_people(kind: str) -> None:
    a, b, _, _ = drawn(2)
    flat = np.full(QUERIES, 0.5)
    turned = np.where(np.isnan(a), 0.5, 0.5 - np.nan_to_num(b - a))
    found = decide_with_model(a, b, flat, flat if kind == "constant" else turned, 0.05)
    plain = decide_margin(a, b, 0.05)
    assert numbers(found) == pytest.approx(numbers(plain))
    assert found.with_model is not None
    assert found.with_model.lam == 0


@pytest.mark.slow
def test_a_query_moves_no_number_by_its_place() -> None:
    given = drawn(3)
    order = np.random.default_rng(0).permutation(QUERIES)
    moved = decide_with_model(*(one[order] for one in given), 0.05)
    assert numbers(moved) == pytest.approx(numbers(decide_with_model(*given, 0.05)), abs=1e-12)


@pytest.mark.slow
def test_where_less_is_better_the_bounds_change_sides() -> None:
    a, b, model_a, model_b = drawn(4)
    up = decide_with_model(a, b, model_a, model_b, 0.03)
    down = decide_with_model(
        *(1 - one for one in (a, b, model_a, model_b)), 0.03, more_is_better=False
    )
    assert down.verdict == up.verdict
    assert (down.low, down.high) == pytest.approx((-up.high, -up.low))
    assert (down.difference, down.p) == pytest.approx((-up.difference, up.p))


@pytest.mark.slow
def test_a_bound_allows_for_losses_that_only_people_see() -> None:
    # The judge sees gains on a share of queries that 100 judged ones lack once in 20 samples.
    lost = 1 - 0.05 ** (1 / 100)
    queries, judged = 4_000, 100
    noise = np.random.default_rng(5).normal(0, 0.1, queries).clip(-0.3, 0.3)
    broken = np.arange(queries) >= queries * (1 - lost)
    old = np.full(queries, 0.5)
    people = np.where(broken, old - 0.5, old + noise)
    model = np.where(broken, old + 0.5, old + noise)
    unseen = np.arange(queries) >= judged
    found = decide_with_model(
        *(np.where(unseen, math.nan, one) for one in (old, people)),
        *(old, model),
        0.02,
        max_query_drop=0.5,
    )
    assert found.with_model is not None
    assert found.with_model.lam > 0.9
    assert found.difference > 0.01  # by the judge, although the mean of people falls
    assert found.low < float(np.mean(people - old))


@pytest.mark.slow
def test_equal_probabilities_are_a_random_sample_and_unequal_ones_are_weights() -> None:
    a, b, model_a, model_b = drawn(6)
    plain = decide_with_model(a, b, model_a, model_b, 0.05)
    same = decide_with_model(
        a, b, model_a, model_b, 0.05, probabilities=np.full(QUERIES, JUDGED / QUERIES)
    )
    assert numbers(same) == numbers(plain)
    chances = np.random.default_rng(1).uniform(0.1, 0.5, QUERIES)
    found = decide_with_model(a, b, model_a, model_b, 0.05, probabilities=chances)
    expected = prediction_powered(b - a, model_b - model_a, probabilities=chances)
    assert found.difference == pytest.approx(expected.estimate, abs=1e-14)
    assert found.effective < found.n
    assert found.low < found.difference < found.high


@pytest.mark.parametrize(("judged", "verdict"), [(0, "cannot tell"), (1, "cannot tell")])
def test_one_judged_query_or_none_decides_nothing(judged: int, verdict: str) -> None:
    found = decide_with_model(*drawn(7, 30, judged), 0.05)
    assert (found.n, found.verdict) == (judged, verdict)


def test_scores_for_other_queries_are_refused() -> None:
    a, b, model_a, model_b = drawn()
    with pytest.raises(InputError, match="give all for the same queries"):
        decide_with_model(a[1:], b[1:], model_a, model_b, 0.05)


@pytest.mark.slow
def test_the_model_can_show_what_few_labels_of_people_cannot() -> None:
    found = decide_with_model(*drawn(2, 1200, 200), 0.025)
    assert found.with_model is not None
    assert (found.verdict, found.with_model.people_verdict) == ("holds", "cannot tell")


@pytest.mark.slow
def test_more_labels_are_needed_without_the_model() -> None:
    found = decide_with_model(*drawn(8), 0.03)
    a, b, _, _ = drawn(8)
    alone = decide_margin(a, b, 0.03)
    assert found.required_for_spread is not None
    assert alone.required_for_spread is not None
    assert found.required_for_spread < 0.6 * alone.required_for_spread
