"""Small files of text, read as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rankmark.errors import InputError
from rankmark.sources.files.input_file import InputFile
from rankmark.sources.files.opened import all_bytes


@contextmanager
def opened(file: InputFile) -> Iterator[int]:
    """Open a file, and refuse it if it cannot be read."""
    try:
        with file.descriptor() as descriptor:
            yield descriptor
    except OSError as error:
        raise InputError(
            f"the file cannot be read: {error.strerror}",
            "check the file and its disk",
            where=file.name,
        ) from None


def whole_text(descriptor: int) -> str:
    """Return all text of an open file, without a byte order mark; bytes that are no UTF-8 stay."""
    data = all_bytes(descriptor)
    return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
