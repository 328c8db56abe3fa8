"""Pages of lines and tables, as text, Markdown, HTML or JSON."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import NamedTuple, Self

from rankmark.errors import one_line
from rankmark.results import html_parts as html
from rankmark.results import text_tables as grids
from rankmark.results.result import Result
from rankmark.results.text_width import REPORT, filled, line_width
from rankmark.results.text_width import width as width_of

SCHEMA = 1
"""Version of the output of ``to_dict``; it rises if a field changes its meaning or is removed."""


class Grid(NamedTuple):
    """A table.

    Parameters
    ----------
    head
        The names of the columns.
    rows
        Cells, or a text in place of rows that are left out.
    words
        The number of columns of words, which come first; the others are numbers.
    ids
        Columns of ids, which are folded if a line is too long.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str] | str]
    words: int = 0
    ids: Sequence[int] = ()


class Bar(str):
    """A cell with a number, which HTML shows with a bar.

    Parameters
    ----------
    text
        The number.
    share
        Its share of the greatest number in size, from -1 to 1.
    """

    __slots__ = ("share",)
    share: float

    def __new__(cls, text: str, share: float) -> Self:
        """Make a text with a share."""
        made = super().__new__(cls, text)
        made.share = share
        return made


class Formula(str):
    """A line with a formula."""

    __slots__ = ()


class Page(Result):
    """An explanation, for people and for programs."""

    @abstractmethod
    def _blocks(self, *, all_rows: bool, wide: bool) -> list[Grid | str]:
        """List the tables and lines, the title first; ``wide`` if wider than a terminal."""

    def to_text(self, *, all_rows: bool = False, width: int = REPORT) -> str:
        """Format it as text in lines of ``width`` columns; shorten long tables unless ``all_rows``.

        Where there is room, the table of a query also has the documents of the ideal ranking.
        """
        blocks = self._blocks(all_rows=all_rows, wide=True)
        if width == REPORT or not all(_fits(block, width) for block in blocks):
            blocks = self._blocks(all_rows=all_rows, wide=False)
        return "\n".join(_text(block, width) for block in blocks)

    def to_markdown(self, *, all_rows: bool = False) -> str:
        """Format it as Markdown."""
        title, *blocks = self._blocks(all_rows=all_rows, wide=True)
        written = [f"**{_plain(str(title))}**\n"]
        return "\n".join([*written, *map(_markdown, blocks)])

    def to_html(self, *, all_rows: bool = False) -> str:
        """Format it as HTML, to be included in a page."""
        title, *blocks = self._blocks(all_rows=all_rows, wide=True)
        return html.page(html.title(str(title)), *map(_html, blocks))

    def __str__(self) -> str:
        """Return ``to_text``, as wide as the terminal, if there is one."""
        return self.to_text(width=line_width() or REPORT)

    def __repr__(self) -> str:
        """Return the title; ``print`` shows the whole page."""
        title, *_ = self._blocks(all_rows=False, wide=True)
        return one_line(f"{type(self).__name__}({title})")

    def _repr_html_(self) -> str:
        return self.to_html()


def number(value: float | None) -> str:
    """Format a number for a table: whole, or with four decimals if it fits; None as empty."""
    if value is None:
        return ""
    if abs(value) < 1e7 and float(value).is_integer():
        return f"{value:.0f}"
    return f"{value:.4f}" if 0.00005 <= abs(value) < 1e6 else f"{value:.3g}"


def _text(block: Grid | str, width: int) -> str:
    if isinstance(block, Grid):
        return grids.text(block.head, block.rows, block.words, width=width, ids=block.ids)
    return "\n".join(filled(one_line(block), width, "", "  ")) + "\n"


def _fits(block: Grid | str, width: int) -> bool:
    """Return whether the rows of a table fit in lines."""
    if isinstance(block, str):
        return True
    rows = [row for row in block.rows if not isinstance(row, str)]
    lines = grids.text(block.head, rows, block.words).splitlines()
    return max(map(width_of, lines), default=0) <= width


def _markdown(block: Grid | str) -> str:
    if isinstance(block, Grid):
        return _markdown_grid(block)
    return f"`{one_line(block)}`\n" if isinstance(block, Formula) else f"{_plain(block)}\n"


def _markdown_grid(grid: Grid) -> str:
    rows = [
        [row] + [""] * (len(grid.head) - 1) if isinstance(row, str) else [*map(_plain, row)]
        for row in grid.rows
    ]
    return grids.markdown([*map(_plain, grid.head)], rows, grid.words)


def _html(block: Grid | str) -> str:
    if isinstance(block, Grid):
        rows = [
            f"<small>{html.escaped(row)}</small>" if isinstance(row, str) else [*map(_cell, row)]
            for row in block.rows
        ]
        return html.table_of_html([*map(html.escaped, block.head)], rows, block.words)
    return html.formula(block) if isinstance(block, Formula) else html.paragraph(block)


def _cell(text: str) -> str:
    return html.bar(text, text.share) if isinstance(text, Bar) else html.escaped(text)


def _plain(text: str) -> str:
    """Escape characters with a meaning in Markdown."""
    return "".join(f"\\{c}" if c in "\\`*_<>[]#&~$" else c for c in one_line(text))
