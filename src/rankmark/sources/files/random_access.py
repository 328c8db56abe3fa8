"""Files that are read at any place, on disk or elsewhere, as file objects."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import SEEK_CUR, SEEK_END, SEEK_SET, RawIOBase
from typing import IO, TYPE_CHECKING, Any, Protocol

from rankmark.sources.files.opened import bytes_at

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from rankmark.sources.files.files import InputFile


class RandomAccess(Protocol):
    """A file that can be opened several times at once."""

    name: str

    def opened(self) -> AbstractContextManager[IO[bytes] | RawIOBase]:
        """Open it for reading."""
        ...


class OnDisk:
    """A file on disk, or the temporary copy of one."""

    def __init__(self, file: InputFile) -> None:
        self.file = file
        self.name = file.name

    @contextmanager
    def opened(self) -> Iterator[RawIOBase]:
        """Open it for reading, independently of other readers."""
        with self.file.descriptor() as descriptor, _ReadAt(descriptor) as file:
            yield file


class _ReadAt(RawIOBase):
    """A file object with a position of its own, though its descriptor may be shared."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = SEEK_SET) -> int:
        start = {SEEK_SET: 0, SEEK_CUR: self._at, SEEK_END: self.size()}[whence]
        self._at = start + offset
        return self._at

    def size(self) -> int:
        """Return the number of bytes."""
        return os.fstat(self._descriptor).st_size

    def read(self, size: int | None = -1) -> bytes:
        left = self.size() - self._at if size is None or size < 0 else size
        pieces = []
        while left > 0 and (piece := bytes_at(self._descriptor, self._at, left)):
            pieces.append(piece)
            self._at += len(piece)
            left -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def readinto(self, buffer: Any) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)
