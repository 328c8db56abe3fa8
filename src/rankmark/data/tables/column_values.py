"""What columns, Series and their indexes hold, by their values or the names of their types."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice
from typing import Any

from rankmark.data.tables.columns import is_known
from rankmark.errors import DuplicateError, SchemaError, shown

_FIRST = 20  # values that are looked at
_TYPE = re.compile(
    r"u?(tiny|small|big|huge)?int(eger)?\d*|(half_?)?float\d*|double|real|numeric|decimal\d*|"
    r"bool(ean)?",
    re.IGNORECASE,
)
_NUMERAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.IGNORECASE | re.ASCII)
_MOST_DIGITS = 100
_OF_LISTS = frozenset({"list", "large_list", "fixed_size_list", "array", "item", "element"})


def hold_numbers(values: Iterable[Any]) -> bool:
    """Return True if the first values are numbers, or lists of numbers; some may be missing.

    Numbers may be written as text, as by csv, or in percent.
    """
    first = (
        value.strip().removesuffix("%") if isinstance(value, str) else value
        for value in islice(values, _FIRST)
    )
    held = [
        number_in(value)
        for value in first
        if value is not None and not (isinstance(value, str) and not value)
    ]
    return bool(held) and all(map(_is_number, held))


def is_number_type(name: str) -> bool:
    """Return True if a type is one of numbers, or of lists of these, as libraries write types."""
    words = re.findall(r"\w+", name.lower())
    if not words or words[0] in {"dictionary", "struct", "map"}:
        return False
    inner = [
        word for word in words if word not in {"list", "large_list", "array", "item", "element"}
    ]
    return bool(inner) and _TYPE.fullmatch(inner[0]) is not None


def is_list_type(name: str) -> bool:
    """Return True if a type is one of lists or structs, as libraries write types."""
    return re.search(r"list|array|struct|\[\d*\]$", name, re.IGNORECASE) is not None


def number_in(cell: Any) -> Any:
    """Return the number that a text says; anything else unchanged, to be refused later."""
    if not isinstance(cell, str) or _NUMERAL.fullmatch(cell.strip()) is None:
        return cell
    whole = cell.strip().lstrip("+-").isdigit() and len(cell) < _MOST_DIGITS
    return int(cell) if whole else float(cell)


def _is_number(value: Any) -> bool:
    if hasattr(value, "__len__") and not isinstance(value, (str, bytes)):
        return len(value) > 0 and _is_number(next(iter(value)))
    return hasattr(value, "__float__") and not isinstance(value, (str, bytes))


def is_series(source: object) -> bool:
    """Return True if an object is a pandas Series, which has an index."""
    kind = type(source)
    named = all(hasattr(kind, name) for name in ("iloc", "index", "to_frame", "reset_index"))
    return named and not hasattr(kind, "columns")


def is_default(index: Any) -> bool:
    """Return True if an index counts rows from 0, as pandas' default index does."""
    counts = getattr(index, "step", None) == 1 and getattr(index, "start", None) == 0
    return counts and index.name is None


def only_counts(index: Any) -> bool:
    """Return True if an index may be row numbers, of which some may have been dropped."""
    return index.name is None and index.dtype.kind in "iu"


def holds_lists(column: Any) -> bool:
    """Return True if a Series contains lists, sets or mappings, by its first value."""
    first = _first(column) if column.dtype.kind == "O" else None
    return not isinstance(first, (str, bytes)) and hasattr(first, "__iter__")


def holds_numbers(column: Any) -> bool:
    """Return True if a Series contains numbers, by its type or its first value."""
    if column.dtype.kind in "biuf":
        return True
    first = _first(column)
    return not isinstance(first, (str, bytes)) and hasattr(first, "__float__")


def refuse_duplicates(index: Any, what: str, where: str) -> None:
    """Refuse an index that contains an id twice."""
    if not index.is_unique:
        twice = index[index.duplicated()][0]
        raise DuplicateError(
            f"{what} {shown(twice)} appears twice in the index",
            "keep one, or give rows of a frame: reset_index()",
            where=where,
        )


def documents_of(series: Any, where: str) -> list[Any] | dict[Any, Any]:
    """Return the documents of one query: ids in order, or numbers by the ids in the index."""
    index, name = series.index, series.name
    if not holds_numbers(series) or (name is not None and is_known(name, "doc_id")):
        if only_counts(index) or is_default(index):
            return series.tolist()
    elif index.nlevels == 1 and (
        (index.name is not None and is_known(index.name, "doc_id"))
        or (index.name is None and not is_default(index) and not (name and only_counts(index)))
    ):
        refuse_duplicates(index, "document", where)
        return dict(zip(index.tolist(), series.tolist(), strict=True))
    raise SchemaError(
        "a Series may hold ids or numbers",
        "give .tolist() for ids in order, or .to_dict() for numbers with the ids in the index",
        where=where,
    )


def _first(column: Any) -> Any:
    """Return the first value that is not missing; nearly always it is among the first few."""
    for value in column.iloc[:8]:
        if value is not None and not (isinstance(value, float) and value != value):  # noqa: PLR0124
            return value
    present = column[column.notna()]
    return present.iloc[0] if len(present) else None
