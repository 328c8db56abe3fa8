"""The float of LaTeX in which a table stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

from rankmark.errors import InputError, shown

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
