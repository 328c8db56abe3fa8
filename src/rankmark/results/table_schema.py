"""The columns of all tables: each name has one type, in CSV, Parquet and data frames."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Literal

from rankmark.errors import one_line
from rankmark.results.escaped_bytes import encodable

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


Kind = Literal["text", "number", "whole number", "truth value", "texts", "whole numbers"]
Columns = dict[str, Any]
"""Values by the names of columns: lists, or arrays of float64."""

_NAMES: dict[Kind, str] = {
    "text": "run baseline query_id doc_id measure slice aggregate name file kind code severity "
    "what effect remedy consequence method undefined warning reversible_by max_drop verdict cause "
    "reason assumption too_few words command reasons then now note tool version "
    "summary full_name formula depends_on over_queries run_a run_b source their_measure "
    "algorithm judge_a judge_b model better worse beaten_by ahead_on_more stratum gate variant "
    "stage earlier record date commit compared_with",
    "whole number": "rank rank_low rank_high draw_low draw_high tier tasks "
    "tasks_ahead tasks_behind rank_a rank_b n left_out wins ties losses family "
    "count clusters changes "
    "digits required required_queries required_issues identical required_for_spread "
    "required_for_rare required_if_unchanged "
    "required_with_model half_width_with_model half_width_alone "
    "simulated simulated_queries chosen others impressions clicks examined last_clicks compared "
    "n_baseline improved worsened",
    "truth value": "more_is_better significant require_better counts small front "
    "front_of_algorithm front_of_name answerable separated to_judge",
    "texts": "better_than missing aliases measures symbols",
    "whole numbers": "typical tied",
}
KINDS: dict[str, Kind] = {name: kind for kind, names in _NAMES.items() for name in names.split()}
"""The types of columns. The others are numbers, such as those of measures."""

# Ids and names may be empty; in other texts, "" is nothing.
_MAY_BE_EMPTY = frozenset(
    ["run", "baseline", "query_id", "doc_id", "name", "file", "run_a", "run_b", "model"]
)
# The wide forms are taken for the others where a spreadsheet speaks Chinese or Japanese.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def columns_of(rows: Iterable[Any], *names: str) -> Columns:
    """Convert rows to columns; ``names`` are those of a table without rows."""
    by_name = [*map(fields_of, rows)]
    found = dict.fromkeys(name for row in by_name for name in row) or names
    return {name: _converted(name, [row.get(name) for row in by_name]) for name in found}


def fields_of(row: Any) -> Mapping[str, Any]:
    """Return the values of a mapping, a named tuple or an object of a dataclass by their names."""
    if isinstance(row, Mapping):
        return row
    if hasattr(row, "_asdict"):
        return row._asdict()
    return {field.name: getattr(row, field.name) for field in fields(row)}


def texts(name: str, values: Iterable[str]) -> list[str | None]:
    """Convert the values of a column of text."""
    empty = "" if name in _MAY_BE_EMPTY else None
    return [encodable(value) if value else empty for value in values]


def _converted(name: str, values: list[Any]) -> list[Any]:
    kind = KINDS.get(name, "number")
    if kind == "number":
        return [None if x is None or math.isnan(x) else float(x) for x in values]
    if kind == "text":
        return [None if x is None else texts(name, [str(x)])[0] for x in values]
    if kind == "texts":
        return [None if x is None else [*map(encodable, x)] for x in values]
    return [[*x] if isinstance(x, tuple) else x for x in values]


def long_form(columns: Columns, keys: Sequence[str]) -> Columns:
    """Turn columns of measures into the columns ``measure`` and ``value``.

    Parameters
    ----------
    keys
        The names of the columns that say what a row is about.

    Returns
    -------
    dict
        For each row of ``columns``, a row for each measure.
    """
    import numpy as np  # noqa: PLC0415

    measures = [name for name in columns if name not in keys]
    count = len(columns[keys[0]])
    repeated = {key: [value for value in columns[key] for _ in measures] for key in keys}
    values = np.array([columns[name] for name in measures], dtype=np.float64)
    return repeated | {
        "measure": [*map(encodable, measures)] * count,
        "value": values.reshape(len(measures), count).T.ravel(),
    }


def as_csv(columns: Columns, *, safe: bool = False) -> str:
    """Write columns as CSV.

    Numbers are in full, truth values are ``true`` and ``false``, lists are JSON, and what is
    missing is empty.

    Parameters
    ----------
    safe
        Whether to put ``'`` before texts that a spreadsheet would take for formulas, and to escape
        characters that are not printed, such as those that control a terminal.
    """
    import csv  # noqa: PLC0415
    import io  # noqa: PLC0415

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    head = [_guarded(encodable(name), safe=safe) for name in columns]
    quoted = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
    cells = ([_cell(value, safe=safe) for value in listed(column)] for column in columns.values())
    for row in (head, *zip(*cells, strict=True)):
        # Python does not quote a carriage return, at which readers end a row.
        (quoted if any("\r" in cell for cell in row) else writer).writerow(row)
    return out.getvalue()


def listed(column: Any) -> list[Any]:
    """Return the values of a column as Python's own."""
    return column if isinstance(column, list) else column.tolist()


def _cell(value: Any, *, safe: bool) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, str):
        return _guarded(value, safe=safe)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        import json  # noqa: PLC0415

        written = json.dumps(value, ensure_ascii=False)
        return one_line(written) if safe else written
    return repr(value)


def _guarded(text: str, *, safe: bool) -> str:
    if not safe:
        return text
    guard = "'" if text.startswith(_FORMULA) else ""
    return guard + "\t".join(map(one_line, text.split("\t")))


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
