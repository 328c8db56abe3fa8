"""Read JSON, as one document or one per line, into a mapping."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rankmark.errors import DuplicateError, ParseError, SchemaError
from rankmark.sources.files.gathered import Gathered, shown
from rankmark.sources.files.opened import pieces_of
from rankmark.sources.frames.column_dicts import is_column_dict, is_row_dict
from rankmark.sources.mappings.predictions import of_mteb
from rankmark.sources.tables.columns import choose, is_known
from rankmark.sources.tables.number_columns import hold_numbers

if TYPE_CHECKING:
    from rankmark.sources.contract.source_options import Kind, SourceOptions

DOCUMENTS = ("docs", "documents", "results", "hits", "ranking", "relevant")
"""Usual names of the field with a query's documents."""
MOST_BYTES = 1 << 30
"""A document, or one of several on lines of their own, is no larger: it is held whole."""
_MARK = b"\xef\xbb\xbf"
_LONG = 1 << 24  # bytes of a line
_LINE = re.compile(rb"[^\s].*")  # from the first byte that is not a blank to the line's end


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
        entries = self.entries(data, by_line=by_line)
        del data  # text and objects need the room
        for where, entry in entries:
            is_document = isinstance(entry, dict)
            self._entry(of_mteb(entry, self._kind, where) if is_document else entry, where)

    def read_lines(self, pieces: Iterable[bytes]) -> Iterator[None]:
        """Read one object per line, from pieces of the file; yields after each line."""
        number = 1
        for lines in _whole_lines(pieces, self._name):
            for where, entry in self._lines(lines, number):
                self._entry(entry, where)
                yield
            number += lines.count(b"\n")

    def entries(self, data: bytes, *, by_line: bool) -> Iterator[tuple[str, Any]]:
        """Parse a file, and yield the name of each entry for messages, and the entry."""
        if by_line:
            yield from self._lines(data)
            return
        text = self._decoded(data.removeprefix(_MARK), 1)
        del data
        document = self._parsed(text, None)
        del text
        if isinstance(document, list):
            for number, entry in enumerate(document, 1):
                yield f"{self._name}: entry {number}", entry
        else:
            yield self._name, document

    def _lines(self, data: bytes, number: int = 1) -> Iterator[tuple[str, Any]]:
        """Parse lines from a number on, skipping blank ones, which may be very many."""
        counted = 0
        begin = len(_MARK) if number == 1 and data.startswith(_MARK) else 0
        for line in _LINE.finditer(data, begin):
            number += data.count(b"\n", counted, line.start())
            counted = line.start()
            text = self._decoded(line[0], number)
            yield f"{self._name}:{number}", self._parsed(text, number)

    def _decoded(self, data: bytes, line: int) -> str:
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            line += data.count(b"\n", 0, error.start)
            raise ParseError(
                "this is not UTF-8 text", "convert it", where=self._name, line=line
            ) from None

    def _parsed(self, text: str, line: int | None) -> Any:
        try:
            return json.loads(text, object_pairs_hook=_with_unique_keys)
        except _DuplicateKeyError as error:
            raise DuplicateError(
                f"{error.args[0]!r} appears twice in one object",
                "keep one of the two",
                where=self._name,
                line=line,
            ) from None
        except json.JSONDecodeError as error:
            raise ParseError(
                f"this is not valid JSON ({error.msg}, column {error.colno})",
                "correct it",
                where=self._name,
                line=line or error.lineno,
            ) from None
        except RecursionError:
            raise ParseError(
                "objects are nested too deeply",
                "give {query id: {document id: number}}",
                where=self._name,
                line=line,
            ) from None
        except ValueError:
            raise ParseError(
                f"a whole number has more than {sys.get_int_max_str_digits():,} digits, which "
                "Python does not read",
                "write ids as text, and labels and scores with fewer digits",
                where=self._name,
                line=line,
            ) from None

    def _entry(self, entry: Any, where: str) -> None:
        if not isinstance(entry, dict):
            raise SchemaError(
                f"found {shown(entry)}",
                "need an object, such as {query id: {document id: number}}",
                where=where,
            )
        documents = [name for name in entry if name.lower() in DOCUMENTS]
        if any(is_known(name, "doc_id") for name in entry):  # then "relevant" is a label
            documents = [name for name in documents if isinstance(entry[name], (dict, list))]
        field = self._query_field(entry)
        if documents and field is not None:
            if len(documents) > 1:
                first, second, *_ = documents
                raise SchemaError(
                    f"both {first!r} and {second!r} may contain the documents",
                    "rename one of them",
                    where=where,
                )
            self.columns = self.columns or {"query_id": field, "documents": documents[0]}
            self._nested(entry[field], entry[documents[0]], where, field)
        elif (rows := self._rows_of_frame(entry, where)) is not None:
            for row in rows:
                self._row(row, where)
        elif all(isinstance(value, (dict, list)) for value in entry.values()):
            for query_id, held in entry.items():
                self._nested(query_id, held, f"{where}, query {query_id!r}", "query_id")
        else:
            self._row(entry, where)

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

    def _query_field(self, entry: dict[str, Any]) -> str | None:
        chosen = (self._options.columns or {}).get("query_id")
        for name, value in entry.items():
            known = name == chosen if chosen else is_known(name, "query_id")
            if known and not isinstance(value, (dict, list)):
                return name
        return None

    def _nested(self, query_id: object, held: Any, where: str, field: str) -> None:
        """Add a query's documents: {id: number}, [id, ...], [[id, number], ...] or with fields."""
        query = self.gathered.query(query_id, where)
        if isinstance(held, dict):
            for doc_id, number in held.items():
                self.gathered.add(query, doc_id, number, where)
        elif isinstance(held, list):
            for document in held:
                if isinstance(document, dict):
                    self._row({**document, field: query_id}, where)
                elif isinstance(document, list) and len(document) == 2:
                    self.gathered.add(query, document[0], document[1], where)
                else:
                    self.gathered.add_at_place(query, document, where)
        else:
            raise SchemaError(
                f"found {shown(held)}", "give {document id: number} or [id]", where=where
            )

    def _row(self, row: dict[str, Any], where: str) -> None:
        """Add a row with named fields."""
        if self._fields is None:
            self._fields = self._chosen(row, where)
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
            self.gathered.add(query, doc_id, number[0], where, by_rank=self._by_rank)

    def _chosen(self, row: dict[str, Any], where: str) -> list[str]:
        """Choose the fields of the query, the document, and the number or rank if any."""
        names, values = list(row), list(row.values())
        chosen = choose(
            names,
            self._kind,
            self._options.columns,
            where,
            numeric=lambda at: hold_numbers([values[at]]),
        )
        self.columns |= chosen.named(names, self._kind)
        number = chosen.number
        if self._kind == "run" and (number is None or self._by_rank):
            number = chosen.rank
            self._by_rank = True
        places = (chosen.query_id, chosen.doc_id, number)
        return [names[place] for place in places if place is not None]


def json_bytes(descriptor: int, name: str, *, by_line: bool) -> bytes:
    """Read a file of one document, or of one a line.

    Raises
    ------
    ParseError
        If a document is too large, or cannot be JSON, as soon as that is seen.
    """
    checked = _whole_lines if by_line else _of_document
    return b"".join(checked(pieces_of(descriptor), name))


def _of_document(pieces: Iterable[bytes], name: str) -> Iterator[bytes]:
    size = 0
    for piece in pieces:
        size += len(piece)
        if b"\0" in piece:
            raise ParseError(
                "found a NUL byte, so this is not UTF-8 text (UTF-16? a binary file?)",
                "convert it",
                where=name,
            )
        if size > MOST_BYTES:
            raise ParseError(
                f"a JSON document has more than {MOST_BYTES:,} bytes",
                "write a line for each query, or Parquet, which are read in parts",
                where=name,
            )
        yield piece


def _whole_lines(pieces: Iterable[bytes], name: str) -> Iterator[bytes]:
    """Cut pieces at ends of lines; refuse a line that goes on without end."""
    held: list[bytes] = []
    size = 0
    for piece in pieces:
        end = piece.rfind(b"\n") + 1
        if end:
            yield b"".join([*held, piece[:end]])
            held, size = [], 0
        size += len(piece) - end
        if size > MOST_BYTES or (size > _LONG and b"\0" in piece[end:]):
            for _ in _of_document([*held, piece[end:]], name):
                pass
        held.append(piece[end:])
    yield b"".join(held)


class _DuplicateKeyError(Exception):
    """An object contains a key twice."""


def _with_unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _DuplicateKeyError(key)
            seen.add(key)
    return result
