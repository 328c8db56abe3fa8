"""Rows of judgments and runs as few large values, so that a shuffle moves those instead of rows.

A packed value has the rows of one bucket of queries. It contains two Arrow batches: the queries,
each with its number of rows, and the other columns, query by query.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from rankmark.array_types import Ints
from rankmark.data.frames.arrow_tables import exported
from rankmark.data.tables.columns import Chosen
from rankmark.data.tables.table import rows_of_table, worded
from rankmark.errors import SchemaError
from rankmark.spark.frame_columns import POSITIONS, FrameColumns, arrow_type

_HELD = 32 << 20  # bytes of rows that are packed together
_MOST_QUERIES = 1 << 16  # as many can be sorted by counting
_LARGEST = 4 << 20  # bytes of a packed value, about
_LENGTH = 8  # bytes that hold the size of the first batch


class Packed(NamedTuple):
    """A packed value and the bucket that its queries belong to."""

    bucket: int
    value: bytes


def with_positions(batches: Iterable[Any], partition: int) -> Iterator[Any]:
    """Add a column to batches: the places of the rows among those of all partitions."""
    import pyarrow as pa  # noqa: PLC0415

    first = partition << 33
    for batch in batches:
        places = pa.array(np.arange(first, first + batch.num_rows))
        yield batch.append_column(POSITIONS, places)
        first += batch.num_rows


def packed(
    batches: Iterable[Any], columns: FrameColumns, buckets: int, *, held: int = _HELD
) -> Iterator[Packed]:
    """Pack the rows of Arrow batches by bucket.

    Parameters
    ----------
    batches
        Record batches of these columns.
    buckets
        The number of buckets.
    held
        About how many bytes of rows to hold before packing them.

    Raises
    ------
    SchemaError
        If the id of a query is null.
    """
    waiting: list[Any] = []
    size = 0
    for batch in batches:
        if not batch.num_rows:
            continue
        waiting.append(batch)
        size += batch.nbytes
        if size >= held:
            yield from _packed(waiting, columns, buckets)
            waiting, size = [], 0
    if waiting:
        yield from _packed(waiting, columns, buckets)


def _packed(batches: list[Any], columns: FrameColumns, buckets: int) -> Iterator[Packed]:
    """Pack all rows of these batches."""
    import pyarrow as pa  # noqa: PLC0415

    table = pa.Table.from_batches(batches).rename_columns([*columns.names])
    codes, queries = _numbered(table, columns)
    bucket = np.array([bucket_of(query, buckets) for query in queries], dtype=np.int64)
    by_bucket = np.argsort(bucket, kind="stable")
    place = np.empty(len(queries), dtype=np.int64)
    place[by_bucket] = np.arange(len(queries))
    if len(queries) <= _MOST_QUERIES:
        place = place.astype(np.uint16)
    of_rows: Any = place[codes]
    rows = np.bincount(of_rows, minlength=len(queries)).astype(np.int64)
    others = table.select([i for i in range(table.num_columns) if i != columns.query])
    if (of_rows[1:] < of_rows[:-1]).any():
        others = others.take(pa.array(np.argsort(of_rows, kind="stable")))
    others = others.cast(schema_of(columns)).combine_chunks()
    ids = pa.array([queries[query] for query in by_bucket.tolist()], pa.string())
    most = max(1, int(_LARGEST * len(others) / max(others.nbytes, 1)))
    ends = np.concatenate([[0], np.cumsum(rows)])
    sorted_buckets = bucket[by_bucket]
    for first, last, begin, end in _parts(sorted_buckets, ends, most):
        counts = rows[first:last] if last - first > 1 else np.array([end - begin])
        head = pa.record_batch([ids[first:last], pa.array(counts)], names=["query", "rows"])
        (tail,) = others.slice(begin, end - begin).to_batches()
        yield Packed(int(sorted_buckets[first]), _joined(head, tail))


def _parts(buckets: Ints, ends: Ints, most: int) -> Iterator[tuple[int, int, int, int]]:
    """Divide queries, which are sorted by bucket, into parts of one bucket and few rows.

    Parameters
    ----------
    buckets
        (n,) the bucket of each query.
    ends
        (n + 1,) where the rows of each query begin, and where the last ones end.
    most
        The number of rows of a part, unless it is a few queries that have more.

    Returns
    -------
    Iterator
        The first query of a part and the one after its last, and the same of its rows; a query
        with too many rows is divided.
    """
    borders = np.append(np.flatnonzero(buckets[1:] != buckets[:-1]) + 1, len(buckets))
    first = 0
    for border in borders.tolist():
        while first < border:
            last = int(np.searchsorted(ends, ends[first] + most, side="right")) - 1
            last = min(max(last, first + 1), border)
            begin, end = int(ends[first]), int(ends[last])
            step = most if last == first + 1 else end - begin
            for at in range(begin, end, step):
                yield first, last, at, min(at + step, end)
            first = last


def _joined(head: Any, tail: Any) -> bytes:
    first = head.serialize()
    return b"".join(
        [len(first).to_bytes(_LENGTH, "little"), memoryview(first), memoryview(tail.serialize())]
    )


def _numbered(table: Any, columns: FrameColumns) -> tuple[Ints, list[str]]:
    """Return the number of each row's query, (n,), and the distinct ids as text."""
    import pyarrow as pa  # noqa: PLC0415

    column = table.column(columns.query)
    if column.null_count:
        raise SchemaError(
            f"{columns.names[columns.query]!r} is null" + _beside(table, columns),
            "drop the row, or fill it",
            where=columns.where,
        )
    coded = pa.types.is_dictionary(column.type)
    if not (coded or pa.types.is_integer(column.type) or _is_text(column.type)):
        return _numbered_by_core(table, columns)
    encoded = column.combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    return encoded.indices.to_numpy(), encoded.dictionary.cast(pa.string()).to_pylist()


def _numbered_by_core(table: Any, columns: FrameColumns) -> tuple[Ints, list[str]]:
    """Return the same for ids that are neither text nor integers, such as floats."""
    where = columns.where
    with worded(where, [columns.names[columns.query]]):
        rows = rows_of_table(
            exported(table.select([columns.query]), where), Chosen(0, 0, None, None), "run"
        )
    return np.asarray(rows.query_codes, dtype=np.int64), list(rows.query_ids)


def _is_text(of: Any) -> bool:
    import pyarrow as pa  # noqa: PLC0415

    return bool(pa.types.is_string(of) or pa.types.is_large_string(of))


def _beside(table: Any, columns: FrameColumns) -> str:
    """Name the document of the first row whose query is null."""
    row = int(np.flatnonzero(table.column(columns.query).is_null().to_numpy())[0])
    return f" in the row of document {table.column(columns.chosen.doc_id)[row].as_py()!r}"


def bucket_of(query: str, buckets: int) -> int:
    """Return the bucket of a query: the same on every machine."""
    return zlib.crc32(query.encode("utf-8", "surrogatepass")) % buckets


def schema_of(columns: FrameColumns) -> Any:
    """Return the Arrow schema of all packed columns but the query."""
    import pyarrow as pa  # noqa: PLC0415

    return pa.schema(
        [
            (name, arrow_type(of))
            for place, (name, of) in enumerate(zip(columns.names, columns.types, strict=True))
            if place != columns.query
        ]
    )


def queries_in(value: Any) -> Iterator[tuple[str, int]]:
    """Return the queries of a packed value, each with its number of rows."""
    head, _ = _batches_of(value, None)
    yield from zip(head.column(0).to_pylist(), head.column(1).to_pylist(), strict=True)


def repacked(query: str, table: Any, columns: FrameColumns) -> bytes:
    """Pack rows of one query again."""
    import pyarrow as pa  # noqa: PLC0415

    names = [name for place, name in enumerate(columns.names) if place != columns.query]
    head = pa.record_batch([pa.array([query]), pa.array([len(table)])], names=["query", "rows"])
    (tail,) = table.select(names).combine_chunks().to_batches()
    return _joined(head, tail)


def unpacked(
    values: Iterable[Any], columns: FrameColumns, queries: Collection[str] | None = None
) -> Any:
    """Return packed values as one Arrow table, with the columns in their order.

    Parameters
    ----------
    values
        Arrow buffers with packed values.
    queries
        The queries whose rows are wanted; None for all.
    """
    import pyarrow as pa  # noqa: PLC0415

    schema = schema_of(columns)
    chunks: list[list[Any]] = [[] for _ in columns.names]
    for value in values:
        head, tail = _batches_of(value, schema)
        if queries is not None:
            wanted = np.array([query in queries for query in head.column(0).to_pylist()])
            if not wanted.any():
                continue
            if not wanted.all():
                tail = tail.filter(pa.array(np.repeat(wanted, head.column(1).to_numpy())))
                head = head.filter(pa.array(wanted))
        rows = head.column(1).to_numpy()
        places = np.repeat(np.arange(len(head), dtype=np.int32), rows)
        arrays = [*tail.columns]
        arrays.insert(
            columns.query, pa.DictionaryArray.from_arrays(pa.array(places), head.column(0))
        )
        for chunk, array in zip(chunks, arrays, strict=True):
            chunk.append(array)
    types = [arrow_type(of) for of in columns.types]
    types[columns.query] = pa.dictionary(pa.int32(), pa.string())
    arrays = [pa.chunked_array(chunk, of) for chunk, of in zip(chunks, types, strict=True)]
    return pa.table(arrays, names=list(columns.names))


def _batches_of(value: Any, schema: Any) -> tuple[Any, Any]:
    """Return the two batches of a packed value; only the first one without a schema."""
    import pyarrow as pa  # noqa: PLC0415

    heads = pa.schema([("query", pa.string()), ("rows", pa.int64())])
    size = int.from_bytes(value[:_LENGTH], "little")
    head = pa.ipc.read_record_batch(value[_LENGTH : _LENGTH + size], heads)
    if schema is None:
        return head, None
    return head, pa.ipc.read_record_batch(value[_LENGTH + size :], schema)
