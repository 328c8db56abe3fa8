"""pyarrow's record batches as tables of the core."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rankmark import _core

MOST_ROWS = 1 << 16
"""Rows of a table, at most."""


def tables_of(batches: Iterable[Any], columns: Sequence[str]) -> Iterator[_core.Table]:
    """Export record batches in parts of some rows, with these columns in this order."""
    for batch in batches:
        chosen = batch.select([*columns])
        for first in range(0, chosen.num_rows, MOST_ROWS):
            part = chosen.slice(first, MOST_ROWS)
            yield _core.table_from_array(*part.__arrow_c_array__())
