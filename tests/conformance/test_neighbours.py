"""Recall of neighbours as ann-benchmarks and big-ann-benchmarks define it."""

import numpy as np
import pytest

import rankmark as rm
from conformance import neighbours as plain


def searched(seed: int, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Points on a small grid, so that many are equally far, and a search that misses some."""
    draws = np.random.default_rng(seed)
    points, queries = draws.integers(0, 4, (300, 3)), draws.integers(0, 4, (40, 3))
    far = np.sqrt(((queries[:, None] - points) ** 2).sum(axis=2)) + 1.0
    order = np.argsort(far, axis=1, kind="stable")
    missed = draws.random(far.shape) < 0.4
    kept = np.where(missed, np.inf, far)
    found = np.argsort(kept, axis=1, kind="stable")[:, :k]
    truth = order[:, : 5 * k]
    return (
        truth,
        np.take_along_axis(far, truth, axis=1),
        found,
        np.take_along_axis(far, found, axis=1),
    )


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("k", [1, 10, 20])
@pytest.mark.parametrize(("eps", "relative"), [(1e-3, False), (0.01, True), (0.1, True)])
def test_recall_by_distance_is_that_of_ann_benchmarks(
    seed: int, k: int, eps: float, relative: bool
) -> None:
    true_ids, true_distances, ids, distances = searched(seed, k)
    tolerance = {"relative_eps": eps} if relative else {"eps": eps}
    found = rm.ann_recall(
        true_ids, ids, k, true_distances=true_distances, distances=distances, **tolerance
    )
    theirs = plain.benchmarks_by_distance(
        true_distances.tolist(), distances.tolist(), k, eps=eps, relative=relative
    )
    assert found[f"distance_recall@{k}"] == pytest.approx(theirs, rel=1e-12)
    assert theirs < 1 or k == 1


def test_the_default_tolerances_are_those_of_the_two_benchmarks() -> None:
    true_ids, true_distances, ids, distances = searched(7, 10)
    both = {"true_distances": true_distances, "distances": distances}
    found = rm.ann_recall(true_ids, ids, 10, **both)
    assert found.settings["distance_eps"] == 1e-3
    assert found.settings["tie_eps"] == 1e-6


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("k", [1, 10, 20])
def test_recall_with_ties_is_that_of_big_ann_benchmarks(seed: int, k: int) -> None:
    true_ids, true_distances, ids, _ = searched(seed, k)
    found = rm.ann_recall(true_ids, ids, k, true_distances=true_distances)
    theirs, tied = plain.big_benchmark_with_ties(
        true_ids.tolist(), true_distances.tolist(), ids.tolist(), k
    )
    assert found["tie_recall"] == pytest.approx(theirs, rel=1e-12)
    assert found.audit.tied == tied > 0
    assert found["recall"] < theirs


@pytest.mark.parametrize("seed", range(4))
def test_the_relative_distance_is_that_of_ann_benchmarks(seed: int) -> None:
    true_ids, true_distances, ids, distances = searched(seed, 10)
    both = {"true_distances": true_distances, "distances": distances}
    found = rm.ann_recall(true_ids, ids, 10, **both)
    theirs = plain.benchmarks_by_ratio(true_distances.tolist(), distances.tolist())
    assert found.audit.relative_distance == pytest.approx(theirs, rel=1e-12)
    assert theirs > 1
