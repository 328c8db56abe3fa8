"""Runs without the documents that each query, or user, has seen before."""

from __future__ import annotations

from copy import deepcopy
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmark._core import Judgments, RankingOptions, paired_judgments, qrels_from_rows
from rankmark.array_types import Bools, Ints, are_among, distinct
from rankmark.data.contract.reading_options import AS_USUAL, Reading
from rankmark.data.contract.resources import as_threads
from rankmark.data.contract.source import (
    AlignedRun,
    Judged,
    PreparedQrels,
    Rows,
    Source,
    Wrapped,
)
from rankmark.data.contract.source_options import NO_OPTIONS, SourceOptions
from rankmark.data.evidence.listed_ids import refuse_joined_among, refuse_lists
from rankmark.data.preparing.parents import OfUnits
from rankmark.data.preparing.qrels import Qrels
from rankmark.data.preparing.run import Run
from rankmark.data.preparing.units import with_parents_of
from rankmark.data.recognise.forms import recognised
from rankmark.errors import InputError, MismatchError, SchemaError, listed

_OF_ROWS = ("query_codes", "doc_codes", "number", "rank", "line", "row")


class Seen:
    """The documents that each query has seen: all that a source names, unless their number is 0.

    Parameters
    ----------
    original
        Any form of judgments, including Qrels; documents may repeat.
    reading
        How it is read.
    what
        What it is called in messages.

    Attributes
    ----------
    query_ids, query_codes
        Distinct query ids, and the code of each named document's query.
    doc_ids, doc_codes
        The same for documents.
    """

    def __init__(self, original: Any, reading: Reading = AS_USUAL, what: str = "seen") -> None:
        try:
            qrels = isinstance(original, Qrels)
            options = SourceOptions(split=reading.split) if reading.split else NO_OPTIONS
            source: Source = original.source if qrels else recognised(original, "qrels", options)
            rows = source.rows(reading.in_silence(), lenient=False)
        except InputError as error:
            error.where = what if error.where is None else f"{what}: {error.where}"
            raise
        self.name: str = source.name
        self.vouched = source.vouched is True
        self._form = source.description()
        counted = None if rows.number is None or np.all(rows.number) else rows.number != 0
        self.query_codes: NDArray[np.uint32] = _codes(rows.query_codes, counted)
        self.doc_codes: NDArray[np.uint32] = _codes(rows.doc_codes, counted)
        self.query_ids: tuple[str, ...] = rows.query_ids
        many = int(self.doc_codes.max(initial=0)) + 1 if len(self.doc_codes) else 0
        self.doc_ids: list[str] = [rows.doc_ids(code) for code in range(many)]
        refuse_lists(self.doc_ids, what)

    @cached_property
    def judgments(self) -> Judgments:
        """The core's judgments, which have each document of a query once."""
        return qrels_from_rows(
            self.query_codes, [*self.query_ids], self.doc_codes, self.doc_ids, None
        )

    def __getstate__(self) -> dict[str, Any]:
        """Return the ids and codes."""
        return {name: value for name, value in vars(self).items() if name != "judgments"}

    def description(self, documents: int | None = None) -> dict[str, Any]:
        """Describe how it was interpreted, and how many documents it names."""
        many = len(self.judgments.labels()) if documents is None else documents
        return deepcopy(self._form) | {"documents": many}

    @property
    def shape(self) -> tuple[int, ...] | None:
        """(n_queries, n_items), or (n_queries,), if ids are positions; else None."""
        if self._form["form"] in {"dense array", "sparse matrix"}:
            return tuple(self._form["shape"])
        if self._form["form"] == "array of ids":
            return tuple(self._form["shape"][:1])
        return (self._form["queries"],) if self._form["form"] == "list" else None

    def relevant_in(self, qrels: Qrels) -> int:
        """Count the seen documents with a positive label."""
        at = paired_judgments(qrels.judgments, self.judgments, as_threads(None))
        return int(np.count_nonzero(qrels.judgments.labels()[at >= 0] > 0))

    def rows_seen(self, rows: Rows) -> Bools:
        """Return which rows of a run are documents that their query has seen: (n,) bool."""
        number = {query: code for code, query in enumerate(rows.query_ids)}
        queries = np.array([number.get(query, -1) for query in self.query_ids], dtype=np.int64)
        documents = np.asarray(rows.doc_numbers(list(self.doc_ids)), dtype=np.int64)
        query, document = queries[self.query_codes], documents[self.doc_codes]
        found = (query >= 0) & (document >= 0)
        of_rows = _pairs(rows.query_codes, rows.doc_codes)
        return are_among(of_rows, distinct(_pairs(query[found], document[found])))


def _codes(codes: Any, counted: Bools | None) -> NDArray[np.uint32]:
    whole = np.asarray(codes)
    kept = whole if counted is None else whole[counted]
    return np.ascontiguousarray(kept, dtype=np.uint32)


def _pairs(queries: Any, documents: Any) -> Ints:
    return np.asarray(queries, dtype=np.int64) << 32 | np.asarray(documents, dtype=np.int64)


def without_seen(qrels: Qrels, run: Run, seen: Seen, *, may_differ: bool = False) -> Run:
    """Return the run without the documents that each query has seen."""
    _refuse_mismatch(qrels, seen, may_differ=may_differ)
    if seen.shape is None and not seen.vouched:
        refuse_joined_among(seen.doc_ids, lambda: {*qrels.doc_ids}, "seen", qrels.name)
    return Run.of(WithoutSeen(run.source, seen))


def _refuse_mismatch(qrels: Qrels, seen: Seen, *, may_differ: bool) -> None:
    unmatched = seen.query_ids and set(seen.query_ids).isdisjoint(qrels.query_ids)
    if unmatched and not may_differ:
        raise MismatchError(
            "none of its queries is judged: it has "
            f"{listed(seen.query_ids, len(seen.query_ids))}, {qrels.name} has "
            f"{listed(qrels.query_ids[:3], len(qrels.query_ids))}",
            "give both the same ids",
            where="seen",
        )
    ours, theirs = seen.shape, qrels.shape
    if ours and theirs and any(a != b for a, b in zip(ours, theirs, strict=False)):
        raise SchemaError(
            f"seen has {' x '.join(map(str, ours))} queries and items, the qrels have "
            f"{' x '.join(map(str, theirs))}",
            "these are identified by their positions, so both need the same",
        )


def over(run: Run, source: Source) -> Run:
    """Return other rows of a run, which have its documents of units, and lack the seen ones."""
    if (with_parents := with_parents_of(run.source)) is not None:
        source = OfUnits(source, with_parents.parents)
    if isinstance(run.source, WithoutSeen):
        source = WithoutSeen(source, run.source.seen)
    return Run.of(source)


class WithoutSeen(Wrapped):
    """A run of any form without the seen documents, ranked as if they were not retrieved."""

    def __init__(self, source: Source, seen: Seen) -> None:
        super().__init__(source)
        self.seen = seen

    @property
    def whole(self) -> Source:
        """The run with these documents."""
        return self.source

    def read_qrels(self, reading: Reading) -> Judged:
        """Raise SchemaError, as this is a run."""
        raise SchemaError("seen applies to runs", "leave it out")

    def align_run(
        self, qrels: PreparedQrels, ranking: RankingOptions, reading: Reading, *, by_rank: bool
    ) -> AlignedRun:
        """Align a run with judgments."""
        fewer = ranking.without(self.seen.judgments)
        return self.source.align_run(qrels, fewer, reading, by_rank=by_rank)

    def rows(self, reading: Reading, *, lenient: bool) -> Rows:
        """List the remaining rows."""
        rows = self.source.rows(reading, lenient=lenient)
        left = ~self.seen.rows_seen(rows)
        columns = ((name, getattr(rows, name)) for name in _OF_ROWS)
        kept: dict[str, Any] = {
            name: None if column is None else np.asarray(column)[left] for name, column in columns
        }
        return rows._replace(**kept)

    def with_groups_of(self, qrels: PreparedQrels) -> Source:
        """Return the run with the groups of the judgments, if it has none of its own."""
        return WithoutSeen(self.source.with_groups_of(qrels), self.seen)
