"""Tables of text with a header, cut into fields as the core cuts lines, and trec_eval's output."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rankmark.data.files.first_bytes import separator_named
from rankmark.data.files.small_files import fields_at_blanks
from rankmark.data.given_tables.given_columns import Columns, Places
from rankmark.data.ids.numeric import written_number
from rankmark.errors import DuplicateError, ParseError, shown

_SEPARATORS = "\t,;"
_TEXTS = ("runid", "relstring")  # measures of trec_eval that are no numbers
_QUOTED = re.compile(r'"((?:[^"]|"")*+)"')
_SHOWN = 60  # characters of a line
_NAMED = 12  # columns


def text_table(text: str, name: str) -> Columns:
    """Read a table with a header, or the output of ``trec_eval -q``.

    Raises
    ------
    ParseError
        If it is neither, or a line has other columns than the header.
    DuplicateError
        If trec_eval's output has a measure of a query twice.
    """
    first, _, rest = text.partition("\n")
    separator = separator_named(first)
    lines = [*(_lines(rest, 2) if separator else _lines(text, 1))]
    if not lines:
        raise ParseError("the file is empty", "give a table with a header", where=name)
    head = lines[0][1]
    if not separator and _is_trec_eval(head):
        return _of_trec_eval(lines, name)
    return _of_lines(lines, separator or max(_SEPARATORS, key=head.count), name)


def _lines(text: str, number: int) -> Iterator[tuple[int, str]]:
    """Yield the lines that hold something, with their numbers."""
    for at, line in enumerate(text.split("\n"), number):
        if bare := line.removesuffix("\r"):
            yield at, bare


def _of_lines(lines: list[tuple[int, str]], separator: str, name: str) -> Columns:
    first, head = lines[0]
    if "\r" in head:
        raise ParseError(
            "there is a carriage return within the line (old Mac line ends? a binary file?)",
            "give text whose lines end in newlines",
            where=name,
            line=first,
        )
    if separator not in head:
        raise ParseError(
            f"{shown(head, _SHOWN)} is no header of a table",
            "separate the names of the columns by commas or tabs, as in run,query_id,nDCG@10",
            where=name,
            line=first,
        )
    cells = _fields(head, separator, name, first)
    names = [cell.strip() for cell in cells]
    twice = next((one for at, one in enumerate(names) if one in names[:at]), None)
    if twice is not None:
        raise ParseError(
            f"two columns have the name {twice!r}", "rename one", where=name, line=first
        )
    rows = []
    for number, line in lines[1:]:
        fields = _fields(line, separator, name, number)
        if len(fields) != len(names):
            raise _wrong_columns(line, fields, names, name, number)
        rows.append(fields)
    if names != cells:  # blanks beside separators, and no part of the cells
        rows = [[field.strip() for field in row] for row in rows]
    columns = zip(*rows, strict=True) if rows else ((),) * len(names)
    found = {
        column: [value or None for value in values]
        for column, values in zip(names, columns, strict=True)
    }
    return Columns(found, Places(name, [number for number, _ in lines[1:]], is_text=True))


def _fields(line: str, separator: str, name: str, number: int) -> list[str]:
    if '"' not in line:
        return line.split(separator)
    fields: list[str] = []
    at = 0
    while True:
        if line.startswith('"', at):
            quoted = _QUOTED.match(line, at)
            if quoted is None:
                raise ParseError(
                    "a quoted field does not end on its line",
                    "take line breaks out of fields, and write a quote within one twice",
                    where=name,
                    line=number,
                )
            fields.append(quoted[1].replace('""', '"'))
            at = quoted.end()
            if at < len(line) and line[at] != separator:
                raise ParseError(
                    "text follows a closing quote",
                    "write a quote within a quoted field twice, and quote the whole field",
                    where=name,
                    line=number,
                )
        else:
            end = line.find(separator, at)
            end = len(line) if end < 0 else end
            fields.append(line[at:end])
            at = end
        if at == len(line):
            return fields
        at += 1


def _wrong_columns(
    line: str, fields: list[str], names: list[str], name: str, number: int
) -> ParseError:
    if "\r" in line:
        return ParseError(
            "found a carriage return within the line (old Mac line ends? a binary file?)",
            "give text whose lines end in newlines",
            where=name,
            line=number,
        )
    found = f"{len(fields)} column" + "s" * (len(fields) != 1)
    wanted = ", ".join(names[:_NAMED])
    wanted += f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ParseError(
        f"found {found}, need {len(names)} ({wanted}): {shown(line, _SHOWN)}",
        "correct or remove the line"
        if len(fields) < len(names)
        else "put a field that holds a separator in double quotes",
        where=name,
        line=number,
    )


def _is_trec_eval(line: str) -> bool:
    """Return whether a line is of ``trec_eval -q``: measure, query and value."""
    fields = fields_at_blanks(line)
    is_number = len(fields) == 3 and written_number(fields[2]) is not None
    return len(fields) == 3 and "," not in line and (fields[0] in _TEXTS or is_number)


def _of_trec_eval(lines: list[tuple[int, str]], name: str) -> Columns:
    by_query: dict[str, dict[str, Any]] = {}
    measures: dict[str, None] = {}
    for number, line in lines:
        fields = fields_at_blanks(line)
        if not fields or fields[0] in _TEXTS:
            continue
        if len(fields) != 3 or written_number(fields[2]) is None:
            raise ParseError(
                f"{shown(line)} is not a measure, a query and a number",
                "write the file with trec_eval -q, or give a table with a header",
                where=name,
                line=number,
            )
        measure, query, value = fields
        if query == "all":
            continue
        if measure in by_query.setdefault(query, {}):
            raise DuplicateError(
                f"{measure} of query {query!r} appears twice",
                "give the output for one run",
                where=name,
                line=number,
            )
        by_query[query][measure] = value
        measures[measure] = None
    if not by_query:
        raise ParseError(
            "it holds only numbers for all queries", "write it with trec_eval -q", where=name
        )
    columns: dict[str, list[Any]] = {"query_id": list(by_query)}
    for measure in measures:
        columns[measure] = [scores.get(measure) for scores in by_query.values()]
    return Columns(columns, Places(name, is_text=True))
