"""How a comparison is shown: as text, Markdown, LaTeX and HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rankmark.errors import InputError
from rankmark.formatting.github_markdown import one_line, sparing
from rankmark.formatting.number_style import NumberStyle
from rankmark.formatting.result import encodable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.formatting.marked_tables import MarkedTable
    from rankmark.results.comparison_layout import Layout
    from rankmark.results.displayed import Displayed

_MOST_DIGITS = 15


class ComparisonDisplay:
    """The methods of a comparison that show it."""

    def layout(
        self, *, sort: str | None = None, digits: int | None = None, percent: bool = False
    ) -> Layout:
        """Return the tables of a comparison, with ``sort``, ``digits`` and ``percent``."""
        from rankmark.results.comparison_layout import Layout  # noqa: PLC0415

        if digits is not None and not (
            isinstance(digits, int) and not isinstance(digits, bool) and 0 <= digits <= _MOST_DIGITS
        ):
            raise InputError(
                f"digits is {digits!r}", f"need a whole number from 0 to {_MOST_DIGITS}"
            )
        return Layout(cast("Displayed", self), sort, NumberStyle(digits, percent))

    def to_text(
        self, *, sort: str | None = None, digits: int | None = None, percent: bool = False
    ) -> str:
        """Return tables as text: means with intervals, differences with tests, and a legend.

        Parameters
        ----------
        sort
            The measure that orders the runs, best first, or "given" for the order given; None for
            the first one.
        digits
            Decimals of means and differences; None for 4, or 2 in percent.
        percent
            Whether values between 0 and 1 are written in percent.
        """
        layout = self.layout(sort=sort, digits=digits, percent=percent)
        return text_of(layout, layout.below)

    def to_markdown(
        self, *, sort: str | None = None, digits: int | None = None, percent: bool = False
    ) -> str:
        """Return tables as Markdown: means with intervals, differences with tests, and a legend.

        Parameters
        ----------
        sort, digits, percent
            As in ``to_text``.
        """
        layout = self.layout(sort=sort, digits=digits, percent=percent)
        tables = [table.as_markdown() for table in _tables(layout)]
        for name, part in layout.slices():
            tables += [f"{sparing(name)}:\n", *(table.as_markdown() for table in _tables(part))]
        return "\n".join([*tables, "  \n".join(map(sparing, layout.below)) + "\n"])

    def to_latex(
        self,
        *,
        sort: str | None = None,
        digits: int | None = None,
        percent: bool = False,
        intervals: bool | None = None,
        caption: str | None = None,
        label: str = "tab:comparison",
    ) -> str:
        """Return the leaderboard as a LaTeX table, for booktabs and siunitx.

        Parameters
        ----------
        sort, digits, percent
            As in ``to_text``.
        intervals
            Whether means are followed by their intervals; None for a single measure, where
            differences from a baseline follow too.
        caption
            Its text; None for what the numbers and marks mean, and the conventions.
        label
            Its label.
        """
        layout = self.layout(sort=sort, digits=digits, percent=percent)
        is_one = layout.reference is not None and len(layout.measures) == 1 and intervals is None
        if is_one:
            table = layout.differences(brief=True)
        else:
            with_intervals = len(layout.measures) == 1 if intervals is None else intervals
            table = layout.leaderboard(intervals=with_intervals)
        caption = layout.caption(table) if caption is None else caption
        return table.as_latex(caption=caption, label=label)

    def _repr_html_(self) -> str:
        from html import escape  # noqa: PLC0415

        layout = self.layout()
        tables = "".join(table.as_html() for table in _tables(layout))
        for name, part in layout.slices():
            tables += f"<p>{escape(one_line(name))}</p>" + "".join(
                t.as_html() for t in _tables(part)
            )
        return encodable(
            f"{tables}<small>{'<br>'.join(escape(one_line(line)) for line in layout.below)}</small>"
        )

    def __str__(self) -> str:
        """Return the tables, and what the numbers and marks mean."""
        return self.to_text().rstrip("\n")


def text_of(layout: Layout, lines: Sequence[str], *, styled: bool = False) -> str:
    """Return tables as text, with lines below them."""
    tables = [table.as_text(styled=styled) for table in _tables(layout)]
    for name, part in layout.slices():
        first, *rest = (table.as_text(styled=styled) for table in _tables(part))
        tables += [f"{one_line(name)}:\n{first}", *rest]
    return "\n".join([*tables, "".join(f"{one_line(line)}\n" for line in lines)])


def _tables(layout: Layout) -> list[MarkedTable]:
    """Return one table with a baseline or of two runs, else a leaderboard and few pairs."""
    if layout.reference is not None:
        return [layout.differences()]
    from rankmark.results.comparison_notes import MOST_PAIRS  # noqa: PLC0415

    rows = len(layout.compared.differences)
    return [layout.leaderboard(), *([layout.differences()] if 0 < rows <= MOST_PAIRS else [])]
