"""Parquet files, through pyarrow."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rankmark.errors import MissingDependencyError, ParseError
from rankmark.sources.columns import choose
from rankmark.sources.gathered import Gathered

if TYPE_CHECKING:
    import pyarrow as pa

    from rankmark.sources.forms import Kind


def read_table(descriptor: int, name: str) -> pa.Table:
    """Read a whole file.

    Raises
    ------
    MissingDependencyError
        If pyarrow is not there.
    ParseError
        If the file is damaged.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise MissingDependencyError("pyarrow", "arrow", f"{name}: reading Parquet") from None
    with os.fdopen(os.dup(descriptor), "rb") as file:
        try:
            return parquet.read_table(file)
        except (pa.ArrowException, OSError) as error:
            message = f"the Parquet data is damaged ({str(error).splitlines()[0]}); write it again"
            raise ParseError(name, None, message) from None


def gathered_from(
    table: pa.Table,
    name: str,
    kind: Kind,
    columns: Mapping[str, str] | None,
    *,
    by_rank: bool = False,
) -> tuple[Gathered, dict[str, str]]:
    """Gather a table's rows, and say which columns were taken for what."""
    names = table.column_names
    chosen = choose(names, kind, columns, name)
    place = chosen.number
    if kind == "run" and (place is None or by_rank):
        place, by_rank = chosen.rank, True
    gathered = Gathered(name, kind)
    query_ids, doc_ids = (_values(table, place) for place in (chosen.query_id, chosen.doc_id))
    numbers = None if place is None else _values(table, place)
    for row, (query_id, doc_id) in enumerate(zip(query_ids, doc_ids, strict=True)):
        where = f"{name}: row {row + 1}"
        into = gathered.query(query_id, where)
        if numbers is None:
            gathered.add_at_place(into, doc_id, where)
        else:
            gathered.add(into, doc_id, numbers[row], where, by_rank=by_rank)
    return gathered, chosen.named(names, kind)


def _values(table: pa.Table, place: int) -> list[Any]:
    values: list[Any] = table.column(place).to_pylist()
    return values
