"""The beginning of a file, by which its format is recognised."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from rankmark.errors import InputError
from rankmark.file_names import file_extensions

if TYPE_CHECKING:
    from rankmark.data.contract.source_options import Kind

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
LONGEST_HEADER = 1 << 20
"""In bytes; a longer line is not a header."""
LONGEST_NAMING = 16
"""In bytes; a longer line does not name the separator."""
_HEAD_BYTES = 1 << 16
_LONGEST_LINE = 1 << 24
_MOST_FIELDS = 1 << 16  # a line of 16 MiB may have millions
_PACKED = {".gz", ".bz2", ".xz", ".zst"}


@dataclass(frozen=True)
class Head:
    """The beginning of a file.

    Parameters
    ----------
    data
        Its first bytes, unpacked; at least one whole line, unless lines are extremely long.
    whole
        Whether this is the whole file.
    name
        The file's name.
    kind
        Whether the file should contain judgments or a run.
    columns
        ``{role: name}`` for columns that the caller named.
    subtopics
        Whether judgments are read with their subtopics.
    """

    data: bytes
    whole: bool
    name: str
    kind: Kind
    columns: Mapping[str, str] | None = None
    subtopics: bool = False

    @cached_property
    def lines(self) -> list[tuple[int, bytes]]:
        """The complete lines that are not empty, without line ends, each with its end offset.

        A byte order mark is removed, and a first line that only names the separator.
        """
        return [*self.each_line()]

    def each_line(self) -> Iterator[tuple[int, bytes]]:
        """Yield the lines, one by one, as often only the first is looked at."""
        begin = len(BYTE_ORDER_MARK) if self.data.startswith(BYTE_ORDER_MARK) else 0
        if self.separator:
            begin = self.data.find(b"\n") + 1 or len(self.data)
        is_first = True
        while (end := self.data.find(b"\n", begin)) >= 0:
            if bare := self.data[begin:end].removesuffix(b"\r"):
                yield end + 1, bare
            begin, is_first = end + 1, False
        last = self.data[begin:].removesuffix(b"\r")
        if last and (self.whole or is_first):
            yield len(self.data), last

    def line(self, number: int) -> bytes:
        """Return one of ``lines``, from 0, without splitting the rest; b"" if there are fewer."""
        return next((line for _, line in islice(self.each_line(), number, None)), b"")

    @cached_property
    def separator(self) -> str:
        """The separator that the first line names, as Excel reads and writes it; "" if none."""
        line = self.data[: len(BYTE_ORDER_MARK) + LONGEST_NAMING].partition(b"\n")[0]
        return separator_named(line.removeprefix(BYTE_ORDER_MARK).decode("latin-1"))

    @cached_property
    def first(self) -> list[bytes]:
        """The fields of the first line that is not blank or a comment, split as by the core."""
        for _, line in self.each_line():
            if not line.startswith(b"#"):
                found = re.finditer(rb"[^ \t]+", line)
                if fields := [field[0] for field in islice(found, _MOST_FIELDS)]:
                    return fields
        return []

    @cached_property
    def extension(self) -> str:
        """The file name extension in lower case, ignoring those of packed files."""
        extensions = file_extensions(self.name.lower())
        return next((one for one in reversed(extensions) if one not in _PACKED), "")


def separator_named(line: str) -> str:
    """Return the separator that a line such as ``sep=;`` names; "" for other lines.

    Spreadsheets add quotes and separators to the line when they save it again.
    """
    import re  # noqa: PLC0415

    found = re.fullmatch(r"""\"?sep=([,;|:\t])\"?[,;|:\t]*\r?""", line, re.IGNORECASE)
    return found[1] if found else ""


def first_bytes(pieces: Iterator[bytes], name: str) -> tuple[bytes, bool]:
    """Read the beginning of a file, at least its first line, and whether that is all of it."""
    try:
        data, ended = bytearray(), False
        for piece in pieces:
            data += piece
            ended = ended or b"\n" in piece
            if len(data) >= _LONGEST_LINE or (len(data) >= _HEAD_BYTES and ended):
                return bytes(data), not any(pieces)
    except OSError as error:
        raise InputError(
            f"the file cannot be read: {error.strerror}", "check the file and its disk", where=name
        ) from None
    return bytes(data), True
