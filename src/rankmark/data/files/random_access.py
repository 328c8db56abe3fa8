"""Files that are read at any place, on disk or elsewhere, as file objects."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import RawIOBase
from typing import IO, TYPE_CHECKING, Protocol

from rankmark.data.batches.read_at import ReadAt

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from rankmark.data.files.input_file import InputFile


class RandomAccess(Protocol):
    """A file that can be opened several times at once."""

    name: str

    def opened(self) -> AbstractContextManager[IO[bytes] | RawIOBase]:
        """Open it for reading."""
        ...

    def as_read(self) -> RandomAccess:
        """Return the same file for later reading, refused if it has changed."""
        ...

    def pinned(self) -> RandomAccess:
        """Return the same file, refused if it is no longer what it was when last opened."""
        ...

    def sha256(self) -> str | None:
        """Hash its bytes; None if that is not known."""
        ...


class OnDisk:
    """A file on disk, or the temporary copy of one."""

    def __init__(self, file: InputFile) -> None:
        self.file = file
        self.name: str = file.name

    @contextmanager
    def opened(self) -> Iterator[RawIOBase]:
        """Open it for reading, independently of other readers."""
        with self.file.descriptor() as descriptor, ReadAt(descriptor) as file:
            yield file

    def as_read(self) -> OnDisk:
        """Return the same file for later reading, refused if it has changed."""
        return OnDisk(self.file.as_read())

    def pinned(self) -> OnDisk:
        """Return the same file, refused if it is no longer what it was when last opened."""
        return OnDisk(self.file.pinned())

    def sha256(self) -> str | None:
        """Hash its bytes."""
        return self.file.sha256()
