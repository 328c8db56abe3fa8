"""Files of scores by query that another program wrote, as columns."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from typing import Any

from rankmark.errors import ParseError, SchemaError, shown
from rankmark.sources.files.columnar import ColumnarFile
from rankmark.sources.files.formats import columnar_form
from rankmark.sources.files.head import separator_named
from rankmark.sources.files.input_file import InputFile
from rankmark.sources.files.opened import bytes_at
from rankmark.sources.files.query_list import words_in
from rankmark.sources.files.random_access import OnDisk
from rankmark.sources.files.small_files import opened, whole_text
from rankmark.sources.tables.columns import found_by_name

_MAGIC_BYTES = 6
_TEXTS = ("runid", "relstring")  # measures of trec_eval that are no numbers

Columns = dict[str, list[Any]]
"""Column names with values of equal length; text in text files, None where nothing is."""


def scores_in(path: Any) -> Columns:
    """Read a table with a header, JSON, or the output of ``trec_eval -q``.

    Tables are CSV, TSV, Parquet or Arrow. JSON may be what rankmark writes with ``--per-query``.

    Parameters
    ----------
    path
        A path, or an open file; plain or packed.

    Returns
    -------
    dict of list
        The columns by name; of ``trec_eval -q``, ``query_id`` and one for each measure, without its
        lines for all queries.

    Raises
    ------
    ParseError
        If it is none of these, with the line.
    InputError
        If the file cannot be read.
    MissingDependencyError
        If it is Parquet or Arrow and pyarrow is not installed.
    """
    file = path if isinstance(path, InputFile) else InputFile(path)
    with opened(file) as descriptor:
        form = columnar_form(bytes_at(descriptor, 0, _MAGIC_BYTES))
        if form is not None:
            columns: Columns = ColumnarFile(OnDisk(file), form).whole().to_pydict()
            return columns
        text = whole_text(descriptor)
    if not text.strip():
        raise ParseError("the file is empty", "give a table with a header", where=file.name)
    if text.lstrip()[0] in "[{":
        return _of_json(text, file.name)
    lines = text.splitlines()
    separator = separator_named(lines[0])
    if separator:
        lines[0] = ""
    first = next((line for line in lines if line.strip()), "")
    if _is_trec_eval(first):
        return _of_trec_eval(lines, file.name)
    return _of_table(lines, first, separator or max("\t,;", key=first.count), file.name)


def words_or_table_in(path: Any) -> Columns:
    """Read a table with a header, or lines of a query id and a word.

    Raises
    ------
    ParseError, InputError, MissingDependencyError
        As ``scores_in`` does.
    """
    file = InputFile(path)  # once, as a pipe can be read only once
    try:
        columns = scores_in(file)
    except ParseError:
        columns = {}
    if found_by_name(list(columns), "query_id"):
        return columns
    try:
        words = words_in(file, "value")
    except ParseError:
        if len(columns) < 2:
            raise
        raise SchemaError(
            f"none of its columns could be query_id; it has {', '.join(columns)}",
            "call the column of queries query_id",
            where=file.name,
        ) from None
    return {"query_id": list(words), "value": list(words.values())}


def _is_trec_eval(line: str) -> bool:
    """Return whether a line is of ``trec_eval -q``: measure, query and value."""
    fields = line.split()
    return len(fields) == 3 and "," not in line and (fields[0] in _TEXTS or _is_number(fields[2]))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _of_trec_eval(lines: list[str], name: str) -> Columns:
    by_query: dict[str, dict[str, str]] = {}
    measures: dict[str, None] = {}
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if not fields or fields[0] in _TEXTS:
            continue
        if len(fields) != 3 or not _is_number(fields[2]):
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
            raise ParseError(
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
    columns: Columns = {"query_id": list(by_query)}
    for measure in measures:
        columns[measure] = [scores.get(measure) for scores in by_query.values()]
    return columns


def _of_table(lines: list[str], first: str, separator: str, name: str) -> Columns:
    if separator not in first:
        raise ParseError(
            f"{shown(first)} is no header of a table",
            "separate the names of the columns by commas or tabs, as in run,query_id,nDCG@10",
            where=name,
            line=1,
        )
    reader = csv.reader(lines, delimiter=separator, strict=True)
    head: list[str] | None = None
    rows: list[list[str]] = []
    try:
        for row in reader:
            if not any(field.strip() for field in row):
                continue
            if head is None:
                head = [field.strip() for field in row]
                continue
            if len(row) != len(head):
                raise ParseError(
                    f"there are {len(row)} columns, and {len(head)} in the header",
                    "give every row a value for each column, or leave it empty",
                    where=name,
                    line=reader.line_num,
                )
            rows.append([field.strip() for field in row])
    except csv.Error as error:
        raise ParseError(
            f"the table cannot be read: {error}",
            "check the quotes",
            where=name,
            line=reader.line_num,
        ) from None
    names = head or []
    twice = [column for column in names if names.count(column) > 1]
    if twice:
        raise ParseError(
            f"two columns have the name {twice[0]!r}", "rename one", where=name, line=1
        )
    return {column: [row[at] or None for row in rows] for at, column in enumerate(names)}


def _of_json(text: str, name: str) -> Columns:
    """Read a list of rows, lines of rows, a mapping of columns or from query ids, or results."""
    try:
        content = _parsed(text, name)
    except ParseError:
        raise
    except ValueError:
        content = _lines_of_json(text, name)
    written = [content] if isinstance(content, Mapping) else content
    if isinstance(written, list) and written and all(map(_is_result, written)):
        return _of_results(written, name)
    if isinstance(content, Mapping) and all(isinstance(value, list) for value in content.values()):
        return {str(column): list(values) for column, values in content.items()}
    if isinstance(content, Mapping) and content:
        values = list(content.values())
        if all(isinstance(value, Mapping) for value in values):  # as pytrec_eval returns them
            return of_records([{"query_id": query, **content[query]} for query in content])
        if "query_id" not in content and all(isinstance(value, (int, float)) for value in values):
            return {"query_id": list(content), "score": values}
    rows = [content] if isinstance(content, Mapping) else content
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        raise ParseError(
            "it holds no table", 'need rows such as {"query_id": "q1", "nDCG": 0.5}', where=name
        )
    return of_records(rows)


def _is_result(content: Any) -> bool:
    """Return whether it is a result of rankmark, in its JSON."""
    return isinstance(content, Mapping) and {"schema", "rankmark"} <= {*content}


def _of_results(results: list[Mapping[str, Any]], name: str) -> Columns:
    """Read the scores by query of the JSON of one result, or of several runs."""
    each: list[Any] = []
    for result in results:
        runs = result.get("runs", [result])
        each += runs.values() if isinstance(runs, Mapping) else runs
    by_query = [one.get("per_query") if isinstance(one, Mapping) else None for one in each]
    rows: list[Mapping[str, Any]] = []
    for one, found in zip(each, by_query, strict=True):
        if not isinstance(found, Mapping) or not all(
            isinstance(scores, Mapping) for scores in found.values()
        ):
            raise ParseError("it has no scores by query", "write it with --per-query", where=name)
        run = {"run": one["name"]} if "name" in one else {}
        rows += [{**run, "query_id": query, **scores} for query, scores in found.items()]
    return of_records(rows)


def of_records(rows: list[Mapping[str, Any]]) -> Columns:
    """Turn rows with named fields into columns, None where a row has no such field."""
    columns = dict.fromkeys(str(column) for row in rows for column in row)
    return {column: [row.get(column) for row in rows] for column in columns}


def _parsed(text: str, name: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        raise ParseError(
            "it is JSON that is nested too deeply", "give a table with a header", where=name
        ) from None


def _lines_of_json(text: str, name: str) -> list[Any]:
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                rows.append(_parsed(line, name))
            except ParseError:
                raise
            except ValueError as error:
                raise ParseError(
                    f"this is not JSON: {error}", "check the line", where=name, line=number
                ) from None
    return rows
