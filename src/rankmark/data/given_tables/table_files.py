"""Files of tables as columns: text with a header, JSON, Parquet, Arrow, trec_eval's output."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from rankmark.data.files.columnar import ColumnarFile
from rankmark.data.files.first_bytes import (
    BYTE_ORDER_MARK,
    Head,
    extension_of,
    separator_named,
)
from rankmark.data.files.formats import columnar_form, json_form, refuse_foreign
from rankmark.data.files.input_file import InputFile
from rankmark.data.files.json_text import json_entries
from rankmark.data.files.lines_of_text import fields_at_blanks, opened, text_of
from rankmark.data.files.opened import all_bytes, bytes_at
from rankmark.data.given_tables.given_columns import (
    Columns,
    Places,
    of_arrow,
    of_mapping,
    of_records,
    refuse_names_twice,
)
from rankmark.data.ids.numeric import written_number
from rankmark.data.tables.columns import found_by_name, is_known
from rankmark.errors import DuplicateError, ParseError, SchemaError, shown

_SEPARATORS = "\t,;"
_TEXTS = ("runid", "relstring")  # measures of trec_eval that are no numbers
_QUOTED = re.compile(r'"((?:[^"]|"")*+)"')
_SHOWN = 60  # characters of a line
_NAMED = 12  # columns


def text_table(text: str, name: str) -> Columns:
    """Read a table with a header, or the output of ``trec_eval -q``."""
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
    # A list of ids has one column.
    if separator not in head and not is_known(head.strip(' "'), "doc_id"):
        raise ParseError(
            f"{shown(head, _SHOWN)} is no header of a table",
            "separate the names of the columns by commas or tabs, as in run,query_id,nDCG@10",
            where=name,
            line=first,
        )
    cells = _fields(head, separator, name, first)
    names = [cell.strip() for cell in cells]
    refuse_names_twice(names, name, first)
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


def json_table(data: bytes, name: str, *, by_line: bool) -> Columns:
    """Read a list of rows, a row a line, a mapping of columns or from query ids, or results."""
    entries = [*json_entries(data, name, by_line=by_line)]
    contents = [entry for *_, entry in entries]
    lines = [line for _, line, _ in entries if line is not None]
    if not contents or not all(isinstance(entry, Mapping) for entry in contents):
        raise ParseError(
            "it holds no table", 'need rows such as {"query_id": "q1", "nDCG": 0.5}', where=name
        )
    if all({"schema", "rankmark"} <= {*content} for content in contents):  # results of rankmark
        return Columns(of_records(_rows_of_results(contents, name)), Places(name))
    is_document = entries[0][0] == name or (by_line and len(contents) == 1)
    found = of_mapping(contents[0]) if is_document else None
    if found is not None:
        return Columns(found, Places(name))
    return Columns(of_records(contents), Places(name, lines if by_line else None))


def _rows_of_results(results: Sequence[Mapping[str, Any]], name: str) -> list[Mapping[str, Any]]:
    """Return the scores by query of the JSON of one result, or of several runs."""
    each: list[Any] = []
    for result in results:
        runs = result.get("runs", [result])
        each += runs.values() if isinstance(runs, Mapping) else runs
    rows: list[Mapping[str, Any]] = []
    for one in each:
        found = one.get("per_query") if isinstance(one, Mapping) else None
        if not isinstance(found, Mapping) or not all(
            isinstance(scores, Mapping) for scores in found.values()
        ):
            raise ParseError("it has no scores by query", "write it with --per-query", where=name)
        run = {"run": one["name"]} if "name" in one else {}
        rows += [{**run, "query_id": query, **scores} for query, scores in found.items()]
    return rows


def of_json(given: Any) -> Any:
    """Return what a file of JSON holds if it is ids, or maps them to something; else what is given.

    Tables, in which columns have names, and results of rankmark are left to ``scores_in``.
    """
    if not isinstance(given, (str, os.PathLike)) or extension_of(os.fsdecode(given)) != ".json":
        return given
    file = InputFile(given)
    with opened(file) as descriptor:
        data = all_bytes(descriptor)
    try:
        entries = [*json_entries(data, file.name, by_line=False)]
    except ParseError:  # in lines, or damaged
        return given
    contents = [entry for *_, entry in entries]
    if not contents or entries[0][0] != file.name:
        return given if any(isinstance(one, Mapping) for one in contents) else contents
    names = [*contents[0]] if isinstance(contents[0], Mapping) else []
    has_names = any(found_by_name(names, role) for role in ("query_id", "doc_id"))
    return given if has_names or not names or {"schema", "rankmark"} <= {*names} else contents[0]


_MAGIC_BYTES = 6
InLines = Callable[[InputFile], Mapping[str, Any]]


def scores_in(path: Any, in_lines: InLines | None = None) -> Columns:
    """Read a table with a header, JSON, or the output of ``trec_eval -q``.

    Tables are CSV, TSV, Parquet or Arrow. JSON may be what rankmark writes with ``--per-query``.
    Lines, fields, quotes, encodings and JSON are read as those of judgments and runs.

    Parameters
    ----------
    path
        A path, or an open file; plain or packed.
    in_lines
        Reads lines of a query id and a value, if text may be without a header.

    Returns
    -------
    Columns
        The columns by name; of ``trec_eval -q``, ``query_id`` and one for each measure, without its
        lines for all queries.
    """
    file = path if isinstance(path, InputFile) else InputFile(path)
    with opened(file) as descriptor:
        form = columnar_form(bytes_at(descriptor, 0, _MAGIC_BYTES))
        if form is not None:
            table = ColumnarFile(file, form).whole()
            return Columns(of_arrow(table, file.name), Places(file.name))
        data = all_bytes(descriptor)
    refuse_foreign(data, file.name)
    text = text_of(data, file.name)
    begin = data[: len(BYTE_ORDER_MARK) + 64].removeprefix(BYTE_ORDER_MARK).lstrip()
    if begin[:1] in {b"[", b"{"}:
        form = json_form(Head(data, whole=True, name=file.name, kind="run"))
        return json_table(data, file.name, by_line=form == "jsonl")
    if in_lines is None:
        return text_table(text, file.name)
    return _text_or_lines(text, file, in_lines)


def _text_or_lines(text: str, file: InputFile, in_lines: InLines) -> Columns:
    """Read a table with a header, or else lines of a query id and a value."""
    no_table = None
    try:
        columns = text_table(text, file.name)
    except ParseError as error:
        no_table, columns = error, Columns({}, Places(file.name))
    if found_by_name(list(columns), "query_id"):
        return columns
    try:
        values = in_lines(file)
    except ParseError as error:
        if no_table is not None and no_table.line != 1 and error.line == 1:
            raise no_table from None  # it has a header
        if len(columns) < 2:
            raise
        raise SchemaError(
            f"none of its columns could be query_id; it has {', '.join(columns)}",
            "call the column of queries query_id",
            where=file.name,
        ) from None
    places = Places(file.name, is_text=True)
    return Columns({"query_id": list(values), "value": list(values.values())}, places)
