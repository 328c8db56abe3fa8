"""All rows of a source, one by one, as whoever must see every one of them asks for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.sources.prepared.qrels import as_threads

if TYPE_CHECKING:
    from rankmark.sources.contract.source import Progress, Rows, Source


def rows_of(
    source: Source, *, threads: int | None = None, progress: Progress | None = None
) -> Rows:
    """List all rows, also of what ``evaluate`` refuses."""
    return source.rows(lenient=True, threads=as_threads(threads), progress=progress)
