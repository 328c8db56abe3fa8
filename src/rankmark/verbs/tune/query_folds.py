"""Queries dealt into folds, those of a cluster together."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rankmark.errors import InputError
from rankmark.statistics.score_arrays import by_id

if TYPE_CHECKING:
    from rankmark.array_types import Ints


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
