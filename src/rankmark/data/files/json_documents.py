"""Read JSON, as one document or one per line, into mappings."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from rankmark.data.contract.source_options import OR_CHOOSE, Kind, SourceOptions
from rankmark.data.files.json_text import entries_of_lines, json_bytes, json_entries, whole_lines
from rankmark.data.frames.column_dicts import is_column_dict, is_row_dict
from rankmark.data.frames.records import are_rows, from_records, names_columns
from rankmark.data.ids.numeric import id_text
from rankmark.data.mappings.hits import of_mteb, query_and_documents
from rankmark.data.mappings.nested_mapping import NestedMapping
from rankmark.data.shapes.walker import Found, Walker
from rankmark.data.tables.column_values import hold_numbers, number_in
from rankmark.data.tables.columns import choose
from rankmark.data.tables.table import TableSource
from rankmark.errors import DuplicateError, SchemaError
from rankmark.errors import shown as written


class Gathered:
    """Collected judgments or a run: ``{query id: {document id: label or score}}``.

    Parameters
    ----------
    duplicates
        What to do if a query has a document already: "error", "first" or "best".

    Attributes
    ----------
    mapping
        The rows added, queries by first appearance, documents in the order of the rows kept.
    is_scored
        Whether any document of a run has a score; else ranks or the order give the numbers.
    left_out
        The number of rows left out, for queries with any.
    """

    def __init__(self, name: str, kind: Kind, duplicates: str = "error") -> None:
        self.name = name
        self.mapping: dict[str, dict[str, float]] = {}
        self.is_scored: bool = kind == "qrels"
        self.left_out: dict[str, int] = {}
        self._kind = kind
        self._duplicates = duplicates
        self._number = "label" if kind == "qrels" else "score"

    def query(self, query_id: object, where: str) -> str:
        """Add a query, if it is new, and return its id as text."""
        query = id_in(query_id, "the query id", where)
        self.mapping.setdefault(query, {})
        return query

    def by_query(self) -> dict[str, Any]:
        """Return the documents of each query, in lists if they have no scores."""
        if self.is_scored:
            return self.mapping
        return {
            query: [doc_id for doc_id, _ in sorted(held.items(), key=lambda pair: -pair[1])]
            for query, held in self.mapping.items()
        }

    def add(
        self, query: str, doc_id: object, number: object, where: str, *, by_rank: bool = False
    ) -> None:
        """Add a document to its query, with a label, a score or a rank."""
        self.is_scored = self.is_scored or not by_rank
        self._put(query, doc_id, number, where, sign=-1 if by_rank else 1)

    def add_at_place(self, query: str, doc_id: object, where: str) -> None:
        """Add a document without a number: with label 1, or after the query's other documents."""
        number = 1.0 if self._kind == "qrels" else -float(len(self.mapping[query]))
        self._put(query, doc_id, number, where)

    def add_all(self, found: Found, query_id: str | None = None) -> None:
        """Add the documents of a query, which is ``query_id`` if they do not say which."""
        if found.query is None and query_id is not None:
            found = found._replace(query=query_id)
        if found.query is None:
            raise SchemaError(
                "it does not say of which query this is the answer",
                "give {query id: answer}, objects with a query_id beside the answer, or a file of "
                "ids in the order of the answers: --path query=@FILE",
                where=found.where,
            )
        query = self.query(found.query, found.where)
        if found.numbers is None:
            for doc_id in found.ids:
                self.add_at_place(query, doc_id, found.where)
        else:
            for doc_id, number in zip(found.ids, found.numbers, strict=True):
                self.add(query, doc_id, number, found.where)

    def _put(
        self, query: str, doc_id: object, number: object, where: str, *, sign: int = 1
    ) -> None:
        documents = self.mapping[query]
        doc_id = id_in(doc_id, "the document id", where)
        known = documents.get(doc_id)
        if known is not None and self._duplicates == "error":
            raise DuplicateError(
                f"document {doc_id!r} appears twice for its query",
                f"keep one of the two{OR_CHOOSE[self._kind]}",
                where=where,
            )
        value = sign * self._checked(number, f"{where}, document {doc_id!r}")
        if known is not None:
            self.left_out[query] = self.left_out.get(query, 0) + 1
            if self._duplicates == "first" or value <= known:
                return
            del documents[doc_id]  # it moves to the position of its better row
        documents[doc_id] = value

    def _checked(self, number: object, where: str) -> float:
        if not isinstance(number, (int, float)):
            raise SchemaError(f"{self._number} is {shown(number)}", "need a number", where=where)
        try:
            value = float(number)
        except OverflowError:
            value = math.inf
        if math.isnan(value):
            raise SchemaError(
                f"{self._number} is NaN, which cannot be ordered",
                "remove or replace it",
                where=where,
            )
        if self._kind == "qrels" and math.isinf(value):
            raise SchemaError("label is infinite", "need a finite label", where=where)
        if value != number and not math.isinf(value):
            return number  # a whole number that no double represents is refused where that matters
        return value


class GatheredQuery(Gathered):
    """The rows of one query, including duplicates; others are ignored.

    Attributes
    ----------
    doc_ids, numbers
        The query's documents, with labels or scores, or negated ranks.
    """

    def __init__(self, name: str, kind: Kind, query: str) -> None:
        super().__init__(name, kind)
        self.doc_ids: list[str] = []
        self.numbers: list[float] = []
        self._query = query

    def _put(
        self, query: str, doc_id: object, number: object, where: str, *, sign: int = 1
    ) -> None:
        if query != self._query:
            return
        doc_id = id_in(doc_id, "the document id", where)
        value = sign * self._checked(number, f"{where}, document {doc_id!r}")
        self.doc_ids.append(doc_id)
        self.numbers.append(value)
        # The number of documents is the position of the next one without a number.
        self.mapping[query].setdefault(doc_id, value)


def id_in(value: object, what: str, where: str) -> str:
    """Return an id as text, or raise SchemaError."""
    text = id_text(value)
    if text is None and isinstance(value, str):
        raise SchemaError(f"{what} {shown(value)} is not valid Unicode", "correct it", where=where)
    if text is None:
        raise SchemaError(f"{what} is {shown(value)}", "need text or a whole number", where=where)
    if not text:
        raise SchemaError(f"{what} is empty", "give every row an id", where=where)
    return text


def shown(value: Any) -> str:
    """Return a value as shown in messages: null for None, and long values shortened."""
    return "null" if value is None else written(value, 60)


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
        self._walker: Walker | None = Walker(kind, options)  # None for other forms
        self._query_id: str | None = None  # of answers that do not say which they are of

    @property
    def is_known(self) -> bool:
        """Whether it is known how it is read, which entries that are left out do not tell."""
        return self._walker is None or self._walker.shape is not None

    @property
    def form(self) -> dict[str, Any]:
        """How it was read, if it has the shape of a tool's output."""
        if self._walker is None or self._walker.shape is None:
            return {}
        unjudged = self._walker.unjudged
        described = {"form": self._walker.shape.name}
        return described | ({"unjudged": unjudged} if unjudged else {})

    def read(
        self, data: bytes, *, by_line: bool, query_id: str | None = None, name: str | None = None
    ) -> None:
        """Read a file with an object or a list of objects, or one object per line.

        Parameters
        ----------
        query_id
            The query of answers that do not say which they are of.
        name
            Of the file, if it is one of several.
        """
        self._query_id, self._name = query_id, name or self._name
        if by_line:
            for _ in self.read_lines([data]):
                pass
            return
        entries = json_entries(data, self._name, by_line=False)
        del data  # text and objects need the room
        for where, _, entry in entries:
            is_document = isinstance(entry, dict)
            self._entry(of_mteb(entry, self._kind, where) if is_document else entry, where)
        self._close()

    def read_lines(self, pieces: Iterable[bytes]) -> Iterator[None]:
        """Read one object per line, from pieces of the file; yields after each line."""
        number = 1
        for lines in whole_lines(pieces, self._name):
            for where, _, entry in entries_of_lines(lines, self._name, number):
                self._entry(entry, where)
                yield
            number += lines.count(b"\n")
        self._close()

    def _close(self) -> None:
        if self._walker is not None:
            self._walker.close(self._name)

    def _entry(self, entry: Any, where: str) -> None:
        if self._walker is not None:
            if self._walker.recognises(entry, where):
                for found in self._walker.walk(entry, where):
                    self.gathered.add_all(found, self._query_id)
                self.columns = self.columns or self._walker.columns()
                return
            if self._walker.leaves_out(entry):
                return
            walker, self._walker = self._walker, None
            try:
                self._other(entry, where)
            except SchemaError as error:
                if walker.recognises(entry, where, also_plain=True):
                    self._walker = walker
                    self._entry(entry, where)
                    return
                if nearest := walker.nearest(entry):
                    error.add_remedy(nearest)
                raise
            return
        self._other(entry, where)

    def _other(self, entry: Any, where: str) -> None:
        """Read an object or a list that no tool's shape describes."""
        if isinstance(entry, list):
            self._list(entry, where)
            return
        if not isinstance(entry, dict):
            raise SchemaError(f"found {shown(entry)}", self._needed(), where=where)
        fields = query_and_documents(entry, self._options.columns, where)
        if fields is not None:
            field, documents = fields
            self.columns = self.columns or {"query_id": field, "list": documents}
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


def json_by_subtopic(
    descriptor: int, name: str, kind: Kind, options: SourceOptions, *, by_line: bool
) -> TableSource | NestedMapping | None:
    """Read a list of rows, a row a line, or {query id: {subtopic: {document id: label}}}.

    Instead of subtopics with names, there may be a list of groups of documents.

    None if there are none.
    """
    from rankmark.data.judgments.subtopic_judgments import WANTED  # noqa: PLC0415  (rarely needed)
    from rankmark.data.mappings.subtopic_mappings import are_groups  # noqa: PLC0415

    data = json_bytes(descriptor, name, by_line=by_line)
    entries = [entry for *_, entry in json_entries(data, name, by_line=by_line)]
    if not all(isinstance(entry, dict) for entry in entries):
        raise SchemaError(
            "its objects have no field subtopic", f"give them one, or give {WANTED}", where=name
        )
    if not entries or not any(entries):
        return None
    if len(entries) == 1 and all(
        isinstance(held, dict) or are_groups(held) for held in entries[0].values()
    ):
        return NestedMapping(entries[0], kind)
    return from_records(entries, kind, options._replace(format=None), name=name)
