"""Files of logs, which DuckDB reads as far as they are needed."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import narwhals as nw

from rankmark.clicks.logs.engine_faults import faults_of_engine
from rankmark.clicks.logs.log_columns import IDS, NUMBERS, WHOLE, columns_of
from rankmark.data.files.first_bytes import BYTE_ORDER_MARK, first_bytes
from rankmark.data.files.formats import columnar_form
from rankmark.data.files.input_file import InputFile
from rankmark.errors import InputError, ParseError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

HITS, ACTION = "query_response_hit_ids", "action_name"
LogFormat = Literal["table", "ubi", "yandex", "trec-session", "mind"]
_SEPARATORS = "\t,;"
_UUID = re.compile(r"\bUUID(?=[\[,)]|$)")
_TIME = re.compile(r"\b(TIMESTAMP WITH TIME ZONE|TIMESTAMP|DATE|TIME)(?=[\[,)]|$)")
_MEMORY = "1500MB"  # beyond that DuckDB uses temporary files
_YANDEX = re.compile(rb"\d+\t\d+\t[QC]\t")
_MIND = re.compile(rb"[^\t\n]+\t[^\t\n]+\t[^\t\n]+\t[^\t\n]*\t\S+-[01]( \S+-[01])*\r?(\n|$)")


class Given(NamedTuple):
    """A log as it is given.

    Parameters
    ----------
    rows
        A row for each document shown, or for each issue of a query with lists.
    name, form
        What it is called, and its form.
    orphans
        Clicks on documents that were not shown, which are not in the rows.
    ordinals
        Clicks at another place than the rank; None for those without a place.
    left_out
        {why: how many rows are left out}.
    """

    rows: nw.LazyFrame[Any]
    name: str
    form: str
    orphans: int = 0
    ordinals: int | None = None
    left_out: Mapping[str, int] = {}


def connection() -> DuckDBPyConnection:
    """Return a database in memory; what does not fit there goes to temporary files."""
    import duckdb  # noqa: PLC0415

    database = duckdb.connect(
        config={
            "memory_limit": _MEMORY,
            "preserve_insertion_order": False,  # the order of rows is never used
            "temp_directory": str(Path(tempfile.gettempdir()) / f"rankmark-{os.getpid()}"),
        }
    )
    database.execute("SET enable_progress_bar = false")  # it goes to standard output
    return database


def files_in(given: Sequence[Any]) -> list[InputFile]:
    """Return the files that paths name; a folder stands for the Parquet files in it."""
    found: list[InputFile] = []
    for one in given:
        is_folder = isinstance(one, (str, os.PathLike)) and os.path.isdir(one)  # noqa: PTH112  (never raises)
        inside = sorted(Path(os.fsdecode(one)).rglob("*.parquet")) if is_folder else [one]
        if not inside:
            raise InputError("the folder holds no Parquet files", "check the path", where=str(one))
        found += map(InputFile, inside)
    for file in found:
        if file.path is None:
            raise InputError(
                "a log is read several times", "give the path of a file", where=file.name
            )
    return found


def beginning(file: InputFile) -> bytes:
    """Return how a file begins, unpacked."""
    with file.opened() as opened:
        begin, _ = first_bytes(opened.pieces(), file.name)
    if not begin.strip():
        raise ParseError("the file is empty", "give a log", where=file.name)
    return begin


def form_of(begin: bytes) -> LogFormat:
    """Return the form of a file by how it begins."""
    bare = begin.removeprefix(BYTE_ORDER_MARK).lstrip()
    if bare[:1] == b"<":
        return "trec-session"
    if _YANDEX.match(bare):
        return "yandex"
    return "mind" if _MIND.match(bare) else "table"


def paths_of(files: Sequence[InputFile]) -> list[str]:
    """Return the paths of files."""
    return [str(file.path) for file in files]


def table_in_files(
    database: DuckDBPyConnection, files: Sequence[InputFile], named: Mapping[str, str]
) -> DuckDBPyRelation:
    """Return the rows of files of one form: Parquet, JSON, or text with a header."""
    begin, paths = beginning(files[0]), paths_of(files)
    with faults_of_engine(files[0].name):
        if columnar_form(begin) == "parquet":
            return database.read_parquet(paths, union_by_name=True)
        if begin.removeprefix(BYTE_ORDER_MARK).lstrip()[:1] in {b"{", b"["}:
            return _plain_texts(_json_table(database, paths, named, files[0].name))
        return _text_table(database, paths, begin, named, files[0].name)


def quoted(name: str) -> str:
    """Return the name of a column as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def _json_table(
    database: DuckDBPyConnection, paths: list[str], named: Mapping[str, str], where: str
) -> DuckDBPyRelation:
    """Read JSON, with ids as they are written: DuckDB writes UUIDs and times its own way."""
    listed = ", ".join("'" + path.replace("'", "''") + "'" for path in paths)
    found = database.sql(
        f"FROM read_json([{listed}], map_inference_threshold = -1, union_by_name = true)"
    )
    kinds = dict(zip(found.columns, map(str, found.types), strict=True))
    types = {name: _UUID.sub("VARCHAR", kind) for name, kind in kinds.items()}
    if not is_ubi(found.columns):
        chosen = columns_of(found.columns, named, where)
        of_ids = [chosen[role] for role in (*IDS, "click") if role in chosen]  # of clicked ids
        types |= {name: _TIME.sub("VARCHAR", types[name]) for name in of_ids}
    return found if types == kinds else database.read_json(paths, columns=types)


def is_ubi(columns: Collection[str]) -> bool:
    """Return whether a table with these columns has UBI's queries or events."""
    return not {"_source", HITS, ACTION}.isdisjoint(columns)


def _plain_texts(table: DuckDBPyRelation) -> DuckDBPyRelation:
    """Return columns whose values are of several types as text."""
    kinds = zip(table.columns, map(str, table.types), strict=True)
    return table.select(
        ", ".join(
            f"{quoted(name)} ->> '$' AS {quoted(name)}" if kind == "JSON" else quoted(name)
            for name, kind in kinds
        )
    )


def _text_table(
    database: DuckDBPyConnection,
    paths: list[str],
    begin: bytes,
    named: Mapping[str, str],
    where: str,
) -> DuckDBPyRelation:
    """Read text with a header: ids as they are written, and numbers that must be numbers."""
    head = begin.partition(b"\n")[0].decode("utf-8", "replace")
    how: dict[str, Any] = {
        "header": True,
        "quotechar": '"',
        "sep": max(_SEPARATORS, key=head.count),
    }
    found = database.read_csv(paths, **how)
    if is_ubi(found.columns):
        of_ids = [name for name in found.columns if not name.endswith(("timestamp", "ordinal"))]
        return database.read_csv(paths, dtype=dict.fromkeys(of_ids, "VARCHAR"), **how)
    chosen = columns_of(found.columns, named, where)
    kinds = dict(zip(found.columns, map(str, found.types), strict=True))
    types = {
        name: "VARCHAR" if role in IDS else kinds[name].replace("VARCHAR", "DOUBLE")
        for role, name in chosen.items()
        if role in {*IDS, *WHOLE, *NUMBERS}
    }
    return database.read_csv(paths, dtype=types, **how)
