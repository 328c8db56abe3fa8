"""Results that are shown as a sentence, tables and notes: all written forms are made of these."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from rankmark.errors import InputError, one_line
from rankmark.results.details import IN_PYTHON, shown
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.result import Result, plain
from rankmark.results.text_tables import BEST, Cell
from rankmark.results.text_width import fitted, line_width
from rankmark.version import __version__

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankmark.results.drawing.result_page import PageParts, Picture


class Column(NamedTuple):
    """A column of a table that has a row for each of some objects.

    Parameters
    ----------
    head
        Its name.
    text
        What it says of an object.
    is_best
        Whether that is the best of the column, which is marked.
    attached
        Whether it belongs to the column at its left, such as its interval.
    """

    head: str
    text: Callable[[Any], str]
    is_best: Callable[[Any], bool] = lambda _: False
    attached: bool = False


def table_of(columns: Sequence[Column], rows: Iterable[Any], **more: Any) -> MarkedTable:
    """Return a table with a row for each object; ``more`` is as for ``MarkedTable``."""
    return MarkedTable(
        [column.head for column in columns],
        [[Cell(c.text(row), BEST if c.is_best(row) else 0) for c in columns] for row in rows],
        attached=[column.head for column in columns if column.attached],
        **more,
    )


class ShownResult(Result):
    """A result that says what it shows; text, Markdown, LaTeX, HTML and JSON follow from that.

    A class defines ``headline``, a sentence above the tables, or ``heading``, which stands in HTML
    only; ``notes``; ``_grids``, its tables; ``_contents``, what JSON has; and ``_table``, the
    columns of data frames. ``top`` and the like are keywords of ``_grids`` and ``_contents``.
    """

    __slots__ = ()

    _schema: ClassVar[int] = 1
    """Version of ``to_dict``; it increases if a field changes its meaning or is removed."""

    @property
    def headline(self) -> str:
        """What was found, in a sentence, or ""."""
        return ""

    @property
    def heading(self) -> str:
        """What the result is about, or ""."""
        return self.headline

    @property
    @abstractmethod
    def notes(self) -> list[str]:
        """The lines below the tables."""

    @property
    def kept_notes(self) -> list[str]:
        """The notes that stay without the audit: how the numbers were found."""
        return self.notes

    @abstractmethod
    def _grids(self, *args: Any, **choices: Any) -> list[MarkedTable]:
        """Return the tables."""

    @abstractmethod
    def _contents(self, *args: Any, **choices: Any) -> Mapping[str, Any]:
        """Return what JSON has behind the versions: values may be anything ``plain`` takes."""

    def to_text(
        self,
        *,
        width: int | None = None,
        verbose: bool = False,
        quiet: bool = False,
        how: str = IN_PYTHON,
        **choices: Any,
    ) -> str:
        """Return what was found, the tables and the notes.

        Parameters
        ----------
        width
            The columns of a line; None for no limit.
        verbose
            Whether to add the notes that change no decision.
        quiet
            Whether to leave out the audit, and how files were read.
        how
            How to see notes that are left out.
        **choices
            What the tables of some results have: ``top``, how many rows to show, or ``per_query``,
            whether to add those of each query.
        """
        notes = shown(self.kept_notes if quiet else self.notes, verbose=verbose, how=how)
        found = [f"{one_line(self.headline)}\n"] if self.headline else []
        tables = self._grids(**choices)
        shown_tables = [table.as_text(width=width) for table in tables]
        below = [*(table.note for table in tables if table.note), *notes]
        return fitted("\n".join([*found, *shown_tables, *map(one_line, below)]), width)

    def to_markdown(self, **choices: Any) -> str:
        """Return the tables as Markdown; choices are those of ``to_text``."""
        return "\n".join(table.as_markdown() for table in self._grids(**choices))

    def to_latex(self, **choices: Any) -> str:
        """Return the tables as floats of LaTeX, with booktabs and siunitx."""
        return "\n".join(table.as_latex() for table in self._grids(**choices))

    def to_dict(self, **choices: bool) -> dict[str, Any]:
        """Return everything for JSON, with None for NaN. Files have their SHA-256.

        Choices are what is in it: ``per_query`` or ``pairs``, where a result has them.
        """
        written = {name: plain(value) for name, value in self._contents(**choices).items()}
        return {"schema": self._schema, "rankmark": __version__, **written}

    def __str__(self) -> str:
        """Return ``to_text``, as wide as the terminal, if there is one."""
        return self.to_text(width=line_width())

    def __repr__(self) -> str:
        return one_line(f"{type(self).__name__}({self.headline or self.heading})")

    def _repr_html_(self) -> str:
        from rankmark.results import html_parts as html  # noqa: PLC0415

        title = html.title(self.headline or self.heading)
        return html.page(title, self._tables_html(shown(self.notes)))

    def _tables_html(self, notes: Sequence[str]) -> str:
        from rankmark.results import html_parts as html  # noqa: PLC0415

        return "".join(table.as_html() for table in self._grids()) + html.notes(notes)


class PagedResult(ShownResult):
    """A result with a page of its own: the headline, pictures, tables and notes."""

    __slots__ = ()

    @abstractmethod
    def _pictures(self) -> list[Picture]:
        """Return the pictures of the page."""

    def _page_parts(self) -> PageParts:
        from rankmark.results import html_parts as html  # noqa: PLC0415
        from rankmark.results.drawing.result_page import PageParts  # noqa: PLC0415

        found = html.paragraph(self.headline) if self.headline else ""
        return PageParts(self.heading, found, self._pictures(), self._tables_html(self.notes))


class DrawnResult(PagedResult):
    """A result with kinds of plots, the first of which is the usual one."""

    __slots__ = ()

    _captions: ClassVar[Mapping[str, str]]
    """What each kind of plot shows."""

    def _is_drawn(self) -> bool:
        """Return whether there is anything to plot."""
        return True

    @abstractmethod
    def _draw(self, kind: str, ax: Axes, *, title: bool) -> None:
        """Draw a kind of plot."""

    def plot(self, kind: str | None = None, *, title: bool = True, ax: Axes | None = None) -> Axes:
        """Plot one kind of picture.

        Parameters
        ----------
        kind
            What to draw; None for the usual kind. A message lists the others.
        title
            Whether there is a title.
        ax
            The Axes to draw on; None for a new pyplot figure.

        Returns
        -------
        matplotlib.axes.Axes
            ``ax``, or the Axes of the new figure.

        Raises
        ------
        MissingDependencyError
            If matplotlib is not installed.
        InputError
            If the kind is unknown, ``ax`` is not Axes, or there is nothing to draw.
        """
        from rankmark.results.drawing.figures import axes  # noqa: PLC0415

        kind = next(iter(self._captions)) if kind is None else kind
        if kind not in self._captions:
            raise InputError(f"kind is {kind!r}", f"choose {' or '.join(self._captions)}")
        with axes(ax) as canvas:
            self._draw(kind, canvas, title=title)
        return canvas

    def _pictures(self) -> list[Picture]:
        from rankmark.results.drawing.result_page import Picture  # noqa: PLC0415

        if not self._is_drawn():
            return []
        return [Picture(told, partial(self._drawn, kind)) for kind, told in self._captions.items()]

    def _drawn(self, kind: str, ax: Axes) -> Axes:
        return self.plot(kind, ax=ax)
