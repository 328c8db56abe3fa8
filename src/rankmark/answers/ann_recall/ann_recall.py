"""Measure the recall of an approximate index against exact search."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rankmark.answers.ann_recall.neighbour_arrays import (
    Block,
    Nearest,
    NeighbourArrays,
    Padding,
    Tolerance,
)
from rankmark.answers.ann_recall.neighbour_recall import NeighbourAudit, NeighbourRecall
from rankmark.arguments import FromOne, checked
from rankmark.array_types import Floats, Ints
from rankmark.data.alignment.ranking_pairs import NeighbourCounts, neighbour_counts
from rankmark.data.contract.reading_options import Reading
from rankmark.errors import InputError

_DISTANCE_EPS = 1e-3  # of ann-benchmarks
_TIE_EPS = 1e-6  # of big-ann-benchmarks


class Tolerances(NamedTuple):
    """How much farther than the k-th true neighbour others may be.

    Parameters
    ----------
    distance, tie
        Of found neighbours, and of true ones: absolute.
    relative
        Of both, as a share of the distance.
    """

    distance: float
    tie: float
    relative: float

    def limits(self, kth: Floats, absolute: float) -> Floats:
        """Return how far neighbours may be: (Q,), NaN for queries without."""
        # A share of negative distances, such as negated similarities, also makes them longer.
        return kth * (1.0 + np.copysign(self.relative, kth)) + absolute


@checked
def ann_recall(
    true_ids: Any,
    ids: Any,
    k: FromOne,
    *,
    true_distances: Any = None,
    distances: Any = None,
    eps: Tolerance | None = None,
    relative_eps: Tolerance | None = None,
    nearest: Nearest = "smallest",
    padding: Padding | None = -1,
    threads: FromOne | None = None,
) -> NeighbourRecall:
    """Measure the recall of approximate nearest-neighbour search against exact search.

    Recall is the number of the k true neighbours that are among the first k found, divided by k, or
    by their number if a query has fewer. An id that is found twice counts once. With distances,
    recall is also computed by them, which does not depend on the order of neighbours that are
    equally near.

    Parameters
    ----------
    Data:
    true_ids, ids
        (n_queries, columns) whole numbers of any type: the ids of the true neighbours and of those
        found, nearest first. ``true_ids`` has at least k columns, and more of them show ties.
        Columns of ``ids`` after the first k are ignored. Arrays in files stay there: those that
        ``np.load(mmap_mode="r")`` or h5py gives are read a block of rows at a time.
    k
        The number of neighbours.
    true_distances
        Distances of ``true_ids``, of the same shape: recall is also computed with ties.

        The distances of both are computed alike.
    distances
        Distances of ``ids``, of the same shape: recall is also computed by distance, if
        there are both.

    Conventions:
    eps
        How much farther than the k-th true neighbour one may be and still count; None for
        0.001 of those found, 0.000001 of true ones.

        These are as in ann-benchmarks and in big-ann-benchmarks; if ``eps`` or
        ``relative_eps`` is given, the two apply to both, and are added.
    relative_eps
        The same as a share of its distance, such as 0.01; None for 0.
    nearest
        Which value is the nearest: ``"largest"`` for similarities, such as inner products.
    padding
        The id of places without a neighbour.

        None if every place has one.

    Reading:
    threads
        Number of threads; None for one per core. It does not affect the result.

    Returns
    -------
    NeighbourRecall
        Maps ``"recall@10"`` and, with distances, ``"tie_recall@10"``, ``"distance_recall@10"`` and
        ``"distance_error@10"`` to means over the queries that have true neighbours.

    Raises
    ------
    SchemaError
        If an array has the wrong shape or type.
    InputError
        If a distance is NaN or infinite, true distances are not in order, or an option has an
        invalid value.

    Notes
    -----
    ``tie_recall`` accepts in place of a true neighbour any other that is as near as the k-th, as
    far as ``true_ids`` lists them. ``distance_recall`` counts what was found at most as far away as
    the k-th true neighbour, whatever its id, as ann-benchmarks does, which however counts repeated
    ids again. ``distance_error`` is how much longer the distances found are in all than as many
    true ones: 0.02 for 2%.

    Examples
    --------
    >>> import rankmark as rm
    >>> found = rm.ann_recall(
    ...     [[1, 2, 3, 4, 5]],
    ...     [[1, 2, 5]],
    ...     3,
    ...     true_distances=[[0.1, 0.2, 0.3, 0.3, 0.3]],
    ...     distances=[[0.1, 0.2, 0.3]],
    ... )
    >>> round(found["recall@3"], 4), found["tie_recall@3"], found["distance_recall@3"]
    (0.6667, 1.0, 1.0)
    """
    arrays = NeighbourArrays(
        true_ids,
        ids,
        true_distances,
        distances,
        k=k,
        padding=padding,
        nearest=nearest,
    )
    tolerances = _tolerances(eps, relative_eps, has_distances=true_distances is not None)
    counted = _Counted(arrays, tolerances, Reading.of(threads=threads).workers)
    settings: dict[str, Any] = {"k": k, "nearest": nearest, "padding": arrays.padding}
    if arrays.true_distances is not None:
        settings |= {"tie_eps": tolerances.tie, "relative_eps": tolerances.relative}
    if arrays.distances is not None:
        settings["distance_eps"] = tolerances.distance
    return NeighbourRecall(
        scores=np.column_stack([*counted.columns.values()]),
        names=[f"{name}@{k}" for name in counted.columns],
        settings=settings,
        audit=counted.audit(),
    )


def _tolerances(
    eps: float | None, relative_eps: float | None, *, has_distances: bool
) -> Tolerances:
    if eps is None and relative_eps is None:
        return Tolerances(_DISTANCE_EPS, _TIE_EPS, 0.0)
    if not has_distances:
        name = "relative_eps" if eps is None else "eps"
        raise InputError(f"{name} is given without true_distances", "give them, or leave it out")
    return Tolerances(eps or 0.0, eps or 0.0, relative_eps or 0.0)


class _Counted:
    """The counts of all queries, and the columns of scores made of them."""

    def __init__(self, arrays: NeighbourArrays, tolerances: Tolerances, threads: int) -> None:
        self._arrays, self._tolerances, self._threads = arrays, tolerances, threads
        n, k = arrays.queries, arrays.k
        names = ["recall"]
        names += [] if arrays.true_distances is None else ["tie_recall"]
        names += [] if arrays.distances is None else ["distance_recall"]
        by_sum = arrays.distances is not None and arrays.nearest == "smallest"
        names += ["distance_error"] if by_sum else []
        self.columns = {name: np.empty(n) for name in names}
        self._facts = dict.fromkeys(
            ("without", "fewer_true", "fewer_found", "empty", "repeated", "true_repeated", "tied"),
            0,
        )
        self._sums = [0.0, 0.0]
        for block in arrays.blocks():
            self._add(block, k)

    def _add(self, block: Block, k: int) -> None:
        kth = ends = None
        if block.true_distances is not None:
            kth = np.fmax.reduce(block.true_distances[:, :k], axis=1)
            near = self._tolerances.limits(kth, self._tolerances.tie)
            ends = _ends(block.true_distances, near, k)
        counts = neighbour_counts(
            block.true_ids,
            block.ids,
            k,
            padding=self._arrays.padding_in(block.ids.dtype),
            ends=ends,
            first=block.distances is not None,
            threads=self._threads,
        )
        rows = slice(block.start, block.start + len(counts.hits))
        self.columns["recall"][rows] = _shares(counts.hits, counts.expected)
        if ends is not None:
            self.columns["tie_recall"][rows] = _shares(counts.tied, counts.expected)
        if block.true_distances is not None and block.distances is not None and kth is not None:
            true, found = block.true_distances[:, :k], block.distances[:, :k]
            limits = self._tolerances.limits(kth, self._tolerances.distance)
            hits = ((found <= limits[:, None]) & counts.first).sum(axis=1)
            self.columns["distance_recall"][rows] = _shares(hits, counts.expected)
            if "distance_error" in self.columns:
                self.columns["distance_error"][rows] = self._errors(true, found, counts)
        self._count(counts, ends, k)

    def _errors(self, true_distances: Floats, distances: Floats, counts: NeighbourCounts) -> Floats:
        """Return how much longer the distances found are than as many true ones."""
        compared = np.minimum(counts.found, counts.expected)
        true = _sums_of_first(true_distances, ~np.isnan(true_distances), compared)
        found = _sums_of_first(distances, counts.first, compared)
        self._sums[0] += float(found.sum())
        self._sums[1] += float(true.sum())
        errors = np.full(len(true), np.nan)
        np.divide(found - true, true, out=errors, where=(compared > 0) & (true > 0))
        errors[(compared > 0) & (true == 0) & (found == 0)] = 0.0
        return errors

    def _count(self, counts: NeighbourCounts, ends: Ints | None, k: int) -> None:
        asked = counts.expected > 0
        returned = counts.found + counts.repeated
        facts = {
            "without": ~asked,
            "fewer_true": asked & (counts.expected + counts.true_repeated < k),
            "fewer_found": asked & (returned < k),
            "empty": asked & (returned == 0),
            "repeated": counts.repeated,
            "true_repeated": counts.true_repeated,
        }
        if ends is not None:
            facts["tied"] = ends > k
        for name, values in facts.items():
            self._facts[name] += int(values.sum())

    def audit(self) -> NeighbourAudit:
        """Return which queries were averaged, and what was found in them."""
        found, true = self._sums
        return NeighbourAudit(
            queries=self._arrays.queries,
            k=self._arrays.k,
            **self._facts,
            relative_distance=found / true if true > 0 else None,
        )


def _ends(distances: Floats, limits: Floats, k: int) -> Ints:
    """Return up to which column true neighbours are as near as the k-th."""
    within = distances[:, k:] <= limits[:, None]
    columns = np.arange(1, within.shape[1] + 1)
    return k + (within * columns).max(axis=1, initial=0).astype(np.int64)


def _shares(hits: Any, expected: Any) -> Floats:
    """Divide by the number of true neighbours, which hits by distance may exceed; NaN for none."""
    shares = np.full(len(expected), np.nan)
    np.divide(np.minimum(hits, expected), expected, out=shares, where=expected > 0)
    return shares


def _sums_of_first(distances: Floats, present: Any, most: Any) -> Floats:
    """Add up the first distances of each row that are present, as many as ``most`` says."""
    summed = present & (np.cumsum(present, axis=1, dtype=np.int32) <= most[:, None])
    return np.where(summed, distances, 0.0).sum(axis=1)
