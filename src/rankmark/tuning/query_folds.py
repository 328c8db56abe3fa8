"""Queries dealt into folds, those of a cluster together."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rankmark.errors import InputError

if TYPE_CHECKING:
    from rankmark.array_types import Ints


def query_folds(
    queries: int,
    *,
    folds: int,
    repeats: int,
    seed: int,
    clusters: Sequence[Hashable] | None = None,
) -> Ints:
    """Deal the queries into folds of about the same size, several times.

    Clusters are dealt in a random order, each to the fold that has the fewest queries so far.

    Parameters
    ----------
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
    numbers: dict[Hashable, int] = {}
    for cluster in range(queries) if clusters is None else clusters:
        numbers.setdefault(cluster, len(numbers))
    cluster_of = np.array([numbers[c] for c in (range(queries) if clusters is None else clusters)])
    if len(numbers) < folds:
        one, several = ("query", "queries") if clusters is None else ("cluster", "clusters")
        found = f"{len(numbers)} {one if len(numbers) == 1 else several}"
        raise InputError(
            f"there are {folds} folds, and {found} to deal into them",
            f"choose at most {len(numbers)} folds" if len(numbers) > 1 else f"need two {several}",
        )
    sizes = np.bincount(cluster_of, minlength=len(numbers))
    random = np.random.default_rng(seed)
    dealt = np.empty((repeats, queries), dtype=np.int64)
    for repeat in range(repeats):
        held = np.zeros(folds, dtype=np.int64)
        fold_of_cluster = np.empty(len(numbers), dtype=np.int64)
        for cluster in random.permutation(len(numbers)).tolist():
            fold = int(held.argmin())
            fold_of_cluster[cluster] = fold
            held[fold] += sizes[cluster]
        dealt[repeat] = fold_of_cluster[cluster_of]
    return dealt
