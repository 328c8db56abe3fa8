"""Rows as a check looks at them: by query, in order, with what several questions share."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.checks.finding import Place

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.array_types import Bools, Floats, Ints, Ranks
    from rankmark.sources.contract.source import Rows

_SHOWN = 3  # places of a finding


class Standing(NamedTuple):
    """Where each of n rows stands among those of its query, lowest key first.

    Parameters
    ----------
    first, last
        (n,) int32, 1-based place of the first and of the last row with its key.
    """

    first: Ranks
    last: Ranks

    @property
    def tied(self) -> Bools:
        """Whether another row of the query has the same key: (n,) bool."""
        tied: Bools = self.first != self.last
        return tied


class _Sorted(NamedTuple):
    """Rows in order: their numbers, None where they stand so already; and their columns."""

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
        (n,) float64, labels or scores; NaN where a run has none.
    is_scored
        Whether it has scores; a run may have ranks, or its order alone.
    """

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.codes: NDArray[np.uint32] = rows.query_codes
        self.is_scored = rows.number is not None
        self.number: Floats = (
            np.full(len(self.codes), np.nan) if rows.number is None else rows.number
        )

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def depths(self) -> Ints:
        """How many rows each query has: (Q,) int64."""
        return np.bincount(self.codes, minlength=len(self.rows.query_ids))

    @cached_property
    def begins(self) -> Ints:
        """Where stretches of one query begin: (s,) int64, rising."""
        if not len(self):
            return np.zeros(0, dtype=np.int64)
        return _begins(self.codes[1:] == self.codes[:-1])

    @cached_property
    def first_rows(self) -> Ints:
        """The first row of each query: (Q,) int64; n for a query without rows."""
        first = np.full(len(self.rows.query_ids), len(self), dtype=np.int64)
        backwards = self.begins[::-1]
        first[self.codes[backwards]] = backwards  # of several, the last to be written stays
        return first

    def pairs(self) -> NDArray[np.uint64]:
        """Give query and document of each row as one number: (n,) uint64."""
        pairs: NDArray[np.uint64] = self.codes.astype(np.uint64) << np.uint64(32)
        pairs |= self.rows.doc_codes
        return pairs

    @cached_property
    def by_score(self) -> Standing | None:
        """Where rows stand by score, highest first; None where there are no scores."""
        return self._by_score[0] if self.is_scored else None

    @property
    def tied_as_floats(self) -> Bools:
        """Which rows tie once scores are held in single precision: (n,) bool."""
        return self._by_score[1]

    @cached_property
    def _by_score(self) -> tuple[Standing, Bools]:
        """Sort once for both, and keep nothing of it: it is as large as the rows."""
        ordered = self._sorted(-self.number)
        return self._standing(ordered), self._tied_as_floats(ordered)

    @property
    def by_rank(self) -> Standing | None:
        """Where rows stand by the rank column; None where there is none."""
        return None if self.rows.rank is None else self._standing(self._sorted(self.rows.rank))

    @cached_property
    def by_order(self) -> Standing:
        """Where rows stand by what ranks them: score, else rank, else the order of the rows."""
        standing = self.by_score or self.by_rank
        if standing is None:
            standing = self._standing(self._sorted(np.arange(len(self), dtype=np.float64)))
        return standing

    def _tied_as_floats(self, ordered: _Sorted) -> Bools:
        order, codes, key = ordered
        with np.errstate(over="ignore", under="ignore"):
            rounded = key.astype(np.float32)  # of numbers in order, which rounding keeps
        alike = (codes[1:] == codes[:-1]) & (rounded[1:] == rounded[:-1])
        tied = np.zeros(len(self), dtype=np.bool_)
        tied[1:] = alike
        tied[:-1] |= alike
        if order is not None:
            tied[order] = tied.copy()
        return tied

    def _sorted(self, key: Floats) -> _Sorted:
        """Put rows in order by query, and in those by a key, lowest first; NaN comes last."""
        codes = self.codes
        if not _is_out_of_order(codes, key):
            return _Sorted(None, codes, key)
        order = np.argsort(key)
        order = order[np.argsort(self._few_codes[order], kind="stable")]
        return _Sorted(order, codes[order], key[order])

    def _standing(self, ordered: _Sorted) -> Standing:
        """Find where each row stands in its query, from the rows in order."""
        order, codes, key = ordered
        same_query = codes[1:] == codes[:-1]
        equal = same_query & (key[1:] == key[:-1])
        # Row numbers in 32 bits, and in place: this is where a check needs most memory.
        rows = np.arange(len(self), dtype=np.uint32)
        query = _first_of_stretch(rows, same_query)
        first = _first_of_stretch(rows, equal) - query
        last = _last_of_stretch(rows, equal) - query
        standing = Standing((first + 1).astype(np.int32), (last + 1).astype(np.int32))
        if order is None:
            return standing
        as_given = Standing(np.empty_like(standing.first), np.empty_like(standing.last))
        as_given.first[order], as_given.last[order] = standing
        return as_given

    @cached_property
    def _by_query(self) -> Ints | None:
        """The rows query by query, as they come in each; None where they stand so already."""
        if not (self.codes[1:] < self.codes[:-1]).any():
            return None
        return np.argsort(self._few_codes, kind="stable")

    @property
    def _few_codes(self) -> NDArray[np.uint16] | NDArray[np.uint32]:
        """The codes in 16 bits where they fit, which NumPy sorts five times as fast."""
        return self.codes.astype(np.uint16) if len(self.depths) <= 1 << 16 else self.codes

    @property
    def ranks_differ(self) -> bool:
        """Whether a rank column says anything: some write the same rank into each row."""
        rank, codes = self.rows.rank, self.codes
        if rank is None:
            return False
        return bool(((codes[1:] == codes[:-1]) & (rank[1:] != rank[:-1])).any())

    def steps(self, along: Floats | None) -> tuple[int, int]:
        """Count how often the number rises, and how often it falls, from a row to the next.

        Rows stand query by query, and in those along a column, or else as they are given.
        """
        if along is None:
            order, codes = self._by_query, self.codes
            codes = codes if order is None else codes[order]
        else:
            order, codes, _ = self._sorted(along)
        number = self.number if order is None else self.number[order]
        same_query = codes[1:] == codes[:-1]
        rises = np.count_nonzero(same_query & (number[1:] > number[:-1]))
        return int(rises), int(np.count_nonzero(same_query & (number[1:] < number[:-1])))

    def falls(self, column: Floats) -> Bools:
        """Say which rows have a lower number than the row before of their query: (n,) bool."""
        order, codes = self._by_query, self.codes
        if order is not None:
            codes, column = codes[order], column[order]
        falling = np.zeros(len(self), dtype=np.bool_)
        falling[1:] = (codes[1:] == codes[:-1]) & (column[1:] < column[:-1])
        if order is not None:
            falling[order] = falling.copy()
        return falling

    def places(self, found: Bools | Ints) -> tuple[Place, ...]:
        """Give the first three of some rows: their numbers, rising, or a mask."""
        if found.dtype == np.bool_:
            found = np.flatnonzero(found)
        return tuple(self._place(row) for row in found[:_SHOWN].tolist())

    def begins_of(self, queries: Ints) -> tuple[Place, ...]:
        """Give where the first three of some queries begin, by their numbers."""
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


def _begins(goes_on: Bools) -> Ints:
    """Give the rows that begin a stretch, from whether each row but the first goes on with one."""
    return np.flatnonzero(np.concatenate(([True], ~goes_on)))


def _first_of_stretch(rows: NDArray[np.uint32], goes_on: Bools) -> NDArray[np.uint32]:
    """Give for each row the first of its stretch."""
    first = rows.copy()
    first[1:][goes_on] = 0
    np.maximum.accumulate(first, out=first)
    return first


def _last_of_stretch(rows: NDArray[np.uint32], goes_on: Bools) -> NDArray[np.uint32]:
    """Give for each row the last of its stretch."""
    last = rows.copy()
    last[:-1][goes_on] = rows[-1]
    backwards = last[::-1]
    np.minimum.accumulate(backwards, out=backwards)
    return last


def _is_out_of_order(codes: NDArray[np.uint32], key: Floats) -> bool:
    """Say whether rows must be sorted to stand by query, and in those by key."""
    if np.isnan(key).any():
        return True
    falls = (codes[1:] == codes[:-1]) & (key[1:] < key[:-1])
    return bool(falls.any() or (codes[1:] < codes[:-1]).any())
