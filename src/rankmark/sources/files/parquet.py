"""Parquet files, through pyarrow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rankmark._core import ParquetFault
from rankmark.errors import MissingDependencyError, ParseError
from rankmark.sources.batches.fragments import Fragment, Place
from rankmark.sources.batches.record_batches import MOST_ROWS, tables_of
from rankmark.sources.files.parquet_pages import footer_of, formats_of, tables_of_group

if TYPE_CHECKING:
    from rankmark._core import ParquetFooter, Table
    from rankmark.sources.files.random_access import RandomAccess

_BATCH_BYTES = 1 << 23
_BUFFER_BYTES = 1 << 16  # of each column; without it, row groups are read as a whole
_TABLES_KEPT = 8  # decoded before pyarrow gives unused memory back
_FEW_BYTES = 1 << 20  # of a file in memory
_BYTES_OF_REPEATED = 5.0
"""Text that takes fewer bytes a row than this is repeated, and is read as a dictionary."""


def schema_of(file: RandomAccess) -> Any:
    """Return pyarrow's schema."""
    with _opened(file) as parquet:
        schema = parquet.schema_arrow
        schema.names  # noqa: B018  (raises where they are no text)
        return schema


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
        described = parquet.metadata
        groups = [described.row_group(number) for number in range(described.num_row_groups)]
        with file.opened() as opened:
            footer = footer_of(opened)
        if footer is not None and len(footer) != len(groups):
            footer = None
        schema = parquet.schema_arrow
        repeated, row_bytes = _repeated(footer, schema, groups, held)
        formats = None if values else formats_of(schema, columns)
    file = file.pinned()
    rows = max(1, min(MOST_ROWS, int(_BATCH_BYTES / max(row_bytes, 1.0))))
    first, fragments = 0, []
    for number, group in enumerate(groups):

        def by_pyarrow(number: int, done: int) -> Iterator[Table]:
            """Read a row group without the first so many rows."""
            options = {
                "metadata": described,
                "read_dictionary": repeated,
                "buffer_size": _BUFFER_BYTES,
                "pre_buffer": False,
            }
            with _opened(file, **options) as parquet:
                batches = parquet.iter_batches(
                    rows, row_groups=[number], columns=held, use_threads=False
                )
                left = _without(batches, done)
                for table_number, table in enumerate(tables_of(left, columns, values), 1):
                    yield table
                    del table
                    if table_number % _TABLES_KEPT == 0:
                        _give_back()

        def tables(number: int = number) -> Iterator[Table]:
            done = 0
            if footer is not None and formats is not None:
                try:
                    with file.opened() as opened:
                        for table in tables_of_group(
                            opened, footer, number, columns, formats, rows
                        ):
                            yield table
                            done += len(table)
                            del table
                        return
                except ParquetFault:
                    pass
            yield from by_pyarrow(number, done)

        fragments.append(Fragment(Place(file.name, first), tables, group.total_byte_size))
        first += group.num_rows
    return fragments


def whole(file: RandomAccess, columns: Sequence[str] | None = None) -> Any:
    """Read columns as a pyarrow table."""
    with _opened(file) as parquet:
        table = parquet.read(columns=None if columns is None else [*columns])
        table.validate(full=True)
        return table


def _repeated(
    footer: ParquetFooter | None, schema: Any, groups: Sequence[Any], columns: Sequence[str]
) -> tuple[list[str], float]:
    """Return which columns of text have few bytes a row, and how many bytes a row has in all.

    A small file is not worth looking.
    """
    import pyarrow as pa  # noqa: PLC0415

    size = sum(group.total_byte_size for group in groups)
    if size < _FEW_BYTES:
        return [], 0.0
    sizes = footer.unpacked_sizes(0) if footer is not None else {}
    rows = footer.rows(0) if footer is not None else 0
    if rows <= 0 or not sizes.keys() >= {*columns}:
        return [], size / max(sum(group.num_rows for group in groups), 1)
    texts = (pa.string(), pa.large_string(), pa.binary(), pa.large_binary())
    repeated = [
        name
        for name in columns
        if sizes[name] < _BYTES_OF_REPEATED * rows and schema.field(name).type in texts
    ]
    return repeated, sum(sizes[name] for name in columns) / rows


def _without(batches: Iterable[Any], done: int) -> Iterator[Any]:
    """Leave out the first so many rows."""
    for batch in batches:
        left = batch.slice(min(done, len(batch)))
        done -= len(batch) - len(left)
        if len(left):
            yield left


@contextmanager
def _opened(file: RandomAccess, **options: Any) -> Iterator[Any]:
    try:
        import pyarrow as pa  # noqa: PLC0415
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise MissingDependencyError(
            "pyarrow", "arrow", "reading Parquet", where=file.name
        ) from None
    options["page_checksum_verification"] = True
    with file.opened() as opened:
        try:
            found = parquet.ParquetFile(opened, **options)
            if "metadata" in options:
                _free_at_once(found, opened, options)
            yield found
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            reason = (str(error).splitlines() or [type(error).__name__])[0]
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
