"""Open files: as they are, or packed with gzip, bzip2, xz or Zstandard."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from importlib import import_module
from threading import Thread
from typing import IO, Any, Literal, Protocol
from weakref import WeakMethod

from rankmark._core import ByteStream
from rankmark.data.contract.resources import typed_refusal
from rankmark.errors import InputError, MissingDependencyError, ParseError
from rankmark.named_tuples import NamedTuple

Packing = Literal["gzip", "bzip2", "xz", "zstd"]

_MAGIC: dict[bytes, Packing] = {
    b"\x1f\x8b": "gzip",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    # Text may begin with BZh9, so the mark of the first block or of the end must follow.
    **{b"BZh%d\x31\x41\x59\x26\x53\x59" % level: "bzip2" for level in range(1, 10)},
    **{b"BZh%d\x17\x72\x45\x38\x50\x90" % level: "bzip2" for level in range(1, 10)},
}
MAGIC_BYTES = max(map(len, _MAGIC))

PACKED_BYTES = 1 << 15
"""How much packed data is given to be unpacked at a time."""
MOST_TIMES = 200
"""Data that is read as a whole may not be more times larger than what it was packed in,"""
FEW_BYTES = 1 << 26
"""unless it is as small."""
_MOST = 1 << 20  # of unpacked data at a time, which may be a thousand times as large


class _Stream(Protocol):
    """One stream of packed data."""

    def is_over(self) -> bool: ...
    def unpack(self, data: bytes, /) -> Iterator[bytes]: ...
    def behind(self) -> bytes:
        """Return the data that follows it."""
        ...


class _Library(NamedTuple):
    new: Callable[[], _Stream]
    errors: tuple[type[Exception], ...]


def packing_of(head: bytes) -> Packing | None:
    """Return how a file that begins with these bytes is packed; None if it is not."""
    return next((packing for magic, packing in _MAGIC.items() if head.startswith(magic)), None)


def unpacked(packed: Iterable[bytes], packing: Packing, name: str) -> Iterator[bytes]:
    """Unpack the pieces of a file of one or several streams."""
    new, errors = _library(packing, name)
    stream: _Stream | None = None
    pieces = iter(packed)
    piece = b""
    while piece or (piece := next(pieces, b"")):
        if stream is None:
            piece = piece.lstrip(b"\0")  # padding of gzip and xz between and after streams
            if not piece:
                continue
            stream = new()
        try:
            yield from stream.unpack(piece)
        except errors as error:
            raise _damaged(packing, name, error) from None
        piece = b""
        if stream.is_over():
            piece, stream = stream.behind(), None
    if stream is not None:
        cut = "Compressed file ended before the end-of-stream marker was reached"
        raise _damaged(packing, name, cut)


def plausible(pieces: Iterable[bytes], packed_bytes: int, name: str) -> Iterator[bytes]:
    """Yield unpacked pieces, as long as no data that people use would be as many."""
    most = max(FEW_BYTES, MOST_TIMES * packed_bytes)
    done = 0
    for piece in pieces:
        done += len(piece)
        if done > most:
            raise ParseError(
                f"{packed_bytes:,} bytes unpack to more than {MOST_TIMES} times as many",
                "if you trust it, unpack it first",
                where=name,
            )
        yield piece


def _damaged(packing: Packing, name: str, error: object) -> ParseError:
    return ParseError(f"the {packing} data is damaged ({error})", "compress it again", where=name)


class _Unbounded:
    """A stream of zstandard, which unpacks all data at once."""

    def __init__(self, library: Any) -> None:
        self._library = library

    def is_over(self) -> bool:
        return bool(self._library.eof)

    def behind(self) -> bytes:
        return bytes(self._library.unused_data)

    def unpack(self, data: bytes) -> Iterator[bytes]:
        yield self._library.decompress(data)


class _Deflate(_Unbounded):
    """A stream of zlib or isal, which returns the data that it did not use."""

    def unpack(self, data: bytes) -> Iterator[bytes]:
        more = True
        while more:
            piece = self._library.decompress(data, _MOST)
            data = self._library.unconsumed_tail
            more = not self.is_over() and (bool(data) or len(piece) == _MOST)
            yield piece


class _Buffered(_Unbounded):
    """A stream of bz2, lzma or Python's own zstd, which keeps the data that it did not use."""

    def unpack(self, data: bytes) -> Iterator[bytes]:
        yield self._library.decompress(data, _MOST)
        while not self.is_over() and not self._library.needs_input:
            yield self._library.decompress(b"", _MOST)


def _library(packing: Packing, name: str) -> _Library:
    if packing == "gzip":
        return _gzip()
    if packing == "bzip2":
        bz2 = of_python("bz2", "reading bzip2", name)
        return _Library(lambda: _Buffered(bz2.BZ2Decompressor()), (EOFError, OSError, ValueError))
    if packing == "xz":
        lzma = of_python("lzma", "reading xz", name)
        return _Library(lambda: _Buffered(lzma.LZMADecompressor()), (EOFError, lzma.LZMAError))
    return _zstd(name)


def of_python(module: str, what: str, where: str | None = None) -> Any:
    """Import a module of Python's own that some builds lack: those made without its C library."""
    try:
        return import_module(module)
    except ImportError:
        raise InputError(
            f"{what} needs Python's module {module}, which this Python was built without",
            "use another build of Python, or files that are packed otherwise",
            where=where,
        ) from None


def _gzip() -> _Library:
    """Use isal if it is installed, which is faster, else zlib."""
    try:
        zlib: Any = import_module("isal.isal_zlib")
    except ImportError:
        zlib = import_module("zlib")
    return _Library(lambda: _Deflate(zlib.decompressobj(wbits=31)), (EOFError, zlib.error))


def _zstd(name: str) -> _Library:
    """Use Python's own library from 3.14 on, before that a package."""
    if sys.version_info >= (3, 14):
        zstd = of_python("compression.zstd", "reading zstd", name)
        return _Library(lambda: _Buffered(zstd.ZstdDecompressor()), (EOFError, zstd.ZstdError))
    try:
        import zstandard  # noqa: PLC0415
    except ImportError:
        raise MissingDependencyError("zstandard", "compress", "reading zstd", where=name) from None
    return _Library(
        lambda: _Unbounded(zstandard.ZstdDecompressor().decompressobj()),
        (EOFError, zstandard.ZstdError),
    )


def zstd_writer(out: IO[bytes], what: str) -> AbstractContextManager[Any]:
    """Open a file to be packed with Zstandard."""
    if sys.version_info >= (3, 14):
        return of_python("compression.zstd", what).ZstdFile(out, "wb")
    try:
        import zstandard  # noqa: PLC0415
    except ImportError:
        raise MissingDependencyError("zstandard", "compress", what) from None
    return zstandard.ZstdCompressor().stream_writer(out, closefd=False)


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
