"""Parquet files, through pyarrow; the rows that are read are proven against the file's footer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rankmark.data.batches.fragments import Fragment, Place
from rankmark.data.batches.record_batches import MOST_ROWS, tables_of
from rankmark.errors import MissingDependencyError, ParseError

if TYPE_CHECKING:
    from rankmark._core import Table
    from rankmark.data.files.random_access import RandomAccess

_BATCH_BYTES = 1 << 23  # of text
_BUFFER_BYTES = 1 << 16  # of each column; without it, row groups are read as a whole
_FEW_BYTES = 1 << 20  # of a file in memory
_FIRST_ROWS = 1 << 12  # that are looked at
_ROWS_OF_A_VALUE = 16
"""Text that repeats as often is read as a dictionary."""


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
        prove_rows(sum(group.num_rows for group in groups), described.num_rows, file.name)
        rows_at_once, repeated = _looked_at(parquet, groups, held)
    file = file.pinned()
    options = {
        "metadata": described,
        "read_dictionary": repeated,
        "buffer_size": _BUFFER_BYTES,
        "pre_buffer": False,
    }
    first, fragments = 0, []
    for number, group in enumerate(groups):

        def tables(number: int = number, promised: int = group.num_rows) -> Iterator[Table]:
            rows = 0
            with _opened(file, **options) as parquet:
                batches = parquet.iter_batches(
                    rows_at_once, row_groups=[number], columns=held, use_threads=False
                )
                for table in tables_of(batches, columns, values):
                    rows += len(table)
                    yield table
                    del table
            prove_rows(rows, promised, file.name)

        fragments.append(Fragment(Place(file.name, first), tables, group.total_byte_size))
        first += group.num_rows
    return fragments


def whole(file: RandomAccess, columns: Sequence[str] | None = None) -> Any:
    """Read columns as a pyarrow table."""
    with _opened(file) as parquet:
        table = parquet.read(columns=None if columns is None else [*columns])
        table.validate(full=True)
        prove_rows(len(table), parquet.metadata.num_rows, file.name)
        return table


def prove_rows(read: int, promised: int, where: str) -> None:
    """Refuse a file whose pages hold more or fewer rows than its footer says."""
    if read != promised:
        raise ParseError(
            f"the Parquet data is damaged (it has {read:,} rows, and {promised:,} by its footer)",
            "write it again",
            where=where,
        )


def _looked_at(
    parquet: Any, groups: Sequence[Any], columns: Sequence[str]
) -> tuple[int, list[str]]:
    """Return how many rows are read at once, and which columns of text have few values.

    Such values are decoded once, not in each row. A small file is not worth looking.
    """
    import pyarrow as pa  # noqa: PLC0415

    texts = (pa.string(), pa.large_string(), pa.binary(), pa.large_binary())
    names = [field.name for field in parquet.schema_arrow if field.type in texts]
    names = [name for name in names if name in columns]
    if not names or sum(group.total_byte_size for group in groups) < _FEW_BYTES:
        return MOST_ROWS, []
    batches = parquet.iter_batches(_FIRST_ROWS, columns=names, use_threads=False)
    first = next(iter(batches), None)
    if first is None:
        return MOST_ROWS, []
    rows_at_once = _BATCH_BYTES * len(first) // max(first.nbytes, 1)
    return max(1, min(MOST_ROWS, rows_at_once)), [
        name for name in names if _ROWS_OF_A_VALUE * len(first.column(name).unique()) <= len(first)
    ]


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
