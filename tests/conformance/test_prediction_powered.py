"""Prediction-powered means agree with published figures, with ppi-python and with plain Python."""

import math
import random
from collections.abc import Sequence
from statistics import mean, variance

import numpy as np
import pytest
from scipy.stats import t as student

from rankmark.statistics import mean_interval
from rankmark.statistics.prediction_powered import PredictionPowered, prediction_powered

PEOPLE = [0.5, 0.7, 0.2, 0.9, 0.4, 0.6, 0.3, 0.8]
BOTH = [0.6, 0.8, 0.3, 0.9, 0.6, 0.6, 0.5, 0.9]
ONLY = [0.7, 0.5, 0.9, 0.8, 0.3, 0.6, 0.7, 0.9, 0.4, 0.6, 0.8, 0.5, 0.7, 0.6, 0.9, 0.2]

GOLDEN = {  # ppi-python 0.2.3, alpha 0.05, p of a mean of 0.5
    None: (0.53748399, 0.4350290655, 0.6399389243, 0.473331365),
    0.0: (0.55, 0.3912247705, 0.7087752295, 0.537093978),
    0.5: (0.540625, 0.4318435675, 0.6494064325, 0.464193659),
    1.0: (0.53125, 0.4193554975, 0.6431445025, 0.584117314),
}
RECORDED = {  # ppi-python 0.2.3 on the scores of `made`, alpha 0.05, p of a mean of 0.4
    (2, 12, 40, None): (0.411696391338, 0.278158609651, 0.545234173024, 0.863696531839),
    (2, 12, 40, 1.0): (0.389930555556, 0.243473300791, 0.536387810320, 0.892806119998),
    (3, 30, 100, None): (0.439298567345, 0.365241636791, 0.513355497900, 0.298311238948),
    (3, 30, 100, 1.0): (0.427222222222, 0.341367199657, 0.513077244788, 0.534303802180),
    (5, 8, 9, None): (0.495287128523, 0.344148183018, 0.646426074028, 0.216577613564),
    (5, 8, 9, 1.0): (0.444444444444, 0.228927206197, 0.659961682692, 0.686074378626),
}


def with_others(
    people: Sequence[float], both: Sequence[float], only: Sequence[float]
) -> tuple[list[float], list[float]]:
    return [*people, *([math.nan] * len(only))], [*both, *only]


def made(seed: int, n: int, others: int) -> tuple[list[float], list[float]]:
    at = np.arange(n + others)
    model = ((seed * at * at + 3 * at + 1) % 17) / 16
    people = np.clip(model + (((5 * seed + at * 7) % 9) - 4) / 12, 0, 1)
    people[n:] = math.nan
    return people.tolist(), model.tolist()


def numbers(found: PredictionPowered) -> tuple[float, float, float, float]:
    return found.estimate, found.interval.low, found.interval.high, found.p


@pytest.mark.parametrize("lam", GOLDEN)
def test_the_published_form_has_the_golden_figures(lam: float | None) -> None:
    given = with_others(PEOPLE, BOTH, ONLY)
    found = prediction_powered(*given, lam=lam, form="normal", null=0.5)
    assert numbers(found) == pytest.approx(GOLDEN[lam], abs=5e-9)


def test_lambda_has_the_golden_figure() -> None:
    found = prediction_powered(*with_others(PEOPLE, BOTH, ONLY), form="normal")
    assert found.lam == pytest.approx(0.667520273154, abs=1e-12)


@pytest.mark.parametrize("case", RECORDED)
def test_the_published_form_has_the_figures_of_ppi_python(
    case: tuple[int, int, int, float | None],
) -> None:
    seed, n, others, lam = case
    found = prediction_powered(*made(seed, n, others), lam=lam, form="normal", null=0.4)
    assert numbers(found) == pytest.approx(RECORDED[case], abs=2e-12)


@pytest.mark.parametrize("form", ["t", "normal"])
def test_lambda_is_clipped_alike_in_intervals_and_p(form: str) -> None:
    people, model = with_others(PEOPLE, BOTH, ONLY)
    opposite = [1 - one for one in model]
    found = prediction_powered(people, opposite, form=form, null=0.5)  # type: ignore[arg-type]
    alone = prediction_powered(people, model, method="human", form=form, null=0.5)  # type: ignore[arg-type]
    assert found.lam == 0
    assert numbers(found) == numbers(alone)
    if form == "normal":
        assert numbers(found)[:3] == pytest.approx(GOLDEN[0.0][:3], abs=5e-9)


def slow(people: Sequence[float], both: Sequence[float], only: Sequence[float]) -> list[float]:
    """Return lambda, the estimate and its error by the formulas, fitting lambda n + 1 times."""

    def fitted(people: Sequence[float], both: Sequence[float]) -> tuple[float, float]:
        """Return how people and model vary together, and the model, both among the judged."""
        a, b = mean(people), mean(both)
        together = sum((y - a) * (h - b) for y, h in zip(people, both, strict=True))
        return together, sum((h - b) ** 2 for h in both)

    n, others = len(people), len(only)
    per_pair = 1 / (n * (n - 1))  # the same for each fit, as the variance of the others is

    def lam_of(people: Sequence[float], both: Sequence[float]) -> float:
        together, own = (per_pair * one for one in fitted(people, both))
        return min(max(together / (own + variance(only) / others), 0.0), 1.0)

    lam = lam_of(people, both)
    estimate = lam * mean(only) + mean(y - lam * h for y, h in zip(people, both, strict=True))
    squares = 0.0
    for left in range(n):
        own = lam_of([*people[:left], *people[left + 1 :]], [*both[:left], *both[left + 1 :]])
        residual = people[left] - mean(people) - own * (both[left] - mean(both))
        squares += residual**2
    error = math.sqrt(squares * per_pair + lam**2 * variance(only) / others)
    return [lam, estimate, error]


@pytest.mark.parametrize("seed", range(5))
def test_a_slow_reference_agrees(seed: int) -> None:
    chance = random.Random(seed)
    n, others = chance.randrange(3, 12), chance.randrange(2, 30)
    both = [chance.random() for _ in range(n)]
    people = [min(max(one + chance.gauss(0, 0.3), 0), 1) for one in both]
    only = [chance.random() for _ in range(others)]
    found = prediction_powered(*with_others(people, both, only))
    assert [found.lam, found.estimate, found.error] == pytest.approx(slow(people, both, only))
    half = student.ppf(0.975, n - 1) * found.error
    assert found.interval.high - found.estimate == pytest.approx(half)
    p = 2 * student.sf(abs(found.estimate) / found.error, n - 1)
    assert found.p == pytest.approx(p)


def hajek(
    people: Sequence[float], model: Sequence[float], chances: Sequence[float], lam: float
) -> tuple[float, float]:
    """Return the estimate and its error, of a given lambda, query by query."""
    m = len(model)
    chosen = [row for row in range(m) if not math.isnan(people[row])]
    weights = {row: 1 / chances[row] for row in chosen}
    total = sum(weights.values())
    scale = lam * m / (m - len(chosen))
    rest = sum(weights[row] * (people[row] - scale * model[row]) for row in chosen) / total
    terms = []
    for row in range(m):
        own = 0.0
        if row in weights:
            own = weights[row] * (people[row] - scale * model[row] - rest) / total
        terms.append((own + scale * (model[row] - mean(model)) / m, row in weights))
    shares = [one / total for one in weights.values()]
    second, third = sum(one**2 for one in shares), sum(one**3 for one in shares)
    of_people = second / (second - 2 * third + second**2)
    others = m - len(chosen)
    squares = sum(
        one**2 * (of_people if judged else others / (others - 1)) for one, judged in terms
    )
    return scale * mean(model) + rest, math.sqrt(squares)


@pytest.mark.parametrize("lam", [0.0, 0.4, 1.0])
def test_unequal_probabilities_have_the_weights_of_hajek(lam: float) -> None:
    people, model = made(3, 9, 20)
    chances = [0.1 + (row % 5) / 10 for row in range(len(model))]
    found = prediction_powered(people, model, lam=lam, probabilities=chances)
    assert (found.estimate, found.error) == pytest.approx(hajek(people, model, chances, lam))


def test_people_alone_have_the_interval_of_a_mean() -> None:
    people, model = made(2, 12, 40)
    alone = prediction_powered(people, model, method="human")
    usual = mean_interval(people[:12], method="t")
    assert (alone.interval.low, alone.interval.high) == pytest.approx((usual.low, usual.high))
    chances = np.array([0.1 + (row % 5) / 10 for row in range(len(model))])
    weighted = prediction_powered(people, model, method="human", probabilities=chances)
    usual = mean_interval(people[:12], method="t", weights=1 / chances[:12])
    assert (weighted.interval.low, weighted.interval.high) == pytest.approx((usual.low, usual.high))
    groups = [row // 3 for row in range(len(model))]
    clustered = prediction_powered(people, model, method="human", clusters=groups)
    usual = mean_interval(people[:12], method="t", clusters=groups[:12])
    assert (clustered.interval.low, clustered.interval.high) == pytest.approx(
        (usual.low, usual.high)
    )
