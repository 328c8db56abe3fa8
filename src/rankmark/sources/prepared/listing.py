"""List all rows of a source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.sources.contract.cores import as_threads

if TYPE_CHECKING:
    from rankmark.sources.contract.source import Progress, Rows, Source


def rows_of(
    source: Source, *, threads: int | None = None, progress: Progress | None = None
) -> Rows:
    """List all rows, also of sources that ``evaluate`` refuses."""
    return source.rows(lenient=True, threads=as_threads(threads), progress=progress)
