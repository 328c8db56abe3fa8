"""The parts of which results are shown; ``text_form`` and ``written_forms`` write them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Self

from rankmark.named_tuples import NamedTuple
from rankmark.results.details import IN_PYTHON, shown
from rankmark.results.marked_tables import MarkedTable

if TYPE_CHECKING:
    Words = Callable[[str], str]


class Look(NamedTuple):
    """How a result is to be shown.

    Parameters
    ----------
    form
        "text", "markdown", "pull request" (Markdown for GitHub), "latex" or "html".
    width
        The columns of a line of text; None for no limit.
    verbose, quiet
        Whether to add the notes that change no decision, and to leave out the audit.
    how
        How to see notes that are left out.
    """

    form: str = "text"
    width: int | None = None
    verbose: bool = False
    quiet: bool = False
    how: str = IN_PYTHON

    @property
    def is_pasted(self) -> bool:
        """Whether tables alone are wanted, for a document."""
        return self.form in {"markdown", "latex"}

    def notes(self, lines: Sequence[str]) -> list[str]:
        """Return the notes to show, the last of which says how to see the others."""
        return shown(lines, verbose=self.verbose, how=self.how)


class Told(str):
    """A sentence in which names are written as the form wants, as code in Markdown for example."""

    __slots__ = ("write",)
    write: Callable[[Words], str]

    def __new__(cls, write: Callable[[Words], str]) -> Self:
        """Make a sentence with the names as they are."""
        made = super().__new__(cls, write(str))
        made.write = write
        return made


class Title(str):
    """What was found, or what the result is about."""

    __slots__ = ()


class Decision(NamedTuple):
    """A title that says what was decided, behind a sign for it."""

    mark: str
    text: str


class Heading(str):
    """A line right above what it is of."""

    __slots__ = ()


class Formula(str):
    """A line with a formula."""

    __slots__ = ()


class Command(NamedTuple):
    """A command, and what it is for."""

    use: str
    command: str


class Labelled(NamedTuple):
    """A text beside a label, which takes ``width`` columns behind ``indent`` blanks."""

    label: str
    text: str
    width: int
    indent: int = 2

    def __str__(self) -> str:
        return f"{self.label.strip()}: {self.text}"


class Lines(tuple["str | Labelled", ...]):
    """Lines without a blank one between them; those that are indented belong to what is above."""

    __slots__ = ()


class Notes(tuple[str, ...]):
    """The lines at the end."""

    __slots__ = ()


class Reason(NamedTuple):
    """The verdict on what has these names, and the reason for it."""

    mark: str
    names: Sequence[str]
    verdict: str
    reason: str

    def __str__(self) -> str:
        return f"{', '.join(self.names)}: {self.verdict}; {self.reason}"


class Items(tuple["str | Reason", ...]):
    """A list of sentences, each by itself."""

    __slots__ = ()


class Values(tuple[tuple[str, str], ...]):
    """Names and their numbers."""

    __slots__ = ()


class Folded(NamedTuple):
    """A table that is folded up where that is possible, below a heading that ends in a name."""

    heading: str
    name: str
    table: MarkedTable


class InText(NamedTuple):
    """What text says in lines of its own, and other forms in parts."""

    lines: Sequence[str]
    parts: Sequence[Part]


class Section(NamedTuple):
    """A result within a result, under its name."""

    name: str
    parts: Sequence[Part]


Part = (
    MarkedTable
    | Decision
    | Command
    | Lines
    | Notes
    | Items
    | Values
    | Folded
    | InText
    | Section
    | str
)
"""A part of what is shown; a plain str is a sentence that stands by itself."""
