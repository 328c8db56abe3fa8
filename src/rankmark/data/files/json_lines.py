"""Align a run in JSON lines without holding the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from math import isnan
from typing import Any

import numpy as np

from rankmark._core import (
    BatchedRun,
    DuplicateFault,
    FileFault,
    LimitFault,
    RankingOptions,
    SpillFault,
    Table,
    table_from_columns,
)
from rankmark.data.contract.reading_options import Reading
from rankmark.data.contract.source import AlignedRun, Columns, Order, PreparedQrels
from rankmark.data.contract.source_options import SourceOptions
from rankmark.data.files.json_documents import Documents, Gathered, id_in
from rankmark.data.ids.numeric import is_unicode
from rankmark.data.shapes.walker import Found
from rankmark.errors import InputError

_BATCH = 1 << 15  # rows
_BATCH_BYTES = 1 << 22  # of ids
Pieces = Callable[[], Iterator[bytes]]


def align_json_lines(
    pieces: Pieces,
    name: str,
    options: SourceOptions,
    qrels: PreparedQrels,
    ranking: RankingOptions,
    *,
    by_rank: bool,
    reading: Reading,
) -> tuple[AlignedRun, dict[str, str], Mapping[str, Any]] | None:
    """Align a run, and return the fields that were used and the shape, too.

    None if the file has to be read as a whole: some of its rows have scores and others none, a
    query has no documents, or something is wrong, which is then found again.
    """
    run: BatchedRun | None = None
    form: str | None = None

    def merge(rows: _Rows) -> None:
        nonlocal run, form
        if run is None:
            form = rows.form
            order = ranking if rows.form == "score" else ranking.of_ranks()
            run = BatchedRun(qrels.judgments, order, rows.form != "order", by_rank=False)
        table, number = rows.table()
        run.merge(run.part(table, 0, 1, number, by_rank=False))

    def gather(rows: _Rows) -> None:
        assert run is not None  # noqa: S101
        table, number = rows.table()
        run.gather(table, 0, 1, number, by_rank=False)

    try:
        documents = _read(pieces, name, options, merge, reading, by_rank=by_rank)
        if run is None or (by_rank and "rank" not in documents.columns):
            return None
        run.close()
        if run.interleaved:
            _read(pieces, name, options, gather, reading.in_silence(), by_rank=by_rank)
        aligned, *counted = run.finish()
    except (_Unlike, InputError, DuplicateFault):
        return None
    except (FileFault, LimitFault, SpillFault) as fault:
        raise InputError(*fault.args, where=name) from None
    order: Order | None = "rows" if form == "score" else None
    found = AlignedRun(Columns(*aligned), *counted)._replace(order=order)
    return found, documents.columns, documents.form


def columns_of_json_lines(
    pieces: Pieces, name: str, options: SourceOptions
) -> tuple[dict[str, str], Mapping[str, Any]]:
    """Return the fields that the first line with documents has, by their roles, and its shape."""
    documents = Documents(name, "run", options, gathered=_Rows(name))
    with suppress(_Unlike):
        for _ in documents.read_lines(pieces()):
            if documents.is_known:
                break
    return documents.columns, documents.form


def _read(
    pieces: Pieces,
    name: str,
    options: SourceOptions,
    use: Callable[[_Rows], None],
    reading: Reading,
    *,
    by_rank: bool,
) -> Documents:
    rows = _Rows(name)
    documents = Documents(name, "run", options, by_rank=by_rank, gathered=rows)

    def told() -> Iterator[bytes]:
        done = 0
        for piece in pieces():
            yield piece
            done += len(piece)
            if reading.progress is not None:
                reading.progress(done)

    for _ in documents.read_lines(told()):
        if rows.are_many():
            use(rows)
            rows.clear()
    rows.refuse_empty_query()
    if rows.form is not None:
        use(rows)
    return documents


class _Unlike(Exception):  # noqa: N818  (it is caught here)
    """Rows that cannot be read in batches."""


class _Rows(Gathered):
    """Rows of a run in columns, of which some are held at a time.

    Attributes
    ----------
    form
        What orders all rows: "score", "rank" or "order"; None before the first.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name, "run")
        self.form: str | None = None
        self._query: str | None = None  # the last one named
        self._has_documents = True
        self.clear()

    def clear(self) -> None:
        """Forget the rows."""
        self._queries: list[str] = []
        self._documents: list[str] = []
        self._numbers: list[float] = []
        self._letters = 0

    def are_many(self) -> bool:
        """Return True if it is time to use them."""
        return len(self._documents) >= _BATCH or self._letters >= _BATCH_BYTES

    def table(self) -> tuple[Table, int | None]:
        """Return the rows as a table: queries, documents and, if they have any, numbers."""
        names: list[str] = ["query_id", "doc_id", "number"]
        columns: list[object] = [
            self._queries,
            self._documents,
            np.array(self._numbers, dtype=float),
        ]
        if self.form == "order":
            return table_from_columns(names[:2], columns[:2]), None
        return table_from_columns(names, columns), 2

    def query(self, query_id: object, where: str) -> str:
        """Return the id of the query whose documents follow."""
        query = id_in(query_id, "the query id", where)
        if query != self._query:
            self.refuse_empty_query()
            self._query, self._has_documents = query, False
        return query

    def refuse_empty_query(self) -> None:
        """Refuse a query without documents, which a table cannot have."""
        if not self._has_documents:
            raise _Unlike

    def add(
        self, query: str, doc_id: object, number: object, where: str, *, by_rank: bool = False
    ) -> None:
        """Add a document with a score or a rank."""
        doc_id = id_in(doc_id, "the document id", where)
        value = self._checked(number, f"{where}, document {doc_id!r}")
        if type(value) is int:  # one that no double represents
            raise _Unlike
        self._append("rank" if by_rank else "score", query, doc_id)
        self._numbers.append(-value if by_rank else value)

    def add_all(self, found: Found, query_id: str | None = None) -> None:
        """Add the documents of a query, at once if they are of the usual types."""
        ids, numbers = found.ids, found.numbers
        usual = {*map(type, ids)} == {str} and "" not in ids and is_unicode("".join(ids))
        if numbers is not None:
            usual = usual and {*map(type, numbers)} == {float}
        if not usual or found.query is None or any(map(isnan, numbers or ())):
            super().add_all(found, query_id)
            return
        query = self.query(found.query, found.where)
        self._append("order" if numbers is None else "score", query, ids[0])
        self._queries += [query] * (len(ids) - 1)
        self._documents += ids[1:]
        self._numbers += numbers or ()
        self._letters += len(query) * (len(ids) - 1) + sum(map(len, ids[1:]))

    def add_at_place(self, query: str, doc_id: object, where: str) -> None:
        """Add a document after the query's others."""
        self._append("order", query, id_in(doc_id, "the document id", where))

    def _append(self, form: str, query: str, doc_id: str) -> None:
        if self.form is None:
            self.form = form
        elif self.form != form:
            raise _Unlike
        self._has_documents = True
        self._queries.append(query)
        self._documents.append(doc_id)
        self._letters += len(query) + len(doc_id)
