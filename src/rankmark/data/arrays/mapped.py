"""Scores in a memory-mapped array, read by blocks of queries: they may exceed the memory."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmark._core import RankingOptions, align_rows, fingerprint
from rankmark.array_types import Bools, Floats
from rankmark.data.arrays.item_numbers import ItemRows
from rankmark.data.arrays.positional import PositionalSource
from rankmark.data.contract.places import Places, Positional
from rankmark.data.contract.reading_options import Reading
from rankmark.data.contract.resources import cores
from rankmark.data.contract.source import SELF_MATCHES, AlignedRun, Columns, PreparedQrels, side
from rankmark.data.ids.numeric import doubles, first_inexact, inexact
from rankmark.data.ids.tensors import map_of, refuse_cut
from rankmark.data.tables.table import worded
from rankmark.errors import SchemaError

_VALUES = 1 << 20
"""The number of scores of a block: 8 MiB of doubles."""


class MappedScores(PositionalSource):
    """Scores of queries x items in a file that is mapped into memory.

    Parameters
    ----------
    matrix
        (Q, n_items) numbers.
    present
        (Q, n_items) bool, where there is a document; None for everywhere.
    places, either
        As for PositionalSource.
    """

    def __init__(
        self, matrix: NDArray[Any], present: Bools | None, places: Places, *, either: bool
    ) -> None:
        self._matrix = matrix
        self._present = present
        self._places = places
        self._either = either
        self._kind = "run"
        self._where = side(self.name, self._kind)
        self._inexact: SchemaError | None = None
        self.fingerprint: int | tuple[int, ...] = tuple(
            self._checked(*block) for block in self._blocks()
        )

    def _checked(self, first: int, _end: int, values: NDArray[Any]) -> int:
        """Return the fingerprint of a block; refuse NaN, and remember what doubles cannot hold."""
        begin = int(self._placed_here.starts[first])
        row = first_inexact(values)
        if row is not None and self._inexact is None:
            where = f"{self._where}: {self._placed_here.place(begin + row)}"
            self._inexact = SchemaError(*inexact(values[row], self._kind), where=where)
        found, nan = fingerprint(doubles(values, self._kind), finite=False, threads=cores())
        if nan is not None:
            raise SchemaError(
                "the score is NaN",
                "mark places without a document with mask= or lengths=",
                where=f"{self._where}: {self._placed_here.place(begin + nan)}",
            )
        return int(found)

    @property
    def _placed_here(self) -> Places:
        assert self._places is not None  # noqa: S101
        return self._places

    def _blocks(self) -> Iterator[tuple[int, int, NDArray[Any]]]:
        """Yield blocks of rows: their first query, the one after the last, and their values."""
        queries, items = self._matrix.shape
        rows = max(1, _VALUES // max(1, items))
        for first in range(0, queries, rows):
            end = min(first + rows, queries)
            refuse_cut(self._matrix, self._where)
            part = np.asarray(self._matrix[first:end])
            present = None if self._present is None else self._present[first:end]
            yield first, end, part.ravel() if present is None else part[present]
            _release(self._matrix)

    def align_run(
        self, qrels: PreparedQrels, ranking: RankingOptions, reading: Reading, *, by_rank: bool
    ) -> AlignedRun:
        """Align a run with judgments, block by block if these are by position, too."""
        judged, places = qrels.positional, self._placed_here
        fits = judged is not None and qrels.shape == places.shape and len(places.starts) > 1
        if judged is None or not fits or by_rank or ranking.looks_at_ids:
            return super().align_run(qrels, ranking, reading, by_rank=by_rank)
        same = places.same_as(judged.places)
        if not ranking.single:
            self._refuse_inexact()
        parts = []
        for first, end, values in self._blocks():
            begin = int(places.starts[first])
            place = lambda value, begin=begin: places.place(begin + value)  # noqa: E731
            with worded(self._where, ("label", "score"), place):
                columns = _aligned(
                    doubles(values, self._kind),
                    _rows_of(places, first, end),
                    _judged_rows(judged, first, end),
                    ranking,
                    reading,
                    same=same,
                )
            parts.append(columns)
        return AlignedRun(_joined(parts), 0, [], int(places.starts[-1]), 0, 0)

    def _of_query(self, at: int, _first: int, _end: int) -> NDArray[Any]:
        refuse_cut(self._matrix, self._where)
        row = np.array(self._matrix[at])
        return row if self._present is None else row[self._present[at]]

    def keep(self) -> None:
        """Copy the values, unless they are mapped for reading only, as they are then of a file."""
        if not _is_read_only(self._matrix):
            self._matrix = np.array(self._matrix)
        if self._present is not None:
            self._present = self._present.copy()

    @property
    def _values(self) -> Floats:  # type: ignore[override]
        """All values, where they are needed by id."""
        return np.concatenate([doubles(values, self._kind) for _, _, values in self._blocks()])

    @property
    def _exact(self) -> NDArray[Any]:
        return np.concatenate([values for _, _, values in self._blocks()])

    def _refuse_inexact(self) -> None:
        if self._inexact is not None:
            raise self._inexact


def _aligned(
    values: Floats,
    places: Places,
    judged: Positional,
    ranking: RankingOptions,
    reading: Reading,
    *,
    same: bool,
) -> Columns:
    """Align the scores of some queries with judgments, which are of the same places or not."""
    starts, documents = places.starts, places.documents
    if same:
        workers = reading.workers
        return Columns(*align_rows(judged.labels, values, starts, documents, ranking, workers))
    ids = None if documents is None else documents.astype(np.int64)
    aligned = ItemRows(starts, ids, values).align(judged, ranking, reading)
    assert aligned is not None  # noqa: S101  (no column appears twice)
    return aligned.columns


def is_mapped(array: Any) -> bool:
    """Return True for an array whose values are in a file."""
    return isinstance(array, np.memmap) and map_of(array) is not None


def _is_read_only(array: Any) -> bool:
    return getattr(array, "mode", None) == "r" and map_of(array) is not None


def _release(array: Any) -> None:
    """Give back the memory of what was read, which can be read again from the file."""
    mapped = map_of(array)
    if mapped is not None and _is_read_only(array) and hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED)


def _rows_of(places: Places, first: int, end: int) -> Places:
    begin, last = places.starts[first], places.starts[end]
    return Places(
        places.starts[first : end + 1] - begin,
        places.query_ids[first:end],
        places.shape,
        None if places.documents is None else places.documents[begin:last],
    )


def _judged_rows(judged: Positional, first: int, end: int) -> Positional:
    places = judged.places
    labels = judged.labels[places.starts[first] : places.starts[end]]
    return Positional(labels, _rows_of(places, first, end), judged.sparse)


def _joined(parts: list[Columns]) -> Columns:
    """Append the columns of blocks."""
    begins = np.cumsum([0, *(int(part.starts[-1]) for part in parts)])
    starts = [part.starts[:-1] + begin for part, begin in zip(parts, begins, strict=False)]
    counts = np.concatenate([part.counts for part in parts], axis=1)
    counts[SELF_MATCHES] = 0  # rows and columns are no ids
    ties = [part for part in parts if part.tie_first is not None]
    ends = [
        [part.rank if end is None else end for part, end in zip(parts, of_parts, strict=True)]
        for of_parts in ([p.tie_first for p in parts], [p.tie_last for p in parts])
    ]
    return Columns(
        np.append(np.concatenate(starts), begins[-1]),
        np.concatenate([part.rank for part in parts]),
        np.concatenate([part.label for part in parts]),
        np.concatenate(ends[0]) if ties else None,
        np.concatenate(ends[1]) if ties else None,
        counts,
    )
