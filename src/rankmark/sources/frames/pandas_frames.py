"""Frames of pandas, with or without Arrow: long, with ids in the index, wide, and with lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark import _core
from rankmark.errors import SchemaError, shown
from rankmark.sources.contract.source import side
from rankmark.sources.frames.arrow_tables import exported
from rankmark.sources.frames.list_columns import from_lists
from rankmark.sources.ids.numeric import doubles, id_text, native, numbers_of, row_from_0
from rankmark.sources.tables.columns import Chosen, choose, found_by_name, is_known
from rankmark.sources.tables.indexes import holds_lists, is_default
from rankmark.sources.tables.table import TableSource, worded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.sources.contract.source import Source
    from rankmark.sources.contract.source_options import Kind, SourceOptions

_NAME = "<frame>"


def from_pandas(frame: Any, kind: Kind, options: SourceOptions) -> Source:
    """Take the columns needed, and no other: what else is in the frame may be of any type.

    Ids that no column has are looked for in the index.

    Raises
    ------
    SchemaError
        If a column is not there or holds something else than ids or numbers, or two could be
        meant.
    """
    where = side(_NAME, kind)
    wide = _as_wide(frame, options)
    if wide is not None:
        return _from_wide(wide, kind, where)
    names, levels = list(frame.columns), _levels(frame, options)
    names += [level for level, _ in levels]
    try:
        chosen = choose(names, kind, options.columns, where, subtopics=options.by_subtopic)
    except SchemaError as error:
        raise SchemaError(f"{error}{_advice(frame)}") from None
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


def _levels(frame: Any, options: SourceOptions) -> list[tuple[Any, Any]]:
    """Give the levels of the index, with names, where the columns alone do not hold both ids."""
    given, names = dict(options.columns or {}), list(frame.columns)
    lacking = [
        role
        for role in ("query_id", "doc_id")
        if (given[role] not in names if role in given else not found_by_name(names, role))
    ]
    if not lacking or is_default(frame.index):
        return []
    index = frame.index
    levels = [(name, index.get_level_values(at)) for at, name in enumerate(index.names)]
    documents = (
        [given["doc_id"]]
        if "doc_id" in given
        else [names[i] for i in found_by_name(names, "doc_id")]
    )
    alone = len(levels) == 1 and levels[0][0] is None and lacking == ["query_id"]
    once = len(documents) == 1 and names.count(documents[0]) == 1
    if alone and once and holds_lists(frame[documents[0]]):  # as in a Series of lists
        return [("query_id", levels[0][1])]
    return [(name, values) for name, values in levels if name is not None and name not in names]


def _picked(frame: Any, places: Sequence[int], levels: Sequence[tuple[Any, Any]]) -> Any:
    """Take columns and levels by their places; the index must not keep pyarrow from reading."""
    width = len(frame.columns)
    picked = frame.iloc[:, [place for place in places if place < width]].reset_index(drop=True)
    for at, place in enumerate(places):
        if place >= width:
            name, values = levels[place - width]
            picked.insert(at, name, values.array, allow_duplicates=True)
    return picked


def _advice(frame: Any) -> str:
    """Say what else the frame may be, where its index or its columns have no names of their own."""
    if is_default(frame.index) and not _all_numbers(frame):
        return ""
    if _all_numbers(frame):
        return (
            "; if its rows are queries and its columns documents, say so: "
            'frame.rename_axis(index="query_id", columns="doc_id")'
        )
    if None in frame.index.names:
        return '; if its index holds ids, name it: frame.rename_axis("query_id")'
    return ""


def _all_numbers(frame: Any) -> bool:
    kinds = [dtype.kind for dtype in frame.dtypes]
    return bool(kinds) and all(kind in "biuf" for kind in kinds)


def _as_wide(frame: Any, options: SourceOptions) -> Any:
    """Give a frame of queries x documents with the queries in its index; None where it is none.

    Its columns are called by the name of documents, as pivot() and unstack() leave them; or they
    are numbers that do not just count, which are no names of fields, beside an index of ids.
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
    """Take a number for each query and document."""
    rows, columns = frame.index.tolist(), frame.columns.tolist()

    def place(at: int) -> str:
        return (
            f"query {shown(rows[at // len(columns)])}, document {shown(columns[at % len(columns)])}"
        )

    for ids, what in ((rows, "index"), (columns, "columns")):
        for given in ids:
            if id_text(given) is None:
                raise SchemaError(
                    f"{where}: the {what} hold {shown(given)}; ids are text or whole numbers"
                )
    missing = frame.isna().to_numpy().ravel()
    if missing.any():
        raise SchemaError(
            f"{where}: {place(int(missing.argmax()))}: nothing is there; fill it, or leave out "
            "what is not there: frame.stack().dropna()"
        )
    values = frame.to_numpy()
    if values.dtype == object:
        values = numbers_of(values.ravel().tolist(), where, "value", place)
    numbers = (native(values) if values.dtype.kind in "iu" else doubles(values, where)).ravel()
    codes = np.arange(len(numbers), dtype=np.int32)
    names = ["query_id", "doc_id", "label" if kind == "qrels" else "score"]
    held: list[Any] = [
        {"ids": rows, "places": codes // max(len(columns), 1)},
        {"ids": columns, "places": codes % max(len(columns), 1)},
        np.ascontiguousarray(numbers),
    ]
    with worded(where, names, place):
        table = _core.table_from_columns(names, held)
    form = {"form": "wide frame", "shape": list(frame.shape)}
    return TableSource(table, Chosen(0, 1, 2, None), kind, name=_NAME, form=form, place=place)


def _arrow_of_pandas(picked: Any, where: str) -> _core.Table | None:
    """Have pandas hand over its columns, where that costs no look at each value.

    It cannot without pyarrow, and Arrow has no column of several types, as one of objects may be.
    """
    if any(dtype.kind == "O" and isinstance(dtype, np.dtype) for dtype in picked.dtypes):
        return None
    try:
        return exported(picked, where)
    except (AttributeError, ImportError):
        return None


def _objects_of_pandas(picked: Any, names: list[str], chosen: Chosen, where: str) -> _core.Table:
    ids = [
        place for place in (chosen.query_id, chosen.doc_id, chosen.subtopic) if place is not None
    ]
    try:
        columns = [
            _column(picked.iloc[:, i], name, where, ids=i in ids) for i, name in enumerate(names)
        ]
        with worded(where, names):
            return _core.table_from_columns(names, columns)
    except SchemaError:
        # What is missing is no id, so it was found; to look for it first costs as much as reading.
        for i in ids:
            _refuse_missing(picked.iloc[:, i], names[i], where)
        raise


def _column(series: Any, name: str, where: str, *, ids: bool) -> Any:
    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "biuf":
        values = series.to_numpy()
        whole = values.dtype.kind in "iu"
        return native(values) if ids or whole else doubles(values, f"{where}: {name!r}")
    if ids:
        return series.tolist()
    _refuse_missing(series, name, where)
    return numbers_of(series.tolist(), where, name, row_from_0)


def _refuse_missing(series: Any, name: str, where: str) -> None:
    try:
        missing = series.isna().to_numpy()
    except ArithmeticError:  # a Decimal that may not be compared is found where it is read
        return
    if missing.any():
        raise SchemaError(
            f"{where}: {row_from_0(int(missing.argmax()))}: {name!r} is null; drop the row, "
            "or fill it"
        )
