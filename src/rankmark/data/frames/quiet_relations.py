"""Relations of DuckDB read without its progress bar, which also goes to redirected output."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_VIEW = "rankmark_reads"  # DuckDB names the relation so while a statement is executed
_SETTING = "enable_progress_bar_print"


@contextmanager
def without_progress_bar(relation: Any) -> Iterator[None]:
    """Turn the progress bar off while a relation is read, unless it is shown to somebody.

    DuckDB prints it to standard output after two seconds, also where that is a file or a pipe.
    """
    if _is_shown() or not _is_on(relation):
        yield
        return
    _execute(relation, f"SET {_SETTING} = false")
    try:
        yield
    finally:
        _execute(relation, f"SET {_SETTING} = true")
        _execute(relation, f"DROP VIEW IF EXISTS {_VIEW}")


def _is_shown() -> bool:
    if "ipykernel" in sys.modules:  # a notebook draws it
        return True
    try:
        return sys.__stdout__ is not None and sys.__stdout__.isatty()
    except ValueError:  # closed
        return False


def _is_on(relation: Any) -> bool:
    asked = f"SELECT current_setting('enable_progress_bar') AND current_setting('{_SETTING}')"
    found = _execute(relation, asked)
    return found is not None and bool(found.fetchall()[0][0])


def _execute(relation: Any, statement: str) -> Any:
    """Execute a statement on the relation's own connection; None if that refuses."""
    import duckdb  # noqa: PLC0415

    try:
        return relation.query(_VIEW, statement)
    except duckdb.Error:
        return None
