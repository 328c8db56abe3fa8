"""Errors of the engines that hold logs, as errors of rankmark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from rankmark.errors import ParseError

_LINE = re.compile(r"\bline:? (\d+)", re.IGNORECASE)
_FILE = re.compile(r'file(?: = | ")([^"\n]+)')


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
        told = [one.strip() for one in text.split("\n")[:3]]
        found = (
            told[2] if len(told) > 2 and told[0].startswith("Conversion Error: CSV") else told[0]
        )
        raise ParseError(
            found.partition(": ")[2] or found if found is told[0] else found,
            "correct the file, or say with format= how to read it",
            where=file[1] if file else where,
            line=int(line[1]) if line else None,
        ) from None
