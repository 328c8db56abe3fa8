"""The width of text in columns, and text that is fitted to the width of a terminal.

Lines are as wide as the terminal that they are written to, or as the environment variable COLUMNS
says; below a cell of a notebook they take 80 columns. In a file or a pipe they have no limit: a row
of a table and a note have a line each. Reports in prose, such as those of ``check`` and
``explain``, take 80 columns there.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, takewhile
from typing import TextIO

REPORT = 80
"""The columns of a report in prose that is not written to a terminal."""
_SHELL_WORD = r"(?:'[^']*'|\"[^\"]*\"|\S)+"
_COMMAND = r"(?:\s*|[a-z ]+: )rankmark [a-z_]+ [^A-Z ]"
_BREAKS = "/-_.,:;"
_NEXT_WORD = re.compile(r"\S|\Z")
_NARROWEST = 20  # columns of a terminal below which nothing is fitted


def line_width(stream: TextIO | None = None) -> int | None:
    """Return the columns of the terminal that a stream is, or COLUMNS; None without limit.

    Parameters
    ----------
    stream
        The stream; None for stdout.
    """
    given = os.environ.get("COLUMNS", "")
    if given.isascii() and given.isdigit() and int(given) >= _NARROWEST:
        return int(given)
    out = sys.stdout if stream is None else stream
    if type(out).__module__.startswith("ipykernel."):  # a notebook, which breaks lines anywhere
        return REPORT
    try:
        columns = os.get_terminal_size(out.fileno()).columns
    except (AttributeError, OSError, ValueError):  # no stream, no terminal, or closed
        return None
    return columns if columns >= _NARROWEST else None


def width(text: str) -> int:
    """Count the columns that a text takes on a terminal, or in a monospaced font."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(letter: str) -> int:
    import unicodedata  # noqa: PLC0415

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
    backwards = text[::-1]
    first = text[: _fitting(text, most - 1 - end)].rstrip("…")
    last = backwards[: _fitting(backwards, end)][::-1].lstrip("…")
    return f"{first}…{last}"


def cut_apart(texts: Sequence[str], most: int) -> list[str]:
    """Cut texts to ``most`` columns so that different ones still differ.

    What all have in common at their ends is left out where their middles would be, and what
    differs only there gets a number.
    """
    shorter = [cut(text, most) for text in texts]
    if len({*shorter}) == len({*texts}):
        return shorter
    first = _in_common(texts)
    last = _in_common([text[first:][::-1] for text in texts])
    shown = {text: cut(_own_part(text, first, last), most) for text in texts}
    alike = Counter(shown.values())
    for number, (text, short) in enumerate([*shown.items()], 1):
        if alike[short] > 1:
            shown[text] = f"{cut(short, most - 1 - len(str(len(shown))))} {number}"
    return [shown[text] for text in texts]


def _in_common(texts: Sequence[str]) -> int:
    """Count the letters with which all texts begin."""
    ends = min(texts), max(texts)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*ends, strict=False)))


def _own_part(text: str, first: int, last: int) -> str:
    """Return a text without the letters that all have at the beginning and at the end."""
    own = text[first : len(text) - last]
    return f"{'…' if first else ''}{own}{'…' if last else ''}"


def _fitting(text: str, most: int, start: int = 0) -> int:
    """Return the place after the letters from ``start`` on that fit in ``most`` columns.

    It looks at these letters only, as a text may have millions of them.
    """
    if text.isascii():
        return min(start + max(most, 0), len(text))
    letters = map(text.__getitem__, range(start, len(text)))
    columns = accumulate(map(_columns, letters))
    return start + sum(1 for _ in takewhile(most.__ge__, columns))


def folded(text: str, most: int, indent: int = 0) -> list[str]:
    """Break a text into lines of ``most`` columns, at blanks if it has any; nothing is left out.

    Lines but the first are indented.
    """
    lines: list[str] = []
    start, room = 0, most
    # At least one letter, even if it is wide and there is one column only.
    while (end := max(_fitting(text, room, start), start + 1)) < len(text):
        begin = text[start:end]
        at = len(begin) if text[end] == " " else begin.rfind(" ") + 1
        if at == 0:
            after_sign = 1 + max(map(begin.rfind, _BREAKS))
            at = after_sign if 2 * after_sign >= len(begin) else len(begin)
        lines.append(" " * (most - room) + text[start : start + at].rstrip())
        start = next(_NEXT_WORD.finditer(text, start + at)).start()
        room = most - indent
    return [*lines, " " * (most - room) + text[start:]]


def filled(text: str, most: int, begin: str = "", further: str = "") -> list[str]:
    """Wrap a paragraph at blanks; a word that is wider than a line takes several.

    Parameters
    ----------
    text
        The paragraph.
    most
        The columns of a line.
    begin, further
        What the first line and the others begin with.
    """
    room = max(most - max(width(begin), width(further)), 1)
    words = [part for word in text.split(" ") for part in folded(word, room)]
    return _joined(words, most, begin, further)


def _joined(words: Sequence[str], most: int, begin: str, further: str, end: str = "") -> list[str]:
    lines, line, is_empty = list[str](), begin, True
    for word in words:
        joined = line + word if is_empty else f"{line} {word}"
        if not is_empty and width(joined) > most - len(end):
            lines.append(line.rstrip() + end)
            line, is_empty, joined = further, True, further + word
        if word or not is_empty:
            line, is_empty = joined, False
    return [*lines, line.rstrip()]


def fitted(text: str, most: int | None) -> str:
    """Wrap the lines of a text that are too wide, with the others indented; None for no limit.

    A command is continued by a backslash, so that it can still be pasted. Lines with styles of a
    terminal stay as they are.
    """
    if most is None:
        return text
    return "\n".join(part for line in text.split("\n") for part in _fitted(line, most))


def _fitted(line: str, most: int) -> list[str]:
    if width(line) <= most or "\x1b" in line:
        return [line]
    indent = " " * (len(line) - len(line.lstrip()))
    if re.match(_COMMAND, line):
        return _joined(re.findall(_SHELL_WORD, line), most, indent, indent + "    ", " \\")
    return filled(line.lstrip(), most, indent, indent + "  ")
