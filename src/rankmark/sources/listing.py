"""All rows of a source, one by one, as whoever must see every one of them asks for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.sources.qrels import as_threads

if TYPE_CHECKING:
    from rankmark.sources.source import Rows, Source


def rows_of(source: Source, *, threads: int | None = None) -> Rows | None:
    """List all rows, also of what ``evaluate`` refuses; None where the form cannot."""
    listed = getattr(source, "rows", None)
    if listed is None:
        return None
    rows: Rows = listed(lenient=True, threads=as_threads(threads), progress=None)
    return rows
