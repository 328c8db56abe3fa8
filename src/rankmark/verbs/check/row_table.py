"""Rows of a source for a check: by query, in order."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.verbs.check.finding import Place

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.array_types import Bools, Floats, Ints, Ranks
    from rankmark.data.contract.source import Rows

_SHOWN = 3  # places per finding


class Positions(NamedTuple):
    """Positions of n rows among those of their queries, lowest key first.

    Parameters
    ----------
    first, last
        (n,) int32, 1-based position of the first and of the last row with the same key.
    """

    first: Ranks
    last: Ranks

    @property
    def tied(self) -> Bools:
        """Whether another row of the query has the same key: (n,) bool."""
        return self.first != self.last


class _Sorted(NamedTuple):
    """Sorted rows: their numbers, or None if they were in order already; and their columns."""

    order: Ints | None
    codes: NDArray[np.uint32]
    key: Floats


class Table:
    """The n rows of one source.

    Attributes
    ----------
    rows
        As the source gave them.
    codes
        (n,) uint32, the number of each row's query.
    number
        (n,) float64, labels or scores; NaN if there are none.
    is_scored
        Whether it has scores; a run may have only ranks, or only an order.
    """

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.codes: NDArray[np.uint32] = rows.query_codes
        self.is_scored: bool = rows.number is not None
        self.number: Floats = (
            np.full(len(self.codes), np.nan) if rows.number is None else rows.number
        )

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def depths(self) -> Ints:
        """Number of rows of each query: (Q,) int64."""
        return np.bincount(self.codes, minlength=len(self.rows.query_ids))

    @cached_property
    def begins(self) -> Ints:
        """First rows of runs of consecutive rows of the same query: (s,) int64, increasing."""
        if not len(self):
            return np.zeros(0, dtype=np.int64)
        return _begins(self.codes[1:] == self.codes[:-1])

    @cached_property
    def first_rows(self) -> Ints:
        """The first row of each query: (Q,) int64; n for a query without rows."""
        first = np.full(len(self.rows.query_ids), len(self), dtype=np.int64)
        backwards = self.begins[::-1]
        first[self.codes[backwards]] = backwards  # so that the first row is written last
        return first

    def pairs(self) -> NDArray[np.uint64]:
        """Return query and document of each row as one number: (n,) uint64."""
        pairs: NDArray[np.uint64] = self.codes.astype(np.uint64) << np.uint64(32)
        pairs |= self.rows.doc_codes
        return pairs

    @cached_property
    def by_score(self) -> Positions | None:
        """Positions by score, highest first; None without scores."""
        return self._by_score[0] if self.is_scored else None

    @property
    def tied_as_floats(self) -> Bools:
        """Which rows tie if scores are rounded to single precision: (n,) bool."""
        return self._by_score[1]

    @cached_property
    def _by_score(self) -> tuple[Positions, Bools]:
        """Sort once for both, and do not keep the order, which is as large as the rows."""
        ordered = self._sorted(-self.number)
        return self._positions(ordered), self._tied_as_floats(ordered)

    @property
    def by_rank(self) -> Positions | None:
        """Positions by the rank column; None without one."""
        return None if self.rows.rank is None else self._positions(self._sorted(self.rows.rank))

    @cached_property
    def by_order(self) -> Positions:
        """Positions by score, else by rank, else by the order of the rows."""
        positions = self.by_score or self.by_rank
        if positions is None:
            positions = self._positions(self._sorted(np.arange(len(self), dtype=np.float64)))
        return positions

    def _tied_as_floats(self, ordered: _Sorted) -> Bools:
        order, codes, key = ordered
        with np.errstate(over="ignore", under="ignore"):
            rounded = key.astype(np.float32)  # rounding keeps the order
        alike = (codes[1:] == codes[:-1]) & (rounded[1:] == rounded[:-1])
        tied = np.zeros(len(self), dtype=np.bool_)
        tied[1:] = alike
        tied[:-1] |= alike
        if order is not None:
            tied[order] = tied.copy()
        return tied

    def _sorted(self, key: Floats) -> _Sorted:
        """Sort rows by query, then by a key, lowest first; NaN comes last."""
        codes = self.codes
        if not _is_out_of_order(codes, key):
            return _Sorted(None, codes, key)
        order = np.argsort(key)
        order = order[np.argsort(self._few_codes[order], kind="stable")]
        return _Sorted(order, codes[order], key[order])

    def _positions(self, ordered: _Sorted) -> Positions:
        """Return the position of each row in its query, from sorted rows."""
        order, codes, key = ordered
        same_query = codes[1:] == codes[:-1]
        equal = same_query & (key[1:] == key[:-1])
        # Row numbers in 32 bits, changed in place: this step of a check needs most memory.
        rows = np.arange(len(self), dtype=np.uint32)
        query = _first_of_group(rows, same_query)
        first = _first_of_group(rows, equal) - query
        last = _last_of_group(rows, equal) - query
        positions = Positions((first + 1).astype(np.int32), (last + 1).astype(np.int32))
        if order is None:
            return positions
        unsorted = Positions(np.empty_like(positions.first), np.empty_like(positions.last))
        unsorted.first[order], unsorted.last[order] = positions
        return unsorted

    @cached_property
    def _by_query(self) -> Ints | None:
        """Row numbers sorted by query; None if the rows are in order already."""
        if not (self.codes[1:] < self.codes[:-1]).any():
            return None
        return np.argsort(self._few_codes, kind="stable")

    @property
    def _few_codes(self) -> NDArray[np.uint16] | NDArray[np.uint32]:
        """The codes in 16 bits if possible, which NumPy sorts five times as fast."""
        return self.codes.astype(np.uint16) if len(self.depths) <= 1 << 16 else self.codes

    @property
    def ranks_differ(self) -> bool:
        """Whether there are different ranks; some tools write the same rank into each row."""
        rank, codes = self.rows.rank, self.codes
        if rank is None:
            return False
        return bool(((codes[1:] == codes[:-1]) & (rank[1:] != rank[:-1])).any())

    def steps(self, along: Floats | None) -> tuple[int, int]:
        """Count how often the number increases, and how often it decreases, from row to row.

        Rows are sorted by query, then by a column, if given.
        """
        if along is None:
            order, codes = self._by_query, self.codes
            codes = codes if order is None else codes[order]
        else:
            order, codes, _ = self._sorted(along)
        number = self.number if order is None else self.number[order]
        same_query = codes[1:] == codes[:-1]
        increases = np.count_nonzero(same_query & (number[1:] > number[:-1]))
        return int(increases), int(np.count_nonzero(same_query & (number[1:] < number[:-1])))

    def decreases(self, column: Floats) -> Bools:
        """Return which rows are lower than the row before, of the same query: (n,) bool."""
        order, codes = self._by_query, self.codes
        if order is not None:
            codes, column = codes[order], column[order]
        lower = np.zeros(len(self), dtype=np.bool_)
        lower[1:] = (codes[1:] == codes[:-1]) & (column[1:] < column[:-1])
        if order is not None:
            lower[order] = lower.copy()
        return lower

    def places(self, found: Bools | Ints) -> tuple[Place, ...]:
        """Return the places of the first three of some rows, given by number or as a mask."""
        if found.dtype == np.bool_:
            found = np.flatnonzero(found)
        return tuple(self._place(row) for row in found[:_SHOWN].tolist())

    def begins_of(self, queries: Ints) -> tuple[Place, ...]:
        """Return the places where the first three of some queries begin."""
        first = np.sort(self.first_rows[queries])[:_SHOWN].tolist()
        return tuple(replace(self._place(row), doc_id=None) for row in first)

    def _place(self, row: int) -> Place:
        rows = self.rows
        return Place(
            line=None if rows.line is None else int(rows.line[row]),
            row=None if rows.row is None else int(rows.row[row]),
            query_id=rows.query_ids[self.codes[row]],
            doc_id=rows.doc_ids(int(rows.doc_codes[row])),
        )


def _begins(continues: Bools) -> Ints:
    """Return the first rows of groups, from whether each later row continues a group."""
    return np.flatnonzero(np.concatenate(([True], ~continues)))


def _first_of_group(rows: NDArray[np.uint32], continues: Bools) -> NDArray[np.uint32]:
    """Return the first row of each row's group."""
    first = rows.copy()
    first[1:][continues] = 0
    np.maximum.accumulate(first, out=first)
    return first


def _last_of_group(rows: NDArray[np.uint32], continues: Bools) -> NDArray[np.uint32]:
    """Return the last row of each row's group."""
    last = rows.copy()
    last[:-1][continues] = rows[-1]
    backwards = last[::-1]
    np.minimum.accumulate(backwards, out=backwards)
    return last


def _is_out_of_order(codes: NDArray[np.uint32], key: Floats) -> bool:
    """Return whether rows must be sorted by query, then by key."""
    if np.isnan(key).any():
        return True
    lower = (codes[1:] == codes[:-1]) & (key[1:] < key[:-1])
    return bool(lower.any() or (codes[1:] < codes[:-1]).any())
