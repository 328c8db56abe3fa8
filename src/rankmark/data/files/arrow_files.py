"""Arrow files and streams, also called Feather, through pyarrow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rankmark.data.batches.fragments import Fragment, Place
from rankmark.data.batches.record_batches import tables_of
from rankmark.errors import MissingDependencyError, ParseError, warn

if TYPE_CHECKING:
    from rankmark._core import Table
    from rankmark.data.files.random_access import RandomAccess

STREAM_MAGIC = b"\xff\xff\xff\xff"
_END_OF_STREAM = STREAM_MAGIC + bytes(4)


def schema_of(file: RandomAccess) -> Any:
    """Return pyarrow's schema."""
    with _opened(file) as (schema, _):
        schema.names  # noqa: B018  (raises where they are no text)
        return schema


def fragments_of(
    file: RandomAccess, columns: Sequence[str], values: Mapping[str, str]
) -> list[Fragment]:
    """Return the file as a single fragment, with these columns in this order.

    ``values`` are columns with the same value in all rows.

    Raises
    ------
    MissingDependencyError
        If pyarrow is not installed.
    ParseError
        If the file is damaged.
    """

    def tables() -> Iterator[Table]:
        held = [name for name in columns if name not in values]
        with _opened(file, held) as (_, batches):
            yield from tables_of(batches, columns, values)

    with file.opened() as opened:
        size = opened.seek(0, 2)
    return [Fragment(Place(file.name), tables, size)]


def whole(file: RandomAccess, columns: Sequence[str] | None = None) -> Any:
    """Read columns as a pyarrow table."""
    import pyarrow as pa  # noqa: PLC0415

    with _opened(file) as (schema, batches):
        table = pa.Table.from_batches(batches, schema)
        table = table if columns is None else table.select([*columns])
        table.validate(full=True)
        return table


@contextmanager
def _opened(
    file: RandomAccess, columns: Sequence[str] | None = None
) -> Iterator[tuple[Any, Iterator[Any]]]:
    """Open a file; give its schema and its record batches, of only some columns if named."""
    try:
        import pyarrow as pa  # noqa: PLC0415
        from pyarrow import ipc  # noqa: PLC0415
    except ImportError:
        raise MissingDependencyError(
            "pyarrow", "arrow", "reading Arrow files", where=file.name
        ) from None

    def reader(opened: Any, options: Any) -> Any:
        opened.seek(0)
        open_one = ipc.open_stream if is_stream else ipc.open_file
        return open_one(opened, options=options)

    with file.opened() as opened:
        is_stream = opened.read(len(STREAM_MAGIC)) == STREAM_MAGIC
        try:
            read = reader(opened, ipc.IpcReadOptions())
            schema = read.schema
            if columns is not None:
                places = sorted({schema.get_field_index(name) for name in columns})
                read = reader(opened, ipc.IpcReadOptions(included_fields=places))
            if is_stream:
                yield schema, _whole_stream(read, opened, file.name)
            else:
                yield schema, map(read.get_batch, range(read.num_record_batches))
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            raise ParseError(
                f"the Arrow data is damaged ({reason})", "write it again", where=file.name
            ) from None


def _whole_stream(read: Any, opened: Any, where: str) -> Iterator[Any]:
    """Yield the batches of a stream; say so if it was cut, as its end alone tells that it is whole.

    Raises
    ------
    ParseError
        If more follows its end.
    """
    rows = 0
    for batch in read:
        rows += len(batch)
        yield batch
    end = opened.tell()
    size = opened.seek(0, 2)
    opened.seek(max(end - len(_END_OF_STREAM), 0))
    if opened.read(len(_END_OF_STREAM)) != _END_OF_STREAM:
        warn(
            f"the Arrow stream ends after {rows:,} rows without its mark of the end, so rows may "
            "be missing",
            "write it again, and close the writer",
            where=where,
        )
    elif end < size:
        raise ParseError(
            f"{size - end:,} bytes follow the end of the Arrow stream, after {rows:,} rows",
            "write all rows as one stream",
            where=where,
        )
