"""The width of text in columns, of which letters of East Asian scripts take two."""

from __future__ import annotations

import unicodedata
from itertools import accumulate


def width(text: str) -> int:
    """Count the columns that a text takes on a terminal, or in a monospaced font."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(letter: str) -> int:
    if unicodedata.east_asian_width(letter) in "WF":
        return 2
    # Combining accents and invisible marks.
    return 0 if unicodedata.category(letter) in {"Mn", "Me", "Cf"} else 1


def left(text: str, columns: int) -> str:
    """Pad a text on the right."""
    return text + " " * (columns - width(text))


def right(text: str, columns: int) -> str:
    """Pad a text on the left."""
    return " " * (columns - width(text)) + text


def cut(text: str, most: int) -> str:
    """Leave out the middle of a text wider than ``most`` columns, as ids differ at their ends."""
    if width(text) <= most:
        return text
    end = most // 2
    return f"{_begin(text, most - 1 - end)}…{_begin(text[::-1], end)[::-1]}"


def _begin(text: str, most: int) -> str:
    """Return as many letters as fit in ``most`` columns."""
    return text[: sum(columns <= most for columns in accumulate(map(_columns, text)))]
