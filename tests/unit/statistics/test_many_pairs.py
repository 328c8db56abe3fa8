"""What is computed for all pairs of systems at once is what each pair gives alone."""

from itertools import combinations

import numpy as np
import pytest

from rankmark import statistics
from rankmark.statistics.confidence_intervals import student_means
from rankmark.statistics.effect_sizes import _Systems
from rankmark.statistics.resampling import Signs

SYSTEMS = 8
PAIRS = [*combinations(range(SYSTEMS), 2)]


def scores(kind: str) -> np.ndarray:
    """(60, systems, 1) float64."""
    found = np.random.default_rng(29).random((60, SYSTEMS, 1))
    if kind == "few values":
        found = np.round(found, 1)
    if kind == "rounded in the last digit":
        found = np.round(found, 1)
        found[::2, 1:] += 1e-16
        found[::3, 2] -= 2e-16
    if kind == "nearly as far apart as rounding":
        found[:, :, 0] = 1 - 2.0**-40 * np.random.default_rng(1).random((60, SYSTEMS)) * 3
    if kind == "of other sizes":  # in the second system, what is rounding in the first is not
        found = np.round(found, 1)
        found[:, 1] *= 1e-13
    if kind == "only zeros":
        found[:] = 0
    return found


KINDS = [
    "any values",
    "few values",
    "rounded in the last digit",
    "nearly as far apart as rounding",
    "of other sizes",
    "only zeros",
]


@pytest.mark.parametrize("kind", KINDS)
def test_effects_of_all_pairs_are_those_of_each(kind):
    given = scores(kind)
    for (a, b), (found,) in zip(PAIRS, statistics.effect_sizes(given), strict=True):
        assert repr(found) == repr(statistics.effect_size(given[:, a, 0], given[:, b, 0]))


@pytest.mark.parametrize(
    ("kind", "numbered"),
    [*zip(KINDS, [True, True, True, False, False, True], strict=True)],
)
def test_scores_are_numbered_only_if_rounding_is_the_same_for_all_pairs(kind, numbered):
    codes = _Systems(np.ascontiguousarray(scores(kind)[:, :, 0].T)).codes()
    assert (codes is not None) == numbered


def test_scores_that_differ_by_rounding_have_the_same_number():
    codes = _Systems(np.array([[0.1, 0.5, 0.1], [0.5 + 1e-16, 0.3, 0.1 - 1e-17]])).codes()
    assert codes is not None
    assert codes.tolist() == [[0, 2, 0], [2, 1, 0]]


@pytest.mark.parametrize("kind", ["any values", "few values", "rounded in the last digit"])
def test_relative_differences_of_all_pairs_are_those_of_each(kind):
    given = scores(kind)
    for (a, b), (found,) in zip(PAIRS, statistics.relative_intervals(given), strict=True):
        alone = statistics.relative_interval(given[:, a, 0], given[:, b, 0])
        assert found.low == pytest.approx(alone.low, rel=1e-9)
        assert found.high == pytest.approx(alone.high, rel=1e-9)


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("clusters", [None, [*range(20)] * 3])
@pytest.mark.parametrize("weights", [None, [1.0, 2.0, 0.0] * 20])
def test_a_mean_has_intervals_of_any_confidence(confidence, clusters, weights):
    given = scores("any values")[:, :, 0]
    given[::7, 3] = np.nan
    means = student_means(given, clusters=clusters, weights=weights)
    expected = statistics.mean_intervals(
        given, method="t", confidence=confidence, clusters=clusters, weights=weights
    )
    assert tuple(one.interval(confidence) for one in means) == expected
    assert means[3].n < means[0].n


@pytest.mark.parametrize(("n", "resamples"), [(5, 100), (40, 3000), (300, 70_000)])
def test_signs_of_a_block_are_those_of_the_words(n, resamples):
    signs = Signs.of(n, resamples, 7)
    values = np.random.default_rng(3).integers(-1000, 1000, (n, 35)).astype(np.float64)
    words = signs._words().astype(np.uint64)
    for block in signs.blocks:
        low = signs._low_bits
        numbers = np.arange(1 << low, dtype=np.uint64) + np.uint64(block << low)
        if signs.seed is not None:
            numbers = numbers[signs._chosen(block)]
        odd = np.array([[int(a & b).bit_count() % 2 for b in words] for a in numbers[:50]])
        expected = np.where(odd, -1, 1) @ values
        found = signs.sums(block, values, zeros=2)
        assert found.shape == (37, len(numbers))
        assert not found[:2].any()
        assert np.array_equal(found[2:, :50], expected.T)
