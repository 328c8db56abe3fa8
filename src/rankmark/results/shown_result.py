"""Results that declare what is shown; every written form is made of that."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from rankmark.errors import InputError, one_line
from rankmark.named_tuples import NamedTuple
from rankmark.results.details import IN_PYTHON
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.result import Result, plain
from rankmark.results.shown_parts import Look, Notes, Part, Title
from rankmark.results.text_tables import BEST, Cell
from rankmark.results.text_width import line_width
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
    """A result that declares the parts of which it is shown, and what JSON and data frames have.

    A class defines ``_parts``, which every form writes; ``_contents``, what JSON has; and
    ``_table``, the columns of data frames. ``top`` and the like are keywords of the first two.
    """

    __slots__ = ()

    _schema: ClassVar[int | None] = 1
    """Version of ``to_dict``; it increases if a field changes its meaning or is removed."""
    _usual_width: ClassVar[int | None] = None
    """The columns of a line of text unless others are asked for; None for no limit."""
    _markdown: ClassVar[str] = "markdown"
    """The form of ``to_markdown``."""

    @abstractmethod
    def _parts(self, look: Look, *args: Any, **choices: Any) -> Sequence[Part]:
        """Return what is shown, in order."""

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
            The columns of a line; None for no limit, or for 80 in a report in prose.
        verbose
            Whether to add the notes that change no decision.
        quiet
            Whether to leave out the audit, and how files were read.
        how
            How to see notes that are left out.
        **choices
            What some results have: ``top``, how many rows to show; ``per_query``, whether to add
            those of each query; ``all_rows``, whether to show all; or how numbers are written.
        """
        width = self._usual_width if width is None else width
        return self._in_form(Look("text", width, verbose, quiet, how), **choices)

    def to_markdown(self, *, verbose: bool = False, how: str = IN_PYTHON, **choices: Any) -> str:
        """Return what is pasted, such as the tables, as Markdown; see ``to_text``."""
        return self._in_form(Look(self._markdown, verbose=verbose, how=how), **choices)

    def to_latex(self, **choices: Any) -> str:
        """Return the tables as floats of LaTeX, with booktabs and siunitx; see ``to_text``."""
        return self._in_form(Look("latex"), **choices)

    def _in_form(self, look: Look, **choices: Any) -> str:
        from rankmark.results.written_forms import written  # noqa: PLC0415

        return written(self._parts(look, **choices), look)

    def to_dict(self, **choices: bool) -> dict[str, Any]:
        """Return everything for JSON, with None for NaN. Files have their SHA-256.

        Choices are what is in it: ``per_query`` or ``pairs``, where a result has them.
        """
        versions = {"schema": self._schema, "rankmark": __version__} if self._schema else {}
        contents = self._contents(**choices)
        return versions | {name: plain(value) for name, value in contents.items()}

    def __str__(self) -> str:
        """Return ``to_text``, as wide as the terminal, if there is one."""
        return self.to_text(width=line_width())

    def __repr__(self) -> str:
        return one_line(f"{type(self).__name__}({self._parts(Look())[0]})")

    def _repr_html_(self) -> str:
        return self._in_form(Look("html"))


class TabledResult(ShownResult):
    """A result that is shown as a sentence, tables and notes.

    A class defines ``headline``, a sentence above the tables, or ``heading``, which stands in HTML
    only; ``_grids``, the tables; and ``notes``.
    """

    __slots__ = ()

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

    def _parts(self, look: Look, *args: Any, **choices: Any) -> Sequence[Part]:
        tables = self._grids(*args, **choices)
        if look.is_pasted:
            return tables
        is_text = look.form == "text"
        title = self.headline if is_text else self.headline or self.heading
        told = look.notes(self.kept_notes if look.quiet else self.notes)
        below = [table.note for table in tables if table.note and is_text]
        return [Title(title), *tables, Notes([*below, *told])]

    def __repr__(self) -> str:
        return one_line(f"{type(self).__name__}({self.headline or self.heading})")


class PagedResult(TabledResult):
    """A result with a page of its own: the headline, pictures, tables and notes."""

    __slots__ = ()

    @abstractmethod
    def _pictures(self) -> list[Picture]:
        """Return the pictures of the page."""

    def _page_parts(self) -> PageParts:
        from rankmark.results.drawing.result_page import PageParts  # noqa: PLC0415
        from rankmark.results.written_forms import Html  # noqa: PLC0415

        parts = self._parts(Look("html", verbose=True))
        first = next((at for at, part in enumerate(parts) if isinstance(part, MarkedTable)), 0)
        said = [str(part) if isinstance(part, Title) else part for part in parts[:first]]
        found = Html().joined(said) if self.headline else ""
        return PageParts(self.heading, found, self._pictures(), Html().joined(parts[first:]))


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
