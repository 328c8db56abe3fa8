"""Files of tables that another program wrote, as columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rankmark.data.files.columnar import ColumnarFile
from rankmark.data.files.first_bytes import BYTE_ORDER_MARK, Head
from rankmark.data.files.formats import columnar_form, json_form, refuse_foreign
from rankmark.data.files.input_file import InputFile
from rankmark.data.files.opened import all_bytes, bytes_at
from rankmark.data.files.random_access import OnDisk
from rankmark.data.files.small_files import opened, text_of
from rankmark.data.given_tables.given_columns import Columns, Places
from rankmark.data.given_tables.json_tables import json_table
from rankmark.data.given_tables.separated_text import text_table
from rankmark.data.tables.columns import found_by_name
from rankmark.errors import ParseError, SchemaError

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

    Raises
    ------
    ParseError
        If it is none of these, with the line.
    DuplicateError
        If an object of JSON contains a key twice.
    InputError
        If the file cannot be read.
    MissingDependencyError
        If it is Parquet or Arrow and pyarrow is not installed.
    """
    file = path if isinstance(path, InputFile) else InputFile(path)
    with opened(file) as descriptor:
        form = columnar_form(bytes_at(descriptor, 0, _MAGIC_BYTES))
        if form is not None:
            table = ColumnarFile(OnDisk(file), form).whole()
            return Columns(table.to_pydict(), Places(file.name))
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
