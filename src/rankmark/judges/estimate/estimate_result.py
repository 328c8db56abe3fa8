"""What people would say of runs, estimated: means and differences, as text, tables and JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from rankmark.errors import InputError, NotEvaluatedError, one_line
from rankmark.judges.estimate import estimate_text
from rankmark.judges.estimate.estimated import Estimated
from rankmark.judges.estimate.gate_estimate import GateableEstimate
from rankmark.results import html_parts as html
from rankmark.results.details import shown
from rankmark.results.result import Result
from rankmark.results.table_schema import columns_of
from rankmark.results.text_width import line_width
from rankmark.version import __version__

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankmark.results.drawing.result_page import PageParts
    from rankmark.verbs.power.both_judged import BothJudged

SCHEMA = 1
"""Version of ``to_dict``; it increases if a field changes its meaning or is removed."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Estimate(Result, GateableEstimate):
    """Means and differences of runs by people's labels, estimated with those of a model.

    Parameters
    ----------
    means
        Of each run on each measure, the measures in the order asked for.
    differences
        Of pairs of runs, on each measure: the run's mean minus that of its ``baseline``.
    both
        The scores of the runs by both sets of labels.
    sample
        How the queries that people judged were drawn, in words.
    settings
        All choices.
    half_width
        What was asked about: how far an interval may reach on each side; None if nothing was.
    """

    means: tuple[Estimated, ...]
    differences: tuple[Estimated, ...]
    both: BothJudged = field(repr=False)
    sample: str
    settings: Mapping[str, Any] = field(repr=False)
    half_width: float | None = None

    @property
    def decision(self) -> str:
        """The answer in a sentence: which run is better, or how good a single one is."""
        return estimate_text.decision(self)

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures."""
        return tuple(map(str, self.both.measures))

    @property
    def runs(self) -> tuple[str, ...]:
        """Names of the runs."""
        return self.both.runs

    def mean(self, run: str | None = None, measure: str | None = None) -> Estimated:
        """Return the estimated mean of a run; None for the first run, or the first measure.

        Raises
        ------
        NotEvaluatedError
            If there is no such run or measure.
        """
        return _only(self.means, run, None, measure)

    def difference(
        self, run: str | None = None, baseline: str | None = None, measure: str | None = None
    ) -> Estimated:
        """Return an estimated difference; None for the first.

        Raises
        ------
        NotEvaluatedError
            If there is no such pair or measure.
        """
        return _only(self.differences, run, baseline, measure)

    @property
    def notes(self) -> list[str]:
        """The lines below the tables: the sample, and how intervals were found."""
        return estimate_text.notes(self)

    def _table(self) -> dict[str, Any]:
        return columns_of([row.to_dict() for row in (*self.means, *self.differences)])

    def to_dict(self) -> dict[str, Any]:
        """Return everything for JSON, with None for NaN."""
        of_people, of_model = self.both.evaluations[0]
        by_people, by_model = (one.to_dict(per_query=False) for one in (of_people, of_model))
        return {
            "schema": SCHEMA,
            "rankmark": __version__,
            "people": by_people["qrels"],
            "model": by_model["qrels"],
            "runs": {
                name: one.to_dict(per_query=False)["run"]
                for name, (one, _) in zip(self.runs, self.both.evaluations, strict=True)
            },
            "settings": dict(self.settings),
            "decision": self.decision,
            "sample": self.sample,
            "queries": len(self.both.queries),
            "means": [row.to_dict() for row in self.means],
            "differences": [row.to_dict() for row in self.differences],
            "labels_needed": [dict(one) for one in estimate_text.labels_needed(self)],
            "notes": self.notes,
        }

    def to_text(self, *, verbose: bool = False, width: int | None = None) -> str:
        """Return the answer, the tables and the notes; lines have ``width`` columns, None for any.

        ``verbose`` adds the notes that change no decision.
        """
        return estimate_text.text_of(self, width, verbose=verbose)

    def __str__(self) -> str:
        """Return ``to_text``, as wide as the terminal, if there is one."""
        return self.to_text(width=line_width())

    def __repr__(self) -> str:
        return one_line(f"Estimate({self.decision})")

    def _repr_html_(self) -> str:
        return html.page(html.title(self.decision), self._tables_html(shown(self.notes)))

    def _tables_html(self, notes: Sequence[str]) -> str:
        tables = [
            html.table(table.head, [[cell.text for cell in row] for row in table.rows], table.keys)
            for table in estimate_text.tables(self)
        ]
        return "".join([*tables, html.notes(notes)])

    def _page_parts(self) -> PageParts:
        from rankmark.judges.estimate.estimate_plot import drawn_size  # noqa: PLC0415
        from rankmark.results.drawing.result_page import PageParts, Picture  # noqa: PLC0415

        rows = self.differences or self.means
        what = "Differences" if self.differences else "Means"
        pictures = [
            Picture(
                f"{what} of {measure} by people alone, by people and model, and by the model alone",
                partial(self._drawn, measure),
                drawn_size(sum(row.measure == measure for row in rows)),
            )
            for measure in self.measures
        ]
        title = f"{', '.join(self.measures)} estimated from labels of people and of a model"
        found = html.paragraph(self.decision)
        return PageParts(title, found, pictures, self._tables_html(self.notes))

    def _drawn(self, measure: str, ax: Axes) -> Axes:
        return self.plot(measure, ax=ax)

    def plot(
        self, measure: str | None = None, *, title: bool = True, ax: Axes | None = None
    ) -> Axes:
        """Plot the intervals of people alone, of both sets of labels, and the model's mean.

        Differences are drawn if there are any, and means otherwise.

        Parameters
        ----------
        measure
            The name of a measure; None for the first.
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
        NotEvaluatedError
            If the measure was not estimated.
        InputError
            If ``ax`` is not Axes, or there is no room.
        """
        from rankmark.judges.estimate.estimate_plot import draw_estimates  # noqa: PLC0415

        rows = self.differences or self.means
        asked = self.measures[0] if measure is None else _known(rows, measure)
        return draw_estimates([row for row in rows if row.measure == asked], ax, title=title)


def _known(rows: Sequence[Estimated], measure: object) -> str:
    names = [*dict.fromkeys(row.measure for row in rows)]
    if not isinstance(measure, str):
        measure = str(measure)
    if measure not in names:
        raise NotEvaluatedError(f"{measure} was not estimated", f"there are: {', '.join(names)}")
    return measure


def _only(
    rows: Sequence[Estimated], run: str | None, baseline: str | None, measure: str | None
) -> Estimated:
    wanted = {"run": run, "baseline": baseline, "measure": measure}
    asked = {name: str(value) for name, value in wanted.items() if value is not None}
    for row in rows:
        if all(getattr(row, name) == value for name, value in asked.items()):
            return row
    if not rows:
        raise InputError("there is a single run, and no difference", "give two runs")
    have = ", ".join(f"{row.name} on {row.measure}" for row in rows[:5])
    told = ", ".join(f"{name} {value}" for name, value in asked.items())
    raise NotEvaluatedError(f"nothing was estimated for {told}", f"there are: {have}")
