"""Frames of any library that exports Arrow data; pandas has rules of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankmark._core import numbered
from rankmark.data.contract.source import Source, side
from rankmark.data.contract.source_options import Kind, SourceOptions
from rankmark.data.frames.arrow_tables import exported, flattened, refuse_damaged
from rankmark.data.frames.column_dicts import from_lists
from rankmark.data.ids.numeric import row_from_0
from rankmark.data.mappings.nested_mapping import NestedMapping
from rankmark.data.tables.column_values import hold_numbers, is_list_type
from rankmark.data.tables.columns import chosen_in
from rankmark.data.tables.table import TableSource
from rankmark.errors import MissingDependencyError

_NAME = "<frame>"
_BEGINNING = 2_000  # rows that are the first of a large frame
NUMBERS = "bcCsSiIlLefgd"  # first letters of Arrow's format strings for numbers
_TEXT = frozenset({"u", "U", "vu"})
LISTS = ("+l", "+L", "+v", "+w")  # prefixes of Arrow's format strings for lists


def is_frame(source: object) -> bool:
    """Return True if an object is a table with columns rather than a single column."""
    kind = type(source)  # asking a lazy frame itself for its columns may be slow
    if is_pandas(source):
        return True
    arrow = hasattr(kind, "__arrow_c_stream__") or hasattr(kind, "__arrow_c_array__")
    columns = any(hasattr(kind, name) for name in ("columns", "column_names", "schema"))
    return arrow and (columns or not hasattr(kind, "__array__"))


def is_pandas(source: object) -> bool:
    """Return True if an object is a pandas frame."""
    return all(hasattr(type(source), name) for name in ("iloc", "columns", "reset_index"))


def from_frame(frame: Any, kind: Kind, options: SourceOptions) -> Source:
    """Read a frame's columns by their names."""
    options.only("a frame", "columns")
    if is_pandas(frame):
        from rankmark.data.frames.pandas_frames import from_pandas  # noqa: PLC0415  (only for pandas)

        source = from_pandas(frame, kind, options)
        cut = frame.iloc.__getitem__
    else:
        source = from_arrow(frame, _NAME, kind, options)
        is_held = hasattr(type(frame), "slice") and hasattr(type(frame), "__len__")
        cut = (lambda rows: frame.slice(0, rows.stop)) if is_held else None
    if cut is not None and isinstance(source, TableSource) and len(frame) > _BEGINNING:
        source.first_rows = lambda: from_frame(cut(slice(_BEGINNING)), kind, options)
    return source


def from_arrow(
    source: Any, name: str, kind: Kind, options: SourceOptions
) -> TableSource | NestedMapping:
    """Read the columns of an object that has ``__arrow_c_stream__`` or ``__arrow_c_array__``.

    A stream that can be read only once is read completely and kept.
    """
    where = side(name, kind)
    if hasattr(source, "read_all") and any(is_list_type(str(one.type)) for one in source.schema):
        source = source.read_all()
    table = exported(source, where)
    names = list(table.names())
    formats = table.formats()

    def numeric(at: int) -> bool:
        if formats[at].startswith(LISTS):
            return hold_numbers(_listed(source, [at], where)[0])
        if formats[at] in _TEXT:
            _, texts = numbered(table, at)
            return hold_numbers(map(texts.__getitem__, range(len(texts))))
        return formats[at][0] in NUMBERS

    chosen = chosen_in(names, kind, options, where, numeric)
    if formats[chosen.doc_id].startswith(LISTS):
        refuse_damaged(source, where, values=True)
        places, moved = chosen.picked()
        flat = flattened(source, places, moved)
        if flat is not None:
            rows, parents = flat
            return TableSource(
                exported(rows, where),
                moved,
                kind,
                name=name,
                form={"form": "frame of lists", "columns": chosen.named(names, kind)},
                place=lambda row: row_from_0(int(parents[row])),
            )
        columns = _listed(source, places, where)
        picked = [names[place] for place in places]
        return from_lists(picked, columns, moved, kind, name=name, where=where)
    form = {"form": "frame", "columns": chosen.named(names, kind)}
    return TableSource(table, chosen, kind, name=name, form=form)


def _listed(source: Any, places: Sequence[int], where: str) -> list[list[Any]]:
    """Convert columns to Python lists, by the frame's own library or else by pyarrow."""
    if hasattr(source, "to_series"):  # Polars
        return [source.to_series(place).to_list() for place in places]
    if not hasattr(source, "to_pylist"):
        try:
            import pyarrow as pa  # noqa: PLC0415
        except ImportError:
            purpose = f"{where}: reading a column of lists"
            raise MissingDependencyError("pyarrow", "arrow", purpose) from None
        source = pa.table(source)
    return [source.column(place).to_pylist() for place in places]
