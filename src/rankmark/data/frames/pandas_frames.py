"""Pandas frames, with or without Arrow: long, with ids in the index, wide, and with lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankmark._core import Table, table_from_columns
from rankmark.data.contract.resources import cores
from rankmark.data.contract.source import Source, side
from rankmark.data.contract.source_options import Kind, SourceOptions
from rankmark.data.frames.arrow_tables import exported
from rankmark.data.frames.column_dicts import from_lists
from rankmark.data.ids.numeric import exact_numbers, id_text, native, numbers_of, row_from_0
from rankmark.data.tables.column_values import hold_numbers, holds_lists, is_default
from rankmark.data.tables.columns import Chosen, Role, chosen_in, found_by_name, is_known
from rankmark.data.tables.table import TableSource, worded
from rankmark.errors import SchemaError, shown

_NAME = "<frame>"


def from_pandas(frame: Any, kind: Kind, options: SourceOptions) -> Source:
    """Read only the columns needed: others may be of any type.

    If a column of ids is missing, the index is searched for it.
    """
    where = side(_NAME, kind)
    wide = _as_wide(frame, options)
    if wide is not None:
        return _from_wide(wide, kind, where)
    names, levels = list(frame.columns), _levels(frame, options)
    names += [level for level, _ in levels]
    try:
        chosen = chosen_in(names, kind, options, where, lambda at: _is_numeric(frame, at))
    except SchemaError as error:
        if _missing_ids(names, options) and (advice := _advice(frame)):
            error.add_remedy(advice)
        raise
    places, moved = chosen.picked()
    picked = _picked(frame, places, levels)
    picked_names = [str(names[place]) for place in places]
    if holds_lists(picked.iloc[:, moved.doc_id]):
        columns = [picked.iloc[:, place].tolist() for place in range(len(places))]
        return from_lists(picked_names, columns, moved, kind, name=_NAME, where=where)
    table = _arrow_of_pandas(picked, where)
    if table is None:
        table = _objects_of_pandas(picked, picked_names, moved, where)
    form = {"form": "frame", "columns": moved.named(picked_names, kind)}
    return TableSource(table, moved, kind, name=_NAME, form=form)


def _is_numeric(frame: Any, at: int) -> bool:
    """Return True if a column holds numbers; levels of the index hold ids."""
    if at >= len(frame.columns):
        return False
    column = frame.iloc[:, at]
    return column.dtype.kind in "biuf" or (column.dtype.kind == "O" and hold_numbers(column))


def _missing_ids(names: Sequence[Any], options: SourceOptions) -> list[str]:
    """Return the roles of ids for which there is no column."""
    chosen = options.columns or {}
    ids: tuple[Role, ...] = ("query_id", "doc_id")
    return [
        role
        for role in ids
        if (chosen[role] not in names if role in chosen else not found_by_name(names, role))
    ]


def _levels(frame: Any, options: SourceOptions) -> list[tuple[Any, Any]]:
    """Return the named levels of the index if the columns do not contain both ids."""
    chosen, names = dict(options.columns or {}), list(frame.columns)
    missing = _missing_ids(names, options)
    if not missing or is_default(frame.index):
        return []
    index = frame.index
    levels = [(name, index.get_level_values(at)) for at, name in enumerate(index.names)]
    documents = (
        [chosen["doc_id"]]
        if "doc_id" in chosen
        else [names[i] for i in found_by_name(names, "doc_id")]
    )
    unnamed = len(levels) == 1 and levels[0][0] is None and missing == ["query_id"]
    once = len(documents) == 1 and names.count(documents[0]) == 1
    if unnamed and once and holds_lists(frame[documents[0]]):  # as in a Series of lists
        return [("query_id", levels[0][1])]
    return [(name, values) for name, values in levels if name is not None and name not in names]


def _picked(frame: Any, places: Sequence[int], levels: Sequence[tuple[Any, Any]]) -> Any:
    """Select columns and levels by position, with a default index, which pyarrow can read."""
    width = len(frame.columns)
    picked = frame.iloc[:, [place for place in places if place < width]].reset_index(drop=True)
    for at, place in enumerate(places):
        if place >= width:
            name, values = levels[place - width]
            picked.insert(at, name, values.array, allow_duplicates=True)
    return picked


def _advice(frame: Any) -> str:
    """Suggest what else the frame may be if its index or its columns have no names."""
    if is_default(frame.index) and not _all_numbers(frame):
        return ""
    if _all_numbers(frame):
        return (
            "if its rows are queries and its columns documents, say so: "
            'frame.rename_axis(index="query_id", columns="doc_id")'
        )
    if None in frame.index.names:
        return 'if its index holds ids, name it: frame.rename_axis("query_id")'
    return ""


def _all_numbers(frame: Any) -> bool:
    kinds = [dtype.kind for dtype in frame.dtypes]
    return bool(kinds) and all(kind in "biuf" for kind in kinds)


def _as_wide(frame: Any, options: SourceOptions) -> Any:
    """Return a frame of queries x documents with the queries in its index; None if it is not wide.

    Its columns axis is named like document ids, as after pivot() and unstack(); or the columns
    are numbers other than 0, 1, 2, ..., and the index has ids.
    """
    if options.columns is not None and options.unused is None:
        return None
    columns, index = frame.columns, frame.index
    if columns.nlevels > 1 or index.nlevels > 1:
        return None
    if columns.name is not None and is_known(columns.name, "doc_id"):
        queries = found_by_name(list(columns), "query_id")
        if is_default(index) and len(queries) == 1:
            return frame.set_index(columns[queries[0]])
        return frame
    numbered = columns.dtype.kind in "iu" and not is_default(columns)
    if numbered and not is_default(index) and _all_numbers(frame):
        return frame
    return None


def _from_wide(frame: Any, kind: Kind, where: str) -> TableSource:
    """Read a number for each query and document."""
    rows, columns = frame.index.tolist(), frame.columns.tolist()

    def place(at: int) -> str:
        return (
            f"query {shown(rows[at // len(columns)])}, document {shown(columns[at % len(columns)])}"
        )

    for ids, what in ((rows, "index"), (columns, "columns")):
        for value in ids:
            if id_text(value) is None:
                raise SchemaError(
                    f"found {shown(value)} in the {what}",
                    "ids are text or whole numbers",
                    where=where,
                )
    missing = frame.isna().to_numpy().ravel()
    if missing.any():
        raise SchemaError(
            f"{place(int(missing.argmax()))}: the value is missing",
            "fill it, or drop missing values: frame.stack().dropna()",
            where=where,
        )
    values = frame.to_numpy()
    if values.dtype == object:
        values = numbers_of(values.ravel().tolist(), where, "value", place)
    numbers = exact_numbers(values, where).ravel()
    codes = np.arange(len(numbers), dtype=np.int32)
    names = ["query_id", "doc_id", "label" if kind == "qrels" else "score"]
    held: list[Any] = [
        {"ids": rows, "places": codes // max(len(columns), 1)},
        {"ids": columns, "places": codes % max(len(columns), 1)},
        np.ascontiguousarray(numbers),
    ]
    with worded(where, names, place):
        table = table_from_columns(names, held)
    form = {"form": "wide frame", "shape": list(frame.shape)}
    return TableSource(table, Chosen(0, 1, 2, None), kind, name=_NAME, form=form, place=place)


def _arrow_of_pandas(picked: Any, where: str) -> Table | None:
    """Let pandas export its columns to Arrow, unless that needs a look at each value.

    It cannot without pyarrow, and a column of objects may have several types, unlike Arrow's.
    """
    if any(_has_objects(column) for _, column in picked.items()):
        return None
    try:
        _hand_over_floats(picked)
        return exported(picked, where)
    except (AttributeError, ImportError):
        return None


def _hand_over_floats(picked: Any) -> None:
    """Let pyarrow keep the floats of our own frame as they are, if none is NaN.

    It would look for NaN, which pandas takes for a missing value, and is slow at that.
    """
    import pandas as pd  # noqa: PLC0415
    import pyarrow as pa  # noqa: PLC0415

    for at, dtype in enumerate(picked.dtypes):
        if dtype in (np.float32, np.float64):
            values = picked.iloc[:, at].to_numpy()
            if not np.isnan(np.min(values, initial=0.0)):
                picked.isetitem(at, pd.arrays.ArrowExtensionArray(pa.array(values)))


def _objects_of_pandas(picked: Any, names: list[str], chosen: Chosen, where: str) -> Table:
    ids = [
        place for place in (chosen.query_id, chosen.doc_id, chosen.subtopic) if place is not None
    ]
    try:
        columns = [
            _column(picked.iloc[:, i], name, where, ids=i in ids) for i, name in enumerate(names)
        ]
        with worded(where, names):
            return table_from_columns(names, columns, threads=cores())
    except SchemaError:
        # Missing values are not ids, so they were refused; checking first is as slow as reading.
        for i in ids:
            _refuse_missing(picked.iloc[:, i], names[i], where)
        raise


def _column(series: Any, name: str, where: str, *, ids: bool) -> Any:
    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "biuf":
        values = series.to_numpy()
        return native(values) if ids else exact_numbers(values, f"{where}: {name!r}")
    if ids:
        return series.to_numpy() if _has_objects(series) else series.tolist()
    _refuse_missing(series, name, where)
    return numbers_of(series.tolist(), where, name, row_from_0)


def _has_objects(series: Any) -> bool:
    return isinstance(series.dtype, np.dtype) and series.dtype.kind == "O"


def _refuse_missing(series: Any, name: str, where: str) -> None:
    try:
        missing = series.isna().to_numpy()
    except ArithmeticError:  # a Decimal that cannot be compared is refused when it is read
        return
    if missing.any():
        raise SchemaError(
            f"{name!r} is null",
            "drop the row, or fill it",
            where=f"{where}: {row_from_0(int(missing.argmax()))}",
        )
