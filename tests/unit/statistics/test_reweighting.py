"""The reweighting bound: figures, exact cases, and what it is the quantile of."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import betaincinv

from rankmark.errors import InputError
from rankmark.statistics.reweighting import (
    Reweighted,
    approximate_probabilities,
    lower_bound,
    of_mean,
    of_ratio,
    probability,
    queries_if_unchanged,
    smallest_margin,
)

TEN = np.array([0.1, -0.2, 0.05, 0, 0, 0.3, -0.1, 0, 0.15, 0])


def high(values: np.ndarray, **options: float) -> float:
    return -lower_bound(-values, **options)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.0] * 30, -0.0950338529),
        ([0.0] * 29 + [-1.0], -0.1485960687),
        ([0.0] * 95 + [-1.0] * 5, -0.1022533774),
        ([0.0] * 149, -0.0199048),
        ([0.0] * 148, -0.0200380),
        (TEN, -0.242552),
        (np.tile(TEN, 5), -0.037414),
        (np.tile(TEN, 50), 0.017863),
    ],
)
def test_the_bound_has_the_values_that_others_computed(values: np.ndarray, expected: float) -> None:
    assert lower_bound(values) == pytest.approx(expected, abs=6e-7)


def test_so_it_has_with_another_level_a_smaller_loss_and_weights() -> None:
    assert high(TEN) == pytest.approx(0.287799, abs=6e-7)
    assert high(np.tile(TEN, 5)) == pytest.approx(0.094855, abs=6e-7)
    assert lower_bound(TEN, worst=-0.5) == pytest.approx(-0.119047, abs=6e-7)
    assert lower_bound(TEN, confidence=0.99) == pytest.approx(-0.355155, abs=6e-7)
    # Kish's effective sample size suggests 5/3 as the weight of the imagined query: -0.269759.
    weights = np.array([1.0, 2.0] * 5)
    known = Reweighted(weights * TEN, weights, np.ones(10), -5 / 3, 5 / 3)
    assert known.low(0.05) == pytest.approx(-0.269759, abs=6e-7)
    assert lower_bound(TEN, weights=weights) < known.low(0.05)
    assert of_mean(TEN, -1.0).p(-0.3) == pytest.approx(0.0227209, abs=6e-8)


@pytest.mark.parametrize("confidence", [0.55, 0.8, 0.95, 0.999])
def test_it_is_the_binomial_bound_where_queries_lose_all_or_nothing(confidence: float) -> None:
    for n, lost in [(1, 0), (1, 1), (5, 0), (5, 4), (50, 10), (1000, 3), (10_000, 70)]:
        values = np.repeat([0.0, -1.0], [n - lost, lost])
        exact = float(betaincinv(lost + 1, n - lost, confidence)) if lost < n else 1.0
        assert lower_bound(values, confidence=confidence) == pytest.approx(-exact, abs=1e-8)


def test_of_one_query_it_is_the_bound_of_markov() -> None:
    assert lower_bound([0.6], confidence=0.9) == pytest.approx(-1 + 1.6 * 0.1)


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 7, 60])
def test_it_is_the_quantile_of_randomly_weighted_means(n: int) -> None:
    rng = np.random.default_rng(n)
    values, sizes = rng.normal(0.1, 0.2, n).clip(-1, 1), rng.lognormal(size=n)
    weights = rng.exponential(size=(40_000, n + 1))
    for each in (np.ones(n), sizes):
        for largest in (None, 3 * float(each.max())):
            drawn = weights * np.append(each, largest or each.max())
            means = drawn @ np.append(values, -1) / drawn.sum(axis=1)
            found = lower_bound(values, weights=each, largest=largest)
            assert np.mean(means <= found) == pytest.approx(0.05, abs=0.005)


def test_the_ratio_of_two_means_is_bounded_likewise() -> None:
    rng = np.random.default_rng(4)
    base = rng.beta(2, 2, 80)
    new = (base + rng.normal(0, 0.1, 80)).clip(0, 1)
    weights = rng.exponential(size=(40_000, 81))
    ratios = weights @ np.append(new, 0) / (weights @ np.append(base, 1))
    low = of_ratio(new, base, (0.0, 1.0)).low(0.05)
    assert np.mean(ratios <= low) == pytest.approx(0.05, abs=0.005)
    ratios = weights @ np.append(new, 1) / (weights @ np.append(base, 0))
    most = -of_ratio(-new, base, (-1.0, 0.0)).low(0.05)
    assert np.mean(ratios >= most) == pytest.approx(0.05, abs=0.005)


def test_clusters_are_weighted_as_one() -> None:
    values = np.repeat([0.0, -0.5, 0.2, 0.1], 3)
    clusters = np.repeat(np.arange(4), 3)
    once = lower_bound([0.0, -0.5, 0.2, 0.1])
    assert lower_bound(values, clusters=clusters) == pytest.approx(once)
    assert lower_bound(values) > once


def test_a_heavy_query_that_the_sample_lacks_is_allowed_for() -> None:
    # If nothing changes and all weigh the same, P(sum E_i t <= E_0 L (1 - t)) is the product.
    for n, largest in ((50, 1.0), (50, 20.0), (400, 7.5)):
        low = lower_bound(np.zeros(n), weights=np.full(n, 2.0), largest=2 * largest)
        ratio = -low / (largest * (1 + low))
        assert (1 + ratio) ** -n == pytest.approx(0.05, rel=1e-6)
        assert lower_bound(np.zeros(n), clusters=range(n), largest=largest) == pytest.approx(low)
    weights = np.array([1.0, 2.0] * 5)
    golden = [lower_bound(TEN, weights=weights, largest=one) for one in (None, 2.0, 10.0)]
    assert golden == pytest.approx([-0.308038, -0.308038, -0.695637], abs=2e-6)


@pytest.mark.slow
def test_no_law_of_two_or_three_values_has_more_errors_than_the_level() -> None:
    # All samples of five queries, with the probability of each: no simulation, no chance.
    rng = np.random.default_rng(0)
    for _ in range(6):
        inner = np.sort(rng.uniform(-1, 1, 2))
        support = np.array([-1.0, *inner])
        shares = rng.dirichlet([0.5, 0.5, 2.0])
        mean = float(shares @ support)
        error = 0.0
        for counts in itertools.product(range(6), repeat=3):
            if sum(counts) == 5:
                sample = np.repeat(support, counts)
                if lower_bound(sample, confidence=0.9) > mean + 1e-9:
                    ways = math.factorial(5) / math.prod(map(math.factorial, counts))
                    error += ways * float(np.prod(shares ** np.array(counts)))
        assert error <= 0.1


def test_the_probability_is_right_on_both_sides_of_the_middle() -> None:
    rng = np.random.default_rng(1)
    weights = rng.exponential(size=(40_000, 9))
    values = rng.normal(0, 1, 8)
    for shift in (-3.0, -1.0, -0.3, -0.05, 0.0, 0.05, 0.3, 1.0, 3.0):
        moved = values - values.mean() + shift
        expected = np.mean(weights[:, :8] @ moved <= weights[:, 8] * 0.7)
        found = probability(moved, np.ones(8), 0.7)
        assert found == pytest.approx(expected, abs=0.008), shift
    assert probability(np.array([-1.0, -2.0]), np.ones(2), 0.5) == 1.0
    assert probability(np.array([0.5, 0.0]), np.ones(2), 0.0) == 0.0


def test_values_that_occur_often_may_be_counted() -> None:
    values, counts = np.array([0.01, -0.3, 0.4]), np.array([200.0, 3.0, 1.0])
    expected = probability(np.repeat(values, counts.astype(int)), np.ones(204), 1.01)
    assert probability(values, counts, 1.01) == pytest.approx(expected, rel=1e-9)


def test_many_probabilities_are_approximated_closely() -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(0.02, 0.1, (20, 100))
    found = approximate_probabilities(values, np.ones(20))
    exact = [probability(row, np.ones(100), 1.0) for row in values]
    assert found[np.array(exact) < 0.3] == pytest.approx(
        np.array(exact)[np.array(exact) < 0.3], rel=0.03
    )


def test_the_smallest_margin_and_the_queries_for_it_belong_together() -> None:
    for margin, n in [(0.005, 598), (0.01, 299), (0.02, 149), (0.03, 99), (0.05, 59), (0.1, 29)]:
        assert queries_if_unchanged(margin) == n
        assert smallest_margin(n) < margin <= smallest_margin(n - 1)
        assert lower_bound([0.0] * n) == pytest.approx(-smallest_margin(n))
    assert queries_if_unchanged(0.02, largest_loss=0.25) == 36
    assert queries_if_unchanged(0.0) is None
    for margin in (5e-324, 1e-310, 1e-300, 1e-10):
        assert queries_if_unchanged(margin) is None
        assert queries_if_unchanged(margin, largest_loss=1e6) is None
    assert queries_if_unchanged(0.3, largest_loss=0.25) == 0
    assert math.isnan(smallest_margin(0))


@pytest.mark.slow
def test_what_no_bound_can_be_computed_from_is_refused() -> None:
    with pytest.raises(InputError, match="below worst"):
        lower_bound([0.0, -0.7], worst=-0.5)
    assert math.isnan(lower_bound([math.nan]))
    assert lower_bound([0.0, math.nan, 0.1]) == lower_bound([0.0, 0.1])
    assert lower_bound([0.0, 0.1, -1.0], weights=[1, 1, 0]) == lower_bound([0.0, 0.1])
