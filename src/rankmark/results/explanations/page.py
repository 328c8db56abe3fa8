"""Pages of lines and tables, as text, Markdown, HTML or JSON."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from rankmark.results.marked_tables import MarkedTable
from rankmark.results.shown_parts import Look, Part
from rankmark.results.shown_result import ShownResult
from rankmark.results.text_width import REPORT
from rankmark.results.text_width import width as width_of


class Page(ShownResult):
    """An explanation, for people and for programs.

    Where there is room, the table of a query also has the documents of the ideal ranking. Long
    tables are shortened unless ``all_rows`` is chosen.
    """

    _usual_width = REPORT

    @abstractmethod
    def _blocks(self, *, all_rows: bool, wide: bool) -> list[Part]:
        """List the tables and lines, the title first; ``wide`` if wider than a terminal."""

    def _parts(self, look: Look, *, all_rows: bool = False) -> Sequence[Part]:
        parts = self._blocks(all_rows=all_rows, wide=True)
        is_narrow = look.width == REPORT or not all(_fits(part, look.width) for part in parts)
        if look.form == "text" and is_narrow:
            parts = self._blocks(all_rows=all_rows, wide=False)
        return parts

    def to_html(self, *, all_rows: bool = False) -> str:
        """Return it as HTML, to be included in a page."""
        return self._in_form(Look("html"), all_rows=all_rows)


def number(value: float | None) -> str:
    """Format a number for a table: whole, or with four decimals if it fits; None as empty."""
    if value is None:
        return ""
    if abs(value) < 1e7 and float(value).is_integer():
        return f"{value:.0f}"
    return f"{value:.4f}" if 0.00005 <= abs(value) < 1e6 else f"{value:.3g}"


def _fits(part: Part, width: int | None) -> bool:
    """Return whether the rows of a table fit in lines."""
    if width is None or not isinstance(part, MarkedTable):
        return True
    lines = MarkedTable(part.head, part.rows, part.keys).as_text().splitlines()
    return max(map(width_of, lines), default=0) <= width
