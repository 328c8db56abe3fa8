"""Packed files: gzip, bzip2, xz and Zstandard, recognised by their first bytes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import IO, Any, Literal, NamedTuple, Protocol

from rankmark.errors import MissingDependencyError, ParseError

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

_PIECE_BYTES = 1 << 17  # of packed data; unpacked data may be a thousand times as large


class _Unpacker(Protocol):
    """One stream of packed data; the common interface of the four libraries."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


class _Library(NamedTuple):
    new: Callable[[], _Unpacker]
    errors: tuple[type[Exception], ...]


def packing_of(head: bytes) -> Packing | None:
    """Return how a file that begins with these bytes is packed; None if it is not."""
    return next((packing for magic, packing in _MAGIC.items() if head.startswith(magic)), None)


def unpack(packed: IO[bytes], out: IO[bytes], packing: Packing, name: str) -> None:
    """Unpack a file of one or several streams.

    Raises
    ------
    ParseError
        If the data is damaged; ``name`` is the file's name in the message.
    MissingDependencyError
        If the library it needs is not installed.
    """
    new, errors = _library(packing, name)
    try:
        _unpack(packed, out, new)
    except errors as error:
        raise ParseError(
            f"the {packing} data is damaged ({error})", "pack it again", where=name
        ) from None


def _unpack(packed: IO[bytes], out: IO[bytes], new: Callable[[], _Unpacker]) -> None:
    stream: _Unpacker | None = None
    piece = b""
    while piece or (piece := packed.read(_PIECE_BYTES)):
        if stream is None:
            piece = piece.lstrip(b"\0")  # padding of gzip and xz between and after streams
            if not piece:
                continue
            stream = new()
        out.write(stream.decompress(piece))
        piece = b""
        if stream.eof:
            piece, stream = stream.unused_data, None
    if stream is not None:
        raise EOFError("Compressed file ended before the end-of-stream marker was reached")


def _library(packing: Packing, name: str) -> _Library:
    if packing == "gzip":
        return _gzip()
    if packing == "bzip2":
        import bz2  # noqa: PLC0415

        return _Library(bz2.BZ2Decompressor, (EOFError, OSError, ValueError))
    if packing == "xz":
        import lzma  # noqa: PLC0415

        return _Library(lzma.LZMADecompressor, (EOFError, lzma.LZMAError))
    return _zstd(name)


def _gzip() -> _Library:
    """Use isal if it is installed, which is faster, else zlib."""
    from importlib import import_module  # noqa: PLC0415

    try:
        zlib: Any = import_module("isal.isal_zlib")
    except ImportError:
        zlib = import_module("zlib")
    return _Library(lambda: zlib.decompressobj(wbits=31), (EOFError, zlib.error))


def _zstd(name: str) -> _Library:
    """Use Python's own library from 3.14 on, before that a package."""
    if sys.version_info >= (3, 14):
        from compression import zstd  # noqa: PLC0415

        return _Library(zstd.ZstdDecompressor, (EOFError, zstd.ZstdError))
    try:
        import zstandard  # noqa: PLC0415
    except ImportError:
        raise MissingDependencyError("zstandard", "compress", "reading zstd", where=name) from None
    return _Library(
        lambda: zstandard.ZstdDecompressor().decompressobj(), (EOFError, zstandard.ZstdError)
    )


def zstd_writer(out: IO[bytes], what: str) -> AbstractContextManager[Any]:
    """Open a file to be packed with Zstandard.

    Raises
    ------
    MissingDependencyError
        If Python has no Zstandard and the package is not installed; ``what`` needs it.
    """
    if sys.version_info >= (3, 14):
        from compression import zstd  # noqa: PLC0415

        return zstd.ZstdFile(out, "wb")
    try:
        import zstandard  # noqa: PLC0415
    except ImportError:
        raise MissingDependencyError("zstandard", "compress", what) from None
    return zstandard.ZstdCompressor().stream_writer(out, closefd=False)
