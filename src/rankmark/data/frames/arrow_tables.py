"""Hand Arrow tables over to the core without a copy, and flatten their columns of lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rankmark._core import StreamFault, Table, TableStream, table_from_array, table_from_stream
from rankmark.array_types import Ints
from rankmark.data.tables.columns import Chosen
from rankmark.data.tables.table import worded
from rankmark.errors import SchemaError, shown


def exported(source: Any, where: str) -> Table:
    """Export an object that has ``__arrow_c_stream__`` or ``__arrow_c_array__``."""
    refuse_damaged(source, where)
    capsules = _capsules(source, where)
    with worded(where, ()), _interrupted():
        if len(capsules) == 2:
            return table_from_array(*capsules)
        return table_from_stream(*capsules)


def refuse_damaged(source: Any, where: str, *, values: bool = False) -> None:
    """Refuse a table of pyarrow whose buffers are too small, as one from a damaged file may be.

    The core is not told how long buffers are, and pyarrow itself reads without looking.

    Parameters
    ----------
    values
        Whether each value is looked at too, which the core does otherwise.
    """
    validate = getattr(source, "validate", None)
    if validate is None or not type(source).__module__.startswith("pyarrow"):
        return
    try:
        validate(full=values)
    except ValueError as error:  # pyarrow's ArrowInvalid
        raise SchemaError(
            f"the Arrow data is damaged ({str(error).splitlines()[0]})",
            "make the table anew",
            where=where,
        ) from None


def streamed(source: Any, where: str) -> TableStream:
    """Export an object that has ``__arrow_c_stream__``, to be read table by table."""
    with worded(where, ()), _interrupted():
        return TableStream(_capsules(source, where)[0])


def tables_of_stream(stream: TableStream, where: str) -> Iterator[Table]:
    """Yield the tables of a stream."""
    while True:
        with worded(where, ()), _interrupted():
            table = stream.next()
        if table is None:
            return
        yield table


def _capsules(source: Any, where: str) -> tuple[Any, ...]:
    try:
        if hasattr(source, "__arrow_c_stream__"):
            capsules: Any = (source.__arrow_c_stream__(None),)  # Polars 1.3 asks for the argument
        else:
            capsules = source.__arrow_c_array__(None)
    except (AttributeError, ImportError):
        raise
    except Exception as error:  # whatever its library raises
        raise SchemaError(
            f"{type(source).__name__} could not be exported as Arrow data: {error}",
            "give another form of it",
            where=where,
        ) from error
    if not isinstance(capsules, tuple) or len(capsules) not in {1, 2}:
        raise SchemaError(
            f"__arrow_c_array__() of {type(source).__name__} returned {shown(capsules)}",
            "need two capsules",
            where=where,
        )
    return capsules


@contextmanager
def _interrupted() -> Iterator[None]:
    """Raise KeyboardInterrupt for Ctrl-C in a generator, as Arrow's own code words it."""
    try:
        yield
    except StreamFault as fault:
        if fault.args[0].rstrip().endswith("\nKeyboardInterrupt"):
            raise KeyboardInterrupt from None
        raise


def flattened(source: Any, places: Sequence[int], chosen: Chosen) -> tuple[Any, Ints] | None:
    """Return a table with a row per document of the columns at ``places``, and the source rows.

    None without pyarrow, and if information would be lost: a list is empty or null, lists of one
    row differ in length, a query appears twice, or documents are structs.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415
        from pyarrow import compute  # noqa: PLC0415
    except ImportError:
        return None
    try:
        table = pa.table(source).select(list(places)).combine_chunks()
        lists = table.column(chosen.doc_id)
        lengths = compute.list_value_length(lists)
        shortest = compute.min(lengths).as_py()
        queries = table.column(chosen.query_id)
        if queries.type == pa.string_view():  # Polars' text, which pyarrow cannot repeat
            queries = queries.cast(pa.large_string())
        twice = compute.count_distinct(queries).as_py() < len(queries)
        by_rank = chosen.number is None and chosen.rank is not None
        structs = pa.types.is_nested(lists.type.value_type)
        if not shortest or lists.null_count or queries.null_count or twice or structs or by_rank:
            return None
        parents = compute.list_parent_indices(lists)
        columns = []
        for place, column in enumerate(table.columns):
            if place == chosen.query_id:
                columns.append(queries.take(parents))
            elif compute.list_value_length(column).equals(lengths):
                columns.append(compute.list_flatten(column))
            else:
                return None
        rows = pa.Table.from_arrays(columns, names=table.column_names)
    except (pa.ArrowException, AttributeError, TypeError, ValueError):  # such as columns not lists
        return None
    return rows, parents.to_numpy()
