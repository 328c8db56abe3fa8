"""Files of rows in columns, Parquet and Arrow, through pyarrow: one or many as one source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from io import RawIOBase
from struct import calcsize, iter_unpack, unpack_from
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Protocol

from rankmark.data.batches.batch_source import BatchSource
from rankmark.data.batches.fragments import MOST_ROWS, Fragment, Place, ReadAt, tables_of
from rankmark.data.frames.streams import from_batches
from rankmark.errors import MissingDependencyError, ParseError, SchemaError, warn

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from rankmark._core import Table
    from rankmark.data.contract.source_options import Kind, SourceOptions
    from rankmark.data.mappings.nested_mapping import NestedMapping
    from rankmark.data.tables.table import TableSource

    ColumnarSource = BatchSource | TableSource | NestedMapping


class RandomAccess(Protocol):
    """A file that can be opened several times at once."""

    name: str

    def at_any_place(self) -> AbstractContextManager[IO[bytes] | RawIOBase]:
        """Open it for reading, independently of other readers."""
        ...

    def as_read(self) -> RandomAccess:
        """Return the same file for later reading, refused if it has changed."""
        ...

    def pinned(self) -> RandomAccess:
        """Return the same file, refused if it is no longer what it was when last opened."""
        ...

    def sha256(self) -> str | None:
        """Hash its bytes; None if that is not known."""
        ...


_MARK = 0xFFFFFFFF  # begins a message
_MOST_DIGITS = 76  # of a decimal, which may follow its scale of -1; messages are longer
_STREAM_MAGIC = _MARK.to_bytes(4, "little")
_TAIL = 10  # bytes behind the footer of an Arrow file: its length and a mark
_MOST_PADDING = 128  # between messages; a batch of two columns takes more
_DICTIONARY, _BATCH = 2, 3  # kinds of messages
_END_OF_STREAM = _STREAM_MAGIC + bytes(4)
_BATCH_BYTES = 1 << 23  # of text
_BUFFER_BYTES = 1 << 16  # of each column; without it, even one row takes a whole row group
_BUFFER_BYTES_OF_NUMBERS = 1 << 18
_FEW_BYTES = 1 << 20  # of a file in memory
_FIRST_ROWS = 1 << 12  # that are looked at
_ROWS_OF_A_VALUE = 16
"""Text that repeats as often is read as a dictionary."""


class ColumnarFile(NamedTuple):
    """A file of rows in columns.

    Parameters
    ----------
    form
        ``"parquet"`` or ``"arrow"``.
    values
        Columns with the same value in all rows, which folders name.
    """

    file: RandomAccess
    form: str
    values: Mapping[str, str] = MappingProxyType({})

    def schema(self) -> Any:
        """Return pyarrow's schema."""
        opened: Any = _parquet(self.file) if self.form == "parquet" else _arrow(self.file)
        with opened as found:
            schema = found.schema_arrow if self.form == "parquet" else found[0]
            schema.names  # noqa: B018  (raises where they are no text)
            return schema

    def names(self) -> tuple[str, ...]:
        """Return the names of the columns."""
        names = tuple(self.schema().names)
        return names + tuple(name for name in self.values if name not in names)

    def fragments(self, columns: Sequence[str]) -> list[Fragment]:
        """Return what can be read in parallel, with these columns in this order."""
        held = set(self.schema().names) if self.values else set(columns)
        values = {name: self.values[name] for name in columns if name not in held}
        fragments = _row_groups if self.form == "parquet" else _whole_arrow_file
        return fragments(self.file, columns, values)

    def texts(self, column: str) -> Iterator[str]:
        """Return a column as text, empty if a value is missing."""
        return ("" if value is None else str(value) for value in self.values_of(column))

    def values_of(self, column: str) -> Iterator[Any]:
        """Yield the values of a column, without a list of all of them."""
        for chunk in self.whole([column]).column(0).iterchunks():
            yield from chunk.to_pylist()

    def first_rows(self, most: int) -> list[dict[str, Any]]:
        """Return the first rows as objects."""
        opened: Any = _parquet(self.file) if self.form == "parquet" else _arrow(self.file)
        with opened as found:
            batches = found.iter_batches(most) if self.form == "parquet" else found[1]
            return next(iter(batches)).slice(0, most).to_pylist()

    def whole(self, columns: Sequence[str] | None = None) -> Any:
        """Read columns as a pyarrow table."""
        if self.form == "parquet":
            with _parquet(self.file) as parquet:
                table = parquet.read(columns=None if columns is None else [*columns])
                table.validate(full=True)
                prove_rows(len(table), parquet.metadata.num_rows, self.file.name)
                return table
        import pyarrow as pa  # noqa: PLC0415

        with _arrow(self.file) as (schema, batches):
            table = pa.Table.from_batches(batches, schema)
            table = table if columns is None else table.select([*columns])
            table.validate(full=True)
            return table


@contextmanager
def _through_pyarrow(file: RandomAccess, form: str, module: str) -> Iterator[tuple[Any, Any]]:
    """Open a file, and give a module of pyarrow with it, whose errors become ours."""
    try:
        import pyarrow as pa  # noqa: PLC0415

        library = import_module(f"pyarrow.{module}")
    except ImportError:
        raise MissingDependencyError(
            "pyarrow", "arrow", f"reading {form}", where=file.name
        ) from None
    with file.at_any_place() as opened:
        try:
            yield library, opened
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            found = f"the {form.removesuffix(' files')} data is damaged ({reason})"
            raise ParseError(found, "write it again", where=file.name) from None


@contextmanager
def _parquet(file: RandomAccess, *, frees: bool = False, **options: Any) -> Iterator[Any]:
    """Open a Parquet file; ``frees`` whether to give memory back at once."""
    in_pieces = {"buffer_size": _BUFFER_BYTES, "pre_buffer": False}
    options = {"page_checksum_verification": True, **in_pieces, **options}
    with _through_pyarrow(file, "Parquet", "parquet") as (library, opened):
        read = _read_by_pyarrow(opened)
        found = library.ParquetFile(read, **options)
        if frees:
            _free_at_once(found, read, options)
        yield found


def _read_by_pyarrow(opened: Any) -> Any:
    """Return an open file as one that pyarrow reads itself, where the system opens it once more.

    It is the same file even if another one has taken its name. Python would copy each piece.
    """
    if not isinstance(opened, ReadAt):
        return opened
    import pyarrow as pa  # noqa: PLC0415

    try:
        return pa.OSFile(f"/dev/fd/{opened.fileno()}")
    except OSError:
        return opened


@contextmanager
def _arrow(
    file: RandomAccess, columns: Sequence[str] | None = None
) -> Iterator[tuple[Any, Iterator[Any]]]:
    """Give the schema and the record batches of a file, of only some columns if named."""
    with _through_pyarrow(file, "Arrow files", "ipc") as (ipc, opened):
        is_stream = opened.read(len(_STREAM_MAGIC)) == _STREAM_MAGIC

        def reader(**options: Any) -> Any:
            opened.seek(0)
            open_one = ipc.open_stream if is_stream else ipc.open_file
            return open_one(opened, options=ipc.IpcReadOptions(**options))

        read = reader()
        schema = read.schema
        if columns is not None:
            places = sorted({schema.get_field_index(name) for name in columns})
            read = reader(included_fields=places)
        if is_stream:
            yield schema, _whole_stream(read, opened, file.name)
        else:
            _prove_blocks(opened, file.name)
            yield schema, map(read.get_batch, range(read.num_record_batches))


def _prove_blocks(opened: Any, where: str) -> None:
    """Refuse an Arrow file of which the footer does not tell all, or not one after the other.

    Files that were joined have several footers, and only the last is read; and a damaged footer
    may tell a part of the batches, or one of them twice. pyarrow would read just that.
    """
    size = opened.seek(0, 2)
    opened.seek(size - _TAIL)
    length = int.from_bytes(opened.read(4), "little")
    opened.seek(size - _TAIL - length)
    footer = opened.read(length)
    table = _followed(footer, 0)
    blocks = [  # of dictionaries and record batches: offset, size of metadata, of body
        *_structs(footer, table, 2, "<qi4xq"),
        *_structs(footer, table, 3, "<qi4xq"),
        (size - _TAIL - length, 0, 0),
    ]
    opened.seek(0)
    head = opened.read(_MOST_PADDING)
    schema = head.find(_STREAM_MAGIC)
    end = schema + 8 + int.from_bytes(head[schema + 4 : schema + 8], "little")
    if schema < 0:  # written before Arrow 0.15
        end = min(blocks)[0]
    for first, metadata, body in sorted(blocks):
        if first > end + _MOST_PADDING:
            found = "the file holds more than its footer tells (several Arrow files in one?)"
            raise ParseError(found, "write all rows as one file", where=where)
        if first < end:
            found = "the Arrow data is damaged (its footer tells some of it twice)"
            raise ParseError(found, "write it again", where=where)
        end = first + metadata + body


def _prove_messages(opened: Any, end: int, where: str) -> None:
    """Refuse a stream with a message that takes in those behind it.

    Where the size of one is damaged, pyarrow passes over the batches that follow.
    """
    at = 0
    while at < end:
        opened.seek(at)
        head = opened.read(8)
        data = opened.read(int.from_bytes(head[4:], "little"))
        if head == _END_OF_STREAM:
            return
        message = _followed(data, 0) if head[:4] == _STREAM_MAGIC else 0
        kind = data[_field(data, message, 1)] if message else None
        used = body = 0
        if kind in {_DICTIONARY, _BATCH}:
            batch = _followed(data, _field(data, message, 2))
            if kind == _DICTIONARY:
                batch = _followed(data, _field(data, batch, 1))
            used = sum(max(_structs(data, batch, 2, "<qq"), default=(0, 0)))
            (body,) = unpack_from("<q", data, _field(data, message, 3))
        pairs = iter_unpack("<II", data[: len(data) & ~7])
        holds_another = any(
            mark == _MARK and size > _MOST_DIGITS and size % 8 == 0 for mark, size in pairs
        )
        if not message or holds_another or body > used + _MOST_PADDING:
            raise ParseError(
                "the Arrow data is damaged (bytes between batches belong to none)",
                "write it again",
                where=where,
            )
        at += len(head) + len(data) + body


def _field(data: bytes, table: int, number: int) -> int:
    """Return where a field of a table in a flatbuffer stands; 0 if it is not there."""
    fields = table - unpack_from("<i", data, table)[0]
    at = 4 + 2 * number
    place = (
        unpack_from("<H", data, fields + at)[0] if at < unpack_from("<H", data, fields)[0] else 0
    )
    return table + place if place else 0


def _followed(data: bytes, at: int) -> int:
    """Return where what is named at a place of a flatbuffer stands."""
    return at + int(unpack_from("<I", data, at)[0])


def _structs(data: bytes, table: int, number: int, layout: str) -> list[tuple[int, ...]]:
    """Return the structures that a field of a table has; none if it is not there."""
    at = _field(data, table, number)
    if not at:
        return []
    first = _followed(data, at)
    count = unpack_from("<I", data, first)[0]
    return [*iter_unpack(layout, data[first + 4 : first + 4 + count * calcsize(layout)])]


def _whole_stream(read: Any, opened: Any, where: str) -> Iterator[Any]:
    """Yield the batches of a stream; say so if it was cut, as only the end says it is whole."""
    rows = 0
    for batch in read:
        rows += len(batch)
        yield batch
    end = opened.tell()
    _prove_messages(opened, end, where)
    size = opened.seek(0, 2)
    opened.seek(max(end - len(_END_OF_STREAM), 0))
    if end == size and opened.read(len(_END_OF_STREAM)) != _END_OF_STREAM:
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


def _whole_arrow_file(
    file: RandomAccess, columns: Sequence[str], values: Mapping[str, str]
) -> list[Fragment]:
    """Return an Arrow file as a single fragment."""

    def tables() -> Iterator[Table]:
        with _arrow(file, [name for name in columns if name not in values]) as (_, batches):
            yield from tables_of(batches, columns, values)

    with file.at_any_place() as opened:
        size = opened.seek(0, 2)
    return [Fragment(Place(file.name), tables, size)]


def _row_groups(
    file: RandomAccess, columns: Sequence[str], values: Mapping[str, str]
) -> list[Fragment]:
    """Return the row groups of a Parquet file; their rows are proven against its footer."""
    held = [name for name in columns if name not in values]
    with _parquet(file) as parquet:
        described = parquet.metadata
        groups = [described.row_group(number) for number in range(described.num_row_groups)]
        prove_rows(sum(group.num_rows for group in groups), described.num_rows, file.name)
        rows_at_once, repeated = _looked_at(parquet, groups, held)
        numbers = _holds_numbers(parquet, held)
    file = file.pinned()
    options = {
        "metadata": described,
        "read_dictionary": repeated,
        "buffer_size": _BUFFER_BYTES_OF_NUMBERS if numbers else _BUFFER_BYTES,
        # Batches of numbers are all equally large, and a pool uses their memory again.
        "frees": not numbers,
    }
    first, fragments = 0, []
    for number, group in enumerate(groups):

        def tables(number: int = number, promised: int = group.num_rows) -> Iterator[Table]:
            rows = 0
            with _parquet(file, **options) as parquet:
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


def _holds_numbers(parquet: Any, columns: Sequence[str]) -> bool:
    """Return True if no column has text or lists."""
    from pyarrow.types import is_primitive  # noqa: PLC0415

    return all(is_primitive(parquet.schema_arrow.field(name).type) for name in columns)


def _free_at_once(parquet: Any, opened: Any, options: dict[str, Any]) -> None:
    """Decode into memory that is given back at once; pyarrow's pools hold on to much of it."""
    import pyarrow as pa  # noqa: PLC0415

    try:
        reader = type(parquet.reader)(memory_pool=pa.system_memory_pool())
        reader.open(opened, use_memory_map=False, **options)
    except (AttributeError, TypeError):  # a version of pyarrow that is made in another way
        return
    parquet.reader = reader


class FileBatches:
    """Files with the same columns, one after another."""

    def __init__(self, files: Sequence[ColumnarFile], names: Sequence[str]) -> None:
        self._files = files
        self._names = names

    def names(self) -> Sequence[str]:
        """Return the names of the columns."""
        return self._names

    def fragments(self, columns: Sequence[str]) -> Iterator[Fragment]:
        """Yield what can be read in parallel, with these columns in this order."""
        for file in self._files:
            yield from file.fragments(columns)

    def keep(self) -> None:
        """Copy nothing: files are read anew each time."""

    def as_read(self) -> FileBatches:
        """Return the same files for later reading, refused if one has changed."""
        files = [file._replace(file=file.file.as_read()) for file in self._files]
        return FileBatches(files, self._names)

    def sha256(self) -> str | None:
        """Hash the files' hashes; None if one is unknown."""
        import hashlib  # noqa: PLC0415

        hashes = [file.file.sha256() for file in self._files]
        if None in hashes:
            return None
        return hashlib.sha256("".join(map(str, hashes)).encode()).hexdigest()

    def type_of(self, column: str) -> str:
        """Return the type of a column as pyarrow writes it; "" for what folders name."""
        schema = self._files[0].schema()
        return str(schema.field(column).type) if column in schema.names else ""

    def whole(self, columns: Sequence[str]) -> Any:
        """Return columns of a single file as a pyarrow table."""
        if len(self._files) > 1:
            raise SchemaError(
                "a column holds lists, and there are several files",
                "write a row for each document",
                where=self._files[0].file.name,
            )
        return self._files[0].whole(columns)


def from_columnar_file(file: ColumnarFile, kind: Kind, options: SourceOptions) -> ColumnarSource:
    """Read the columns of a file by their names, in batches."""
    batches = FileBatches([file], file.names())
    return from_batches(batches, file.file.name, file.form, kind, options, is_file=True)
