"""Results as HTML for notebooks: titles, tables and lines, without colours of their own.

Colours are those of the page, so that dark and light themes can be read alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rankmark.errors import one_line
from rankmark.results.escaped_bytes import readable

_TEXT = "text-align:left"
_LONG = f"{_TEXT};overflow-wrap:anywhere"
_NUMBER = "text-align:right"
_LONGEST_BAR = 5.0  # em
_LONGEST = 24  # letters of a word that is not broken into lines
_WORDS = re.compile(rf"[^\s<>]{{{_LONGEST + 1}}}")


def page(*parts: str) -> str:
    """Join parts to what a notebook shows; a table that is too wide scrolls."""
    return readable(f"<div style='overflow-x:auto'>{''.join(parts)}</div>")


def title(text: str) -> str:
    """Format a line that says what was found."""
    return f"<p><strong>{escaped(text)}</strong></p>" if text else ""


def paragraph(text: str) -> str:
    """Format a sentence."""
    return f"<p>{escaped(text)}</p>"


def formula(text: str) -> str:
    """Format a line with a formula, or a command."""
    return f"<p><code>{escaped(text)}</code></p>"


def table(head: Sequence[str], rows: Iterable[Sequence[str] | str], words: int = 1) -> str:
    """Format a table; without a head if it is empty.

    ``words`` is the number of columns of words, which come first; the others are numbers. A text in
    place of a row spans all columns.
    """
    return table_of_html(
        [*map(escaped, head)],
        [
            f"<small>{escaped(row)}</small>" if isinstance(row, str) else [*map(escaped, row)]
            for row in rows
        ],
        words,
    )


def table_of_html(head: Sequence[str], rows: Iterable[Sequence[str] | str], words: int = 1) -> str:
    """Format a table whose cells are HTML."""

    def line(kind: str, cells: Sequence[str]) -> str:
        styled = []
        for at, cell in enumerate(cells):
            tag = kind if cell else "td"  # a heading without words confuses screen readers
            style = _text_style(cell) if at < words else _NUMBER
            styled.append(f"<{tag} style='{style}'>{cell}</{tag}>")
        return f"<tr>{''.join(styled)}</tr>"

    above = f"<thead>{line('th', head)}</thead>" if head else ""
    body = "".join(
        f"<tr><td colspan='{len(head)}' style='{_LONG}'>{row}</td></tr>"
        if isinstance(row, str)
        else line("td", row)
        for row in rows
    )
    return f"<table>{above}<tbody>{body}</tbody></table>"


def bar(text: str, share: float) -> str:
    """Format a number with a bar before it, as long as its share of the greatest; below 0 hollow.

    ``share`` is from -1 to 1.
    """
    block = "<span style='display:inline-block;"
    look = "border-top:0.6em solid;opacity:0.4" if share >= 0 else "border:1px solid;height:0.5em"
    drawn = f"{block}width:{abs(share) * _LONGEST_BAR:.2f}em;{look}'></span>"
    room = f"{block}width:{_LONGEST_BAR:g}em;{_TEXT}'>{drawn if share else ''}</span>"
    return f"{room}{block}min-width:4em'>{escaped(text)}</span>"


def values(shown: Iterable[tuple[str, str]]) -> str:
    """Format names and their numbers."""
    return table([], shown)


def items(lines: Iterable[str]) -> str:
    """Format a list."""
    listed = "".join(f"<li>{escaped(line)}</li>" for line in lines)
    return f"<ul>{listed}</ul>" if listed else ""


def notes(lines: Iterable[str]) -> str:
    """Format lines below a table."""
    joined = "<br>".join(map(escaped, lines))
    return f"<p style='overflow-wrap:anywhere'><small>{joined}</small></p>" if joined else ""


def escaped(text: str) -> str:
    """Write text in HTML, without characters that are not printed."""
    from html import escape  # noqa: PLC0415  (slow to import, and few need it)

    return escape(one_line(text))


def _text_style(cell: str) -> str:
    return _LONG if _WORDS.search(cell) else _TEXT
