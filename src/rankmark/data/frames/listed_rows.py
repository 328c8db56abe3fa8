"""Rows as lists, as from csv.reader, spreadsheets and arrays, told from lists of ids."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import or_
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.data.evidence.mistaken_labels import are_time_stamps
from rankmark.data.frames.records import from_records, has_header
from rankmark.data.tables.number_columns import number_in
from rankmark.errors import SchemaError, warn

if TYPE_CHECKING:
    from rankmark.data.contract.source import Source
    from rankmark.data.contract.source_options import Kind, SourceOptions

_MOST_FIELDS = 32
_MOST_ROWS = 200  # that are looked at cell by cell
_CHANCE = 1 / 100  # of lists of two ids of which no id is at both places
_FEW_LABELS, _MANY_IDS = 10, 50
_HIGHEST_LABEL = 4  # that is usual
_NUMBER: dict[Kind, str] = {"qrels": "label", "run": "score"}


def is_listed(row: object) -> bool:
    """Return True if an object may be a row as a list, or as an array of one dimension."""
    return isinstance(row, list) or (isinstance(row, np.ndarray) and row.ndim == 1)


def from_listed(rows: Sequence[Any], kind: Kind, options: SourceOptions) -> Source | None:
    """Read lists of equal length as rows; None if they are lists of ids.

    Rows have fields of several kinds: text in one, numbers in another, fractions in the last. Lists
    of ids hold ids of one kind, or of any kind at any place.

    Raises
    ------
    SchemaError
        If they are rows, and their fields are not (query_id, doc_id, number), or judgments that may
        be either.

    Warns
    -----
    RankmarkWarning
        If all are ids or whole numbers, and both readings are likely.
    """
    if options.contents == "ids" or not all(map(is_listed, rows)):
        return None
    if not 2 <= len(rows[0]) <= _MOST_FIELDS or len({*map(len, rows)}) != 1:
        return None
    told = has_header(rows, options) or _name_places(rows[0], options)
    if not told and not are_rows(rows, kind):
        return None
    try:
        return from_records([*map(tuple, rows)], kind, options)
    except SchemaError as error:
        if not told:
            error.add_remedy("if these are lists of ids, say so: contents='ids'")
        raise


def from_listed_array(array: Any, kind: Kind, options: SourceOptions) -> Source | None:
    """Read an array of two dimensions as rows; None if it holds ids, labels or scores.

    Raises
    ------
    SchemaError
        If two columns hold whole numbers and others fractions or time stamps, as rows do.

    Warns
    -----
    RankmarkWarning
        If all are whole numbers, and both readings are likely.
    """
    shaped = options.mask is not None or options.lengths is not None or np.ma.is_masked(array)
    if options.contents is not None or shaped or array.shape[1] > _MOST_FIELDS:
        return None
    if array.dtype.kind in "UT" or _name_places(array, options):
        return from_listed(array.tolist(), kind, options)
    width, are_ids = array.shape[1], kind == "run" and array.dtype.kind in "iu"
    if width > 2 and array.dtype.kind in "iuf":
        _refuse_rows_of_numbers(array, kind, "ids" if are_ids else f"{_NUMBER[kind]}s")
    if width in {2, 3} and are_ids:
        _doubt(array.tolist(), kind, "ids")
    return None


def _name_places(row: Sequence[Any], options: SourceOptions) -> bool:
    """Return True if the caller named the columns by their places in a row."""
    width, columns = np.shape(row)[-1], options.columns or {}
    return bool(columns) and all(place in range(width) for place in columns.values())


def are_rows(rows: Sequence[Any], kind: Kind) -> bool:
    """Return True if lists of equal length have fields of several kinds."""
    width = len(rows[0])
    kinds = [{*map(_kind, column)} for column in zip(*rows[:_MOST_ROWS], strict=True)]
    if any("other" in held for held in kinds):
        return False
    text = [held == {"text"} for held in kinds]
    numbers = ["text" not in held for held in kinds]
    if width == 3:
        apart = "number" in kinds[2] and "number" not in kinds[0] | kinds[1]
        if apart or (numbers[2] and any(text[:2])):
            return True
    elif all(map(or_, text, numbers)) and any(text) and any(numbers):
        types = {isinstance(cell, str) for cell in rows[0]}
        return "number" not in kinds[0] and (len(rows) > 1 or len(types) > 1)
    if width > 2 and kinds[-1] == {"whole"} and _hold_time_stamps([row[-1] for row in rows]):
        return True
    if width <= 3 and (all(numbers) or (width == 2 and all(text))):
        _doubt(rows, kind, "ids")
    return False


def _hold_time_stamps(cells: Sequence[Any]) -> bool:
    return are_time_stamps(np.array([*map(number_in, cells[:_MOST_ROWS])], dtype=float))


def _refuse_rows_of_numbers(array: Any, kind: Kind, read_as: str) -> None:
    """Refuse ids in two columns and fractions or time stamps in others; warn of whole numbers."""
    with np.errstate(invalid="ignore"):
        ids, others = np.asarray(array[:, :2]), np.asarray(array[:, 2:])
        if not (len(ids) > 1 and (ids >= 0).all() and (ids % 1 == 0).all()):
            return
        has_fractions = bool((others % 1 != 0).any())
    wide = array.shape[1] > 3
    if are_time_stamps(others[:, -1]) and not are_time_stamps(ids.max(axis=0)):
        what = "the last holds time stamps"
    elif not has_fractions:
        if not wide and read_as != "ids":
            _doubt(array.tolist(), kind, read_as)
        return
    elif (wide and ids.max() <= _HIGHEST_LABEL) or not _are_grouped(ids.tolist()):
        return
    else:
        what = "others fractions" if wide else "the third fractions"
    number = _NUMBER[kind]
    raise SchemaError(
        f"the first two of {array.shape[1]} columns hold whole numbers and {what}, so these seem "
        f"to be rows (query_id, doc_id, {number}) and not {read_as} of {array.shape[1]} items",
        _choices(kind, read_as),
        where=f"{kind} <array>",
    )


def _kind(cell: Any) -> str:
    if isinstance(cell, str):
        number = number_in(cell)
        if not isinstance(number, str):
            return "whole" if isinstance(number, int) else "number"
        return "text"
    if hasattr(cell, "__index__") and not isinstance(cell, bool):
        return "whole"
    if hasattr(cell, "__float__"):
        return "number"
    return "text" if hasattr(cell, "time_hi_version") else "other"  # a UUID


def _are_grouped(rows: Sequence[Sequence[Any]]) -> bool:
    """Return True if the first field groups the rows, and no group has a second field twice."""
    queries = [row[0] for row in rows]
    if len({(row[0], row[1]) for row in rows}) < len(rows):
        return False
    groups = len([*groupby(queries)])
    return groups == len({*queries}) < len(rows)


def _doubt(rows: Sequence[Sequence[Any]], kind: Kind, read_as: str) -> None:
    """Warn if what is read as lists of ids, or as labels or scores, may be rows as well.

    Lists of relevant ids are refused: the first ids of rankings repeat more often.
    """
    if len(rows) < 2:
        return
    columns = [*zip(*rows, strict=True)]
    distinct = [{*column} for column in columns]
    if len(columns) == 2:
        repeats = 2 * len(rows) - len(distinct[0] | distinct[1])
        likely = distinct[0].isdisjoint(distinct[1]) and 2.0**-repeats <= _CHANCE
        likely = likely and _are_grouped(rows)
    else:
        few_labels = len(distinct[2]) <= _FEW_LABELS
        likely = _are_grouped(rows) or (few_labels and min(map(len, distinct[:2])) >= _MANY_IDS)
        if read_as != "ids":
            highest = [max(map(float, column)) for column in columns]
            likely = likely and highest[2] < min(highest[:2]) and max(highest) > _HIGHEST_LABEL
    if not likely:
        return
    fields = ("query_id", "doc_id", _NUMBER[kind])[: len(columns)]
    found = f"these may be rows ({', '.join(fields)})"
    where = f"{kind} <{'list' if read_as == 'ids' else 'array'}>"
    if kind == "qrels" and read_as == "ids":
        raise SchemaError(f"{found} or lists of ids", _choices(kind, read_as), where=where)
    held = "ids" if read_as == "ids" else f"{read_as} of three items"
    warn(f"{found}, and are read as lists of {held}", _choices(kind, read_as), where=where)


def _choices(kind: Kind, contents: str) -> str:
    return (
        f"for rows, say so: columns={{'query_id': 0, 'doc_id': 1, {_NUMBER[kind]!r}: 2}}; "
        f"else contents={contents!r}"
    )
