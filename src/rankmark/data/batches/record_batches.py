"""pyarrow's record batches as tables of the core."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rankmark._core import Table, table_from_array

MOST_ROWS = 1 << 16
"""Rows of a table, at most."""


def tables_of(
    batches: Iterable[Any], columns: Sequence[str], values: Mapping[str, str] | None = None
) -> Iterator[Table]:
    """Export record batches in parts of some rows, with these columns in this order.

    Parameters
    ----------
    values
        Columns that the batches do not have, with the same value in all rows.

    Raises
    ------
    pyarrow.ArrowInvalid
        If a part is damaged: its buffers are too small for its rows, or its text ends behind them.
    """
    for batch in batches:
        chosen = _with_values(batch, values) if values else batch
        chosen = chosen.select([*columns])
        for first in range(0, chosen.num_rows, MOST_ROWS):
            part = chosen.slice(first, MOST_ROWS)
            part.validate()  # the core is not told how long buffers are
            yield table_from_array(*part.__arrow_c_array__(None))


def _with_values(batch: Any, values: Mapping[str, str]) -> Any:
    import pyarrow as pa  # noqa: PLC0415

    for name, value in values.items():
        batch = batch.append_column(name, pa.repeat(value, batch.num_rows))
    return batch
