"""How a comparison is shown: as text, Markdown, LaTeX and HTML."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast, get_args

from rankmark.errors import InputError, one_line
from rankmark.results import html_parts as html
from rankmark.results.details import shown
from rankmark.results.github_markdown import sparing_line
from rankmark.results.latex_float import LatexFloat
from rankmark.results.number_style import NumberStyle
from rankmark.results.table_options import LatexTable
from rankmark.results.text_width import fitted, line_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.results.latex_float import Environment
    from rankmark.results.marked_tables import MarkedTable
    from rankmark.verbs.compare.comparison_layout import Layout
    from rankmark.verbs.compare.displayed import Displayed


_MOST_DIGITS = 15


class ComparisonDisplay:
    """The methods of a comparison that show it."""

    def layout(
        self, *, sort: str | None = None, digits: int | None = None, percent: bool = False
    ) -> Layout:
        """Return the tables of a comparison, with ``sort``, ``digits`` and ``percent``."""
        from rankmark.verbs.compare.comparison_layout import Layout  # noqa: PLC0415

        if digits is not None and not (
            isinstance(digits, int) and not isinstance(digits, bool) and 0 <= digits <= _MOST_DIGITS
        ):
            raise InputError(
                f"digits is {digits!r}", f"need a whole number from 0 to {_MOST_DIGITS}"
            )
        return Layout(cast("Displayed", self), sort, NumberStyle(digits, percent))

    def to_text(
        self,
        *,
        sort: str | None = None,
        digits: int | None = None,
        percent: bool = False,
        verbose: bool = False,
        width: int | None = None,
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
        verbose
            Whether to show all lines below the tables, also those that change no decision.
        width
            The columns of a line; None for no limit.
        """
        layout = self.layout(sort=sort, digits=digits, percent=percent)
        return text_of(layout, shown(layout.below, verbose=verbose), width=width)

    def to_markdown(
        self,
        *,
        sort: str | None = None,
        digits: int | None = None,
        percent: bool = False,
        verbose: bool = False,
    ) -> str:
        """Return tables as Markdown: means with intervals, differences with tests, and a legend.

        Parameters
        ----------
        sort, digits, percent, verbose
            As in ``to_text``.
        """
        layout = self.layout(sort=sort, digits=digits, percent=percent)
        return markdown_of(layout, shown(layout.below, verbose=verbose))

    def to_latex(
        self,
        *,
        sort: str | None = None,
        digits: int | None = None,
        percent: bool = False,
        intervals: bool | None = None,
        caption: str | None = None,
        label: str = "tab:comparison",
        environment: Environment = "table",
        resize: bool = False,
        tables: Sequence[LatexTable] | None = None,
    ) -> str:
        """Return tables for LaTeX, with booktabs and siunitx: the leaderboard, unless others.

        Parameters
        ----------
        sort, digits, percent
            As in ``to_text``.
        intervals
            Whether means are followed by their intervals; None for a single measure, where
            differences from a baseline follow too.
        caption
            The text of the first table; None for what the numbers and marks mean, and the
            conventions.
        label
            The label of the first table; those of others have an ending, such as ``-differences``
            or ``-slice-1``.
        environment
            ``"table"``; ``"table*"``, over both columns of a page; or ``"sidewaystable"``, turned
            by 90 degrees, of the package rotating.
        resize
            Whether a table that is too wide is made smaller until it fits, by the package graphicx.
        tables
            Any of ``"means"``, ``"differences"`` and ``"slices"`` (the means within each slice), in
            their order; None for one table, with the differences if there is a baseline and a
            single measure.

        Raises
        ------
        InputError
            If a choice does not exist, LaTeX cannot read the label, or there are no slices or
            differences to show.
        """
        layout = self.layout(sort=sort, digits=digits, percent=percent)
        with_intervals = len(layout.measures) == 1 if intervals is None else intervals
        is_one = layout.reference is not None and len(layout.measures) == 1 and intervals is None
        found: list[tuple[str, str, MarkedTable]] = []
        for kind in ["means"] if tables is None else tables:
            if kind not in get_args(LatexTable):
                raise InputError(
                    f"tables contains {kind!r}", f"need any of {', '.join(get_args(LatexTable))}"
                )
            if kind == "slices":
                for number, (name, part) in enumerate(layout.slices(), 1):
                    table = part.leaderboard(intervals=with_intervals)
                    told = f"Slice {one_line(name)}. {part.caption(table)}"
                    found.append((f"-slice-{number}", told, table))
                continue
            if kind == "differences" and not len(layout.compared.differences):
                raise InputError("there are no differences of a single run", "compare several")
            if kind == "differences" or (tables is None and is_one):
                table = layout.differences(brief=True)
            else:
                table = layout.leaderboard(intervals=with_intervals)
            found.append(("" if kind == "means" else f"-{kind}", layout.caption(table), table))
        if not found:
            raise InputError("there are no slices", "choose other tables, or compare with by")
        page = LatexFloat(caption, label, environment, resize)
        written = []
        for number, (ending, told, table) in enumerate(found):
            own = page if number == 0 else replace(page, caption=None, label=f"{label}{ending}")
            written.append(table.as_latex(caption=told, label=label, page=own))
        return "\n".join(written)

    def _repr_html_(self) -> str:
        layout = self.layout()
        parts = [table.as_html() for table in _tables(layout)]
        for name, part in layout.slices():
            parts += [html.title(name), *(table.as_html() for table in _tables(part))]
        return html.page(*parts, html.notes(shown(layout.below)))

    def __str__(self) -> str:
        """Return ``to_text``, as wide as the terminal, if there is one."""
        return self.to_text(width=line_width()).rstrip("\n")


def text_of(
    layout: Layout, lines: Sequence[str], *, styled: bool = False, width: int | None = None
) -> str:
    """Return tables as text, with lines below them."""
    tables = [table.as_text(styled=styled, width=width) for table in _tables(layout)]
    for name, part in layout.slices():
        first, *rest = (table.as_text(styled=styled, width=width) for table in _tables(part))
        tables += [f"{one_line(name)}:\n{first}", *rest]
    told = "".join(f"{one_line(line)}\n" for line in lines)
    return fitted("\n".join([*tables, told]), width)


def markdown_of(layout: Layout, lines: Sequence[str]) -> str:
    """Return tables as Markdown, with lines below them."""
    tables = [table.as_markdown() for table in _tables(layout)]
    for name, part in layout.slices():
        tables += [f"{sparing_line(name)}:\n", *(table.as_markdown() for table in _tables(part))]
    return "\n".join([*tables, "  \n".join(map(sparing_line, lines)) + "\n"])


def _tables(layout: Layout) -> list[MarkedTable]:
    """Return one table with a baseline or of two runs, else a leaderboard and few pairs."""
    if layout.reference is not None:
        return [layout.differences()]
    from rankmark.verbs.compare.comparison_notes import MOST_PAIRS  # noqa: PLC0415

    rows = len(layout.compared.differences)
    return [layout.leaderboard(), *([layout.differences()] if 0 < rows <= MOST_PAIRS else [])]
