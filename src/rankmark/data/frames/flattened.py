"""Flatten Arrow columns of lists into rows, quickly and without loss, through pyarrow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankmark.array_types import Ints
    from rankmark.data.tables.columns import Chosen


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
