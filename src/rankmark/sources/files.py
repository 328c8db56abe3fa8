"""Files as the core reads them: a descriptor of a regular file, wherever the bytes come from."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedRandom, FileIO
from typing import IO, Any

from rankmark.errors import InputError
from rankmark.sources.packing import MAGIC_BYTES, Packing, packing_of, unpack

Progress = Callable[[int], None]
_COPY_BYTES = 1 << 20


def is_file(source: object) -> bool:
    """Say whether a source is a path, or something to read bytes or text from."""
    return isinstance(source, (str, os.PathLike)) or hasattr(source, "read")


class InputFile:
    """A path, ``-`` for standard input, or an open file, whatever it holds.

    It can be read again and again. What cannot be read at chosen places (a pipe, an open file, a
    packed one) is copied to an unnamed temporary file, once.

    Attributes
    ----------
    name
        How messages call it.
    packing
        How it was packed, None where it was not; known once it was open.
    """

    def __init__(self, source: str | os.PathLike[str] | IO[Any]) -> None:
        self._read_once = False  # a named pipe is empty the second time
        self._stamp: tuple[int, int] | None = None  # size and time of what was read
        self._hashed: tuple[object, str] | None = None  # the stamp, and the hash of that
        self.packing: Packing | None = None
        if not isinstance(source, (str, os.PathLike)):
            self.name = _shown(str(getattr(source, "name", "<file object>")))
            self.path: str | None = None
            self._copy: BufferedRandom | None = self._copied(source)
        elif os.fspath(source) == "-":
            self.name = "<stdin>"
            self.path = None
            self._copy = self._copied(sys.stdin.buffer)
        else:
            self.name = _shown(os.fspath(source))
            self.path = os.path.abspath(source)  # noqa: PTH100  (whoever changes folder meanwhile)
            self._copy = None

    def __del__(self) -> None:
        copy = getattr(self, "_copy", None)
        if copy is not None:
            copy.close()

    @contextmanager
    def descriptor(self) -> Iterator[int]:
        """Open the file for reading in the core."""
        if self._copy is None:
            self._copy = self._copied_if_it_must_be()
        if self._copy is not None:
            yield self._copy.fileno()
            return
        assert self.path is not None  # noqa: S101
        with self._open() as file:
            self._stamp = _stamp(file)
            yield file.fileno()

    @property
    def stamp(self) -> object:
        """What changes when the file does: its size and time as it was opened last."""
        return self._stamp

    def sha256(self) -> str | None:
        """Hash the file's bytes, as they are on disk; those of a stream as they were unpacked.

        None where the file is not there any more, or is another than was read.
        """
        if self.path is None or self._read_once:
            assert self._copy is not None  # noqa: S101
            self._copy.seek(0)
            return self._hash(self._copy)
        try:
            with self._open() as file:
                return self._hash(file) if self._stamp in {None, _stamp(file)} else None
        except InputError:
            return None

    def _hash(self, file: BufferedRandom | FileIO) -> str:
        """Hash once, as several runs share one file of judgments."""
        if self._hashed is None or self._hashed[0] != self._stamp:
            import hashlib  # noqa: PLC0415

            self._hashed = self._stamp, hashlib.file_digest(file, "sha256").hexdigest()
        return self._hashed[1]

    def _open(self) -> FileIO:
        assert self.path is not None  # noqa: S101
        try:
            return open(self.path, "rb", buffering=0)  # noqa: PTH123  (pathlib loads slowly)
        except FileNotFoundError:
            raise InputError(f"{self.name}: there is no such file; check the path") from None
        except OSError as error:
            raise InputError(f"{self.name}: cannot be read: {error.strerror}") from None

    def _copied_if_it_must_be(self) -> BufferedRandom | None:
        assert self.path is not None  # noqa: S101
        with self._open() as file:
            if not file.seekable():
                self._read_once = True
                return self._copied(file)
            self.packing = packing_of(file.read(MAGIC_BYTES))
            if self.packing is None:
                return None
            file.seek(0)
            self._stamp = _stamp(file)
            return self._unpacked(file, self.packing)

    def _copied(self, stream: IO[Any]) -> BufferedRandom:
        """Copy a stream, unpacked where it is packed, to a temporary file without a name."""
        copy = _temporary()
        try:
            while piece := stream.read(_COPY_BYTES):
                copy.write(piece.encode() if isinstance(piece, str) else piece)
            copy.seek(0)
            self.packing = packing_of(copy.read(MAGIC_BYTES))
            if self.packing is None:
                return copy
            copy.seek(0)
            unpacked = self._unpacked(copy, self.packing)
        except BaseException:
            copy.close()
            raise
        copy.close()
        return unpacked

    def _unpacked(self, packed: IO[bytes], packing: Packing) -> BufferedRandom:
        copy = _temporary()
        try:
            unpack(packed, copy, packing, self.name)
            copy.flush()
        except BaseException:
            copy.close()
            raise
        return copy


def all_bytes(descriptor: int) -> bytes:
    """Read an open file from its beginning to its end."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    with os.fdopen(os.dup(descriptor), "rb") as file:
        return file.read()


def _shown(name: str) -> str:
    """Write a name so that it stays on one line."""
    return re.sub(r"[\0-\x1f\x7f]", lambda found: repr(found[0])[1:-1], name)


def _stamp(file: FileIO) -> tuple[int, int]:
    status = os.fstat(file.fileno())
    return status.st_size, status.st_mtime_ns


def _temporary() -> BufferedRandom:
    from tempfile import TemporaryFile  # noqa: PLC0415

    return TemporaryFile()  # lives as long as the InputFile
