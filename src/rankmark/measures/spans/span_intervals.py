"""Intervals of documents by query, and the lengths that two sets of them cover."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.data.alignment import segment_cumsum
from rankmark.data.alignment.segments import fitting

if TYPE_CHECKING:
    from rankmark.array_types import Bools, Floats, Ints, Values
    from rankmark.formulas import Budget


class Intervals(NamedTuple):
    """Half-open intervals [start, end), a row each; the rows of a query are in rank order.

    ``query`` and ``document`` are (N,) int64, non-decreasing in ``query``; ``start`` and ``end``
    are (N,) float64, in any unit.
    """

    query: Ints
    document: Ints
    start: Floats
    end: Floats

    def where(self, kept: Bools | Ints) -> Intervals:
        """Return some of the rows."""
        query, document, start, end = self
        return Intervals(query[kept], document[kept], start[kept], end[kept])


class Pairs(NamedTuple):
    """Rows of two sets of intervals that meet in the same document: (P,) each.

    ``overlap`` is the length that both cover; 0 if they touch.
    """

    one: Ints
    other: Ints
    overlap: Floats


class Covered(NamedTuple):
    """Pieces of documents that are covered by the same intervals from end to end: (E,) each.

    ``gold`` and ``retrieved`` count the intervals that cover a piece.
    """

    queries: int
    query: Ints
    length: Floats
    gold: Ints
    retrieved: Ints

    def total(self, times: Values) -> Floats:
        """Sum the lengths of each query, each piece counted so many times: (Q,) float64.

        Always in the same order, so that what is counted less often never adds up to more.
        """
        found = np.bincount(self.query, self.length * times, minlength=self.queries)
        return np.asarray(found, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Spans:
    """Gold spans, retrieved chunks, and all chunks: what measures of spans are computed from.

    Parameters
    ----------
    queries
        The number of queries.
    gold, retrieved
        Of each query; the chunks best first.
    chunks
        All chunks of the collection, of query 0; None if they are unknown.
    """

    queries: int
    gold: Intervals
    retrieved: Intervals
    chunks: Intervals | None = None
    _covered: dict[tuple[int | None, Budget | None], Covered] = field(
        default_factory=dict, repr=False
    )

    def top(self, k: int | None = None, budget: Budget | None = None) -> Intervals:
        """Return the first k chunks of each query, or of these the ones that fit into a budget.

        A chunk takes its whole length, also where others have covered it before.
        """
        found = self.retrieved
        if k is not None:
            found = found.where(_places(found.query) < k)
        if budget is None:
            return found
        lengths, starts = found.end - found.start, _starts(found, self.queries)
        if budget.rule != "cut":
            return found.where(fitting(lengths, starts, budget))
        before = _before(lengths, starts)
        end = np.minimum(found.end, found.start + (budget.most - before))
        return found._replace(end=end).where(before < budget.most)

    def covered(self, k: int | None = None, budget: Budget | None = None) -> Covered:
        """Return what the gold spans and the first chunks cover; computed once for each cutoff."""
        if (k, budget) not in self._covered:
            self._covered[k, budget] = covered(self.queries, self.gold, self.top(k, budget))
        return self._covered[k, budget]


def _places(query: Ints) -> Ints:
    """Return the place of each row among those of its query, from 0."""
    return np.arange(len(query), dtype=np.int64) - np.searchsorted(query, query)


def _starts(rows: Intervals, queries: int) -> Ints:
    """Return where the rows of each query start: (Q + 1,) int64."""
    return np.searchsorted(rows.query, np.arange(queries + 1)).astype(np.int64)


def _before(lengths: Floats, starts: Ints) -> Floats:
    """Return the lengths of the rows of the same query that come before each: (N,) float64."""
    before = np.zeros(len(lengths))
    before[1:] = segment_cumsum(lengths, starts)[:-1]
    before[starts[:-1][starts[:-1] < starts[1:]]] = 0.0
    return before


def covered(queries: int, gold: Intervals, retrieved: Intervals) -> Covered:
    """Cut documents where an interval starts or ends, and count what covers each piece."""
    sizes = [len(gold.query), len(gold.query), len(retrieved.query), len(retrieved.query)]
    query = np.concatenate([gold.query, gold.query, retrieved.query, retrieved.query])
    document = np.concatenate(
        [gold.document, gold.document, retrieved.document, retrieved.document]
    )
    at = np.concatenate([gold.start, gold.end, retrieved.start, retrieved.end])
    order = np.lexsort((at, document, query))
    counts = [
        np.cumsum(np.repeat(np.array(steps, dtype=np.int64), sizes)[order])
        for steps in ([1, -1, 0, 0], [0, 0, 1, -1])
    ]
    at = at[order]
    # Nothing covers what lies between the last end in a document and the first start in the next.
    length = np.where((counts[0] > 0) | (counts[1] > 0), np.diff(at, append=at[-1:]), 0.0)
    return Covered(queries, query[order], length, counts[0], counts[1])


def pairs(
    one: Intervals, other: Intervals, *, by_query: bool = True, touching: bool = False
) -> Pairs:
    """Pair the intervals that overlap, of the same query and document or of the same document.

    ``touching`` also pairs those that end where the other starts. Pairs are in the order of
    ``one``, then of ``other``. One of two that meet starts within the other, so sorted starts tell
    them; memory grows with the number of pairs, not with that of rows that share a document.
    """
    keys_one, keys_other = _keys(one, other, by_query=by_query)
    # The other starts within the one, or the one within the other and later.
    of_one, of_other = (keys_one, one.start, one.end), (keys_other, other.start, other.end)
    inside = _within(keys_other, other.start, of_one, later=False, touching=touching)
    around = _within(keys_one, one.start, of_other, later=True, touching=touching)
    rows = np.concatenate([inside[0], around[1]])
    others = np.concatenate([inside[1], around[0]])
    overlap = np.minimum(one.end[rows], other.end[others]) - np.maximum(
        one.start[rows], other.start[others]
    )
    order = np.lexsort((others, rows))
    order = order[overlap[order] >= 0 if touching else overlap[order] > 0]
    return Pairs(rows[order], others[order], overlap[order])


def overlapping(rows: Intervals) -> Bools:
    """Return which intervals overlap another one of their query and document: (N,) bool.

    None is empty.
    """
    keys = _keys(rows, rows, by_query=True)[0]
    begun = _count_below(keys, rows.start, keys, rows.end)
    ended = _count_below(keys, rows.end, keys, rows.start, equal=True)
    return begun - ended > 1  # itself, and others


def _keys(one: Intervals, other: Intervals, *, by_query: bool) -> tuple[Ints, Ints]:
    """Return numbers of the documents, or of the documents of each query."""
    keys = np.concatenate([one.document, other.document])
    if by_query:
        queries = np.concatenate([one.query, other.query])
        keys = np.unique(np.stack([queries, keys]), axis=1, return_inverse=True)[1].reshape(-1)
    return keys[: len(one.query)], keys[len(one.query) :]


def _within(
    keys: Ints, starts: Floats, of: tuple[Ints, Floats, Floats], *, later: bool, touching: bool
) -> tuple[Ints, Ints]:
    """Return the rows of intervals, and of the starts with the same key that lie within each.

    A start where the interval starts is within it unless only ``later`` ones are; one where it ends
    is if ``touching`` ones are.
    """
    of_keys, begin, end = of
    order = np.lexsort((starts, keys))
    first = _count_below(keys, starts, of_keys, begin, equal=later)
    count = np.maximum(_count_below(keys, starts, of_keys, end, equal=touching) - first, 0)
    rows = np.repeat(np.arange(len(count)), count)
    places = np.arange(len(rows)) - np.repeat(np.cumsum(count) - count, count)
    return rows, order[first[rows] + places]


def _count_below(
    keys: Ints, values: Floats, at_keys: Ints, at: Floats, *, equal: bool = False
) -> Ints:
    """Return how many pairs of a key and a value come before each of others, or are ``equal``."""
    is_at = np.repeat([False, True], [len(keys), len(at_keys)])
    ties = is_at if equal else ~is_at
    order = np.lexsort((ties, np.concatenate([values, at]), np.concatenate([keys, at_keys])))
    below = np.empty(len(order), dtype=np.int64)
    below[order] = np.cumsum(~is_at[order])
    return below[len(keys) :]
