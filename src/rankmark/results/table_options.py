"""What a table of several runs looks like: names, order, decimals, lines below, place in LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from rankmark.named_tuples import NamedTuple
from rankmark.results.number_style import USUAL, NumberStyle

if TYPE_CHECKING:
    from rankmark.results.latex_float import LatexFloat

GIVEN = "given"
"""The order of runs that is no measure."""

LatexTable = Literal["means", "differences", "slices"]
Notes = Literal["usual", "few", "all"]


class TableOptions(NamedTuple):
    """Options of tables.

    Parameters
    ----------
    names
        A name for each run, in the order of the runs; None for those of their files.
    sort
        The measure that orders the runs, best first; "given" for the order given; None for the
        first measure.
    style
        How numbers are written.
    notes
        The lines below the table, or on standard error: "usual" says once what several runs have
        in common, without details; "all" has every line of every run; "few" the conventions only.
    width
        The columns of a line of text; None for no limit.
    styled
        Whether the best values are bold, and the second best underlined, in tables of text.
    page
        How tables of LaTeX stand on the page; None for as usual.
    tables
        The tables of a comparison in LaTeX; None for a single one.
    """

    names: Sequence[str] | None = None
    sort: str | None = None
    style: NumberStyle = USUAL
    notes: Notes = "usual"
    width: int | None = None
    styled: bool = False
    page: LatexFloat | None = None
    tables: Sequence[LatexTable] | None = None
