"""Judgments in any form, in which a document may stand without a label.

A model whose answer could not be read has no label for a document, and tables of its answers have
an empty cell there. Everywhere else judgments need a label in each row.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from rankmark.conventions import query_text
from rankmark.errors import DuplicateError, InputError, ParseError, SchemaError, shown
from rankmark.sources import Qrels
from rankmark.sources.contract.source_options import SourceOptions
from rankmark.sources.files.file_source import FileSource
from rankmark.sources.files.json_text import json_entries
from rankmark.sources.files.small_files import fields_at_blanks, whole_text
from rankmark.sources.frames.arrow_frames import is_frame
from rankmark.sources.given_tables.given_columns import is_empty, number_in, table_in_memory
from rankmark.sources.given_tables.table_files import scores_in
from rankmark.sources.prepared.remembered import Described
from rankmark.sources.recognise.forms import recognised
from rankmark.sources.tables.columns import choose

if TYPE_CHECKING:
    from rankmark.sources.contract.reading_options import Reading
    from rankmark.sources.contract.source import Source

_EMPTY_WORDS = frozenset(["nan", "null", "none", "na", "n/a"])
"""What programs write for a number that they do not have, in lower case."""


class GivenJudgments(NamedTuple):
    """Judgments as they were read.

    Parameters
    ----------
    qrels
        The judgments. A document without a label has ``empty`` as its label.
    source
        Where they come from, and how they were read.
    empty
        A label that no document has; None if every document has a label.
    """

    qrels: Qrels
    source: Described
    empty: float | None = None


class _Row(NamedTuple):
    """A judgment as it stands, and its place in the input, for messages."""

    query: Any
    document: Any
    label: Any
    place: str


def given_judgments(
    given: Any, qrels_format: str | None, columns: Mapping[str, Any] | None, reading: Reading
) -> GivenJudgments:
    """Read judgments, also those in which documents have no label.

    Raises
    ------
    ParseError, DuplicateError, SchemaError, InputError
        As ``Qrels`` does.
    """
    if isinstance(given, Qrels):
        for name, value in (("qrels_format", qrels_format), ("columns", columns)):
            if value is not None:
                raise InputError("the qrels are already prepared", f"give their {name} to Qrels")
        return GivenJudgments(given, Described(given.source, given.source.as_read()))
    options = SourceOptions(qrels_format, columns)
    source = None
    try:
        source = recognised(given, "qrels", options)
        qrels = Qrels.of_given(given, source, options, reading)
        return GivenJudgments(qrels, Described(source, source.as_read()))
    except InputError:
        # The usual readers are much faster, and refuse rows without labels.
        rows = _rows(given, source, options)
        if not any(_is_empty(row.label) for row in rows):
            raise
    labels, empty = _filled(rows, "qrels <records>" if source is None else source.name)
    qrels = Qrels(labels, contents="labels")
    if source is None:
        return GivenJudgments(qrels, Described(qrels.source, None), empty)
    return GivenJudgments(qrels, _described(source), empty)


class _Whole(NamedTuple):
    """A file of JSON, which describes itself only if all of its labels are numbers."""

    name: str
    positions: bool = False
    by_column: bool = False

    def description(self) -> dict[str, Any]:
        return {"form": "json"}


def _described(source: Source) -> Described:
    try:
        return Described(source, source.as_read())
    except InputError:
        whole: Any = _Whole(source.name)
        return Described(whole, source.as_read())


def _filled(rows: Iterable[_Row], where: str) -> tuple[dict[str, dict[str, float]], float]:
    """Return the labels by query and document, and what stands for those that are missing."""
    found: dict[str, dict[str, float]] = {}
    for row in rows:
        query, document = query_text(row.query, where), query_text(row.document, where)
        inner = found.setdefault(query, {})
        if document in inner:
            raise DuplicateError(
                f"{row.place}: document {document!r} is judged twice for query {query!r}",
                "keep one",
                where=where,
            )
        inner[document] = math.nan if _is_empty(row.label) else _label(row, where)
    known = [label for inner in found.values() for label in inner.values() if label == label]  # noqa: PLR0124
    if not known:
        raise InputError("no document has a label", "check the column of labels", where=where)
    empty = math.floor(min(*known, 0.0)) - 1.0
    return {
        query: {document: empty if math.isnan(label) else label for document, label in own.items()}
        for query, own in found.items()
    }, empty


def _label(row: _Row, where: str) -> float:
    label = number_in(row.label)
    if label is None or not math.isfinite(label):
        raise SchemaError(
            f"{row.place}: label is {shown(row.label)}",
            "need a number, or nothing if there is no label",
            where=where,
        )
    return label


def _is_empty(label: Any) -> bool:
    return is_empty(label) or (isinstance(label, str) and label.strip().lower() in _EMPTY_WORDS)


def _rows(given: Any, source: Source | None, options: SourceOptions) -> list[_Row]:
    """Return the rows of judgments that can be without labels; none of other forms."""
    try:
        if isinstance(source, FileSource):
            return [*_rows_of_file(source, options)]
        if isinstance(given, Mapping) and all(isinstance(v, Mapping) for v in given.values()):
            return [*_rows_of_mapping(given)]
        if is_frame(given) or _are_columns(given) or _are_all(given, Mapping):
            return [*_rows_of_table(table_in_memory(given) or {}, "<table>", options)]
        if _are_all(given, tuple):
            return [
                _Row(row[0], row[1], row[2], f"row {at}")
                for at, row in enumerate(given, 1)
                if len(row) == 3
            ]
    except InputError:
        pass  # the usual reader has said what is wrong
    return []


def _are_columns(given: Any) -> bool:
    return isinstance(given, Mapping) and all(hasattr(one, "__len__") for one in given.values())


def _are_all(given: Any, kind: type) -> bool:
    return isinstance(given, Sequence) and all(isinstance(row, kind) for row in given)


def _rows_of_mapping(given: Mapping[Any, Any]) -> Iterator[_Row]:
    for query, inner in given.items():
        for document, label in inner.items():
            yield _Row(query, document, label, f"query {query!r}, document {document!r}")


def _rows_of_file(source: FileSource, options: SourceOptions) -> Iterator[_Row]:
    text = whole_text(source.file)
    if text.lstrip()[:1] == "{":
        content: Any = {}
        with suppress(ParseError):  # lines of JSON
            data = text.encode("utf-8", "surrogateescape")
            ((*_, content),) = json_entries(data, source.name, by_line=False)
        if content and all(isinstance(inner, Mapping) for inner in content.values()):
            yield from _rows_of_mapping(content)
            return
    lines = [fields_at_blanks(line.removesuffix("\r")) for line in text.split("\n")]
    if all(len(fields) in {0, 4} for fields in lines):
        for at, fields in enumerate(lines, 1):
            if fields:
                yield _Row(fields[0], fields[2], fields[3], f"line {at}")
        return
    yield from _rows_of_table(scores_in(source.file), source.name, options)


def _rows_of_table(
    columns: Mapping[str, Sequence[Any]], where: str, options: SourceOptions
) -> Iterator[_Row]:
    names = list(columns)
    chosen = choose(names, "qrels", options.columns, where)
    if chosen.number is None:
        return
    of_rows = [columns[names[at]] for at in (chosen.query_id, chosen.doc_id, chosen.number)]
    for at, (query, document, label) in enumerate(zip(*of_rows, strict=True), 1):
        yield _Row(query, document, label, f"row {at}")
