"""List all rows of a source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.data.contract.reading_options import AS_USUAL, Reading

if TYPE_CHECKING:
    from rankmark.data.contract.source import Rows, Source


def rows_of(source: Source, reading: Reading = AS_USUAL) -> Rows:
    """List all rows, also of sources that ``evaluate`` refuses."""
    return source.rows(reading, lenient=True)
