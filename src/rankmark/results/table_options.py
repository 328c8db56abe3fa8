"""What a table of several runs looks like: names, order, decimals, lines below, place in LaTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from rankmark.errors import InputError, shown
from rankmark.results.number_style import USUAL, NumberStyle

Environment = Literal["table", "table*", "sidewaystable"]
ENVIRONMENTS: tuple[Environment, ...] = get_args(Environment)

# The widest that a table may be, and no wider than it is.
_NO_WIDER = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"


@dataclass(frozen=True, slots=True)
class LatexFloat:
    """The float that a table becomes.

    Parameters
    ----------
    caption
        Its text, in which characters that are commands are escaped; None for one that says what
        the numbers mean.
    label
        The name for references; None for a usual one.
    environment
        "table" is as wide as a column, "table*" as wide as the page where this has two columns, and
        "sidewaystable", of the package rotating, fills a page from the side.
    resize
        Whether a table that is too wide is made smaller, letters included, until it fits.

    Raises
    ------
    InputError
        If the environment is none of these, or LaTeX cannot read the label.
    """

    caption: str | None = None
    label: str | None = None
    environment: Environment = "table"
    resize: bool = False

    def __post_init__(self) -> None:
        """Refuse what LaTeX could not read."""
        if self.environment not in ENVIRONMENTS:
            raise InputError(
                f"environment is {shown(self.environment)}",
                f"need one of {', '.join(ENVIRONMENTS)}",
            )
        if self.label is not None and not re.fullmatch(r"[A-Za-z0-9:._/+ -]+", self.label):
            raise InputError(
                f"label is {shown(self.label)}", "need letters without accents, digits and :._/+-"
            )

    def lines(self, tabular: list[str], *, caption: str, label: str, setup: str) -> list[str]:
        """Return the lines of a float around those of a tabular.

        Parameters
        ----------
        caption, label
            What is taken unless others were chosen; both escaped.
        setup
            Commands before the caption.
        """
        packages = "booktabs,siunitx"
        packages += ",graphicx" if self.resize else ""
        packages += ",rotating" if self.environment == "sidewaystable" else ""
        if self.resize:
            first, *rest = tabular
            tabular = [f"  {_NO_WIDER}", first, *rest[:-1], f"{rest[-1]}}}"]
        return [
            rf"% \usepackage{{{packages}}}",
            rf"\begin{{{self.environment}}}",
            r"  \centering\small",
            f"  {setup}",
            f"  \\caption{{{caption}}}",
            f"  \\label{{{self.label or label}}}",
            *tabular,
            rf"\end{{{self.environment}}}",
        ]


IN_A_COLUMN = LatexFloat()
"""A table with the usual caption and label."""


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
