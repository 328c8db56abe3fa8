"""Rows that only the table of shapes can read, and files of learning to rank."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from rankmark.data.contract.source_options import Kind, SourceOptions
from rankmark.data.files.columnar import ColumnarFile
from rankmark.data.files.first_bytes import Head
from rankmark.data.files.formats import columnar_form
from rankmark.data.files.input_file import InputFile
from rankmark.data.files.lines_of_text import whole_text
from rankmark.data.mappings.nested_mapping import NestedMapping
from rankmark.data.mappings.shaped import from_shape
from rankmark.data.shapes.plain_forms import FEW
from rankmark.errors import ParseError, SchemaError, shown

_SEPARATORS = "\t,;"


def by_shape(
    file: InputFile, head: Head, kind: Kind, options: SourceOptions
) -> NestedMapping | None:
    """Read the rows of a table by the table of shapes; None if its first rows have none."""
    form = columnar_form(head.data)
    first: list[dict[str, Any]]
    if form is not None:
        first = ColumnarFile(file, form).first_rows(FEW)
    else:
        lines = [line.decode("utf-8", "surrogateescape") for _, line in head.lines[: FEW + 1]]
        separator = max(_SEPARATORS, key=lines[0].count) if lines else ""
        first = _rows_of(lines, separator) if separator else []
    with suppress(SchemaError):
        if from_shape(first, kind, options, also_plain=True) is None:
            return None
        if form is not None:
            rows = ColumnarFile(file, form).whole().to_pylist()
        else:
            rows = _rows_of(whole_text(file).splitlines(), separator)
        return from_shape(rows, kind, options, also_plain=True)
    return None


def _rows_of(lines: Iterable[str], separator: str) -> list[dict[str, Any]]:
    """Read a table with a header; cells that are missing at the ends of lines are None."""
    with suppress(csv.Error):
        return [*csv.DictReader(lines, delimiter=separator, restkey="")]
    return []


def letor_rows(file: InputFile) -> Iterator[dict[str, Any]]:
    """Yield the rows of SVMlight, LETOR and RankLib: ``2 qid:1 1:0.5 #docid = a``.

    A document without an id in the comment is called by its line, from 1. Without features, the
    comment has the id and the text of the query, as Quepid writes it.
    """
    for number, line in enumerate(whole_text(file).splitlines(), 1):
        given, _, comment = line.partition("#")
        fields = given.split(None, 2)
        if not fields:
            continue
        if len(fields) < 2 or not fields[1].startswith("qid:"):
            raise ParseError(
                f"found {shown(line)}",
                "need a label, qid:ID, features and perhaps a comment, as in 2 qid:1 1:0.5 "
                "#docid = a",
                where=file.name,
                line=number,
            )
        query, doc_id = fields[1][4:], str(number)
        named = re.search(r"docid\s*[=:]\s*(\S+)", comment)
        if named is not None:
            doc_id = named[1]
        elif words := comment.split(None, 1):
            doc_id = words[0]
            if len(fields) == 2 and len(words) == 2:
                query = words[1].strip()
        yield {"label": fields[0], "qid": query, "docid": doc_id, "line": number}


def with_scores(rows: Iterator[dict[str, Any]], scores: InputFile) -> dict[str, dict[str, float]]:
    """Return the ranking of a file with a score for each line of the judgments."""
    held: dict[str, dict[str, float]] = {}
    rows_read = [*rows]
    lines = [line for line in whole_text(scores).splitlines() if line.strip()]
    if len(lines) != len(rows_read):
        raise SchemaError(
            f"it has {len(lines):,} scores, and the judgments have {len(rows_read):,} lines",
            "give a score for each line of the judgments, in their order",
            where=scores.name,
        )
    for number, (row, line) in enumerate(zip(rows_read, lines, strict=True), 1):
        try:
            held.setdefault(row["qid"], {})[row["docid"]] = float(line)
        except ValueError:
            raise ParseError(
                f"found {shown(line)}", "need a number", where=scores.name, line=number
            ) from None
    return held
