"""Errors of the engines that hold logs, as errors of rankmark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from rankmark.errors import ParseError

_LINE = re.compile(r"\bline:? (\d+)", re.IGNORECASE)
_FILE = re.compile(r'file(?: = | ")([^"\n]+)', re.IGNORECASE)


@contextmanager
def faults_of_engine(where: str | None = None) -> Iterator[None]:
    """Turn what DuckDB says of a file that it cannot read into an error with file and line.

    Other engines read what their caller has chosen, and their errors are left as they are.
    """
    import duckdb  # noqa: PLC0415

    try:
        yield
    except duckdb.Error as error:
        text = str(error)
        line, file = _LINE.search(text), _FILE.search(text)
        raise ParseError(
            _told(text),
            "correct the file",
            where=file[1] if file else where,
            line=int(line[1]) if line else None,
        ) from None


def _told(text: str) -> str:
    """Return the line that says what is wrong."""
    if "sniffing" in text:
        return "its lines have different numbers of fields, or it is no text"
    kind, *lines = text.split("\n")
    if "CSV Error on Line" in kind:
        return next(one for one in lines if not one.startswith("Original Line"))
    return kind.partition(": ")[2] or kind
