"""Columns of pandas and their indexes, as far as they tell what they hold; known by duck typing."""

from __future__ import annotations

from typing import Any

from rankmark.errors import DuplicateError, SchemaError, shown
from rankmark.sources.tables.columns import is_known


def is_series(source: object) -> bool:
    """Say whether an object is a column of pandas, which has an index."""
    kind = type(source)
    named = all(hasattr(kind, name) for name in ("iloc", "index", "to_frame", "reset_index"))
    return named and not hasattr(kind, "columns")


def is_default(index: Any) -> bool:
    """Say whether an index counts rows from 0, as pandas makes one where nobody gives any."""
    counts = getattr(index, "step", None) == 1 and getattr(index, "start", None) == 0
    return counts and index.name is None


def only_counts(index: Any) -> bool:
    """Say whether an index may be numbers of rows, of which some may be gone."""
    return index.name is None and index.dtype.kind in "iu"


def holds_lists(column: Any) -> bool:
    """Say whether a column of pandas holds lists, sets or mappings, by the first that is there."""
    first = _first(column) if column.dtype.kind == "O" else None
    return not isinstance(first, (str, bytes)) and hasattr(first, "__iter__")


def holds_numbers(column: Any) -> bool:
    """Say whether a column of pandas holds numbers, by its type or the first that is there."""
    if column.dtype.kind in "biuf":
        return True
    first = _first(column)
    return not isinstance(first, (str, bytes)) and hasattr(first, "__float__")


def refuse_twins(index: Any, what: str, where: str) -> None:
    """Refuse an index that holds an id twice."""
    if not index.is_unique:
        twice = index[index.duplicated()][0]
        raise DuplicateError(
            f"{where}: {what} {shown(twice)} appears twice in the index; keep one, or give "
            "rows of a frame: reset_index()"
        )


def documents_of(series: Any, where: str) -> list[Any] | dict[Any, Any]:
    """Take one query's column: ids in order, or numbers with the ids of documents in the index.

    Raises
    ------
    SchemaError
        If it is not clear which.
    """
    index, name = series.index, series.name
    if not holds_numbers(series) or (name is not None and is_known(name, "doc_id")):
        if only_counts(index) or is_default(index):
            ids: list[Any] = series.tolist()
            return ids
    elif index.nlevels == 1 and (
        (index.name is not None and is_known(index.name, "doc_id"))
        or (index.name is None and not is_default(index) and not (name and only_counts(index)))
    ):
        refuse_twins(index, "document", where)
        return dict(zip(index.tolist(), series.tolist(), strict=True))
    raise SchemaError(
        f"{where}: a Series may hold ids or numbers; need .tolist() for ids in order, or "
        ".to_dict() for numbers with the ids in the index"
    )


def _first(column: Any) -> Any:
    """Give the first value that is there; nearly always it is the first of all."""
    place = next((at for at in range(min(len(column), 8)) if _is_there(column.iloc[at])), None)
    if place is None:
        there = column[column.notna()]
        return there.iloc[0] if len(there) else None
    return column.iloc[place]


def _is_there(value: Any) -> bool:
    return value is not None and not (isinstance(value, float) and value != value)  # noqa: PLR0124
