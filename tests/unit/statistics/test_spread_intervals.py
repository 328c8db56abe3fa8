"""How far a standard deviation may be off: a slow reference, few changes, how often it holds."""

import math

import numpy as np
import pytest

from rankmark.statistics.spread_intervals import spread_interval


def test_ends_are_those_of_chi_squared_with_the_degrees_of_freedom_of_the_squares() -> None:
    stats = pytest.importorskip("scipy.stats")
    values = [0.3, -0.2, 0.1, 0.0, -0.4, 0.15, 0.05, -0.1]
    mean = sum(values) / len(values)
    squares = [(value - mean) ** 2 for value in values]
    spread = math.sqrt(sum(squares) / (len(values) - 1))
    degrees = sum(squares) ** 2 / sum(square**2 for square in squares)
    wanted = [spread * math.sqrt(degrees / stats.chi2.isf(tail, degrees)) for tail in (0.1, 0.9)]
    found = spread_interval(np.array(values) - mean, spread, 7)
    assert found == pytest.approx(wanted, abs=1e-12)


def test_where_nothing_changed_the_sample_may_lack_changes() -> None:
    low, high = spread_interval(np.zeros(24), 0.0, 0)
    assert low == 0.0
    assert high == pytest.approx(math.sqrt(1 - 0.1 ** (1 / 24)))
    assert spread_interval(np.zeros(24), 0.0, 0, math.inf) == (0.0, 0.0)


def test_one_change_says_little_and_no_end_is_beyond_the_largest() -> None:
    differences = np.array([0.5] + [0.0] * 23)
    one = spread_interval(differences - differences.mean(), float(differences.std(ddof=1)), 1)
    assert one[0] < 0.05
    assert one[1] > 0.5
    assert one[1] <= 1.0


def test_fewer_than_two_units_have_no_interval() -> None:
    for deviations, spread in ((np.zeros(1), 0.0), (np.zeros(0), math.nan), (np.ones(3), math.nan)):
        assert all(math.isnan(end) for end in spread_interval(deviations, spread, 0))


@pytest.mark.parametrize("n", [24, 50])
@pytest.mark.parametrize(("share", "normal"), [(1.0, True), (0.2, True), (0.3, False)])
def test_each_end_is_wrong_in_about_a_tenth_of_samples_at_most(
    n: int, share: float, normal: bool
) -> None:
    """1,000 samples; with degrees of freedom n - 1, the upper end is too low in up to 40%."""
    generator = np.random.default_rng(n)

    def draw(shape: tuple[int, int]) -> np.ndarray:
        size = generator.normal(0, 0.2, shape)
        if not normal:
            size = generator.choice([-1, 1], shape) * generator.gamma(1.0, 0.2, shape).clip(0, 1)
        return np.where(generator.random(shape) < share, size, 0.0)

    truth = float(draw((1_000, 1_000)).std())
    too_high = too_low = 0
    for row in draw((1_000, n)):
        spread = float(row.std(ddof=1))
        low, high = spread_interval(row - row.mean(), spread, int(np.count_nonzero(row)))
        too_high += low > truth
        too_low += high < truth
    assert too_high <= 120
    assert too_low <= 120
