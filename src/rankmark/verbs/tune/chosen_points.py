"""Queries dealt into folds, and the best way to fuse chosen on some and scored on the others."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from rankmark.array_types import Floats, Ints
from rankmark.errors import InputError
from rankmark.statistics.score_arrays import by_id


def query_folds(
    queries: Sequence[str],
    *,
    folds: int,
    repeats: int,
    seed: int,
    clusters: Sequence[Hashable] | None = None,
) -> Ints:
    """Deal the queries into folds of about the same size, several times.

    Clusters are dealt in a random order, each to the fold that has the fewest queries so far. The
    folds do not depend on the order of the queries.

    Parameters
    ----------
    queries
        Their ids.
    clusters
        (queries,) what each query belongs to; None if each is its own cluster.

    Returns
    -------
    ndarray
        (repeats, queries) int64, the fold of each query, from 0.

    Raises
    ------
    InputError
        If there are fewer clusters than folds.
    """
    given = queries if clusters is None else clusters
    order = by_id(queries)
    order = np.arange(len(queries)) if order is None else order
    numbers: dict[Hashable, int] = {}
    for row in order.tolist():
        numbers.setdefault(given[row], len(numbers))
    cluster_of = np.array([numbers[cluster] for cluster in given])
    if len(numbers) < folds:
        one, several = ("query", "queries") if clusters is None else ("cluster", "clusters")
        found = f"{len(numbers)} {one if len(numbers) == 1 else several}"
        raise InputError(
            f"there are {folds} folds, and {found} to deal into them",
            f"choose at most {len(numbers)} folds" if len(numbers) > 1 else f"need two {several}",
        )
    sizes = np.bincount(cluster_of, minlength=len(numbers))
    random = np.random.default_rng(seed)
    dealt = np.empty((repeats, len(queries)), dtype=np.int64)
    for repeat in range(repeats):
        held = np.zeros(folds, dtype=np.int64)
        fold_of_cluster = np.empty(len(numbers), dtype=np.int64)
        for cluster in random.permutation(len(numbers)).tolist():
            fold = int(held.argmin())
            fold_of_cluster[cluster] = fold
            held[fold] += sizes[cluster]
        dealt[repeat] = fold_of_cluster[cluster_of]
    return dealt


_CLOSE = 1e-12  # means that differ by less, relative to the largest, are equal but for rounding

_DIGITS = 12  # to which distances of means are equal, whatever the order of sums


class ChosenPoints(NamedTuple):
    """What was chosen, on all queries and on those outside of each fold.

    Parameters
    ----------
    best
        The number of the point that is the best on all queries.
    chosen
        (repeats, folds) int64, the number of the point chosen without each fold.
    held_out
        (repeats, queries) float64, each query's score by the point that was chosen without it.
    """

    best: int
    chosen: Ints
    held_out: Floats

    @property
    def middle(self) -> int:
        """The repeat whose mean held-out score is the nearest to the mean of all repeats.

        Of equally near ones, as two always are, the first.
        """
        means = self.held_out.mean(axis=1)
        return int(np.round(np.abs(means - means.mean()), _DIGITS).argmin())

    def of_fold(self, folds: Ints) -> Ints:
        """Return the point chosen without each query: (repeats, queries) int64."""
        return np.take_along_axis(self.chosen, folds, axis=1)


def chosen_points(
    scores: Floats, folds: Ints, preference: Ints, *, more_is_better: bool
) -> ChosenPoints:
    """Choose a point for each fold by its mean over the other queries.

    Parameters
    ----------
    scores
        (points, queries) float64, without NaN.
    folds
        (repeats, queries) int64, the fold of each query in each repeat, from 0.
    preference
        (points,) int64: of points with equal means, the one with the lowest number is chosen.
    """
    signed = scores if more_is_better else -scores
    queries, repeats = scores.shape[1], len(folds)
    number = int(folds.max()) + 1
    chosen = np.empty((repeats, number), dtype=np.int64)
    for repeat, fold in enumerate(folds):
        order = np.argsort(fold, kind="stable")
        sizes = np.bincount(fold, minlength=number)
        starts = np.cumsum(sizes) - sizes
        sums = np.add.reduceat(signed[:, order], starts, axis=1)
        others = sums.sum(axis=1, keepdims=True) - sums
        for at in range(number):
            chosen[repeat, at] = preferred(others[:, at] / (queries - sizes[at]), preference)
    held_out = scores[np.take_along_axis(chosen, folds, axis=1), np.arange(queries)]
    return ChosenPoints(preferred(signed.mean(axis=1), preference), chosen, held_out)


def preferred(means: Floats, preference: Sequence[int] | Ints) -> int:
    """Return the number of the highest mean; of equal ones, that of the lowest preference."""
    highest = float(means.max())
    equal = np.flatnonzero(means >= highest - _CLOSE * max(1.0, abs(highest)))
    return int(equal[np.argmin(np.asarray(preference)[equal])])
