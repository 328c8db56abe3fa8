"""``bootstrap_max_t``: against a slow double loop, and where errors would be frequent."""

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from rankmark.errors import InputError
from rankmark.statistics import bootstrap_max_t, bootstrap_test
from rankmark.statistics.bootstrap_max_t import LEAST_ERROR, LEAST_ERROR_DRAWN
from rankmark.statistics.resampling import sample_blocks, sample_counts


def mean_and_error_of(values: Any, clusters: Any) -> tuple[float, float]:
    """Return the mean of some drawn differences, and its error: clusters are added up first."""
    mean = float(np.mean(values))
    sums: dict[Any, float] = {}
    for value, cluster in zip(values, clusters, strict=True):
        sums[cluster] = sums.get(cluster, 0.0) + value - mean
    units = len(sums)
    if units < 2:
        return mean, 0.0
    return mean, math.sqrt(units / (units - 1) * sum(s**2 for s in sums.values())) / len(values)


def slowly(scores: Any, resamples: int, seed: int, clusters: Any = None) -> tuple[Any, Any, Any]:
    """Draw the same queries, and look at every pair in every resample, one by one."""
    pairs = [*combinations(range(scores.shape[1]), 2)]
    names = [*range(len(scores))] if clusters is None else list(clusters)
    of = [[at for at, name in enumerate(names) if name == one] for one in dict.fromkeys(names)]
    differences = [scores[:, b] - scores[:, a] for a, b in pairs]
    kept = [~np.isnan(one) for one in differences]
    known = [
        mean_and_error_of(one[has], np.array(names)[has])
        for one, has in zip(differences, kept, strict=True)
    ]
    typical = math.sqrt(np.mean([error**2 for _, error in known if error > 0]))
    errors = [max(error, LEAST_ERROR * typical) for _, error in known]
    tops = []
    for block, size in enumerate(sample_blocks(len(of), resamples)):
        for counts in sample_counts(len(of), size, block, seed):
            if counts.max() == len(of):
                tops.append(math.inf)
                continue
            top = 0.0
            for one, has, (mean, _) in zip(differences, kept, known, strict=True):
                values, drawn = [], []
                for unit, count in enumerate(counts.astype(int)):
                    for copy in range(count):
                        for query in of[unit]:
                            if has[query]:
                                values.append(one[query])
                                drawn.append((unit, copy))
                again, error = mean_and_error_of(values, drawn)
                top = max(top, abs(again - mean) / max(error, LEAST_ERROR_DRAWN * typical))
            tops.append(top)
    t = [mean / error for (mean, _), error in zip(known, errors, strict=True)]
    p = [(sum(top >= abs(one) - 1e-9 for top in tops) + 1) / (resamples + 1) for one in t]
    return t, p, sorted(tops)[-int(0.05 * (resamples + 1))]


@pytest.mark.parametrize("kind", ["plain", "missing", "clusters", "sparse"])
def test_a_double_loop_gives_the_same(kind: str) -> None:
    random = np.random.default_rng(2)
    scores = random.normal([0, 0.02, 0.1, 0.2], 0.1, (12, 4))
    clusters = None
    if kind == "missing":
        scores[3, 1] = scores[7, 2] = math.nan
    if kind == "clusters":
        clusters = [0, 0, 1, 2, 3, 3, 3, 4, 5, 6, 7, 7]
    if kind == "sparse":
        scores[:, 1] = scores[:, 0]
        scores[4, 1] += 0.4
        scores[:, 3] = scores[:, 2] + 0.001
    found = bootstrap_max_t(scores, resamples=400, seed=3, clusters=clusters)
    t, p, critical = slowly(scores, 400, 3, clusters)
    assert found.t[:, 0] == pytest.approx(t)
    assert found.adjusted[:, 0] == pytest.approx(p)
    assert found.critical[:, 0] == pytest.approx([critical] * 6)


def test_figures_that_were_found_stay() -> None:
    random = np.random.default_rng(11)
    scores = random.beta(1, 1, (20, 1)) / 2 + random.normal([0, 0.03, 0.1, 0.1], 0.1, (20, 4))
    found = bootstrap_max_t(scores, resamples=2000, seed=5)
    assert found.adjusted[:, 0].round(4).tolist() == GOLDEN
    assert found.critical[0, 0] == pytest.approx(GOLDEN_CRITICAL, abs=1e-6)


GOLDEN = [0.7971, 0.023, 0.1564, 0.1564, 0.5562, 0.6787]
GOLDEN_CRITICAL = 2.9345733


def test_p_values_and_intervals_always_agree() -> None:
    random = np.random.default_rng(6)
    for level in (0.01, 0.05, 0.2, 0.29):
        scores = random.exponential(size=(15, 5, 2)) ** 2 + [[0], [0], [1], [2], [3]]
        for family in ("measure", "all"):
            found = bootstrap_max_t(scores, family=family, level=level, resamples=99)  # type: ignore[arg-type]
            reached = np.abs(found.difference) > found.critical * found.error
            assert (reached == (found.adjusted <= level)).all()


def test_a_pair_alone_has_the_bootstrap_test() -> None:
    first, second = np.random.default_rng(7).random((2, 30))
    alone = bootstrap_test(first, second, resamples=3000, seed=9)
    found = bootstrap_max_t(np.column_stack([first, second]), resamples=3000, seed=9)
    assert (found.t[0, 0], found.adjusted[0, 0]) == (pytest.approx(alone.statistic), alone.p)


def test_families_are_measures_or_all_of_them() -> None:
    scores = np.random.default_rng(8).random((12, 3, 2))
    scores += np.array([[0], [0.2], [0.5]])
    each, both = bootstrap_max_t(scores), bootstrap_max_t(scores, family="all")
    for measure in range(2):
        alone = bootstrap_max_t(scores[:, :, measure])
        assert each.adjusted[:, measure].tolist() == alone.adjusted[:, 0].tolist()
    assert (each.family.tolist(), both.family.tolist()) == ([[3, 3]] * 3, [[6, 6]] * 3)
    assert (both.adjusted >= each.adjusted).all()
    assert (both.adjusted > each.adjusted).any()


def test_what_cannot_be_tested_is_no_part_of_a_family() -> None:
    scores = np.random.default_rng(9).random((10, 3))
    scores[:, 1] = scores[:, 0]
    found = bootstrap_max_t(scores)
    assert found.undefined == (("all differences are 0",), ("",), ("",))
    assert np.isnan(found.adjusted[0, 0])
    assert found.family[:, 0].tolist() == [0, 2, 2]
    same = bootstrap_max_t(np.array([[0.0, 1.0]] * 6))
    assert "their spread is unknown" in same.undefined[0][0]
    empty = bootstrap_max_t(np.full((3, 2), math.nan))
    assert empty.undefined == (("no query has a score from both systems",),)
    assert bootstrap_max_t([[1.0, 2.0]]).undefined[0][0]


@pytest.mark.parametrize(("n", "can"), [(2, False), (3, False), (4, True), (6, True)])
def test_three_queries_cannot_show_anything(n: int, can: bool) -> None:
    scores = np.zeros((n, 2))
    scores[:, 1] = 1.0 + np.arange(n) * 1e-3
    found = bootstrap_max_t(scores)
    assert (found.adjusted[0, 0] <= 0.05) == can
    assert (found.smallest_p <= 0.05) == can
    assert np.isinf(found.critical[0, 0]) != can


@pytest.mark.parametrize("options", [{}, {"clusters": [0, 1, 2, 3, 4] * 4}])
def test_threads_and_the_order_of_pairs_change_nothing(options: Any) -> None:
    scores = np.random.default_rng(10).random((20, 4, 2))
    scores[3, 2, 0] = math.nan
    alone = bootstrap_max_t(scores, resamples=3000, **options)
    many = bootstrap_max_t(scores, resamples=3000, threads=3, **options)
    assert alone.adjusted.tobytes() == many.adjusted.tobytes()
    assert alone.critical.tobytes() == many.critical.tobytes()
    turned = bootstrap_max_t(scores, [*reversed(alone.pairs)], resamples=3000, **options)
    assert turned.adjusted[::-1].tolist() == alone.adjusted.tolist()
    other = bootstrap_max_t(scores, resamples=3000, seed=1, **options)
    assert other.adjusted.tolist() != alone.adjusted.tolist()


def test_mistakes_are_refused() -> None:
    scores = np.zeros((3, 2))
    for options, said in (
        ({"family": "both"}, "family is 'both'"),
        ({"level": 2}, "level"),
        ({"pairs": [(0, 5)]}, "pairs contains"),
    ):
        with pytest.raises(InputError, match=said):
            bootstrap_max_t(scores, **options)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize(("tasks", "most"), [(8, 0.09), (15, 0.06), (40, 0.04)])
def test_models_bad_on_few_tasks_are_seldom_separated(tasks: int, most: float) -> None:
    """Four of eight equal models lose .3 on a tenth of the tasks: random signs err in 15 to 90%."""
    random = np.random.default_rng(tasks)
    wrong = 0
    for _ in range(200):
        scores = random.normal(0.5, 0.01, (tasks, 8))
        scores[:, :4] += 0.03 - 0.3 * (random.random((tasks, 4)) < 0.1)
        found = bootstrap_max_t(scores, resamples=499)
        wrong += bool((found.adjusted <= 0.05).any())
    assert wrong / 200 <= most
