"""What is read again from a file: the rows of one query, and the tags of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.data.contract.reading_options import ONE_THREAD, Reading
from rankmark.data.files.json_documents import Documents, GatheredQuery
from rankmark.data.files.json_text import json_bytes
from rankmark.data.ids.numeric import LARGEST_WHOLE, id_text, numbers_of, row_from_0
from rankmark.data.tables.columns import is_tag
from rankmark.data.tables.table import of_one_query
from rankmark.errors import ParseError, SchemaError

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints
    from rankmark.data.contract.source import Rows, Source
    from rankmark.data.contract.source_options import Kind, SourceOptions
    from rankmark.data.files.open_text import OpenText
    from rankmark.data.tables.table import TableSource


def query_in_text(
    text: OpenText,
    query: str,
    form: Mapping[str, Any],
    reading: Reading,
) -> TableSource | None:
    """Read the rows of one query; ``form`` describes how the file was interpreted."""
    rows = text.rows(reading, lenient=True, queries=[query])
    chosen = text.layout.chosen
    if rows.faulty and rows.number is not None and chosen.rank is not None:
        # Invalid scores become NaN, which is refused if scores are used: not by ties="rank".
        by_rank = text.layout._replace(chosen=chosen._replace(number=None))
        without_scores = text._replace(layout=by_rank)
        every = without_scores.rows(reading.in_silence(), lenient=True, queries=[query])
        number = np.full(len(every.doc_codes), np.nan)
        number[np.isin(np.asarray(every.line), np.asarray(rows.line))] = rows.number
        rows = every._replace(number=number)
    if rows.faulty:
        at, found, remedy = rows.faults[0]
        raise ParseError(found, remedy, where=text.file.name, line=at)
    line = rows.line
    assert line is not None  # noqa: S101
    source = of_one_query(
        query,
        map(rows.doc_ids, np.asarray(rows.doc_codes).tolist()),
        rows.number,
        rows.rank,
        text.kind,
        name=text.file.name,
        form=form,
        place=lambda row: f"line {line[row]}",
    )
    if source is not None and rows.number is not None:
        source.refusal = _lost_digits(text, rows.number, query)
    return source


def _lost_digits(text: OpenText, numbers: Floats, query: str) -> ParseError | None:
    """Return the error for a whole number of a query that was rounded, or None."""
    if not (np.abs(numbers) >= LARGEST_WHOLE).any():
        return None
    try:
        text.rows(ONE_THREAD, lenient=False, queries=[query])
    except ParseError as error:
        return error
    return None


def query_in_json(
    descriptor: int,
    name: str,
    kind: Kind,
    options: SourceOptions,
    query: str,
    form_of: Callable[[dict[str, str], Mapping[str, Any]], Mapping[str, Any]],
    *,
    by_line: bool,
) -> Source | None:
    """Read a query's rows with scores and with ranks, as either may be needed.

    Parameters
    ----------
    form_of
        Describes how the file was interpreted, by the fields used and the shape.
    """
    data = json_bytes(descriptor, name, by_line=by_line)

    def read(*, by_rank: bool) -> tuple[GatheredQuery, Documents]:
        gathered = GatheredQuery(name, kind, query)
        documents = Documents(name, kind, options, by_rank=by_rank, gathered=gathered)
        documents.read(data, by_line=by_line)
        return gathered, documents

    gathered, documents = read(by_rank=False)
    columns = documents.columns
    number = None
    if gathered.is_scored:
        number = numbers_of(gathered.numbers, name, "score", row_from_0)
    rank = None
    if "rank" in columns:
        try:
            by_rank = read(by_rank=True)[0] if gathered.is_scored else gathered
            rank = -np.array(by_rank.numbers)
        except SchemaError:  # invalid ranks are refused only when they are needed
            rank = np.full(len(gathered.numbers), np.nan)
    return of_one_query(
        query,
        gathered.doc_ids,
        number,
        rank,
        kind,
        name=name,
        form=form_of(columns, documents.form),
    )


class Tags(NamedTuple):
    """One tag per row.

    Parameters
    ----------
    codes
        (n,) whole numbers, codes of the tags.
    text
        Returns the tag with a code; empty if a row has none.
    """

    codes: Ints
    text: Callable[[int], str]


def tags_in_text(opened: OpenText, rows: Rows, reading: Reading) -> Tags | None:
    """Read the column of tags of a text file, for which the file is read again."""
    places = [place for place, name in enumerate(opened.layout.names) if is_tag(name)]
    if not places:
        return None
    # The core reads one more column of ids than the queries; it skips lines with empty tags.
    chosen = opened.layout.chosen._replace(doc_id=places[0], rank=None)
    again = opened._replace(layout=opened.layout._replace(chosen=chosen))
    read = again.rows(reading.in_silence(), lenient=True)
    text = read.doc_ids
    if np.array_equal(np.asarray(read.line), np.asarray(rows.line)):
        return Tags(read.doc_codes, text)
    codes = np.full(len(rows.doc_codes), -1, dtype=np.int64)
    codes[np.isin(np.asarray(rows.line), np.asarray(read.line))] = read.doc_codes
    return Tags(codes, lambda code: "" if code < 0 else text(code))


def tags_in_json(entries: Iterable[Any], columns: Mapping[str, str], rows: Rows) -> Tags | None:
    """Return the tags of rows that were collected by query, with each document once."""
    named: dict[tuple[str | None, str | None], str] = {}
    for entry in entries:
        name = next(filter(is_tag, entry), None) if isinstance(entry, dict) else None
        if name is not None and columns.keys() >= {"query_id", "doc_id"}:
            ids = (id_text(entry.get(columns[role])) for role in ("query_id", "doc_id"))
            named[next(ids), next(ids)] = "" if entry[name] is None else str(entry[name])
    if not named:
        return None
    pairs = zip(rows.query_codes.tolist(), rows.doc_codes.tolist(), strict=True)
    return numbered(
        named.get((rows.query_ids[query], rows.doc_ids(document)), "") for query, document in pairs
    )


def numbered(texts: Iterable[str]) -> Tags:
    """Assign codes to distinct texts."""
    number: dict[str, int] = {}
    codes = np.array([number.setdefault(text, len(number)) for text in texts], dtype=np.int64)
    return Tags(codes, [*number].__getitem__)
