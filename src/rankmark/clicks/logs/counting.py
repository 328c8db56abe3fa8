"""Whole-number counts, taken out of the engine that holds a log.

Engines count and NumPy divides, in sorted order: so each number has the same bits on every engine,
whatever its threads and the order of its rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import narwhals as nw
import numpy as np

from rankmark.clicks.logs.engine_faults import faults_of_engine
from rankmark.data.frames.stream_kinds import without_progress_bar


def arrays(counts: nw.LazyFrame[Any], sort: Sequence[str] = ()) -> dict[str, np.ndarray]:
    """Collect the columns of a small table of counts, sorted by some of them.

    Columns of whole numbers are int64, or float64 with NaN where some are null; texts are objects.
    """
    names = counts.collect_schema().names()  # a pandas index comes along as one more column
    table = collected(counts.sort(*sort) if sort else counts)
    return {name: _array(table[name]) for name in names}


def collected(rows: nw.LazyFrame[Any]) -> Any:
    """Collect a frame as an Arrow table; what the engine refuses is an error of ours."""
    is_quiet = rows.implementation.is_duckdb()
    with (
        faults_of_engine(),
        without_progress_bar(rows.to_native()) if is_quiet else nullcontext(),
    ):
        return rows.collect("pyarrow").to_native()


def _array(column: Any) -> np.ndarray:
    import pyarrow as pa  # noqa: PLC0415

    kind = column.type
    if pa.types.is_decimal(kind) or pa.types.is_integer(kind):  # DuckDB's sums, Polars' lengths
        column = column.cast(pa.int64())
    return np.asarray(column.to_numpy(zero_copy_only=False))


def scalars(one_row: nw.LazyFrame[Any]) -> dict[str, Any]:
    """Collect the only row of a frame, with whole numbers as int, and None for null."""
    (row,) = collected(one_row).to_pylist()
    return {
        name: int(value) if type(value).__name__ == "Decimal" else value
        for name, value in row.items()
    }


def scalar(one_row: nw.LazyFrame[Any]) -> int:
    """Collect a single whole number, 0 for null."""
    (value,) = scalars(one_row).values()
    return int(value or 0)


def one(condition: nw.Expr) -> nw.Expr:
    """Return 1 where a condition holds, else 0: sums of booleans differ between engines."""
    return nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0)).cast(nw.Int64)


def last_clicks(rows: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Return the rank of the last click of each issue that has one: query_id, last_rank."""
    clicked = rows.filter(nw.col("click") > 0)
    return clicked.group_by("query_id").agg(last_rank=nw.col("rank").max())
