"""Streams and iterators of bytes, and their copies in temporary files without names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import BufferedRandom, UnsupportedOperation
from itertools import chain
from typing import IO, Any, cast

from rankmark.errors import InputError, noted, pass_on, shown

_COPY_BYTES = 1 << 20


def temporary_copy(pieces: Iterable[bytes], name: str) -> BufferedRandom:
    """Write pieces to a temporary file, which is removed when it is closed."""
    from tempfile import TemporaryFile, gettempdir  # noqa: PLC0415

    copy = None
    try:
        with _written(gettempdir, name):
            copy = TemporaryFile()  # noqa: SIM115  (the caller closes it)
        for piece in pieces:
            with _written(gettempdir, name):
                copy.write(piece)
        with _written(gettempdir, name):
            copy.flush()
    except BaseException:
        if copy is not None:
            copy.close()
        raise
    return copy


@contextmanager
def _written(folder: Callable[[], str], name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(
            f"a temporary copy of this file in {folder()} cannot be written: {reason_of(error)}",
            "make room there, or point TMPDIR at another disk",
            where=name,
        ) from None


def stream_pieces(stream: IO[Any], name: str) -> Iterator[bytes]:
    """Read a stream of any class; text is encoded as in files."""
    while piece := _read(stream, name):
        if isinstance(piece, (bytes, bytearray, memoryview)):
            yield bytes(piece)
            continue
        found, remedy = (
            f"read() returned {shown(piece)}",
            "let it return bytes or text, empty at the end",
        )
        if isinstance(piece, str):
            try:
                yield piece.encode("utf-8", "surrogateescape")
                continue
            except UnicodeEncodeError:
                found = "read() returned text that is not valid Unicode"
                remedy = "open the file for reading bytes"
        raise InputError(found, remedy, where=name)


def _read(stream: IO[Any], name: str) -> Any:
    if getattr(stream, "closed", False) is True:
        raise InputError("the file is closed", "open it again", where=name)
    try:
        return stream.read(_COPY_BYTES)
    except UnicodeDecodeError as error:
        found = f"the file is open as {error.encoding} text, but its bytes are not valid in it"
        remedy = 'open it for reading bytes, "rb"'
    except UnsupportedOperation:
        found, remedy = "the file is not open for reading", 'open it with "rb"'
    except OSError as error:
        raise unreadable(error, "check that it can be read", name) from error
    except Exception as error:
        pass_on(error, name)
    raise InputError(found, remedy, where=name)


def unreadable(error: OSError, remedy: str, where: str) -> InputError:
    """Return the error that a file cannot be read."""
    return InputError(f"the file cannot be read: {reason_of(error)}", remedy, where=where)


def reason_of(error: OSError) -> str:
    """Return the operating system's message, or that of the error."""
    return error.strerror or str(error) or type(error).__name__


_KINDS = (bytes, bytearray, memoryview)


class ByteIterator:
    """A file that can be read once, from an iterator of its pieces."""

    name = "<iterator>"

    def __init__(self, pieces: Iterator[Any]) -> None:
        self._pieces = pieces

    def read(self, _size: int = -1) -> Any:
        """Return the next piece that is not empty, of any size; nothing at the end."""
        are_some = (one for one in self._pieces if not isinstance(one, _KINDS) or len(one))
        return next(are_some, b"")


def as_bytes(source: Iterator[Any], kind: str) -> ByteIterator | Iterator[Any]:
    """Return a file if an iterator gives bytes, else an iterator that gives the same."""
    with noted(f"{kind}: entry 0 (from 0)"):
        first = next(source, source)
    if first is source:
        return source
    same = chain([first], source)
    return ByteIterator(same) if isinstance(first, _KINDS) else cast("Iterator[Any]", same)
