"""Tell whether a column holds numbers, by its values or by the name of its type."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice
from typing import Any

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
    first = (_without_percent(value) for value in islice(values, _FIRST))
    held = [number_in(value) for value in first if value is not None and not _is_blank(value)]
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


def _without_percent(value: Any) -> Any:
    return value.strip().removesuffix("%") if isinstance(value, str) else value


def _is_blank(value: Any) -> bool:
    return isinstance(value, str) and not value


def _is_number(value: Any) -> bool:
    if hasattr(value, "__len__") and not isinstance(value, (str, bytes)):
        return len(value) > 0 and _is_number(next(iter(value)))
    return hasattr(value, "__float__") and not isinstance(value, (str, bytes))
