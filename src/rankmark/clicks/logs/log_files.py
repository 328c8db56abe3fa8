"""Files of logs, which DuckDB reads as far as they are needed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from rankmark.clicks.logs.engine_faults import faults_of_engine
from rankmark.clicks.logs.log_columns import IDS, NUMBERS, WHOLE, columns_of
from rankmark.data.files.first_bytes import first_bytes
from rankmark.data.files.formats import columnar_form
from rankmark.data.files.input_file import InputFile
from rankmark.errors import InputError, ParseError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

TableFormat = Literal["parquet", "csv", "tsv", "json", "jsonl"]
_SEPARATORS = "\t,;"
_MEMORY = "1500MB"  # beyond that DuckDB uses temporary files


def connection() -> DuckDBPyConnection:
    """Return a database in memory; what does not fit there goes to temporary files."""
    import duckdb  # noqa: PLC0415

    return duckdb.connect(
        config={
            "memory_limit": _MEMORY,
            "preserve_insertion_order": False,  # the order of rows is never used
            "temp_directory": str(Path(tempfile.gettempdir()) / f"rankmark-{os.getpid()}"),
        }
    )


def files_in(given: Sequence[Any]) -> list[InputFile]:
    """Return the files that paths name; a folder stands for the Parquet files in it."""
    found: list[InputFile] = []
    for one in given:
        path = Path(os.fsdecode(one)) if isinstance(one, (str, os.PathLike)) else None
        is_folder = path is not None and path.is_dir()
        inside = sorted(path.rglob("*.parquet")) if path is not None and is_folder else [one]
        if not inside:
            raise InputError("the folder holds no Parquet files", "check the path", where=str(one))
        found += map(InputFile, inside)
    for file in found:
        if file.path is None:
            raise InputError(
                "a log is read several times", "give the path of a file", where=file.name
            )
    return found


def table_in_files(
    files: Sequence[InputFile], form: TableFormat | None, named: Mapping[str, str]
) -> DuckDBPyRelation:
    """Return the rows of files of one form."""
    with files[0].opened() as opened:
        begin, _ = first_bytes(opened.pieces(), files[0].name)
    if not begin.strip():
        raise ParseError("the file is empty", "give a log", where=files[0].name)
    form = form or _form_of(begin)
    paths = [str(file.path) for file in files]
    with faults_of_engine():
        if form == "parquet":
            return connection().read_parquet(paths)
        if form in {"json", "jsonl"}:
            return connection().read_json(paths)
        return _text_table(paths, begin, named, files[0].name)


def _form_of(begin: bytes) -> TableFormat:
    """Return the form of a file by how it begins."""
    if columnar_form(begin) is not None:
        return "parquet"
    return "json" if begin.lstrip(b"\xef\xbb\xbf \r\n\t")[:1] in {b"{", b"["} else "csv"


def _text_table(
    paths: list[str], begin: bytes, named: Mapping[str, str], where: str
) -> DuckDBPyRelation:
    """Read text with a header: ids as they are written, and numbers that must be numbers."""
    head = begin.partition(b"\n")[0].decode("utf-8", "replace")
    how: dict[str, Any] = {
        "header": True,
        "quotechar": '"',
        "sep": max(_SEPARATORS, key=head.count),
    }
    database = connection()
    found = database.read_csv(paths, **how)
    chosen = columns_of(found.columns, named, where)
    kinds = dict(zip(found.columns, map(str, found.types), strict=True))
    types = {name: "VARCHAR" for role, name in chosen.items() if role in IDS}
    types |= {
        name: "DOUBLE"
        for role, name in chosen.items()
        if role in {*WHOLE, *NUMBERS} and kinds[name] == "VARCHAR"
    }
    return database.read_csv(paths, dtype=types, **how)
