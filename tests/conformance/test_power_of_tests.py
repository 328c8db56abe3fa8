"""Power gives what closed forms, statsmodels and the literature give."""

import math

import numpy as np
import pytest
from scipy import stats

from rankmark.statistics import (
    detectable_difference,
    power_of_t,
    randomisation_test,
    required_queries,
    simulated_power,
    simulated_queries,
    t_test,
)


def test_power_is_that_of_the_manual_of_g_power() -> None:
    # G*Power 3.1 manual, means, difference from zero between two dependent groups: dz = 0.421637.
    assert power_of_t(0.421637, 1.0, 50).power == pytest.approx(0.832114, abs=1e-6)


@pytest.mark.parametrize(
    ("difference", "spread", "n"),
    [
        (8, 12, 20),  # MedCalc's manual, sample size of paired samples: power 80%, alpha 0.05
        (5, 5, 10),  # UCLA, power analysis for paired t tests: 9.94 subjects, power 80%
    ],
)
def test_required_queries_are_as_published(difference: float, spread: float, n: int) -> None:
    assert required_queries(difference, spread).n == n


@pytest.mark.parametrize(
    ("effect", "level", "power", "exact"),
    [
        # R's pwr.t.test(d, sig.level, power, type="paired"), as printed in many courses: n in full.
        (0.5, 0.05, 0.8, 33.36713),
        (0.5, 0.01, 0.9, 62.87021),
        (0.3, 0.05, 0.8, 89.149),
    ],
)
def test_required_queries_are_those_of_rs_pwr(effect, level, power, exact) -> None:
    assert required_queries(effect, 1.0, level=level, power=power).n == math.ceil(exact)
    below, above = (
        power_of_t(effect, 1.0, n, level=level).power for n in (int(exact), math.ceil(exact))
    )
    assert below < power < above
    assert int(exact) + (power - below) / (above - below) == pytest.approx(exact, abs=0.01)


@pytest.mark.parametrize("effect", [0.05, 0.2, 0.5, 1.5])
@pytest.mark.parametrize("n", [2, 10, 50, 1000])
def test_power_is_that_of_statsmodels(effect: float, n: int) -> None:
    power = pytest.importorskip("statsmodels.stats.power").TTestPower()
    for level in (0.01, 0.05):
        expected = power.power(effect, n, level)
        if math.isnan(expected):  # a tail that scipy cannot give
            expected = stats.nct.sf(stats.t.isf(level / 2, n - 1), n - 1, effect * n**0.5)
        assert power_of_t(effect, 1.0, n, level=level).power == pytest.approx(expected, abs=1e-9)


def test_without_a_difference_power_is_the_level() -> None:
    assert power_of_t(0.0, 1.0, 20).power == pytest.approx(0.05)


@pytest.mark.parametrize("n", [3, 10, 50, 250, 6980])
def test_the_detectable_difference_is_detected_as_often_as_asked(n: int) -> None:
    found = detectable_difference(0.2, n, power=0.9, level=0.01)
    assert power_of_t(found.difference, 0.2, n, level=0.01).power == pytest.approx(0.9, abs=1e-9)


@pytest.mark.parametrize("difference", [-0.01, 0.02, 0.1, 0.5])
def test_one_query_less_than_required_is_too_few(difference: float) -> None:
    found = required_queries(difference, 0.15)
    assert found.power >= 0.8
    assert power_of_t(difference, 0.15, found.n - 1).power < 0.8


def test_many_queries_need_what_the_normal_distribution_says() -> None:
    # n = ((z_0.975 + z_0.8) / effect)^2 + z_0.975^2 / 2: Nagata's approximation in Sakai 2016.
    effect = 0.01
    z, beta = stats.norm.ppf([0.975, 0.8])
    assert required_queries(effect, 1.0).n == pytest.approx(
        ((z + beta) / effect) ** 2 + z**2 / 2, abs=1
    )


def test_enormous_effects_have_the_power_1() -> None:
    assert power_of_t(5.0, 0.1, 50).power == 1.0


def test_power_by_simulation_is_near_the_closed_form_for_normal_differences() -> None:
    rng = np.random.default_rng(0)
    differences = stats.norm.ppf((np.arange(400) + 0.5) / 400)
    rng.shuffle(differences)
    spread = float(differences.std())
    closed = power_of_t(0.4, spread, 30).power
    found = simulated_power(differences, 0.4, n=30, resamples=20_000)
    assert found.power == pytest.approx(closed, abs=0.02)
    level = simulated_power(differences, 0.0, n=30, resamples=20_000)
    assert level.power == pytest.approx(0.05, abs=0.01)
    assert (found.n, found.resamples, found.seed) == (30, 20_000, 0)


def test_queries_by_simulation_are_near_the_closed_form_for_normal_differences() -> None:
    differences = stats.norm.ppf((np.arange(400) + 0.5) / 400)
    closed = required_queries(0.4, float(differences.std())).n
    found = simulated_queries(differences, 0.4, resamples=4000)
    assert abs(found.n - closed) <= 3
    assert found.power >= 0.8
    fewer = simulated_power(differences, 0.4, found.n - 1, resamples=4000)
    assert fewer.power < 0.8


def test_draws_without_spread_find_nothing_as_the_t_test_is_then_undefined() -> None:
    # Of 95 zeros and 5 that change, 10 draws are all the same in 0.95^10 = 60% of the samples.
    differences = np.repeat([0.0, 0.2], [95, 5])
    found = simulated_power(differences, 0.02, n=10, resamples=4000)
    rng = np.random.default_rng(0)
    shifted = rng.choice(differences - differences.mean() + 0.02, (4000, 10))
    shifted = shifted[np.ptp(shifted, axis=1) > 0]
    expected = np.sum(stats.ttest_1samp(shifted, 0.0, axis=1).pvalue <= 0.05) / 4000
    assert found.power == pytest.approx(expected, abs=0.01)
    assert expected < 0.05


def test_signs_and_t_agree_on_many_queries() -> None:
    rng = np.random.default_rng(6)
    a = rng.random(400)
    b = a + rng.normal(0.02, 0.2, 400)
    assert randomisation_test(a, b).p == pytest.approx(t_test(a, b).p, abs=0.004)
