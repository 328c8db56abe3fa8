"""Read JSON, as one document or one per line, into a mapping."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rankmark.data.files.gathered import Gathered, shown
from rankmark.data.files.json_text import entries_of_lines, json_entries, whole_lines
from rankmark.data.frames.column_dicts import is_column_dict, is_row_dict
from rankmark.data.frames.listed_rows import are_rows
from rankmark.data.frames.records import names_columns
from rankmark.data.mappings.hits import of_response, query_and_documents
from rankmark.data.mappings.predictions import of_mteb
from rankmark.data.tables.columns import choose
from rankmark.data.tables.number_columns import hold_numbers, number_in
from rankmark.errors import SchemaError

if TYPE_CHECKING:
    from rankmark.data.contract.source_options import Kind, SourceOptions


class Documents:
    """A reader of JSON documents with judgments or a run.

    Parameters
    ----------
    by_rank
        Order by the rank field, even if there are scores.
    duplicates
        What to do if a query has a document already: "error", "first" or "best".
    gathered
        Collects the rows; None for a mapping of all queries.

    Attributes
    ----------
    gathered
        The rows so far.
    columns
        ``{role: name}`` of the fields used; empty if ids are keys.
    """

    def __init__(
        self,
        name: str,
        kind: Kind,
        options: SourceOptions,
        *,
        by_rank: bool = False,
        duplicates: str = "error",
        gathered: Gathered | None = None,
    ) -> None:
        self.gathered: Gathered = Gathered(name, kind, duplicates) if gathered is None else gathered
        self.columns: dict[str, str] = {}
        self._name = name
        self._kind = kind
        self._options = options
        self._by_rank = by_rank
        self._fields: list[str] | None = None  # the fields used of each row
        self._names: list[Any] | None = None  # of the fields of rows that are lists

    def read(self, data: bytes, *, by_line: bool) -> None:
        """Read a file with an object or a list of objects, or one object per line.

        Raises
        ------
        ParseError
            If it is not valid JSON or UTF-8.
        DuplicateError
            If an object contains a key twice, or a query a document, and duplicates are errors.
        SchemaError
            If it contains anything other than ids and numbers.
        """
        if by_line:
            for _ in self.read_lines([data]):
                pass
            return
        entries = json_entries(data, self._name, by_line=False)
        del data  # text and objects need the room
        for where, _, entry in entries:
            is_document = isinstance(entry, dict)
            self._entry(of_mteb(entry, self._kind, where) if is_document else entry, where)

    def read_lines(self, pieces: Iterable[bytes]) -> Iterator[None]:
        """Read one object per line, from pieces of the file; yields after each line."""
        number = 1
        for lines in whole_lines(pieces, self._name):
            for where, _, entry in entries_of_lines(lines, self._name, number):
                self._entry(entry, where)
                yield
            number += lines.count(b"\n")

    def _entry(self, entry: Any, where: str) -> None:
        if isinstance(entry, list):
            self._list(entry, where)
            return
        if not isinstance(entry, dict):
            raise SchemaError(f"found {shown(entry)}", self._needed(), where=where)
        fields = query_and_documents(entry, self._options.columns, where)
        if fields is not None:
            field, documents = fields
            self.columns = self.columns or {"query_id": field, "documents": documents}
            self._nested(entry[field], entry[documents], where, field)
        elif (rows := self._rows_of_frame(entry, where)) is not None:
            for row in rows:
                self._row(row, where)
        elif all(isinstance(value, (dict, list)) for value in entry.values()):
            for query_id, held in entry.items():
                self._nested(query_id, held, f"{where}, query {query_id!r}", "query_id")
        else:
            self._row(entry, where)

    def _needed(self) -> str:
        number = "label" if self._kind == "qrels" else "score"
        return (
            "need an object, such as {query id: {document id: number}} or {query id: [document "
            f'id, ...]}}, or rows of which the first is ["query_id", "doc_id", "{number}"]'
        )

    def _list(self, cells: list[Any], where: str) -> None:
        """Add a row without names, which the first row may have told."""
        number = "label" if self._kind == "qrels" else "score"
        if self._names is None:
            if names_columns(cells, self._options):
                self._names = cells
                return
            told = self._options.columns is not None
            if not told and not (len(cells) == 3 and are_rows([cells], self._kind)):
                raise SchemaError(f"found {shown(cells)}", self._needed(), where=where)
            self._names = [*range(len(cells))] if told else ["query_id", "doc_id", number]
        if len(cells) != len(self._names):
            raise SchemaError(
                f"found {shown(cells)}",
                f"need rows of {len(self._names)} fields, like the first",
                where=where,
            )
        self._row(dict(zip(self._names, cells, strict=True)), where)

    def _rows_of_frame(self, entry: dict[str, Any], where: str) -> list[dict[str, Any]] | None:
        """Return the rows of a frame that was written as columns or as numbered rows; else None."""
        if not all(isinstance(value, (dict, list)) for value in entry.values()):
            return None
        try:
            if is_column_dict(entry, self._kind, self._options):
                held = [
                    list(column.values()) if isinstance(column, dict) else column
                    for column in entry.values()
                ]
                return [dict(zip(entry, row, strict=True)) for row in zip(*held, strict=True)]
        except SchemaError as error:
            error.where = where
            raise
        return list(entry.values()) if is_row_dict(entry) else None

    def _nested(self, query_id: object, held: Any, where: str, field: str) -> None:
        """Add a query's documents: {id: number}, [id, ...], [[id, number], ...] or with fields."""
        query = self.gathered.query(query_id, where)
        held = of_response(held)
        if isinstance(held, dict):
            for doc_id, number in held.items():
                self.gathered.add(query, doc_id, number, where)
        elif isinstance(held, list):
            for document in held:
                if isinstance(document, dict):
                    self._row({**document, field: query_id}, where, of_hits=True)
                elif isinstance(document, list) and len(document) == 2:
                    self.gathered.add(query, document[0], document[1], where)
                else:
                    self.gathered.add_at_place(query, document, where)
        else:
            raise SchemaError(
                f"found {shown(held)}", "give {document id: number} or [id]", where=where
            )

    def _row(self, row: dict[str, Any], where: str, *, of_hits: bool = False) -> None:
        """Add a row with named fields."""
        if self._fields is None:
            self._fields = self._chosen(row, where, of_hits=of_hits)
        missing = [name for name in self._fields if name not in row]
        if missing:
            raise SchemaError(
                f"field {missing[0]!r}, which the first row has, is missing",
                f"add it to the fields {', '.join(map(repr, row)) or '(none)'}",
                where=where,
            )
        query_id, doc_id, *number = (row[name] for name in self._fields)
        query = self.gathered.query(query_id, where)
        if not number:
            self.gathered.add_at_place(query, doc_id, where)
        else:
            value = number_in(number[0])
            self.gathered.add(query, doc_id, value, where, by_rank=self._by_rank)

    def _chosen(self, row: dict[str, Any], where: str, *, of_hits: bool) -> list[str]:
        """Choose the fields of the query, the document, and the number or rank if any."""
        names, values = list(row), list(row.values())
        chosen = choose(
            names,
            self._kind,
            self._options.columns,
            where,
            numeric=lambda at: not of_hits and hold_numbers([values[at]]),
            of_hits=of_hits,
        )
        self.columns |= chosen.named(names, self._kind)
        number = chosen.number
        if self._kind == "run" and (number is None or self._by_rank):
            number = chosen.rank
            self._by_rank = True
        places = (chosen.query_id, chosen.doc_id, number)
        return [names[place] for place in places if place is not None]
