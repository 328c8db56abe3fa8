"""Files as the core reads them: a descriptor of a regular file, wherever the bytes come from."""

from __future__ import annotations

import os
import re
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedRandom, FileIO, UnsupportedOperation
from typing import IO, Any

from rankmark.errors import ChangedError, InputError, pass_on, shown
from rankmark.sources.files.packing import MAGIC_BYTES, Packing, packing_of, unpack

_COPY_BYTES = 1 << 20
_TICK = 50_000_000  # nanoseconds; within it, a file may be written twice and show one time
Stamp = tuple[int, ...]


def is_file(source: object) -> bool:
    """Say whether a source is a path, or something to read bytes or text from."""
    # A frame with a column "read" has an attribute of that name, too.
    return isinstance(source, (str, os.PathLike)) or callable(getattr(source, "read", None))


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
        self._stamp: Stamp | None = None  # size and times of what was read
        self._hashed: tuple[object, str] | None = None  # the stamp, and the hash of that
        self._only: Stamp | None = None  # what may be read, where nothing else may
        self._by_hash = False  # whether that is told by the hash alone
        self.packing: Packing | None = None
        if not isinstance(source, (str, os.PathLike)):
            self.name = _name_of(source)
            self.path: str | None = None
            self._copy: BufferedRandom | None = self._copied(source)
            return
        path = os.fsdecode(source)
        if not path:
            raise InputError("the path of a file is empty", "give a path")
        if path == "-":
            self.name = "<stdin>"
            self.path = None
            self._copy = self._copied(_stdin())
        else:
            self.name = printable(path)
            self.path = _absolute(path)
            self._copy = None

    def __del__(self) -> None:
        copy = getattr(self, "_copy", None)
        if copy is not None:
            copy.close()

    @contextmanager
    def descriptor(self) -> Iterator[int]:
        """Open the file for reading in the core."""
        if self._copy is None:
            copy = self._copied_if_it_must_be()
            if copy is not None:  # of several threads, the first one's is kept
                self._copy = vars(self).setdefault("_first_copy", copy)
                if self._copy is not copy:
                    copy.close()
        if self._copy is not None:
            yield self._copy.fileno()
            return
        assert self.path is not None  # noqa: S101
        with self._open() as file:
            self._stamp = _stamp(file)
            yield file.fileno()

    @property
    def stamp(self) -> object:
        """What changes when the file does: its size and times as it was opened last."""
        return object() if _is_fresh(self._stamp) else self._stamp

    def as_read(self) -> InputFile:
        """Give the same file to be read later, and to refuse to be read once it has changed.

        What can be read only once is a copy of our own, and shared.
        """
        if self.path is None or self._read_once or self._stamp is None:
            return self
        same = object.__new__(InputFile)
        vars(same).update(vars(self), _copy=None, _only=self._stamp)
        vars(same).pop("_first_copy", None)
        if _is_fresh(self._stamp):
            same._by_hash = True
            with self._open() as file:
                same._hashed = self._stamp, _sha256(file)
        return same

    def __getstate__(self) -> dict[str, Any]:
        state = vars(self) | {"_copy": None}
        state.pop("_first_copy", None)
        if self._copy is not None and (self.path is None or self._read_once):
            state["bytes"] = all_bytes(self._copy.fileno())
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        data = state.pop("bytes", None)
        vars(self).update(state)
        if data is not None:
            self._copy = _temporary()
            self._copy.write(data)
            self._copy.flush()

    def sha256(self) -> str | None:
        """Hash the file's bytes, as they are on disk; those of a stream as they were unpacked.

        None where the file is not there any more, or is another than was read.
        """
        if self.path is None or self._read_once:
            assert self._copy is not None  # noqa: S101
            return self._hash(self._copy)
        try:
            with self._open() as file:
                return self._hash(file) if self._stamp in {None, _stamp(file)} else None
        except (InputError, OSError):
            return None

    def _hash(self, file: BufferedRandom | FileIO) -> str:
        """Hash once, as several runs share one file of judgments."""
        if self._hashed is None or self._hashed[0] != self._stamp:
            self._hashed = self.stamp, _sha256(file)
        return self._hashed[1]

    def _open(self) -> FileIO:
        assert self.path is not None  # noqa: S101
        try:
            file = FileIO(self.path, "rb")
        except FileNotFoundError:
            if self._only is not None:
                raise ChangedError(
                    "the file is no longer there", "keep it, and evaluate again", where=self.name
                ) from None
            raise InputError("there is no such file", "check the path", where=self.name) from None
        except OSError as error:
            raise InputError(
                f"the file cannot be read: {told_by(error)}",
                "check the path and its permissions",
                where=self.name,
            ) from None
        except ValueError:  # NUL, or half of a surrogate pair
            raise InputError(
                "no file can have this name, because of a character in it",
                "check the path",
                where=self.name,
            ) from None
        if _is_device(file, self.path):
            file.close()
            raise InputError("this is a device", "give a file", where=self.name)
        try:
            self._refuse_changed(file)
        except BaseException:
            file.close()
            raise
        return file

    def _refuse_changed(self, file: FileIO) -> None:
        """Refuse what is not what was read, where only that may be: by its stamp, or its hash."""
        if self._only is None or (_stamp(file) == self._only and not self._by_hash):
            return
        if self._hashed is not None and self._hashed[0] == self._only:
            digest = _sha256(file)
            file.seek(0)
            if digest == self._hashed[1]:
                return
        size = os.fstat(file.fileno()).st_size
        raise ChangedError(
            f"the file has changed since it was evaluated: it had {self._only[0]:,} bytes "
            f"then and has {size:,} now",
            "evaluate it again, or write each run to a file of its own",
            where=self.name,
        )

    def _copied_if_it_must_be(self) -> BufferedRandom | None:
        assert self.path is not None  # noqa: S101
        with self._open() as file:
            if not file.seekable():
                self._read_once = True
                return self._copied(file)
            try:
                head = file.read(MAGIC_BYTES)
                file.seek(0)
            except OSError as error:
                raise InputError(
                    f"the file cannot be read: {told_by(error)}",
                    "check the file and its disk",
                    where=self.name,
                ) from None
            if head and not os.fstat(file.fileno()).st_size:  # what a system makes up, as in /proc
                self._read_once = True
                return self._copied(file)
            self.packing = packing_of(head)
            if self.packing is None:
                return None
            self._stamp = _stamp(file)
            return self._unpacked(file, self.packing)

    def _copied(self, stream: IO[Any]) -> BufferedRandom:
        """Copy a stream, unpacked where it is packed, to a temporary file without a name."""
        copy = _temporary()
        try:
            for piece in self._pieces(stream):
                self._keep(piece, copy)
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

    def _pieces(self, stream: IO[Any]) -> Iterator[bytes]:
        """Read a stream that may be anybody's own: text becomes the bytes that files have."""
        while piece := self._read_from(stream):
            if isinstance(piece, str):
                try:
                    yield piece.encode("utf-8", "surrogateescape")
                except UnicodeEncodeError:
                    raise InputError(
                        "read() returned text that is not valid Unicode",
                        "open the file for reading bytes",
                        where=self.name,
                    ) from None
            elif isinstance(piece, (bytes, bytearray, memoryview)):
                yield bytes(piece)
            else:
                raise InputError(
                    f"read() returned {shown(piece)}",
                    "let it return bytes or text, empty at the end",
                    where=self.name,
                )

    def _keep(self, piece: bytes, copy: BufferedRandom) -> None:
        try:
            copy.write(piece)
        except OSError as error:
            raise InputError(
                f"the temporary copy of this file cannot be written: {told_by(error)}",
                "make room where TMPDIR points",
                where=self.name,
            ) from None

    def _read_from(self, stream: IO[Any]) -> Any:
        if getattr(stream, "closed", False) is True:
            raise InputError("the file is closed", "open it again", where=self.name)
        try:
            return stream.read(_COPY_BYTES)
        except UnicodeDecodeError as error:
            raise InputError(
                f"the file is open as text in {error.encoding}, which its bytes are not",
                'open it for reading bytes, "rb"',
                where=self.name,
            ) from None
        except UnsupportedOperation:
            raise InputError(
                "the file is not open for reading", 'open it with "rb"', where=self.name
            ) from None
        except OSError as error:
            raise InputError(
                f"the file cannot be read: {told_by(error)}",
                "check that it can be read",
                where=self.name,
            ) from error
        except Exception as error:
            pass_on(error, self.name)

    def _unpacked(self, packed: IO[bytes], packing: Packing) -> BufferedRandom:
        copy = _temporary()
        try:
            unpack(packed, copy, packing, self.name)
            copy.flush()
        except BaseException:
            copy.close()
            raise
        return copy


def _is_device(file: FileIO, path: str) -> bool:
    """Say whether a file is a disk, or like /dev/zero, which has no end; not so a terminal."""
    mode = os.fstat(file.fileno()).st_mode
    return stat.S_ISBLK(mode) or (
        stat.S_ISCHR(mode) and file.seekable() and not os.path.samefile(path, os.devnull)  # noqa: PTH121
    )


def all_bytes(descriptor: int) -> bytes:
    """Read an open file from its beginning to its end, wherever others read it."""
    pieces, at = [], 0
    while piece := bytes_at(descriptor, at, _COPY_BYTES):
        pieces.append(piece)
        at += len(piece)
    return b"".join(pieces)


def bytes_at(descriptor: int, offset: int, most: int) -> bytes:
    """Read some bytes of an open file, which other threads and processes may read as well."""
    if hasattr(os, "pread"):
        return os.pread(descriptor, most, offset)
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.read(descriptor, most)


def _sha256(file: BufferedRandom | FileIO) -> str:
    import hashlib  # noqa: PLC0415

    digest, at = hashlib.sha256(), 0
    while piece := bytes_at(file.fileno(), at, _COPY_BYTES):
        digest.update(piece)
        at += len(piece)
    return digest.hexdigest()


def _name_of(stream: Any) -> str:
    name = getattr(stream, "name", "<file object>")
    return printable(os.fsdecode(name) if isinstance(name, (str, bytes)) else shown(name))


def _absolute(path: str) -> str:
    """Name the file also for whoever changes folder meanwhile."""
    try:
        return os.path.abspath(path)  # noqa: PTH100
    except OSError:  # the folder that we are in is gone
        return path


def told_by(error: OSError) -> str:
    """Say what the operating system says, or whoever else raised the error."""
    return error.strerror or str(error) or type(error).__name__


def _stdin() -> IO[Any]:
    """Give standard input, as bytes unless somebody replaced it by what has only text."""
    if sys.stdin is None:
        raise InputError("it is closed", "give the path of a file", where="<stdin>")
    stdin: IO[Any] = getattr(sys.stdin, "buffer", sys.stdin)
    return stdin


def printable(name: str) -> str:
    """Write a name so that it stays on one line, and can be printed."""
    name = re.sub(r"[\0-\x1f\x7f\ud800-\udfff]", lambda found: repr(found[0])[1:-1], name)
    return re.sub(r"\\udc([89a-f][0-9a-f])", r"\\x\1", name)  # a byte that is no UTF-8


def _stamp(file: FileIO) -> Stamp:
    status = os.fstat(file.fileno())
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def _is_fresh(stamp: Stamp | None) -> bool:
    """Say whether a file was written so lately that it may be written again at the same time."""
    return stamp is not None and time.time_ns() - stamp[1] < _TICK


def _temporary() -> BufferedRandom:
    from tempfile import TemporaryFile  # noqa: PLC0415

    return TemporaryFile()  # lives as long as the InputFile
