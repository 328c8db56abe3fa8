"""Intervals of estimated means of scores with a range: figures, ends, and a slow reference."""

import math

import numpy as np
import pytest
from scipy import stats

from rankmark.statistics.bounded_means import (
    DifferenceEnds,
    KornGraubardEnds,
    StudentEnds,
    TurnedEnds,
    are_few,
    p_of,
    reweighted_ends,
)
from rankmark.statistics.confidence_intervals import mean_interval, within
from rankmark.statistics.labelled_samples import drawn, inclusion_probabilities
from rankmark.statistics.prediction_powered import prediction_powered
from rankmark.statistics.reweighting import lower_bound

UNIT = (0.0, 1.0)


def korn_graubard(m: float, e: float, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the interval as the notes on survey statistics have it, by quantiles of beta."""
    a = (1 - confidence) / 2
    worth = float(n)
    if e and 0 < m < 1:
        worth = m * (1 - m) / e**2 * (stats.norm.ppf(1 - a) / stats.t.ppf(1 - a, n - 1)) ** 2
    x = worth * m
    low = 0.0 if x == 0 else float(stats.beta.ppf(a, x, worth - x + 1))
    return low, 1.0 if x == worth else float(stats.beta.ppf(1 - a, x + 1, worth - x))


@pytest.mark.parametrize(
    ("m", "e", "n"), [(0.2, 0.05, 20), (0.03, 0.02, 50), (0.9, 0.04, 30), (0.0, 0.0, 20)]
)
def test_korn_graubard_is_that_of_the_reference(m: float, e: float, n: int) -> None:
    for confidence in (0.8, 0.95, 0.999):
        found = KornGraubardEnds(m, e, n - 1.0, n, UNIT).ends(confidence)
        assert found == pytest.approx(korn_graubard(m, e, n, confidence), abs=1e-10)
        wide = KornGraubardEnds(-1 + 5 * m, 5 * e, n - 1.0, n, (-1.0, 4.0)).ends(confidence)
        assert wide == pytest.approx([-1 + 5 * end for end in found], abs=1e-9)


def test_shares_have_the_interval_of_clopper_and_pearson_for_fewer_queries() -> None:
    # 6 of 20: the golden interval of the binomial is 0.1189 to 0.5428.
    exact = korn_graubard(0.3, 0.0, 20)
    scores = np.repeat([1.0, 0.0], [6, 14])
    error = float(scores.std(ddof=1)) / math.sqrt(20)
    low, high = KornGraubardEnds(0.3, error, 19.0, 20, UNIT).ends(0.95)
    assert (low, high) == pytest.approx((0.105352, 0.568381), abs=1e-6)
    assert KornGraubardEnds(0.0, 0.0, 19.0, 20, UNIT).ends(0.95)[1] == pytest.approx(
        1 - 0.025 ** (1 / 20)
    )
    assert exact[0] > low
    assert exact[1] < high


def people_and_model(rng: np.random.Generator, share: float, n: int) -> tuple[np.ndarray, ...]:
    truth = np.where(rng.random(11 * n) < share, rng.beta(1.3, 1.6, 11 * n), 0.0)
    people = truth.copy()
    people[n:] = np.nan
    return people, np.clip(truth + rng.normal(0, 0.2, 11 * n), 0, 1)


@pytest.mark.parametrize("share", [0.0, 0.05, 0.3, 1.0])
def test_no_interval_leaves_the_range_and_each_has_its_estimate(share: float) -> None:
    rng = np.random.default_rng(3)
    for n in (3, 20, 50):
        people, model = people_and_model(rng, share, n)
        mean = prediction_powered(people, model, between=UNIT)
        other = rng.permutation(model)
        changed = (people - np.where(np.isnan(people), np.nan, other), model - other)
        difference = prediction_powered(*changed, between=(-1.0, 1.0))
        for found, least in ((mean, 0.0), (difference, -1.0)):
            before = None
            for confidence in (0.5, 0.9, 0.99, 0.9999):
                low, high = found.ends.ends(confidence)
                assert least <= low <= high <= 1
                assert low - 1e-9 <= min(max(found.estimate, least), 1) <= high + 1e-9
                assert before is None or (low <= before[0] and before[1] <= high)
                before = low, high
            assert (found.interval.low, found.interval.high) == found.ends.ends(0.95)
            assert not found.interval.undefined


def test_few_scores_that_are_not_0_have_the_bounds_of_the_gate() -> None:
    scores = np.array([0.5, 0.2, 1.0, 0.4] + [0.0] * 26)
    people = np.append(scores, np.full(100, np.nan))
    model = np.append(scores, np.zeros(100))
    found = prediction_powered(people, model, method="human", between=UNIT)
    low = lower_bound(scores, worst=0.0, confidence=0.975)
    high = -lower_bound(-scores, worst=-1.0, confidence=0.975)
    assert found.interval.method == "human, reweighting"
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high), abs=1e-12)
    assert (low, high) == pytest.approx((0.017393, 0.209952), abs=2e-6)
    people[4] = 0.1
    assert prediction_powered(people, model, between=UNIT).interval.method == "ppi++, Korn-Graubard"
    # The same where few scores are not 1.
    turned = prediction_powered(
        1 - np.where(np.arange(130) == 4, 0, people), 1 - model, method="human", between=UNIT
    )
    assert turned.interval.low == pytest.approx(1 - high)


def test_a_difference_puts_gains_and_losses_together() -> None:
    rng = np.random.default_rng(1)
    d = np.where(rng.random(40) < 0.4, rng.normal(0.05, 0.3, 40), 0.0).clip(-1, 1)
    people, model = np.append(d, np.full(200, np.nan)), np.zeros(240)
    found = prediction_powered(people, model, between=(-1.0, 1.0))
    ends, squares = [], []
    for part in (np.maximum(d, 0), np.maximum(-d, 0)):
        error = float(part.std(ddof=1)) / math.sqrt(40)
        low, high = korn_graubard(float(part.mean()), error, 40)
        ends.append((part.mean() - low, high - part.mean()))
        squares.append(error**2)
    own = float(d.var(ddof=1)) / 40
    rho = min((sum(squares) - own) / (2 * math.sqrt(squares[0] * squares[1])), 0.0)
    sides = [(ends[0][0], ends[1][1]), (ends[0][1], ends[1][0])]
    away = [math.sqrt(a * a + b * b - 2 * rho * a * b) for a, b in sides]
    assert found.interval.low == pytest.approx(d.mean() - away[0])
    assert found.interval.high == pytest.approx(d.mean() + away[1])
    # The p-value is that of the interval which ends at 0.
    assert isinstance(found.ends, DifferenceEnds)
    end = found.ends.ends(1 - found.p)[0 if found.estimate > 0 else 1]
    assert end == pytest.approx(0, abs=1e-8)


def test_p_values_of_students_intervals_are_those_of_students_test() -> None:
    ends = StudentEnds(0.1, 0.04, 19.0)
    exact = 2 * stats.t.sf(0.1 / 0.04, 19)
    assert p_of(ends, 0.0) == pytest.approx(exact)
    assert p_of(ends, 0.0, one_sided=True) == pytest.approx(exact / 2)
    assert p_of(TurnedEnds(ends), 0.0) == pytest.approx(exact)
    assert p_of(TurnedEnds(ends), -0.15, one_sided=True) == pytest.approx(
        stats.t.sf(0.05 / 0.04, 19)
    )
    assert p_of(ends, 0.3, one_sided=True) == 0.5
    assert p_of(StudentEnds(0.5, 1e-9, 19.0), 0.0) == 1e-12


def test_cut_intervals_have_no_means_that_cannot_be() -> None:
    found = mean_interval([1.0, 1.0, 0.9, 1.0, 0.95], method="t")
    assert found.high > 1
    cut = found.within(UNIT)
    assert (cut.low, cut.high) == (found.low, 1.0)
    assert cut.within((-math.inf, math.inf)) is cut
    assert all(map(math.isnan, within((math.nan, math.nan), UNIT)))


def test_a_reweighted_interval_holds_an_estimate_far_from_the_human_labels() -> None:
    found = reweighted_ends(0.9, np.zeros(60), UNIT)
    assert found.ends(0.95) == (0.0, 0.9)
    assert reweighted_ends(0.0, np.zeros(60), UNIT).ends(0.95)[1] == pytest.approx(
        1 - 0.025 ** (1 / 60)
    )


def test_light_scores_are_few_if_heavy_ones_are_none() -> None:
    scores = np.array([0.5] * 8 + [0.0] * 12)
    assert not are_few(scores, (0.0, 1.0))
    assert not are_few(scores, (0.0, 1.0), np.full(20, 3.0))
    weights = np.array([1.0] * 8 + [10.0] * 12)
    assert are_few(scores, (0.0, 1.0), weights)
    assert not are_few(1 - scores, (0.0, 1.0), weights[::-1])


@pytest.mark.slow
def test_losses_that_unlikely_queries_hide_are_allowed_for() -> None:
    """20 samples of 50 queries, 2% of which lose all; without heavy ones, about half hold."""
    generator = np.random.default_rng(30)
    held = 0
    for _ in range(20):
        normal = generator.standard_normal((2, 550))
        places = stats.norm.cdf([normal[0], 0.5 * normal[0] + 0.75**0.5 * normal[1]])
        gains = 0.2 * np.clip(places - 0.8, 0, 1)
        people, model = (
            np.where(of < share, -1.0, gain)
            for of, share, gain in zip(places, (0.02, 0.03), gains, strict=True)
        )
        chances = inclusion_probabilities(np.abs(model), 50, uniform=0.5)
        judged = np.full(550, np.nan)
        rows = drawn(chances, generator)
        judged[rows] = people[rows]
        found = prediction_powered(judged, model, probabilities=chances, between=(-1.0, 1.0))
        held += found.interval.low <= -0.02 + 0.2 * 0.02 <= found.interval.high
    assert held >= 18


def test_gains_that_hardly_differ_have_a_p_value() -> None:
    people = np.array([0.01] * 20 + [-1.0] * 3 + [np.nan] * 100)
    model = np.array([0.01] * 20 + [-1.0] * 3 + [0.01] * 95 + [-1.0] * 5)
    chances = np.linspace(0.1, 0.4, 123)
    found = prediction_powered(people, model, probabilities=chances, between=(-1.0, 1.0))
    assert 0 <= found.p <= 1
    assert found.interval.low < found.interval.estimate < found.interval.high
