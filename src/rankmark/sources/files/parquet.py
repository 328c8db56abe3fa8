"""Parquet files, through pyarrow."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rankmark.errors import MissingDependencyError, ParseError
from rankmark.sources.frames.frames import from_arrow
from rankmark.sources.tables.columns import choose

if TYPE_CHECKING:
    from rankmark.sources.contract.source_options import Kind, SourceOptions
    from rankmark.sources.mappings.mappings import NestedMapping
    from rankmark.sources.tables.table import TableSource


def from_parquet(
    descriptor: int, name: str, kind: Kind, options: SourceOptions
) -> TableSource | NestedMapping:
    """Read only the columns needed.

    Raises
    ------
    MissingDependencyError
        If pyarrow is not installed.
    ParseError
        If the file is damaged.
    SchemaError
        If a column is missing or ambiguous, or contains anything other than ids or numbers.
    """
    with _opened(descriptor, name) as file:
        names = file.schema_arrow.names
        chosen = choose(names, kind, options.columns, name, subtopics=options.by_subtopic)
        places, _ = chosen.picked()
        table = file.read(columns=[names[place] for place in places])
    return from_arrow(table, name, kind, options)


def names_in(descriptor: int, name: str) -> tuple[str, ...]:
    """Return the column names."""
    with _opened(descriptor, name) as file:
        return tuple(file.schema_arrow.names)


def texts_in(descriptor: int, name: str, column: str) -> Iterator[str]:
    """Return a column as text, empty if a value is missing."""
    with _opened(descriptor, name) as file:
        values = file.read(columns=[column]).column(0).to_pylist()
    return ("" if value is None else str(value) for value in values)


def all_columns(descriptor: int, name: str) -> dict[str, list[Any]]:
    """Return all columns as Python objects, None for nulls."""
    with _opened(descriptor, name) as file:
        columns: dict[str, list[Any]] = file.read().to_pydict()
    return columns


@contextmanager
def _opened(descriptor: int, name: str) -> Iterator[Any]:
    try:
        import pyarrow as pa  # noqa: PLC0415
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise MissingDependencyError("pyarrow", "arrow", "reading Parquet", where=name) from None
    with os.fdopen(os.dup(descriptor), "rb") as opened:
        try:
            yield parquet.ParquetFile(opened)
        except (pa.ArrowException, OSError) as error:
            reason = str(error).splitlines()[0]
            raise ParseError(
                f"the Parquet data is damaged ({reason})", "write it again", where=name
            ) from None
