"""How many bytes each column of a Parquet file takes, read from the file's own description.

pyarrow tells it as well, but ends the process where the description of a column is damaged:
``RowGroupMetaData.column`` lets no C++ exception through. Reading the columns raises errors.

https://parquet.apache.org/docs/file-format/metadata/, in Thrift's compact protocol:
https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

_MAGIC = b"PAR1"
_TAIL_BYTES = 8  # the length of the description, and the magic bytes
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
# Numbers of fields:
_FILE_ROW_GROUPS = 4
_GROUP_COLUMNS, _GROUP_ROWS = 1, 3
_COLUMN_METADATA = 3
_METADATA_PATH, _METADATA_UNCOMPRESSED_SIZE = 3, 6


def sizes_of_columns(file: IO[bytes] | Any) -> tuple[dict[str, int], int]:
    """Return the bytes of each column in the first row group, not compressed, and its rows.

    Nothing and 0 if that cannot be read.
    """
    end = file.seek(0, 2)
    file.seek(max(end - _TAIL_BYTES, 0))
    tail = file.read(_TAIL_BYTES)
    length = int.from_bytes(tail[:4], "little")
    if tail[4:] != _MAGIC or length > end - _TAIL_BYTES:
        return {}, 0
    file.seek(end - _TAIL_BYTES - length)
    try:
        return _of_first_group(_Compact(file.read(length)))
    except (IndexError, RecursionError):
        return {}, 0


def _of_first_group(data: _Compact) -> tuple[dict[str, int], int]:
    sizes: dict[str, int] = {}
    rows = 0
    for number, kind in data.fields():
        if number != _FILE_ROW_GROUPS or kind != _LIST:
            data.skip(kind)
            continue
        groups, _ = data.list_head()
        for group_field, group_kind in data.fields() if groups else ():
            if group_field == _GROUP_COLUMNS and group_kind == _LIST:
                columns, _ = data.list_head()
                for _ in range(columns):
                    name, size = _of_column(data)
                    sizes[name] = size
            elif group_field == _GROUP_ROWS:
                rows = data.whole()
            else:
                data.skip(group_kind)
        break
    return sizes, rows


def _of_column(data: _Compact) -> tuple[str, int]:
    name, size = "", 0
    for number, kind in data.fields():
        if number != _COLUMN_METADATA or kind != _STRUCT:
            data.skip(kind)
            continue
        for field, field_kind in data.fields():
            if field == _METADATA_PATH and field_kind == _LIST:
                parts, _ = data.list_head()
                name = ".".join(data.text() for _ in range(parts))
            elif field == _METADATA_UNCOMPRESSED_SIZE:
                size = data.whole()
            else:
                data.skip(field_kind)
    return name, size


class _Compact:
    """Values in Thrift's compact protocol, one after another; IndexError at the end."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def _byte(self) -> int:
        byte = self._data[self._at]
        self._at += 1
        return byte

    def _unsigned(self) -> int:
        value = 0
        for shift in range(0, 64, 7):
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise IndexError(value)

    def whole(self) -> int:
        """Read a whole number."""
        value = self._unsigned()
        return value >> 1 ^ -(value & 1)

    def text(self) -> str:
        """Read a text."""
        size = self._unsigned()
        if size > len(self._data) - self._at:
            raise IndexError(size)
        self._at += size
        return self._data[self._at - size : self._at].decode(errors="replace")

    def list_head(self) -> tuple[int, int]:
        """Read how many values a list has, and of what kind."""
        head = self._byte()
        return (head >> 4 if head >> 4 < 15 else self._unsigned()), head & 15

    def fields(self) -> Iterator[tuple[int, int]]:
        """Yield the number and the kind of each field of a struct, whose value comes next."""
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self.whole()
            yield number, head & 15

    def skip(self, kind: int) -> None:
        """Pass over a value."""
        if kind in {_TRUE, _FALSE}:  # of a field, the kind is the value
            return
        if kind == _STRUCT:
            for _, field in self.fields():
                self.skip(field)
        elif kind in {_LIST, _SET}:
            self._skip_all(*self.list_head())
        elif kind == _MAP:
            pairs = self._unsigned()
            kinds = self._byte() if pairs else 0
            for _ in range(pairs):
                self._skip_all(1, kinds >> 4)
                self._skip_all(1, kinds & 15)
        elif kind == _BINARY:
            self.text()
        elif kind == _DOUBLE:
            self._at += 8
        elif kind == _BYTE:
            self._byte()
        else:
            self._unsigned()

    def _skip_all(self, values: int, kind: int) -> None:
        for _ in range(values):
            if kind in {_TRUE, _FALSE}:
                self._byte()
            else:
                self.skip(kind)
