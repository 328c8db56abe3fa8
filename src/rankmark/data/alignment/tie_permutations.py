"""Orders of tied documents: sorted by merit, all of them, or a random sample."""

from __future__ import annotations

import itertools
import math
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmark.array_types import Floats, Ints
from rankmark.data.alignment.aligned_run import Alignment
from rankmark.data.alignment.segments import positions, query_of_rows
from rankmark.data.alignment.tie_probabilities import tie_columns

_SEED = 20040613


def in_order(a: Alignment, merit: Floats, *, best: bool) -> Alignment:
    """Sort tied documents by merit, and cut the ranks beyond ``a.retrieved``.

    Parameters
    ----------
    a
        Tied documents in any order.
    merit
        (H,) float64. An unjudged document has 0, and comes before judged documents with 0 if the
        best come first, after them if the best come last.
    best
        Whether the greatest merit comes first or last.
    """
    first, last = tie_columns(a)
    query = query_of_rows(a.starts)
    new = np.ones(len(first), dtype=bool)
    new[1:] = (query[1:] != query[:-1]) | (first[1:] != first[:-1])
    starts = np.append(np.flatnonzero(new), len(first))
    sizes = np.repeat(np.diff(starts), np.diff(starts))
    order = np.arange(len(first))
    moved = np.flatnonzero(sizes > 1)  # often few, and sorting takes longest
    key = -merit[moved] if best else merit[moved]
    order[moved] = moved[np.lexsort((key, np.cumsum(new)[moved]))]
    place = positions(starts)
    after = sizes - place
    ahead = (merit[order] > 0) == best
    rank = np.where(ahead, first + place - 1, last - after).astype(np.int32)
    kept = rank <= a.retrieved[query]
    counts = np.bincount(query[kept], minlength=len(a.retrieved))
    rows = order[kept]
    return a.with_columns(
        starts=np.append(0, np.cumsum(counts)),
        rank=rank[kept],
        label=a.label[rows],
        tie_first=None if a.tie_first is None else first[kept],
        tie_last=None if a.tie_last is None else last[kept],
        views=a.views_at(rows),
    )


def orders_of(
    a: Alignment, query: int, lowest: float, deepest: int | None, most: int
) -> tuple[Alignment, bool]:
    """Return the orders of one query's ties, each as a query of its own.

    Parameters
    ----------
    a
        Tied documents in any order.
    query
        The number of the query, from 0.
    lowest, deepest
        Documents with lower labels count as unjudged; deeper ranks are left out.
    most
        The maximum number of orders; if measures distinguish more, that many are drawn at random,
        the same at each call.

    Returns
    -------
    tuple of Alignment and bool
        The orders, and whether these are all.
    """
    own = slice(a.starts[query], a.starts[query + 1])
    first, last = (column[own] for column in tie_columns(a))
    label = a.label[own]
    _, a_row, kind = np.unique(a.kinds()[own], return_index=True, return_inverse=True)
    limit = int(a.retrieved[query]) if deepest is None else min(int(a.retrieved[query]), deepest)
    spans = [
        (
            int(begin),
            int(last[first == begin][0]),
            np.sort(kind[(first == begin) & (label >= lowest)]).astype(np.float64),
        )
        for begin in np.unique(first[(label >= lowest) & (first <= limit)])
    ]
    count = 1
    for begin, end, kinds in spans:
        count = min(count * _arrangements(kinds, end - begin + 1), most + 1)
    if count <= most:
        columns = np.empty((1, 0))
        for begin, end, kinds in spans:
            arranged = _all_arranged(kinds, end - begin + 1)
            columns = np.hstack(
                [np.repeat(columns, len(arranged), axis=0), np.tile(arranged, (len(columns), 1))]
            )
    else:
        rng = np.random.default_rng([_SEED, zlib.crc32(str(a.queries[query]).encode())])
        drawn = [np.empty((most, 0))]
        for begin, end, kinds in spans:
            filled = np.append(kinds, np.full(end - begin + 1 - len(kinds), np.nan))
            drawn.append(rng.permuted(np.tile(filled, (most, 1)), axis=1))
        columns = np.hstack(drawn)
    rank = np.array([r for begin, end, _ in spans for r in range(begin, end + 1)], dtype=np.int32)
    ends = np.array([(b, e) for b, e, _ in spans for _ in range(b, e + 1)], dtype=np.int32)
    kept = rank <= limit
    ranks = (rank[kept], *ends.reshape(-1, 2)[kept].T)
    columns = columns[:, kept]
    judged: NDArray[np.bool_] = ~np.isnan(columns)
    rows = own.start + a_row[columns[judged].astype(np.int64)]
    return _as_queries(a, query, ranks, judged, rows), count <= most


def _as_queries(
    a: Alignment, query: int, ranks: tuple[Any, ...], judged: NDArray[np.bool_], rows: Ints
) -> Alignment:
    """Build a query of each order, from a mask of judged documents and their rows.

    ``ranks`` are the ranks of the columns, and the first and last ranks of their ties.
    """
    number = len(judged)
    ideal = np.tile(np.arange(a.ideal_starts[query], a.ideal_starts[query + 1]), number)
    rank, first, last = (np.broadcast_to(column, judged.shape)[judged] for column in ranks)
    return Alignment(
        [a.queries[query]] * number,
        np.append(0, np.cumsum(judged.sum(axis=1))),
        rank,
        a.label[rows],
        np.repeat(a.retrieved[query], number),
        np.arange(number + 1) * (a.ideal_starts[query + 1] - a.ideal_starts[query]),
        a.ideal_label[ideal],
        first,
        last,
        views=a.views_at(rows, ideal),
    )


def _arrangements(kinds: Floats, size: int) -> int:
    """Count the distinct ways to put documents, by kind, into ``size`` places."""
    arrangements = 1
    for count in np.unique(kinds, return_counts=True)[1].tolist():
        arrangements *= math.comb(size, count)
        size -= count
    return arrangements


def _all_arranged(kinds: Floats, size: int) -> Floats:
    """List the distinct ways to put documents into places: (n, size), NaN for an empty place."""
    arranged = [np.full(size, np.nan)]
    for kind, count in zip(*np.unique(kinds, return_counts=True), strict=True):
        extended = []
        for places in arranged:
            for chosen in itertools.combinations(np.flatnonzero(np.isnan(places)), int(count)):
                extended.append(places.copy())
                extended[-1][list(chosen)] = kind
        arranged = extended
    return np.array(arranged)
