"""Places of values in an array: a place is a query and a document."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmark._core import (
    Judgments,
    Table,
    qrels_from_dict,
    qrels_from_table,
    sorted_rows,
    table_from_columns,
)
from rankmark.array_types import Floats, Ints
from rankmark.data.alignment import positions, query_of_rows
from rankmark.data.contract.resources import cores

Shape = tuple[int, ...]
"""(n_queries, n_items), or (n_queries,)."""


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """The rows and columns of the values of a matrix: (n,) each, from 0."""

    rows: NDArray[Any]
    columns: NDArray[Any]

    def __call__(self, value: int, /) -> str:
        """Name the place of one value, given its number, for a message."""
        return f"row {self.rows[value]}, column {self.columns[value]} (from 0)"


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """The query and the document of each value of an array.

    Parameters
    ----------
    starts
        (Q + 1,) int64, non-decreasing from 0 to n: query q owns the values starts[q] to
        starts[q + 1].
    query_ids
        (Q,) ids.
    shape
        (n_queries, n_items) of a dense array, (n_queries,) of a flat one with group sizes; None
        if groups have ids.
    documents
        (n,) int32, the column that each value came from; None if columns count from 0 within each
        query.
    order
        (n,) int64, the rows of a flat array sorted by query; None if they are sorted already.
    """

    starts: Ints
    query_ids: tuple[str, ...]
    shape: Shape | None
    documents: NDArray[np.int32] | None = None
    order: Ints | None = None

    @property
    def flat(self) -> bool:
        """Whether the array is flat, with groups."""
        return self.shape is None or len(self.shape) == 1

    def same_as(self, other: Places) -> bool:
        """Return True if the queries and documents are the same, value by value."""
        return (
            np.array_equal(self.starts, other.starts)
            and self.query_ids == other.query_ids
            and _equal(self.documents, other.documents)
            and _equal(self.order, other.order)
        )

    def columns(self) -> tuple[Ints, NDArray[Any]]:
        """Return the numbers of each value's query and document: (n,) and (n,)."""
        if self.documents is not None:
            return query_of_rows(self.starts), self.documents
        return query_of_rows(self.starts), positions(self.starts) - 1

    def description(self) -> str:
        """Describe the number of values for a message."""
        if self.flat:
            return f"{self.starts[-1]:,} rows in {len(self.query_ids):,} groups"
        return f"{' x '.join(str(n) for n in self.shape or ())} values"

    def place(self, value: int) -> str:
        """Name the place of a value in the caller's array, for a message."""
        if self.flat:
            return f"row {value if self.order is None else self.order[value]} (from 0)"
        query = int(np.searchsorted(self.starts, value, side="right")) - 1
        column = value - self.starts[query] if self.documents is None else self.documents[value]
        return f"row {query}, column {column} (from 0)"


def _equal(a: NDArray[Any] | None, b: NDArray[Any] | None) -> bool:
    if a is None or b is None:
        return a is b
    return a is b or np.array_equal(a, b)


@dataclass(frozen=True, eq=False)
class Positional:
    """Judgments by place: their labels, (n,) float64 or int64 up to 2^53, and their places.

    ``sparse`` says that a place without a label is an unjudged document.
    """

    labels: Floats | Ints
    places: Places
    sparse: bool = False

    @cached_property
    def doubles(self) -> Floats:
        """The labels as (n,) float64; converted only if asked for, as they take memory."""
        return self.labels.astype(np.float64, copy=False)

    @cached_property
    def starts(self) -> Ints:
        """The places of each query, (Q + 1,) int64, as of ``places``."""
        return self.places.starts

    def first(self, most: int) -> Floats | Ints:
        """Return the labels of the first places."""
        return self.labels[:most]

    def highest(self, lowest: float, most: int) -> tuple[Ints, Floats]:
        """Return each query's highest labels, at most so many, high to low: starts, and labels."""
        return sorted_rows(self.labels, self.starts, lowest, most, cores())

    def copied(self) -> Positional:
        """Copy the labels, so that later changes to the caller's array have no effect."""
        return Positional(self.labels.copy(), self.places, self.sparse)

    def judgments(self) -> Judgments:
        """Convert to judgments by id, for a run that has ids."""
        if _are_numbers(self.places.query_ids):
            table = by_ids(self.labels, self.places)
            return qrels_from_table(table, 0, 1, 2)
        if (np.diff(self.places.starts) == 0).any():  # tables omit queries without documents
            return qrels_from_dict(self._nested())[0]
        return qrels_from_table(by_ids(self.labels, self.places), 0, 1, 2)

    def _nested(self) -> dict[str, dict[str, float]]:
        _, documents = self.places.columns()
        ids, labels = list(map(str, documents.tolist())), self.labels.tolist()
        starts = self.places.starts.tolist()
        return {
            query: dict(zip(ids[begin:end], labels[begin:end], strict=True))
            for query, begin, end in zip(
                self.places.query_ids, starts[:-1], starts[1:], strict=True
            )
        }


def by_ids(values: NDArray[Any], places: Places) -> Table:
    """Return a table of query ids, document ids and values."""
    queries, documents = places.columns()
    column: Any = queries
    rows = len(places.query_ids)
    if not _are_numbers(places.query_ids):
        column, rows = [places.query_ids[query] for query in queries.tolist()], 0
    names = ["query_id", "doc_id", "value"]
    return table_from_columns(names, [column, documents, values], rows)


def _are_numbers(query_ids: tuple[str, ...]) -> bool:
    return query_ids == tuple(map(str, range(len(query_ids))))
