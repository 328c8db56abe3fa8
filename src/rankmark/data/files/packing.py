"""Packed files: gzip, bzip2, xz and Zstandard, recognised by their first bytes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from importlib import import_module
from typing import IO, Any, Literal, NamedTuple, Protocol

from rankmark.errors import InputError, MissingDependencyError, ParseError

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
    """Unpack the pieces of a file of one or several streams.

    Raises
    ------
    ParseError
        If the data is damaged; ``name`` is the file's name in the message.
    MissingDependencyError
        If the library it needs is not installed.
    InputError
        If the library is Python's own, and this Python was built without it.
    """
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
    """Yield unpacked pieces, as long as no data that people use would be as many.

    Raises
    ------
    ParseError
        If they are far more than what they were packed in; ``name`` is the file's name.
    """
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
    """Import a module of Python's own that some builds lack: those made without its C library.

    Raises
    ------
    InputError
        If it is missing; ``what`` needs it.
    """
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
    """Open a file to be packed with Zstandard.

    Raises
    ------
    MissingDependencyError
        If Python has no Zstandard and the package is not installed; ``what`` needs it.
    """
    if sys.version_info >= (3, 14):
        own: AbstractContextManager[Any] = of_python("compression.zstd", what).ZstdFile(out, "wb")
        return own
    try:
        import zstandard  # noqa: PLC0415
    except ImportError:
        raise MissingDependencyError("zstandard", "compress", what) from None
    return zstandard.ZstdCompressor().stream_writer(out, closefd=False)
