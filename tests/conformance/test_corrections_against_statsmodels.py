"""Corrections give what statsmodels, scipy, the literature and counting give."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from rankmark.statistics import (
    adjust,
    anova,
    letters,
    max_t,
    randomisation_test,
    randomised_tukey,
    tukey,
)

# Benjamini and Hochberg 1995, section 4.1: thrombolysis after heart attacks.
HEART = [
    *(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344),
    *(0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0),
]


@pytest.mark.parametrize(
    ("correction", "rejected"), [("bonferroni", 3), ("hochberg", 3), ("bh", 4)]
)
def test_benjamini_and_hochbergs_example_rejects_as_many(correction: str, rejected: int) -> None:
    assert int(np.sum(adjust(HEART, correction).adjusted <= 0.05)) == rejected


@pytest.mark.parametrize(
    ("correction", "name"),
    [
        ("holm", "holm"),
        ("hochberg", "simes-hochberg"),
        ("bonferroni", "bonferroni"),
        ("bh", "fdr_bh"),
        ("by", "fdr_by"),
    ],
)
@pytest.mark.parametrize("seed", range(5))
def test_corrections_are_those_of_statsmodels(correction: str, name: str, seed: int) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    rng = np.random.default_rng(seed)
    p = rng.random(20) ** 2
    p[3] = p[7]
    p[5] = 1.0
    theirs = multitest.multipletests(p, method=name)[1]
    assert adjust(p.reshape(4, 5), correction).adjusted.ravel() == pytest.approx(theirs)


def counted_max_t(scores: np.ndarray, pairs: list[tuple[int, int]], *, down: bool) -> list[float]:
    """Make Student's t of every pair under all signs, one by one."""
    differences = np.array([scores[:, b] - scores[:, a] for a, b in pairs])
    n = scores.shape[0]

    def t(signs: tuple[int, ...]) -> np.ndarray:
        return np.abs(stats.ttest_1samp(differences * np.array(signs), 0, axis=1).statistic)

    found = t((1,) * n)
    order = np.argsort(-found)
    every = [t(signs) for signs in itertools.product((1, -1), repeat=n)]
    p = np.empty(len(pairs))
    least = 0.0
    for place, pair in enumerate(order):
        rivals = order[place:] if down else order
        least = max(least, np.mean([max(one[rivals]) >= found[pair] - 1e-9 for one in every]))
        p[pair] = least
    return p.tolist()


@pytest.mark.parametrize("steps", ["single step", "step down"])
@pytest.mark.parametrize("seed", range(3))
def test_max_t_of_all_signs_is_what_counting_gives(steps: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 11, (8, 4)) / 10 + np.array([0, 0, 0.3, 0.6])
    pairs = list(itertools.combinations(range(4), 2))
    found = max_t(scores, pairs, steps=steps)
    expected = counted_max_t(scores, pairs, down=steps == "step down")
    assert found.adjusted[:, 0].tolist() == pytest.approx(expected)
    assert (found.method, found.resamples) == ("all 256 signs", None)
    theirs = [stats.ttest_rel(scores[:, b], scores[:, a]).statistic for a, b in pairs]
    assert found.t[:, 0].tolist() == pytest.approx(theirs)


def test_max_t_by_chance_is_near_counting() -> None:
    scores = np.random.default_rng(5).normal(size=(10, 4)) + np.array([0, 0.3, 0.9, 0.2])
    exact = max_t(scores)
    by_chance = max_t(scores, resamples=1000)  # fewer than 1,024
    assert by_chance.method == "random signs"
    assert by_chance.adjusted == pytest.approx(exact.adjusted, abs=0.08)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_max_t_of_one_pair_is_the_randomisation_test(alternative: str) -> None:
    a, b = np.random.default_rng(6).random((2, 40))
    alone = randomisation_test(a, b, alternative=alternative, resamples=2000, seed=1)
    found = max_t(np.column_stack([a, b]), alternative=alternative, resamples=2000, seed=1)
    assert found.adjusted[0, 0] == alone.p


def test_families_are_measures_or_all_of_them() -> None:
    scores = np.random.default_rng(7).random((9, 3, 2))
    each = max_t(scores)
    both = max_t(scores, family="all")
    for measure in range(2):
        alone = max_t(scores[:, :, measure])
        assert each.adjusted[:, measure].tolist() == alone.adjusted[:, 0].tolist()
    assert each.family.tolist() == [[3, 3]] * 3
    assert both.family.tolist() == [[6, 6]] * 3
    assert (both.adjusted >= each.adjusted).all()
    side_by_side = np.concatenate([scores[:, :, 0], scores[:, :, 1]], axis=1)
    pairs = list(itertools.combinations(range(3), 2))
    stacked = max_t(side_by_side, [*pairs, *[(a + 3, b + 3) for a, b in pairs]])
    assert both.adjusted.T.ravel().tolist() == stacked.adjusted[:, 0].tolist()


def test_measures_with_their_own_missing_scores_keep_their_places() -> None:
    scores = np.random.default_rng(8).random((9, 3, 3))
    scores[2, 1, 0] = np.nan
    found = max_t(scores)
    assert found.n[:, 0].tolist() == [8, 9, 8]
    for measure in (1, 2):
        alone = max_t(scores[:, :, measure])
        assert found.adjusted[:, measure].tolist() == alone.adjusted[:, 0].tolist()


def test_stepping_down_rejects_at_least_as_much() -> None:
    scores = np.random.default_rng(9).random((12, 5)) + np.linspace(0, 0.5, 5)
    single, down = max_t(scores, steps="single step"), max_t(scores)
    assert (down.adjusted <= single.adjusted).all()
    assert (down.adjusted < single.adjusted).any()


def test_randomised_tukey_is_near_what_all_orders_give() -> None:
    scores = np.random.default_rng(10).integers(0, 6, (4, 3)) / 5 + np.array([0, 0.1, 0.5])
    orders = [list(itertools.permutations(row)) for row in scores.tolist()]
    means = np.array([np.mean(rows, axis=0) for rows in itertools.product(*orders)])
    ranges = means.max(axis=1) - means.min(axis=1)
    found = randomised_tukey(scores, resamples=20_000)
    for (a, b), p in zip(found.pairs, found.adjusted[:, 0], strict=True):
        far = abs(scores[:, b].mean() - scores[:, a].mean())
        expected = np.mean(ranges >= far - 1e-9)
        assert p == pytest.approx(expected, abs=5 * (expected / 20_000) ** 0.5 + 1e-4)
    assert found.smallest_p[0] == pytest.approx(math.factorial(3) ** -3)


def test_randomised_tukey_of_two_systems_is_the_randomisation_test() -> None:
    a, b = np.random.default_rng(11).random((2, 25))
    exact = randomisation_test(a, b).p
    found = randomised_tukey(np.column_stack([a, b]), resamples=20_000)
    assert found.adjusted[0, 0] == pytest.approx(exact, abs=5 * (exact / 20_000) ** 0.5)


def test_analysis_of_variance_is_that_of_statsmodels() -> None:
    pd = pytest.importorskip("pandas")
    api = pytest.importorskip("statsmodels.formula.api")
    sm = pytest.importorskip("statsmodels.api")
    scores = np.random.default_rng(12).random((9, 4))
    rows = [
        {"query": query, "system": system, "score": scores[query, system]}
        for query in range(9)
        for system in range(4)
    ]
    fitted = api.ols("score ~ C(query) + C(system)", pd.DataFrame(rows)).fit()
    table = sm.stats.anova_lm(fitted)
    ours = anova(scores)
    assert ours.systems == pytest.approx(table.loc["C(system)", "sum_sq"])
    assert ours.queries == pytest.approx(table.loc["C(query)", "sum_sq"])
    assert ours.residual == pytest.approx(table.loc["Residual", "sum_sq"])
    assert ours.f == pytest.approx(table.loc["C(system)", "F"])
    assert ours.p == pytest.approx(table.loc["C(system)", "PR(>F)"])
    assert (ours.df_systems, ours.df_queries, ours.df_residual) == (3, 8, 24)


def test_tukey_of_two_systems_is_the_t_test() -> None:
    a, b = np.random.default_rng(13).random((2, 20))
    found = tukey(np.column_stack([a, b]))
    assert found.adjusted[0, 0] == pytest.approx(stats.ttest_rel(a, b).pvalue, rel=1e-6)


def test_tukey_has_the_critical_value_of_the_tables() -> None:
    # q(0.05; 3, 10) = 3.88: Harter 1960, tables of range and studentized range.
    scores = np.random.default_rng(14).normal(size=(6, 3))
    scores -= scores.mean(axis=0)
    residual = anova(scores).residual
    step = 3.877 * math.sqrt(residual / 10 / 6)
    found = tukey(scores + np.array([0, step / 2, step]))
    assert found.adjusted[1, 0] == pytest.approx(0.05, abs=0.0002)


def test_tukey_pairs_what_independent_groups_do_not() -> None:
    rng = np.random.default_rng(15)
    scores = rng.random((30, 1)) + rng.normal(0, 0.02, (30, 3)) + np.array([0, 0.03, 0.06])
    assert tukey(scores).adjusted.max() < 0.01
    assert stats.tukey_hsd(*scores.T).pvalue[0, 2] > 0.5


def test_letters_are_those_of_piephos_reasoning() -> None:
    # Four systems in a row, neighbours alike: each differs from those two places off.
    pairs = list(itertools.combinations(range(4), 2))
    p = [0.5 if b - a == 1 else 0.01 for a, b in pairs]
    assert letters([4, 3, 2, 1], pairs, p) == ("a", "ab", "bc", "c")
    assert letters([1, 2, 3, 4], pairs, p) == ("c", "bc", "ab", "a")
    assert letters([4, 3, 2, 1], pairs, [1.0] * 6) == ("a", "a", "a", "a")
    assert letters([4, 3, 2, 1], pairs, [0.0] * 6) == ("a", "b", "c", "d")
    assert letters([4, 3, 2, 1], pairs, [math.nan] * 6) == ("a", "a", "a", "a")
