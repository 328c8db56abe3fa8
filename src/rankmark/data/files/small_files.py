"""Small files of text, read as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from rankmark.data.files.first_bytes import BYTE_ORDER_MARK
from rankmark.data.files.input_file import InputFile
from rankmark.data.files.opened import all_bytes
from rankmark.errors import InputError, ParseError


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


def whole_text(file: InputFile) -> str:
    """Return all text of a file; see ``text_of``."""
    with opened(file) as descriptor:
        return text_of(all_bytes(descriptor), file.name)


def fields_at_blanks(line: str, most: int = 0) -> list[str]:
    """Return what stands between spaces and tabs, as the core splits lines of TREC's formats."""
    line = line.strip(" \t")
    return re.split(r"[ \t]+", line, maxsplit=most) if line else []


def text_of(data: bytes, name: str) -> str:
    """Decode text, without a byte order mark; bytes that are no UTF-8 stay.

    Raises
    ------
    ParseError
        If it holds a NUL byte, as UTF-16 does.
    """
    at = data.find(b"\0")
    if at >= 0:
        raise ParseError(
            "found a NUL byte, so this is not UTF-8 text (UTF-16? a binary file?)",
            "convert it",
            where=name,
            line=data.count(b"\n", 0, at) + 1,
        )
    return data.removeprefix(BYTE_ORDER_MARK).decode("utf-8", "surrogateescape")
