"""How many columns a text takes, where letters of East Asian scripts take two."""

from __future__ import annotations

import unicodedata
from itertools import accumulate


def width(text: str) -> int:
    """Count the columns that a text takes on a terminal, or in a font of one width."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(letter: str) -> int:
    if unicodedata.east_asian_width(letter) in "WF":
        return 2
    # Accents that stand on the letter before them, and marks that nobody sees.
    return 0 if unicodedata.category(letter) in {"Mn", "Me", "Cf"} else 1


def left(text: str, columns: int) -> str:
    """Fill a text with blanks behind it up to so many columns."""
    return text + " " * (columns - width(text))


def right(text: str, columns: int) -> str:
    """Fill a text with blanks before it up to so many columns."""
    return " " * (columns - width(text)) + text


def cut(text: str, most: int) -> str:
    """Leave out the middle of a text of more than so many columns; ids differ at their ends."""
    if width(text) <= most:
        return text
    end = most // 2
    return f"{_begin(text, most - 1 - end)}…{_begin(text[::-1], end)[::-1]}"


def _begin(text: str, most: int) -> str:
    """Take as many letters as fit in so many columns."""
    taken = accumulate(map(_columns, text))
    return text[: sum(columns <= most for columns in taken)]
