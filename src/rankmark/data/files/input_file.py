"""Input files, opened as descriptors of regular files for the core."""

from __future__ import annotations

import os
import re
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedRandom, FileIO, RawIOBase
from typing import IO, Any

from rankmark._core import ProducerFault
from rankmark.data.files.byte_streams import stream_pieces, temporary_copy, unreadable
from rankmark.data.files.opened import (
    MAGIC_BYTES,
    PACKED_BYTES,
    OpenFile,
    Packing,
    Regular,
    Unpacked,
    all_bytes,
    packing_of,
    pieces_of,
    plausible,
    unpacked,
)
from rankmark.errors import ChangedError, InputError, one_line, readable_bytes, shown

_TICK = 50_000_000  # nanoseconds; two writes within it may leave the same time stamp
Stamp = tuple[int, ...]


def is_file(source: object) -> bool:
    """Return True if a source is a path, or an object to read bytes or text from."""
    # Frames with a column "read" have an attribute of that name, too, but it is not callable.
    return isinstance(source, (str, os.PathLike)) or callable(getattr(source, "read", None))


class InputFile:
    """A path, ``-`` for standard input, or an open file.

    It can be read repeatedly. A pipe or an open file is copied once to an unnamed temporary file.

    Attributes
    ----------
    name
        Its name in messages.
    packing
        How it is packed, None if it is not; known once it has been opened.
    """

    def __init__(self, source: str | os.PathLike[str] | IO[Any]) -> None:
        self._read_once = False  # a named pipe is empty the second time
        self._stamp: Stamp | None = None  # size and times when it was read
        self._hashed: tuple[object, str] | None = None  # a stamp, and the hash of that state
        self._only: Stamp | None = None  # the only state that may be read, if not any
        self._by_hash = False  # whether only the hash detects changes
        self._being_read: list[Stamp] = []  # what it was when it was opened, while it is open
        self._whole: BufferedRandom | None = None  # unpacked
        self.packing: Packing | None = None
        if not isinstance(source, (str, os.PathLike)):
            name = getattr(source, "name", "<file object>")
            is_path = isinstance(name, (str, bytes))
            self.name: str = printable(os.fsdecode(name) if is_path else shown(name))
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
            self.path = path
            with suppress(OSError):  # the working directory no longer exists
                self.path = os.path.abspath(path)  # noqa: PTH100  (valid if that directory changes)
            self._copy = None

    def __del__(self) -> None:
        for copy in (getattr(self, "_copy", None), getattr(self, "_whole", None)):
            if copy is not None:
                copy.close()

    @contextmanager
    def descriptor(self) -> Iterator[int]:
        """Open the file for random access; a packed file is unpacked to a temporary file."""
        with self._packed() as descriptor:
            if self.packing is None:
                yield descriptor
                return
            if self._whole is None:
                pieces = unpacked(pieces_of(descriptor), self.packing, self.name)
                size = os.fstat(descriptor).st_size
                whole = temporary_copy(plausible(pieces, size, self.name), self.name)
                self._whole = vars(self).setdefault("_first_whole", whole)
                if self._whole is not whole:  # another thread was faster
                    whole.close()
            yield self._whole.fileno()

    @contextmanager
    def at_any_place(self) -> Iterator[RawIOBase]:
        """Open the file for reading at any place, independently of other readers."""
        from rankmark.data.batches.fragments import ReadAt  # noqa: PLC0415  (most are text)

        with self.descriptor() as descriptor, ReadAt(descriptor) as file:
            yield file

    @contextmanager
    def opened(self) -> Iterator[OpenFile]:
        """Open the file for reading from its beginning, which unpacks a packed file each time."""
        with self._packed() as descriptor:
            if self.packing is None or self._whole is not None:
                yield Regular(descriptor if self._whole is None else self._whole.fileno())
                return
            packing = self.packing
            file = Unpacked(
                lambda: unpacked(pieces_of(descriptor, PACKED_BYTES), packing, self.name)
            )
            try:
                yield file
            except ProducerFault:
                assert file.error is not None  # noqa: S101
                raise file.error from None
            finally:
                file.close()

    @contextmanager
    def _packed(self) -> Iterator[int]:
        """Open the file as it is, or a copy of it if it can be read only once."""
        if self._copy is None:
            copy = self._copied_if_needed()
            if copy is not None:  # if several threads copy it, the first copy is kept
                self._copy = vars(self).setdefault("_first_copy", copy)
                if self._copy is not copy:
                    copy.close()
        if self._copy is not None:
            yield self._copy.fileno()
            return
        assert self.path is not None  # noqa: S101
        with self._open_any() as file:
            stamp = _stamp(file)
            self._refuse_changed(file)
            first = self._being_read[:1]  # another thread may end meanwhile
            if first and _written(stamp) != _written(first[0]):
                raise self._changed_while_read()
            self._stamp = stamp
            self._being_read.append(stamp)
            try:
                yield file.fileno()
            finally:
                self._being_read.remove(stamp)
            if _written(_stamp(file)) != _written(stamp):
                raise self._changed_while_read()

    def _changed_while_read(self) -> ChangedError:
        return ChangedError(
            "the file changed while it was read",
            "read it when nothing writes to it",
            where=self.name,
        )

    @property
    def stamp(self) -> object:
        """A value that changes with the file: its size and times when it was last opened."""
        return object() if _is_fresh(self._stamp) else self._stamp

    def as_read(self) -> InputFile:
        """Return the same file for later reading, refused if it has changed.

        A stream that can be read only once is copied already, and the copy is shared.
        """
        if self.path is None or self._read_once or self._stamp is None:
            return self
        same = self._only_as_now()
        if _is_fresh(self._stamp):
            same._by_hash = True
            with self._open() as file:
                if _stamp(file) == self._stamp:
                    same._hashed = self._stamp, _sha256(pieces_of(file.fileno()))
        return same

    def pinned(self) -> InputFile:
        """Return the same file, refused if it is no longer what it was when last opened."""
        is_copied = self._copy is not None or self._whole is not None
        return self if is_copied or self._stamp is None else self._only_as_now()

    def _only_as_now(self) -> InputFile:
        same = object.__new__(InputFile)
        vars(same).update(vars(self), _copy=None, _whole=None, _only=self._stamp, _being_read=[])
        vars(same).pop("_first_copy", None)
        vars(same).pop("_first_whole", None)
        return same

    def __getstate__(self) -> dict[str, Any]:
        state = vars(self) | {"_copy": None, "_whole": None, "_being_read": []}
        state.pop("_first_copy", None)
        state.pop("_first_whole", None)
        if self._copy is not None and (self.path is None or self._read_once):
            state["bytes"] = all_bytes(self._copy.fileno())
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        data = state.pop("bytes", None)
        vars(self).update(state)
        if data is not None:
            self._copy = temporary_copy([data], self.name)

    def sha256(self) -> str | None:
        """Hash the file's bytes as they are on disk, or those of a stream after unpacking.

        None if the file no longer exists, or has changed since it was read.
        """
        if self.path is None or self._read_once:
            with self.opened() as opened:
                return self._hash(opened.pieces())
        try:
            with self._open() as file:
                pieces = pieces_of(file.fileno())
                return self._hash(pieces) if self._stamp in {None, _stamp(file)} else None
        except (InputError, OSError):
            return None

    def _hash(self, pieces: Iterable[bytes]) -> str:
        """Hash the bytes, but only once, as several runs share one file of judgments."""
        if self._hashed is None or self._hashed[0] != self._stamp:
            self._hashed = self.stamp, _sha256(pieces)
        return self._hashed[1]

    def _open(self) -> FileIO:
        file = self._open_any()
        try:
            self._refuse_changed(file)
        except BaseException:
            file.close()
            raise
        return file

    def _open_any(self) -> FileIO:
        """Open the file, whether or not it has changed."""
        assert self.path is not None  # noqa: S101
        try:
            file = FileIO(self.path, "rb")
        except FileNotFoundError:
            kind, found, remedy = InputError, "there is no such file", "check the path"
            if self._only is not None:
                kind, found = ChangedError, "the file no longer exists"
                remedy = "keep it, and evaluate again"
            raise kind(found, remedy, where=self.name) from None
        except OSError as error:
            raise unreadable(error, "check the path and its permissions", self.name) from None
        except ValueError:  # a NUL character or a lone surrogate
            found = "no file can have this name because of a character in it"
            raise InputError(found, "check the path", where=self.name) from None
        if _is_device(file, self.path):
            file.close()
            raise InputError("this is a device", "give a file", where=self.name)
        return file

    def _refuse_changed(self, file: FileIO) -> None:
        """Refuse a file that has changed since it was read, by its stamp or its hash."""
        if self._only is None or (_stamp(file) == self._only and not self._by_hash):
            return
        if self._hashed is not None and self._hashed[0] == self._only:
            digest = _sha256(pieces_of(file.fileno()))
            if digest == self._hashed[1]:
                return
        size = os.fstat(file.fileno()).st_size
        raise ChangedError(
            f"the file has changed since it was evaluated: it had {self._only[0]:,} bytes "
            f"then and has {size:,} now",
            "evaluate it again, or write each run to a file of its own",
            where=self.name,
        )

    def _copied_if_needed(self) -> BufferedRandom | None:
        assert self.path is not None  # noqa: S101
        with self._open() as file:
            if not file.seekable():
                self._read_once = True
                return self._copied(file)
            try:
                head = file.read(MAGIC_BYTES)
                file.seek(0)
            except OSError as error:
                raise unreadable(error, "check the file and its disk", self.name) from None
            if head and not os.fstat(file.fileno()).st_size:  # a virtual file, as in /proc
                self._read_once = True
                return self._copied(file)
            self.packing = packing_of(head)
            return None

    def _copied(self, stream: IO[Any]) -> BufferedRandom:
        """Copy a stream to an unnamed temporary file, as it is."""
        copy = temporary_copy(stream_pieces(stream, self.name), self.name)
        copy.seek(0)
        self.packing = packing_of(copy.read(MAGIC_BYTES))
        return copy


class Beginning(InputFile):
    """The first bytes of a text file, in memory."""

    def __init__(self, data: bytes, name: str) -> None:
        self.name, self.packing, self._data = name, None, data

    @contextmanager
    def opened(self) -> Iterator[OpenFile]:
        """Open them for reading."""
        file = Unpacked(lambda: iter([self._data]))
        try:
            yield file
        finally:
            file.close()


def _is_device(file: FileIO, path: str) -> bool:
    """Return True for disks and for devices without an end such as /dev/zero; not for terminals."""
    mode = os.fstat(file.fileno()).st_mode
    return stat.S_ISBLK(mode) or (
        stat.S_ISCHR(mode) and file.seekable() and not os.path.samefile(path, os.devnull)  # noqa: PTH121
    )


def _sha256(pieces: Iterable[bytes]) -> str:
    import hashlib  # noqa: PLC0415

    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()


def _stdin() -> IO[Any]:
    """Return standard input, as bytes unless it was replaced by a text stream."""
    if sys.stdin is None:
        raise InputError("it is closed", "give the path of a file", where="<stdin>")
    return getattr(sys.stdin, "buffer", sys.stdin)


def printable(name: str) -> str:
    """Escape a name so that it fits on one line and can be printed."""
    if name.isascii() and name.isprintable():  # as most names, for which no pattern is compiled
        return name
    name = re.sub(r"[\0-\x1f\x7f\ud800-\udfff]", lambda found: repr(found[0])[1:-1], name)
    return one_line(readable_bytes(name))


def _stamp(file: FileIO) -> Stamp:
    status = os.fstat(file.fileno())
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def _written(stamp: Stamp) -> Stamp:
    """Return what changes if a file is written; its other time also if it is renamed or linked."""
    size, modified, _, number = stamp
    return size, modified, number


def _is_fresh(stamp: Stamp | None) -> bool:
    """Return True if the file is so recent that another write may leave the same time stamp."""
    return stamp is not None and time.time_ns() - stamp[1] < _TICK
