"""Checks of the parameters of formulas."""

from __future__ import annotations

import math
from typing import Any

from rankmark.errors import InputError, shown


def choice(name: str, value: object, *allowed: str) -> None:
    """Refuse words that are not allowed."""
    if not isinstance(value, str) or value not in allowed:
        words = ", ".join(f'"{word}"' for word in allowed)
        raise InputError(f"{name} is {shown(value)}", f"need one of {words}")


def flag(name: str, value: object) -> None:
    """Refuse values other than True and False."""
    if type(value).__name__ not in {"bool", "bool_"}:
        raise InputError(f"{name} is {shown(value)}", "need True or False")


def within(name: str, value: Any) -> float:
    """Return a number above 0 and below 1."""
    number = _number(value)
    if not 0 < number < 1:
        raise InputError(f"{name} is {shown(value)}", "need a number above 0 and below 1")
    return number


def share(name: str, value: Any) -> float:
    """Return a number from 0 to 1."""
    number = _number(value)
    if not 0 <= number <= 1:
        raise InputError(f"{name} is {shown(value)}", "need a number from 0 to 1")
    return number


def _number(value: Any) -> float:
    if isinstance(value, (bool, str)):
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan
