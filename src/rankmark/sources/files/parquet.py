"""Parquet files, through pyarrow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rankmark.errors import MissingDependencyError, ParseError
from rankmark.sources.batches.fragments import Fragment, Place
from rankmark.sources.batches.record_batches import MOST_ROWS, tables_of

if TYPE_CHECKING:
    from rankmark import _core
    from rankmark.sources.files.random_access import RandomAccess

_BATCH_BYTES = 1 << 23
_BUFFER_BYTES = 1 << 16  # of each column; without it, row groups are read as a whole
_TABLES_KEPT = 8  # decoded before pyarrow gives unused memory back
_BYTES_OF_REPEATED = 5.0
"""Text that takes fewer bytes a row than this is repeated, and is read as a dictionary."""


def schema_of(file: RandomAccess) -> Any:
    """Return pyarrow's schema."""
    with _opened(file) as parquet:
        return parquet.schema_arrow


def fragments_of(
    file: RandomAccess, columns: Sequence[str], values: Mapping[str, str]
) -> list[Fragment]:
    """Return the row groups of a file, each with these columns in this order.

    ``values`` are columns with the same value in all rows.

    Raises
    ------
    MissingDependencyError
        If pyarrow is not installed.
    ParseError
        If the file is damaged.
    """
    held = [name for name in columns if name not in values]
    with _opened(file) as parquet:
        groups = parquet.metadata
        repeated, row_bytes = _repeated(parquet, held)
    rows = max(1, min(MOST_ROWS, int(_BATCH_BYTES / max(row_bytes, 1.0))))
    first, fragments = 0, []
    for number in range(groups.num_row_groups):
        group = groups.row_group(number)

        def tables(number: int = number) -> Iterator[_core.Table]:
            options = {
                "metadata": groups,
                "read_dictionary": repeated,
                "buffer_size": _BUFFER_BYTES,
                "pre_buffer": False,
            }
            with _opened(file, **options) as parquet:
                batches = parquet.iter_batches(
                    rows, row_groups=[number], columns=held, use_threads=False
                )
                for table_number, table in enumerate(tables_of(batches, columns, values), 1):
                    yield table
                    del table
                    if table_number % _TABLES_KEPT == 0:
                        _give_back()

        fragments.append(Fragment(Place(file.name, first), tables, group.total_byte_size))
        first += group.num_rows
    return fragments


def whole(file: RandomAccess, columns: Sequence[str] | None = None) -> Any:
    """Read columns as a pyarrow table."""
    with _opened(file) as parquet:
        return parquet.read(columns=None if columns is None else [*columns])


def _repeated(parquet: Any, columns: Sequence[str]) -> tuple[list[str], float]:
    """Return which columns of text have few bytes a row, and how many bytes a row has in all."""
    import pyarrow as pa  # noqa: PLC0415

    sizes = dict.fromkeys(columns, 0)
    for group in map(parquet.metadata.row_group, range(parquet.metadata.num_row_groups)):
        for column in map(group.column, range(group.num_columns)):
            if column.path_in_schema in sizes:
                sizes[column.path_in_schema] += column.total_uncompressed_size
    rows = max(parquet.metadata.num_rows, 1)
    texts = (pa.string(), pa.large_string(), pa.binary(), pa.large_binary())
    repeated = [
        name
        for name, size in sizes.items()
        if size < _BYTES_OF_REPEATED * rows and parquet.schema_arrow.field(name).type in texts
    ]
    return repeated, sum(sizes.values()) / rows


@contextmanager
def _opened(file: RandomAccess, **options: Any) -> Iterator[Any]:
    try:
        import pyarrow as pa  # noqa: PLC0415
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise MissingDependencyError(
            "pyarrow", "arrow", "reading Parquet", where=file.name
        ) from None
    with file.opened() as opened:
        try:
            found = parquet.ParquetFile(opened, **options)
            if "metadata" in options:
                _free_at_once(found, opened, options)
            yield found
        except (pa.ArrowException, OSError) as error:
            reason = str(error).splitlines()[0]
            raise ParseError(
                f"the Parquet data is damaged ({reason})", "write it again", where=file.name
            ) from None


def _free_at_once(parquet: Any, opened: Any, options: dict[str, Any]) -> None:
    """Decode into memory that is given back at once; pyarrow's pools hold on to much of it."""
    import pyarrow as pa  # noqa: PLC0415

    try:
        reader = type(parquet.reader)(memory_pool=pa.system_memory_pool())
        reader.open(opened, use_memory_map=False, **options)
    except (AttributeError, TypeError):  # a version of pyarrow that is made in another way
        return
    parquet.reader = reader


def _give_back() -> None:
    """Let pyarrow's pool give memory back that this thread no longer uses."""
    import pyarrow as pa  # noqa: PLC0415

    pa.default_memory_pool().release_unused()
