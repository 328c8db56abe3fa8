"""A file object with a position of its own, though its descriptor may be shared."""

from __future__ import annotations

import os
from io import SEEK_CUR, SEEK_END, SEEK_SET, RawIOBase
from threading import Lock

_SEEKING = Lock()


class ReadAt(RawIOBase):
    """An open file, read at any place; closing it leaves the descriptor open."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._at = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return the position."""
        return self._at

    def seek(self, offset: int, whence: int = SEEK_SET) -> int:
        """Set the position."""
        start = {SEEK_SET: 0, SEEK_CUR: self._at, SEEK_END: self.size()}[whence]
        self._at = start + offset
        return self._at

    def size(self) -> int:
        """Return the number of bytes of the file."""
        return os.fstat(self._descriptor).st_size

    def read(self, size: int | None = -1) -> bytes:
        """Read so many bytes, fewer at the end only; all that are left if negative."""
        left = self.size() - self._at  # room for a number from a damaged file may not be there
        if size is not None and size >= 0:
            left = min(left, size)
        pieces = []
        while left > 0 and (piece := self._piece(left)):
            pieces.append(piece)
            self._at += len(piece)
            left -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _piece(self, most: int) -> bytes:
        if hasattr(os, "pread"):
            return os.pread(self._descriptor, most, self._at)
        with _SEEKING:
            os.lseek(self._descriptor, self._at, os.SEEK_SET)
            return os.read(self._descriptor, most)
