"""Parquet's pages, read by the core where they hold what most writers write.

The core compares ids where they stand in the pages. It refuses whatever is nested, encrypted,
missing, damaged or rarely written, and pyarrow, which reads all of Parquet, goes on from there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rankmark._core import ParquetFault, ParquetFooter, ParquetRows

if TYPE_CHECKING:
    from rankmark._core import Table

_MAGIC = b"PAR1"
_TAIL_BYTES = 8  # the length of the footer, and the magic bytes
_ZSTD = 6  # the format's number of the codec


def footer_of(file: Any) -> ParquetFooter | None:
    """Read what an open file says of its row groups; None if that cannot be read here."""
    end = file.seek(0, 2)
    file.seek(max(end - _TAIL_BYTES, 0))
    tail = file.read(_TAIL_BYTES)
    length = int.from_bytes(tail[:4], "little")
    if tail[4:] != _MAGIC or length > end - _TAIL_BYTES:
        return None
    file.seek(end - _TAIL_BYTES - length)
    try:
        return ParquetFooter(file.read(length))
    except ParquetFault:
        return None


def formats_of(schema: Any, names: Sequence[str]) -> list[str] | None:
    """Return the types of columns in Arrow's letters; None if the core does not read them all."""
    import pyarrow as pa  # noqa: PLC0415

    letters = {
        pa.string(): "u",
        pa.large_string(): "U",
        pa.binary(): "z",
        pa.large_binary(): "Z",
        pa.int32(): "i",
        pa.int64(): "l",
        pa.uint32(): "I",
        pa.uint64(): "L",
        pa.float32(): "f",
        pa.float64(): "g",
    }
    formats: list[str] = []
    for name in names:
        if "." in name or len(schema.get_all_field_indices(name)) != 1:
            return None
        kind = schema.field(name).type
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        if kind not in letters:
            return None
        formats.append(letters[kind])
    return formats


def tables_of_group(
    file: Any,
    footer: ParquetFooter,
    group: int,
    names: Sequence[str],
    formats: Sequence[str],
    most: int,
) -> Iterator[Table]:
    """Read a row group of an open file, at most so many rows at a time.

    Raises
    ------
    ParquetFault
        If the core cannot read it, or cannot read on.
    """

    def read(place: int, into: memoryview) -> None:
        try:
            file.seek(place)
            while len(into):
                count = _read_some(file, into)
                if not count:  # the file has become shorter
                    raise ParquetFault
                into = into[count:]
        except OSError:
            raise ParquetFault from None

    size = file.seek(0, 2)
    rows = ParquetRows(footer, group, names, formats, size, read, _unpacked)
    while (table := rows.next(most)) is not None:
        yield table


def _read_some(file: Any, into: memoryview) -> int:
    if hasattr(file, "readinto"):
        return int(file.readinto(into))
    data = file.read(len(into))
    into[: len(data)] = data
    return len(data)


def _unpacked(codec: int, packed: memoryview, size: int) -> Any:
    """Unpack what zstd packed.

    pyarrow's other codecs do not tell how many bytes there were, and leave the others as they
    were in memory. Its reader of files knows. The core unpacks Snappy itself.
    """
    import pyarrow as pa  # noqa: PLC0415

    if codec != _ZSTD:
        raise ParquetFault
    try:
        return pa.Codec("zstd").decompress(packed, size, memory_pool=pa.system_memory_pool())
    except (pa.ArrowException, OSError):
        raise ParquetFault from None
