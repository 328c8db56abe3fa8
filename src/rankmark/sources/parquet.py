"""Parquet files, through pyarrow."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rankmark.errors import MissingDependencyError, ParseError
from rankmark.sources.columns import choose

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from rankmark.sources.forms import Kind


def read_columns(
    descriptor: int, name: str, kind: Kind, columns: Mapping[str, Any] | None
) -> pa.Table:
    """Read the columns that are used, of a whole file.

    Raises
    ------
    MissingDependencyError
        If pyarrow is not there.
    ParseError
        If the file is damaged.
    SchemaError
        If a column is not there, or two could be meant.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise MissingDependencyError("pyarrow", "arrow", f"{name}: reading Parquet") from None
    with os.fdopen(os.dup(descriptor), "rb") as file:
        try:
            opened = parquet.ParquetFile(file)
            names = opened.schema_arrow.names
            chosen = choose(names, kind, columns, name)
            return opened.read([names[place] for place in chosen if place is not None])
        except (pa.ArrowException, OSError) as error:
            message = f"the Parquet data is damaged ({str(error).splitlines()[0]}); write it again"
            raise ParseError(name, None, message) from None
