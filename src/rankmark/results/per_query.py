"""Results with a row for each query, which map names to means."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, Self

from rankmark.array_types import defined_means
from rankmark.errors import (
    InputError,
    MeasureError,
    NotEvaluatedError,
    counted,
    one_line,
    shown,
)
from rankmark.results.escaped_bytes import encodable
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.result import Row
from rankmark.results.run_names import short_names
from rankmark.results.shown_parts import Look, Notes, Part, Values
from rankmark.results.shown_result import PagedResult, TabledResult
from rankmark.results.table_schema import Columns, long_form, texts
from rankmark.results.text_width import line_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankmark.array_types import Floats
    from rankmark.results.drawing.result_page import Picture
    from rankmark.results.plain_table import Table


class ByQuery(TabledResult, Mapping[str, float]):
    """A result with a row for each query: ``query_id``, then a column for each name.

    It maps each name to one number, as ``means`` does. Two results are equal if their names,
    queries, numbers (to the bit) and settings are; a result equals any other mapping with the same
    names and numbers.
    """

    _label: ClassVar[str]
    """That of LaTeX."""
    audit: Any

    @property
    @abstractmethod
    def queries(self) -> tuple[str, ...]:
        """(n_queries,) ids, as text."""

    @property
    @abstractmethod
    def names(self) -> list[str]:
        """(n_columns,) the names of the columns."""

    scores: Floats

    @property
    @abstractmethod
    def _figures(self) -> tuple[float, ...]:
        """(n_columns,) the number of each name."""

    @abstractmethod
    def column(self, name: Any) -> int:
        """Return the number of the column of ``scores`` with a name."""

    def per_query(self, name: Any) -> dict[str, float]:
        """Return the value of each query by its id; NaN where it is undefined."""
        return dict(zip(self.queries, self.scores[:, self.column(name)].tolist(), strict=True))

    @property
    def means(self) -> dict[str, float]:
        """The number of each name: the mean over the queries, or another aggregate."""
        return dict(zip(self.names, self._figures, strict=True))

    def to_log(self, prefix: str = "") -> dict[str, float]:
        """Return the means by keys that experiment trackers accept, such as ``nDCG_at_10``.

        MLflow, Weights & Biases, TensorBoard, Aim and Comet refuse or change names with ``@``,
        ``(`` and ``=``. These keys have letters, digits and underscores, and each measure has its
        own, the same in every result.

        Parameters
        ----------
        prefix
            What each key begins with, such as ``"test/"``.

        Examples
        --------
        >>> import rankmark as rm
        >>> ev = rm.evaluate({"q": {"a": 1}}, {"q": ["b", "a"]}, ["RR", 'nDCG(gain="exp2")@10'])
        >>> ev.to_log("test/")
        {'test/RR': 0.5, 'test/nDCG_gain_exp2_at_10': 0.6309297535714575}
        """
        from rankmark.results.log_keys import logged  # noqa: PLC0415

        return logged(self.means, prefix)

    def __getitem__(self, name: Any) -> float:
        return self._figures[self.column(name)]

    def _shown(self) -> list[tuple[str, str]]:
        """Return the names with their numbers, as they are shown."""
        return [*zip(map(one_line, self.names), self._texts(self._figures), strict=True)]

    def _texts(self, values: Sequence[float]) -> list[str]:
        """Return how a value of each name is written."""
        return [f"{value:.4f}" for value in values]

    def _parts(self, look: Look, *args: Any, **choices: Any) -> Sequence[Part]:
        is_brief = look.form == "html"
        return self._brief() if is_brief else super()._parts(look, *args, **choices)

    def _brief(self) -> list[Part]:
        return [Values(self._shown()), Notes([note for note in self.notes if note])]

    def _grids(self, *, per_query: bool = False) -> list[MarkedTable]:
        rows = [("all", self._figures)]
        if per_query:
            rows = [*zip(self.queries, map(tuple, self.scores.tolist()), strict=True), *rows]
        table = MarkedTable(
            ["query_id", *self.names],
            ([query, *self._texts(values)] for query, values in rows),
            caption=f"{self.heading}.",
            label=self._label,
        )
        return [table]

    def __str__(self) -> str:
        """Return the means, the audit, and the conventions."""
        from rankmark.results.written_forms import written  # noqa: PLC0415

        return written(self._brief(), Look(width=line_width()))

    def __repr__(self) -> str:
        scores = ", ".join(f"{name}={mean}" for name, mean in self._shown())
        queries = counted(len(self.scores), "query", "queries")
        return one_line(f"{type(self).__name__}({queries}: {scores})")

    @abstractmethod
    def _chosen(self) -> object:
        """Return the settings by which results with the same numbers still differ."""

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def _ipython_key_completions_(self) -> list[str]:
        """Return what completes ``result["`` in notebooks."""
        return self.names

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        try:
            self[name]
        except (MeasureError, TypeError):
            return False
        return True

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ByQuery):
            return self._identity() == other._identity()
        return super().__eq__(other)

    def __hash__(self) -> int:
        return hash((*self.names, self.scores.tobytes()))

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self  # immutable

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.scores.flags.writeable = False

    def _identity(self) -> tuple[object, ...]:
        return self.names, self.queries, self.scores.tobytes(), self._chosen()

    def _contents(self, *, per_query: bool = True) -> dict[str, Any]:
        """Return what JSON has, with the values of each query if ``per_query``.

        Returns
        -------
        settings
            All choices, and the parameters of each measure.
        audit
            Which queries were averaged, and what was counted.
        scores
            {name: its mean over the queries}.
        """
        return self._document(self._more(), per_query=per_query)

    def _document(self, more: Mapping[str, Any], *, per_query: bool) -> dict[str, Any]:
        written = {
            **self._inputs(),
            "settings": self._own_settings(),
            "audit": self.audit,
            "scores": self.means,
            **more,
        }
        if per_query:
            rows = (dict(zip(self.names, row, strict=True)) for row in self.scores.tolist())
            written["per_query"] = dict(zip(self.queries, rows, strict=True))
        return written

    @abstractmethod
    def _inputs(self) -> Mapping[str, Any]:
        """Return what was read, by name."""

    @abstractmethod
    def _own_settings(self) -> Mapping[str, Any]:
        """Return the settings in JSON."""

    def _more(self) -> dict[str, Any]:
        """Return what JSON has beside the scores."""
        return {}

    @abstractmethod
    def _about(self) -> dict[str, str]:
        """Return the names of the runs, by the columns that hold them."""

    @property
    def long(self) -> Table:
        """The scores with a row for each query and name, in the columns measure and value.

        The columns before these are the names of the runs, and ``query_id``.
        """
        from rankmark.results.plain_table import Table  # noqa: PLC0415

        of_runs = {
            name: [encodable(run)] * len(self.queries) for name, run in self._about().items()
        }
        return Table(long_form(of_runs | self._table(), [*of_runs, "query_id"]))

    def _table(self) -> dict[str, Any]:
        columns: dict[str, Any] = {"query_id": [*map(encodable, self.queries)]}
        for column, name in enumerate(self.names):
            columns[name] = self.scores[:, column].copy()
        return columns


class Audit(Row):
    """What was averaged and counted: a frozen dataclass of numbers, told on one line."""

    __slots__ = ()

    told: ClassVar[tuple[tuple[str, str], ...]]
    """Words with ``{}`` for counts, and the field that must not be 0 for them to be said, or ""."""

    def __str__(self) -> str:
        """Return the audit on one line."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}  # type: ignore[arg-type]
        said = (words for words, needed in self.told if not needed or values[needed])
        return "".join(said).format(**values) + self._ends()

    def _ends(self) -> str:
        """Return what the line ends with."""
        return ""


def undefined_for(counts: Mapping[str, int]) -> str:
    """Say for how many queries each value is undefined."""
    told = [f"{name} for {count:,}" for name, count in counts.items() if count]
    return f"; undefined: {', '.join(told)}" if told else ""


class MeansByQuery(ByQuery, PagedResult):
    """Values by query, and their means over the queries that have one, with intervals.

    Attributes
    ----------
    scores
        (n_queries, n_names) float64, unitless; NaN where a value is undefined.
    names
        The names of the values, in the requested order.
    queries, means
        (n_queries,) ids, as text; {name: mean over the queries for which it is defined, NaN if
        there are none}.
    audit, settings
        Which queries were averaged, and what was counted; all choices.
    """

    _main: ClassVar[str] = ""
    """The input that is the run, or ""."""
    _between: ClassVar[tuple[float, float]] = (float("-inf"), float("inf"))
    """The lowest and the highest value possible, beyond which no interval of a mean lies."""
    _words: ClassVar[tuple[str, str]] = ("computed", "result")
    """What was done to a name, and what the result is, in messages."""
    _nothing_drawn: ClassVar[tuple[str, str]] = (
        "all values are undefined",
        "choose other measures to plot",
    )
    _x_label: ClassVar[str] = "value of each query"

    def __init__(
        self,
        *,
        names: Sequence[str],
        queries: Sequence[str],
        scores: Floats,
        conventions: Mapping[str, Any],
        audit: Any,
        read: Mapping[str, dict[str, Any]],
    ) -> None:
        self._names, self._queries = tuple(names), tuple(queries)
        self.scores, self.audit = scores, audit
        self._conventions, self._read = dict(conventions), dict(read)
        scores.flags.writeable = False

    @property
    def names(self) -> list[str]:
        """The names of the values."""
        return [*self._names]

    @property
    def queries(self) -> tuple[str, ...]:
        """Ids of the queries with a row."""
        return self._queries

    @property
    def _figures(self) -> tuple[float, ...]:
        return defined_means(self.scores)

    @property
    def settings(self) -> dict[str, Any]:
        """All choices: conventions, and how the data were read."""
        return self._conventions | self._read

    @property
    def run_name(self) -> str:
        """The name of the file of the run, or its form, such as ``<mapping>``."""
        return str(self._read[self._main]["name"]) if self._main else ""

    def _about(self) -> dict[str, str]:
        return {"run": short_names([self.run_name])[0]} if self._main else {}

    def _chosen(self) -> object:
        return self._conventions

    @property
    def notes(self) -> list[str]:
        """The lines below a table: audit, how the data were read, and conventions."""
        from rankmark.data.given_tables.role_tables import last_notes  # noqa: PLC0415

        return last_notes(self.audit, self._read, self._conventions)

    @property
    def kept_notes(self) -> list[str]:
        """The last of the notes, on the conventions."""
        return self.notes[-1:]

    def intervals(self, confidence: float = 0.95) -> dict[str, tuple[float, float]]:
        """Return a confidence interval of each mean: Student's t over the queries.

        What it has beyond the lowest and the highest value possible is cut off.

        NaN for both ends if the queries are too few or all alike. ``compare_scores`` has intervals
        of differences, and other kinds.

        Parameters
        ----------
        confidence
            Above 0 and below 1.
        """
        from rankmark.statistics.confidence_intervals import mean_intervals  # noqa: PLC0415

        found = mean_intervals(self.scores, method="t", confidence=confidence)
        cut = [one.within(self._between) for one in found]
        return dict(zip(self.names, ((each.low, each.high) for each in cut), strict=True))

    def column(self, name: Any) -> int:
        """Return the column of a name in ``scores``.

        Raises
        ------
        NotEvaluatedError
            If the result does not have it, or there is no such name.
        """
        try:
            found = [*self._meant(name)]
        except MeasureError as error:
            raise NotEvaluatedError(error.found, error.remedy, where=error.where) from None
        if len(found) != 1 or found[0] not in self._names:
            done, noun = self._words
            have = f"this {noun} has {', '.join(self._names)}"
            raise NotEvaluatedError(f"{', '.join(found)} was not {done}", have)
        return self._names.index(found[0])

    def _meant(self, name: Any) -> Sequence[str]:
        """Return the full names that a name stands for."""
        return [name if name in self._names else shown(name)]

    def _inputs(self) -> Mapping[str, Any]:
        return self._read

    def _own_settings(self) -> Mapping[str, Any]:
        return {name: value for name, value in self.settings.items() if name not in self._read}

    def as_table(self, *, per_query: bool = True, is_long: bool = False) -> Table:
        """Return the values of each query, or else their means, behind the names of the runs.

        Parameters
        ----------
        per_query
            Whether there is a row for each query.
        is_long
            Whether a row has one value, in the columns measure and value.
        """
        from rankmark.results.plain_table import Table  # noqa: PLC0415

        of_runs, count = self._about(), len(self.queries) if per_query else 1
        columns: Columns = {name: texts(name, [run]) * count for name, run in of_runs.items()}
        if per_query or not of_runs:
            columns["query_id"] = texts("query_id", self.queries if per_query else ["all"])
        keys = [*columns]
        for at, (name, mean) in enumerate(self.means.items()):
            columns[name] = self.scores[:, at] if per_query else [mean]
        return Table(long_form(columns, keys) if is_long else columns)

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Plot the distribution of the values by query, one row for each of the names.

        Parameters
        ----------
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
            If there is nothing to draw, as all values are undefined.
        """
        from rankmark.results.drawing.figures import axes  # noqa: PLC0415
        from rankmark.results.drawing.spreads import draw_distributions  # noqa: PLC0415

        drawn = self._drawn_columns()
        if not self._is_drawn():
            raise InputError(*self._nothing_drawn)
        title, names = self._drawn_title(), [self._names[at] for at in drawn]
        columns, numbers = [*self.scores[:, drawn].T], range(len(drawn))
        with axes(ax) as canvas:
            draw_distributions(canvas, columns, names, numbers, title=title, x_label=self._x_label)
        return canvas

    def _drawn_columns(self) -> list[int]:
        return [*range(len(self._names))]

    def _is_drawn(self) -> bool:
        values = self.scores[:, self._drawn_columns()]
        return bool((values == values).any())  # noqa: PLR0124  (some are not NaN)

    def _drawn_title(self) -> str:
        return f"{counted(len(self.queries), 'query', 'queries')}"

    def _pictures(self) -> list[Picture]:
        from rankmark.results.drawing.result_page import Picture  # noqa: PLC0415

        caption = f"Values by query: {self._drawn_title()}"
        return [Picture(caption, lambda ax: self.plot(ax=ax))] if self._is_drawn() else []
