"""Frames: whatever hands over its columns as Arrow does, and pandas frames also without Arrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark import _core
from rankmark.errors import SchemaError
from rankmark.sources.columns import choose
from rankmark.sources.numeric import doubles, native, numbers_of, row_from_0
from rankmark.sources.table import TableSource, side, worded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.sources.columns import Chosen
    from rankmark.sources.options import Kind, Options

_NAME = "<frame>"


def is_frame(source: object) -> bool:
    """Say whether an object is a table with columns; a single column is none."""
    kind = type(source)  # asking a lazy frame itself for its columns may cost much
    if _is_pandas(source):
        return True
    arrow = hasattr(kind, "__arrow_c_stream__") or hasattr(kind, "__arrow_c_array__")
    columns = any(hasattr(kind, name) for name in ("columns", "column_names", "schema"))
    return arrow and (columns or not hasattr(kind, "__array__"))


def from_frame(frame: Any, kind: Kind, options: Options) -> TableSource:
    """Take a frame's columns by their names.

    Raises
    ------
    SchemaError
        If a column is not there or holds something else than ids or numbers, or two could be
        meant.
    """
    options.only("a frame", "columns")
    if _is_pandas(frame):
        return _from_pandas(frame, kind, options)
    return from_arrow(frame, _NAME, kind, options)


def from_arrow(source: Any, name: str, kind: Kind, options: Options) -> TableSource:
    """Take the columns of whatever has ``__arrow_c_stream__`` or ``__arrow_c_array__``.

    A stream that can be read only once is read whole, and kept.
    """
    where = side(name, kind)
    table = _exported(source, where)
    names = list(table.names())
    chosen = choose(names, kind, options.columns, where, subtopics=options.by_subtopic)
    return _source(table, chosen, names, kind, name)


def _source(
    table: _core.Table, chosen: Chosen, names: Sequence[str], kind: Kind, name: str
) -> TableSource:
    form = {"form": "frame", "columns": chosen.named(names, kind)}
    return TableSource(table, chosen, kind, name=name, form=form)


def _exported(source: Any, where: str) -> _core.Table:
    try:
        if hasattr(source, "__arrow_c_stream__"):
            capsules = (source.__arrow_c_stream__(),)
        else:
            capsules = source.__arrow_c_array__()
    except (AttributeError, ImportError):
        raise
    except Exception as error:  # whatever the library that made it raises
        raise SchemaError(
            f"{where}: {type(source).__name__} could not be handed over as Arrow data: {error}"
        ) from error
    with worded(where, ()):
        if len(capsules) == 2:
            return _core.table_from_array(*capsules)
        try:
            return _core.table_from_stream(*capsules)
        except _core.StreamFault as fault:
            # What is left of Ctrl-C in a generator once Arrow's own code has passed it on.
            if fault.args[0].rstrip().endswith("\nKeyboardInterrupt"):
                raise KeyboardInterrupt from None
            raise


def _is_pandas(source: object) -> bool:
    return all(hasattr(type(source), name) for name in ("iloc", "columns", "reset_index"))


def _from_pandas(frame: Any, kind: Kind, options: Options) -> TableSource:
    """Take the columns needed, and no other: what else is in the frame may be of any type."""
    names, where = list(frame.columns), side(_NAME, kind)
    try:
        chosen = choose(names, kind, options.columns, where, subtopics=options.by_subtopic)
    except SchemaError as error:
        if not any(name is not None for name in frame.index.names):
            raise
        raise SchemaError(f"{error}; an index is not looked at: reset_index() first") from None
    places, moved = chosen.picked()
    # The index must not keep pyarrow from reading the columns.
    picked = frame.iloc[:, places].reset_index(drop=True)
    picked_names = [str(names[place]) for place in places]
    table = _arrow_of_pandas(picked, where)
    if table is None:
        table = _objects_of_pandas(picked, picked_names, moved, where)
    return _source(table, moved, picked_names, kind, _NAME)


def _arrow_of_pandas(picked: Any, where: str) -> _core.Table | None:
    """Have pandas hand over its columns, where that costs no look at each value.

    It cannot without pyarrow, and Arrow has no column of several types, as one of objects may be.
    """
    if any(dtype.kind == "O" and isinstance(dtype, np.dtype) for dtype in picked.dtypes):
        return None
    try:
        return _exported(picked, where)
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
