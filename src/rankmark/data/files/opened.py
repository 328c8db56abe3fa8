"""Open files: regular ones as they are, packed ones unpacked by a thread while the core reads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from threading import Thread
from typing import Protocol
from weakref import WeakMethod

from rankmark._core import ByteStream
from rankmark.data.contract.cores import typed_refusal

_PIECE_BYTES = 1 << 16


class OpenFile(Protocol):
    """A file while it is open.

    Attributes
    ----------
    source
        What the core reads: a descriptor, or a stream.
    """

    source: int | ByteStream

    def pieces(self) -> Iterator[bytes]:
        """Read its bytes from the first, unpacked."""
        ...


class Regular:
    """A file that is not packed."""

    def __init__(self, descriptor: int) -> None:
        self.source: int | ByteStream = descriptor
        self._descriptor = descriptor

    def pieces(self) -> Iterator[bytes]:
        """Read its bytes from the first."""
        return pieces_of(self._descriptor, _PIECE_BYTES)


class Unpacked:
    """A packed file: a thread unpacks it whenever the core begins to read.

    Parameters
    ----------
    pieces
        Unpacks it from the first byte.

    Attributes
    ----------
    error
        Why it could not be unpacked; None if it could.
    """

    def __init__(self, pieces: Callable[[], Iterator[bytes]]) -> None:
        self.pieces = pieces
        self.error: BaseException | None = None
        self._thread: Thread | None = None
        rewind = WeakMethod(self._rewind)  # else the stream and this object would keep each other

        def begin_again() -> None:
            if (begin := rewind()) is not None:
                begin()

        self._stream = ByteStream(begin_again)
        self.source: int | ByteStream = self._stream

    def close(self) -> None:
        """End the thread."""
        self._stream.stop()
        if self._thread is not None:
            self._thread.join()

    def _rewind(self) -> None:
        self.close()
        self._stream.start()
        thread = Thread(target=self._produce, name="rankmark-unpack", daemon=True)
        with typed_refusal("unpack the file first"):
            thread.start()
        self._thread = thread

    def _produce(self) -> None:
        try:
            for piece in self.pieces():
                if not self._stream.push(piece):
                    return
        except BaseException as error:
            self.error = error
            self._stream.fail()
        else:
            self._stream.finish()


def pieces_of(descriptor: int, size: int = 1 << 20) -> Iterator[bytes]:
    """Read the bytes of an open file, independently of other readers."""
    at = 0
    while piece := bytes_at(descriptor, at, size):
        yield piece
        at += len(piece)


def all_bytes(descriptor: int) -> bytes:
    """Read all bytes of an open file, independently of other readers."""
    return b"".join(pieces_of(descriptor))


def bytes_at(descriptor: int, offset: int, most: int) -> bytes:
    """Read bytes of an open file at an offset, independently of other readers."""
    if hasattr(os, "pread"):
        return os.pread(descriptor, most, offset)
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.read(descriptor, most)
