"""``resampled_ranks``: against the same draws counted slowly, and against known distributions."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import rankdata

from rankmark.errors import InputError
from rankmark.statistics.resampled_ranks import borda_points, ranks_of, resampled_ranks
from rankmark.statistics.resampling import sample_blocks, sample_counts

SCORES = np.array(
    [[0.7, 0.6, 0.2, 0.6], [0.4, 0.5, 0.1, 0.5], [0.9, 0.8, 0.9, 0.8], [0.3, 0.1, 0.4, 0.1]]
)


def rows(scores: Any) -> list[Any]:
    return [row[None] for row in np.asarray(scores)]


def test_ranks_and_points_are_those_of_scipy() -> None:
    values = np.random.default_rng(0).integers(0, 4, (50, 7)).astype(float)
    assert (ranks_of(values) == rankdata(-values, method="min", axis=1)).all()
    assert (borda_points(values) == 7 - rankdata(-values, method="average", axis=1)).all()


@pytest.mark.parametrize("points", [False, True])
def test_draws_of_tasks_are_counted_as_by_hand(points: bool) -> None:
    found = resampled_ranks(rows(SCORES), points=points, resamples=3000, seed=5)
    values = borda_points(SCORES) if points else SCORES
    counts, first, wins = np.zeros((4, 4)), np.zeros(4), np.zeros((4, 4))
    for block, size in enumerate(sample_blocks(4, 3000)):
        for copies in sample_counts(4, size, block, 5):
            total = [round(float(copies @ column), 9) for column in values.T]
            ranks = [1 + sum(other > one for other in total) for one in total]
            for system, rank in enumerate(ranks):
                counts[system, rank - 1] += 1
                first[system] += (rank == 1) / ranks.count(1)
                for other in range(4):
                    wins[system, other] += (ranks[other] > rank) + (ranks[other] == rank) / 2
    assert (found.counts == counts).all()
    assert found.first == pytest.approx(first / 3000)
    assert found.wins == pytest.approx(wins / 3000)
    assert found.first.sum() == pytest.approx(1.0)


def test_a_system_and_its_copy_are_equal_in_every_draw() -> None:
    found = resampled_ranks(rows(SCORES), resamples=500)
    assert found.wins[1, 3] == found.wins[3, 1] == 0.5
    assert (found.counts[1] == found.counts[3]).all()


def test_quantiles_are_the_ranks_that_a_share_of_the_draws_do_not_exceed() -> None:
    found = resampled_ranks(rows(SCORES), resamples=1000)
    for share in (0.025, 0.5, 0.975):
        for system, counts in enumerate(found.counts):
            ranks = np.repeat(np.arange(1, 5), counts)
            wanted = np.quantile(ranks, share, method="inverted_cdf")
            assert found.quantile(share)[system] == wanted


@pytest.mark.parametrize("sizes", [(30, 30), (5, 40, 12)])
def test_the_spread_over_queries_is_that_of_the_means(sizes: tuple[int, ...]) -> None:
    random = np.random.default_rng(1)
    tasks = [random.normal(size=(n, 3)) for n in sizes]
    wanted = np.sqrt(sum(task.var(axis=0, ddof=1) / len(task) for task in tasks)) / len(tasks)
    found = resampled_ranks(tasks, "queries", resamples=20_000)
    assert found.errors == pytest.approx(wanted, rel=0.03)
    between = np.array([task.mean(axis=0) for task in tasks]).var(axis=0) / len(tasks)
    both = resampled_ranks(tasks, "both", resamples=20_000)
    assert both.errors == pytest.approx(np.sqrt(between + wanted**2), rel=0.03)


def test_p_of_one_pair_over_queries_is_that_of_t() -> None:
    from scipy.stats import ttest_rel

    random = np.random.default_rng(2)
    task = random.normal(size=(20, 1)) + random.normal(0, 0.3, (20, 2)) + [0.0, 0.15]
    found = resampled_ranks([task], "queries", resamples=20_000)
    wanted = ttest_rel(task[:, 0], task[:, 1]).pvalue
    assert found.adjusted[0, 1] == found.adjusted[1, 0] == pytest.approx(wanted, abs=0.01)
    assert math.isnan(found.adjusted[0, 0])


def test_points_are_given_anew_in_each_draw_of_queries() -> None:
    task = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    found = resampled_ranks([task], "queries", points=True, resamples=20_000)
    # Of two queries drawn of three, A has both with 4/9, B both with 1/9; else they are equal.
    assert found.wins[0, 1] == pytest.approx(4 / 9 + 2 / 9, abs=0.02)


def test_nothing_to_rank_is_refused() -> None:
    with pytest.raises(InputError, match="nothing to rank"):
        resampled_ranks([])
    with pytest.raises(InputError, match="no task has queries"):
        resampled_ranks(rows(SCORES), "queries")
