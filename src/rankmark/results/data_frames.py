"""Columns as data frames of pandas and Polars, and as tables of Arrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankmark.results.table_schema import KINDS, Columns, Kind

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


def _kind(name: str, values: Any) -> Kind:
    return KINDS.get(name, "number") if isinstance(values, list) else "number"


def arrow_table(columns: Columns) -> pa.Table:
    """Return an Arrow table; NaN is null."""
    import pyarrow as pa  # noqa: PLC0415

    types: dict[Kind, pa.DataType] = {
        "text": pa.string(),
        "number": pa.float64(),
        "whole number": pa.int64(),
        "truth value": pa.bool_(),
        "texts": pa.list_(pa.string()),
        "whole numbers": pa.list_(pa.int64()),
    }
    return pa.table(
        {
            name: pa.array(values, type=types[_kind(name, values)], from_pandas=True)
            for name, values in columns.items()
        }
    )


def polars_frame(columns: Columns) -> pl.DataFrame:
    """Return a Polars data frame; NaN is null."""
    import polars as pl  # noqa: PLC0415

    types: dict[Kind, Any] = {
        "text": pl.String,
        "number": pl.Float64,
        "whole number": pl.Int64,
        "truth value": pl.Boolean,
        "texts": pl.List(pl.String),
        "whole numbers": pl.List(pl.Int64),
    }
    schema = {name: types[_kind(name, values)] for name, values in columns.items()}
    return pl.DataFrame(columns, schema=schema, nan_to_null=True)


def pandas_frame(columns: Columns) -> pd.DataFrame:
    """Return a pandas data frame; whole numbers of which some are missing are ``Int64``."""
    import pandas as pd  # noqa: PLC0415

    types: dict[Kind, Any] = {
        "text": pd.Series([""]).dtype,
        "number": "float64",
        "texts": object,
        "whole numbers": object,
    }

    def series(name: str, values: Any) -> pd.Series:
        kind = _kind(name, values)
        if kind in types:
            return pd.Series(values, dtype=types[kind])
        nullable, plain = ("Int64", "int64") if kind == "whole number" else ("boolean", "bool")
        return pd.Series(values, dtype=nullable if None in values else plain)

    return pd.DataFrame({name: series(name, values) for name, values in columns.items()})
