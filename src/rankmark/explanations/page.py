"""Pages of lines and tables, as text, Markdown, HTML or JSON."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

from rankmark.formatting import html_parts as html
from rankmark.formatting import text_tables as grids
from rankmark.formatting.result import Result, json_number
from rankmark.formatting.text_width import cut, width

SCHEMA = 1
"""Version of the output of ``to_dict``; it rises if a field changes its meaning or is removed."""
WIDTH = 80  # columns of a terminal
_SHORTEST_ID = 8


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
        Columns of ids, which are shortened if a line is too long.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str] | str]
    words: int = 0
    ids: Sequence[int] = ()


class Formula(str):
    """A line with a formula."""

    __slots__ = ()


class Page(Result):
    """An explanation, for people and for programs."""

    @abstractmethod
    def _blocks(self, *, all_rows: bool, wide: bool) -> list[Grid | str]:
        """List the tables and lines, the title first; ``wide`` if wider than a terminal."""

    def to_text(self, *, all_rows: bool = False) -> str:
        """Format it for a terminal of 80 columns; long tables are shortened unless ``all_rows``."""
        blocks = self._blocks(all_rows=all_rows, wide=False)
        return "\n".join(
            _text(block) if isinstance(block, Grid) else _wrapped(block) for block in blocks
        )

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
        return self.to_text()

    def __repr__(self) -> str:
        """Return the title; ``print`` shows the whole page."""
        title, *_ = self._blocks(all_rows=False, wide=True)
        return f"{type(self).__name__}({title})"

    def _repr_html_(self) -> str:
        return self.to_html()


def number(value: float | None) -> str:
    """Format a number for a table: whole, or with four decimals if it fits; None as empty."""
    if value is None:
        return ""
    if abs(value) < 1e7 and float(value).is_integer():
        return f"{value:.0f}"
    return f"{value:.4f}" if 0.00005 <= abs(value) < 1e6 else f"{value:.3g}"


def as_json_knows(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Convert rows for JSON; NaN becomes None."""
    return [
        {
            key: json_number(value) if isinstance(value, float) else value
            for key, value in row.items()
        }
        for row in rows
    ]


def _text(grid: Grid) -> str:
    rows = [row if isinstance(row, str) else [_one_line(cell) for cell in row] for row in grid.rows]
    cells = [row for row in rows if not isinstance(row, str)]
    widths = [max(map(width, column)) for column in zip(grid.head, *cells, strict=True)]
    most = _narrowed(widths, {at: max(len(grid.head[at]), _SHORTEST_ID) for at in grid.ids})
    rows = [
        row
        if isinstance(row, str)
        else [cut(cell, most[at]) if at in grid.ids else cell for at, cell in enumerate(row)]
        for row in rows
    ]
    cells = [row for row in rows if not isinstance(row, str)]
    heads = [grid.head] if _wide(most) <= WIDTH else _stacked(grid.head)
    written = iter(grids.text((), [*heads, *cells], grid.words).splitlines())
    lines = [next(written) for _ in heads]
    lines += [row if isinstance(row, str) else next(written) for row in rows]
    return "".join(f"{line}\n" for line in lines)


def _narrowed(widths: Sequence[int], least: dict[int, int]) -> list[int]:
    """Narrow the widest columns of ids until a line is short enough."""
    narrowed = list(widths)
    for _ in range(_wide(widths) - WIDTH):
        wider = [at for at in least if narrowed[at] > least[at]]
        if not wider:
            break
        narrowed[max(wider, key=narrowed.__getitem__)] -= 1
    return narrowed


def _wide(widths: Sequence[int]) -> int:
    return sum(widths) + 2 * (len(widths) - 1)


def _stacked(head: Sequence[str]) -> list[list[str]]:
    """Break headings of several words into two lines."""
    from textwrap import wrap  # noqa: PLC0415

    broken = [wrap(name, max(map(len, name.split()), default=1)) for name in head]
    depth = max(map(len, broken))
    return [[([""] * (depth - len(name)) + name)[i] for name in broken] for i in range(depth)]


def _markdown(block: Grid | str) -> str:
    if isinstance(block, Grid):
        return _markdown_grid(block)
    return f"`{_one_line(block)}`\n" if isinstance(block, Formula) else f"{_plain(block)}\n"


def _markdown_grid(grid: Grid) -> str:
    rows = [
        [row] + [""] * (len(grid.head) - 1) if isinstance(row, str) else [*map(_plain, row)]
        for row in grid.rows
    ]
    return grids.markdown(grid.head, rows, grid.words)


def _html(block: Grid | str) -> str:
    if isinstance(block, Grid):
        return html.table(block.head, block.rows, block.words)
    return html.formula(block) if isinstance(block, Formula) else html.paragraph(block)


def _wrapped(line: str) -> str:
    from textwrap import wrap  # noqa: PLC0415

    lines = wrap(_one_line(line), WIDTH, subsequent_indent="  ", break_on_hyphens=False)
    return "".join(f"{each}\n" for each in lines)


def _one_line(text: str) -> str:
    """Escape characters that a terminal would not print."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _plain(text: str) -> str:
    """Escape characters with a meaning in Markdown."""
    return "".join(f"\\{c}" if c in "\\`*_<>[]#&~$" else c for c in _one_line(text))
