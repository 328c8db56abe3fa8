"""The ways to fuse that tuning tries, the folds of queries, and the choice among equal means."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from rankmark.errors import InputError, MeasureError
from rankmark.verbs.tune.chosen_points import chosen_points, preferred, query_folds
from rankmark.verbs.tune.tuning_grid import K, preferences, tuning_grid, weight_grid


@pytest.mark.parametrize(("runs", "number"), [(1, 1), (2, 11), (3, 66), (4, 286)])
def test_the_grid_has_all_weights_that_add_up_to_one(runs, number):
    grid = weight_grid(runs, 0.1)
    tenths = [Fraction(at, 10) for at in range(11)]
    expected = {row for row in itertools.product(tenths, repeat=runs) if sum(row) == 1}
    found = {tuple(Fraction(str(round(value, 9))) for value in row) for row in grid.tolist()}
    assert len(grid) == number
    assert found == expected


def test_a_weight_is_the_float_that_one_would_write():
    assert [0.2, 0.7, 0.1] in weight_grid(3, 0.1).tolist()  # which ranx loses
    assert weight_grid(2, 0.25).tolist() == [
        [0.0, 1.0], [0.25, 0.75], [0.5, 0.5], [0.75, 0.25], [1.0, 0.0]
    ]  # fmt: skip


@pytest.mark.parametrize("step", [0, -0.1, 0.3, 2, True, "0.1", float("nan"), None])
def test_a_step_that_does_not_divide_one_is_refused(step):
    with pytest.raises(InputError, match="step"):
        weight_grid(2, step)


def test_a_grid_that_would_take_hours_is_refused():
    with pytest.raises(InputError, match="larger step"):
        weight_grid(6, 0.01)


def test_parameters_are_varied_unless_a_name_includes_them():
    def names(*methods, **given):
        ways = tuning_grid(2, methods, step=1, **given)
        return [*dict.fromkeys(str(way.method) for way in ways)]

    assert len(names("RRF")) == len(K)
    assert names("RRF", k=[3, 60]) == ["RRF(k=3)", "RRF(k=60)"]
    assert names("RRF(k=60)", k=[3, 60]) == ["RRF(k=60)"]
    assert names("wsum", norms=["min-max", "z"]) == ["wsum", 'wsum(norm="z")']
    assert names("wsum(norm='min-max')", norms="z") == ["wsum"]
    assert names("CombMNZ", "RBC(p=0.9)") == ["CombMNZ", "RBC(p=0.9)"]
    assert len(tuning_grid(2, "CombMNZ")) == 1, "a method without weights is tried once"
    assert [way.weights.tolist() for way in tuning_grid(3, "RRF", k=[9, 60], step=None)] == [
        [1] * 3
    ] * 2
    assert len(tuning_grid(3, ["wsum", "linear"])) == 66, "a method is tried once"


@pytest.mark.parametrize(
    ("given", "error"),
    [({"methods": []}, "methods is empty"), ({"methods": 3}, "methods is 3"),
     ({"k": []}, "k is empty"), ({"k": -1}, "k is -1"), ({"norms": ["nothing"]}, "norm is"),
     ({"norms": [3]}, "norms contains 3"), ({"methods": "nothing"}, "nothing")],
)  # fmt: skip
def test_what_is_no_grid_is_refused(given, error):
    with pytest.raises((InputError, MeasureError), match=error):
        tuning_grid(2, **given)


def test_of_equal_means_the_nearest_to_equal_weights_is_chosen_then_the_smaller_k():
    ways = tuning_grid(2, "RRF", k=[60, 10])
    places = preferences(ways)
    first = ways[int(places.argmin())]
    assert (str(first.method), first.weights.tolist()) == ("RRF(k=10)", [0.5, 0.5])
    second = ways[int(np.argsort(places)[1])]
    assert (str(second.method), second.weights.tolist()) == ("RRF(k=60)", [0.5, 0.5])
    assert preferred(np.array([1.0, 1.0 + 1e-15, 0.5]), [2, 1, 0]) == 1
    assert preferred(np.array([1.0, 1.0 + 1e-9, 0.5]), [0, 1, 2]) == 1


def test_folds_are_of_about_the_same_size_and_differ_by_repeat():
    dealt = query_folds([f"q{n}" for n in range(23)], folds=5, repeats=4, seed=1)
    for row in dealt:
        assert sorted(np.bincount(row).tolist()) == [4, 4, 5, 5, 5]
    assert len({tuple(row) for row in dealt.tolist()}) == 4
    again = query_folds([f"q{n}" for n in range(23)], folds=5, repeats=4, seed=1)
    assert again.tolist() == dealt.tolist()


def test_the_queries_of_a_cluster_are_in_one_fold():
    clusters = ["a", "b", "a", "c", "d", "b", "e", "a", "f"]
    for row in query_folds(
        [f"q{n}" for n in range(9)], folds=3, repeats=5, seed=0, clusters=clusters
    ).tolist():
        assert len({*zip(clusters, row, strict=True)}) == 6
        assert set(row) == {0, 1, 2}
    with pytest.raises(InputError, match="7 folds, and 6 clusters"):
        query_folds([f"q{n}" for n in range(9)], folds=7, repeats=1, seed=0, clusters=clusters)
    with pytest.raises(InputError, match="10 folds, and 9 queries"):
        query_folds([f"q{n}" for n in range(9)], folds=10, repeats=1, seed=0)


def chosen_slowly(scores, folds, preference, *, more_is_better):
    """Choose by plain loops: the points by fold, and the mean score of each query."""
    sign = 1 if more_is_better else -1

    def best(queries):
        means = [sign * sum(Fraction(row[q]) for q in queries) / len(queries) for row in scores]
        return min((p for p, m in enumerate(means) if m == max(means)), key=preference.__getitem__)

    queries, repeats = range(len(scores[0])), range(len(folds))
    chosen = [
        [best([q for q in queries if row[q] != fold]) for fold in range(max(row) + 1)]
        for row in folds
    ]
    held_out = [[scores[chosen[r][folds[r][q]]][q] for q in queries] for r in repeats]
    return best([*queries]), chosen, held_out


@pytest.mark.parametrize("more_is_better", [True, False])
def test_a_query_is_scored_by_what_was_chosen_without_its_fold(more_is_better):
    random = np.random.default_rng(3)
    scores = random.integers(0, 3, (6, 11)) / 4  # so that means tie, and sums are exact
    folds = query_folds([f"q{n}" for n in range(11)], folds=3, repeats=4, seed=2)
    preference = random.permutation(6)
    found = chosen_points(scores, folds, preference, more_is_better=more_is_better)
    expected = chosen_slowly(
        scores.tolist(), folds.tolist(), preference.tolist(), more_is_better=more_is_better
    )
    assert found.best == expected[0]
    assert found.chosen.tolist() == expected[1]
    assert found.held_out.tolist() == expected[2]
