"""The result of evaluating several searches for each query: each way to merge them, and costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from rankmark.data.given_tables.role_tables import last_notes
from rankmark.errors import InputError, NotEvaluatedError, listed, shown
from rankmark.results.plain_table import Table
from rankmark.results.result import json_number
from rankmark.results.run_names import short_names
from rankmark.statistics.exact_sums import defined_means
from rankmark.verbs.evaluate.means_by_query import MeansByQuery

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankmark.array_types import Floats
    from rankmark.results.drawing.result_page import PageParts
    from rankmark.results.marked_tables import MarkedTable

SCHEMA = 1
"""Version of ``to_dict``; it increases if a field changes its meaning or is removed."""

Way = Literal["interleave", "concatenate", "union", "first", "last", "best"]


@dataclass(frozen=True, slots=True)
class CallAudit:
    """Which queries were averaged, and what their calls retrieved.

    Parameters
    ----------
    judged, answered, missing
        Judged queries; those of them with calls, and the others.
    run_only, run_only_examples
        Queries with calls that are not judged, and the first three; they are ignored.
    averaged
        Queries that were averaged.
    not_applicable
        Queries to which retrieval does not apply; they have NaN.
    calls, documents, distinct
        Of the queries with a row: calls, documents that these retrieved, and documents without
        those that several calls of a query retrieved.
    repeated_in_call
        Documents that a call retrieved again that it had retrieved before; they are ignored.
    """

    judged: int
    answered: int
    missing: int
    run_only: int
    run_only_examples: tuple[str, ...]
    averaged: int
    not_applicable: int
    calls: int
    documents: int
    distinct: int
    repeated_in_call: int

    def __str__(self) -> str:
        """Return the audit on one line."""
        line = (
            f"judged {self.judged:,}, answered {self.answered:,}, missing {self.missing:,}, "
            f"run-only {self.run_only:,}, not applicable {self.not_applicable:,}; calls "
            f"{self.calls:,}, documents {self.documents:,}, distinct {self.distinct:,}"
        )
        if self.repeated_in_call:
            line += f"; repeated within a call {self.repeated_in_call:,}"
        if self.run_only:
            line += f"; not judged: {listed(self.run_only_examples, self.run_only)}"
        return line

    def to_dict(self) -> dict[str, Any]:
        """Return the audit for JSON."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
        }


class CallEvaluation(MeansByQuery):
    """Several searches for each query: a mapping from the names of measures to means.

    Attributes
    ----------
    scores
        (n_queries, n_measures) float64, unitless, of the way ``how``. NaN for a query to which
        retrieval does not apply, and where a measure is undefined.
    names
        The names of the measures, in the requested order.
    queries, means
        (n_queries,) ids, as text, in the order of the judgments; {measure: mean over the queries
        for which it is defined, NaN if there are none}.
    how
        The way in which the calls were taken together.
    audit, settings
        Which queries were averaged, and what was retrieved; all choices.
    """

    def __init__(
        self,
        *,
        how: Way,
        names: tuple[str, ...],
        queries: tuple[str, ...],
        ways: Mapping[str, Floats],
        curve: Floats,
        curve_names: tuple[str, ...],
        made: Mapping[str, int],
        lists: Mapping[str, list[list[str]]],
        relevant: Floats,
        costs: Mapping[str, Mapping[str, float]],
        conventions: dict[str, Any],
        audit: CallAudit,
        read: dict[str, dict[str, Any]],
    ) -> None:
        self.how = how
        self.scores = ways[how]
        self.scores.flags.writeable = False
        self.audit = audit
        self._names = names
        self._queries = queries
        self._ways = dict(ways)
        self._curve = curve
        self._curve_names = curve_names
        self._calls = np.array([made.get(query, 0) for query in queries], dtype=np.int64)
        self._searches = np.array([len(lists[query]) for query in queries], dtype=np.int64)
        self._documents = np.array(
            [sum(map(len, lists[query])) for query in queries], dtype=np.int64
        )
        self._distinct = np.array(
            [len({one for call in lists[query] for one in call}) for query in queries],
            dtype=np.int64,
        )
        self._relevant = relevant
        self._costs = {
            name: np.array([of_query.get(query, math.nan) for query in queries])
            for name, of_query in costs.items()
        }
        self._conventions = conventions
        self._read = read

    @property
    def queries(self) -> tuple[str, ...]:
        """Ids of the queries with a row."""
        return self._queries

    @property
    def names(self) -> list[str]:
        """Names of the measures."""
        return [*self._names]

    @property
    def run_name(self) -> str:
        """The name of the file of calls, or ``<calls>``."""
        return str(self._read["calls"]["name"])

    @property
    def ways(self) -> dict[str, dict[str, float]]:
        """The means of each way to take the calls together: {way: {measure: mean}}.

        A union has no order: it has only measures of sets, such as R without a cutoff, and is left
        out if there are none.
        """
        means = {
            way: dict(zip(self._names, defined_means(scores), strict=True))
            for way, scores in self._ways.items()
        }
        return {
            way: of_way
            for way, of_way in means.items()
            if way != "union" or not all(map(math.isnan, self._of_rankings(of_way)))
        }

    def _of_rankings(self, of_way: Mapping[str, float]) -> list[float]:
        return [value for name, value in of_way.items() if name in self._curve_names]

    def of(self, how: Way) -> CallEvaluation:
        """Return the same evaluation with the values of another way.

        Raises
        ------
        InputError
            If there is no such way.
        """
        if not isinstance(how, str) or how not in self._ways:
            words = ", ".join(f'"{way}"' for way in get_args(Way))
            raise InputError(f"how is {shown(how)}", f"need one of {words}")
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        other.how, other.scores = how, self._ways[how]
        other._conventions = self._conventions | {"how": how}
        other.scores.flags.writeable = False
        return other

    @property
    def curve(self) -> Table:
        """The means after each call: ``call``, ``queries`` that made it, and the measures.

        Calls so far are merged by ``how``; interleaved if that is a single call. A query that made
        no further call keeps its value. SessionDCG is left out.
        """
        calls = np.arange(1, len(self._curve) + 1)
        searching = [int((self._searches >= call).sum()) for call in calls.tolist()]
        columns: dict[str, Any] = {"call": calls, "queries": np.array(searching, dtype=np.int64)}
        columns |= {name: self._curve[:, at] for at, name in enumerate(self._curve_names)}
        return Table(columns)

    @property
    def costs(self) -> Table:
        """What each query cost: ``query_id``, ``calls``, ``documents``, ``distinct``, ``relevant``.

        ``documents`` are those that all calls retrieved, ``distinct`` without repetitions, and
        ``relevant`` the relevant ones among these. Columns of costs follow.
        """
        from rankmark.results.table_schema import texts  # noqa: PLC0415

        return Table(
            {
                "query_id": texts("query_id", self._queries),
                "calls": self._calls,
                "documents": self._documents,
                "distinct": self._distinct,
                "relevant": self._relevant,
                **self._costs,
            }
        )

    def total_costs(self) -> dict[str, float]:
        """Return the sums over all queries, and of each cost, what one relevant document cost."""
        found = float(np.nansum(self._relevant))
        totals: dict[str, float] = {
            "calls": float(self._calls.sum()),
            "documents": float(self._documents.sum()),
            "distinct": float(self._distinct.sum()),
            "relevant": found,
            **{name: float(np.nansum(values)) for name, values in self._costs.items()},
        }
        return totals | {
            f"{name} per relevant document": totals[name] / found if found else math.nan
            for name in ("documents", *self._costs)
        }

    def _about(self) -> dict[str, str]:
        return {"run": short_names([self.run_name])[0]}

    def _chosen(self) -> object:
        return self._conventions

    @property
    def settings(self) -> dict[str, Any]:
        """All choices: conventions, and how the tables were read."""
        return self._conventions | self._read

    @property
    def notes(self) -> list[str]:
        """The lines below a table: costs, audit, how calls were read, and conventions."""
        totals = self.total_costs()
        per_found = [
            f"{name} {value:,.6g}"
            for name, value in totals.items()
            if name.endswith(" document") and name != "found" and not math.isnan(value)
        ]
        sums = [f"{name} {totals[name]:,.6g}" for name in ("relevant", *self._costs)]
        return [
            f"costs: {', '.join([*sums, *per_found])}",
            *last_notes(self.audit, self._read, self._conventions),
        ]

    def to_dict(self, *, per_query: bool = True) -> dict[str, Any]:
        """Return everything for JSON, with None for NaN.

        ``schema`` is the version of this form. Files have their SHA-256.
        """
        written = self._begun(SCHEMA, self._read, self._conventions, self.audit.to_dict())
        written |= {
            "ways": {
                way: {name: json_number(value) for name, value in of_way.items()}
                for way, of_way in self.ways.items()
            },
            "curve": self.curve.to_dict()["rows"],
            "total_costs": {name: json_number(value) for name, value in self.total_costs().items()},
        }
        if per_query:
            written["per_query"] = self._by_query()
            written["costs"] = self.costs.to_dict()["rows"]
        return written

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Plot the mean of each measure after each call.

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
            If all values are undefined, or only SessionDCG was evaluated.
        """
        from rankmark.results.drawing.figures import axes  # noqa: PLC0415
        from rankmark.results.drawing.lines import Line, Look, draw_lines, limit_values  # noqa: PLC0415

        if not self._curve_names or np.isnan(self._curve).all():
            raise InputError("there is no value after any call", "evaluate other measures to plot")
        calls = np.arange(1, len(self._curve) + 1)
        looks = [Look(number, number) for number in range(len(self._curve_names))]
        lines = [
            Line(calls, self._curve[:, at], look, name)
            for at, (look, name) in enumerate(zip(looks, self._curve_names, strict=True))
        ]
        merged = "interleave" if self.how in {"best", "first", "last"} else self.how
        with axes(ax) as canvas:
            limit_values(canvas, lines, len(calls))
            draw_lines(
                canvas,
                lines,
                [],
                title=f"{self.audit.averaged:,} queries, after each call, how={merged}",
                x_label="calls",
                y_label="mean over queries",
            )
        return canvas

    def tables(self) -> tuple[MarkedTable, MarkedTable]:
        """Return the table of the ways to take calls together, and that of the means after each."""
        from rankmark.results.marked_tables import MarkedTable  # noqa: PLC0415
        from rankmark.results.text_tables import Cell  # noqa: PLC0415

        ways = MarkedTable(
            ["how", *self.names],
            [
                [Cell(way), *(Cell(_digits(of_way[name])) for name in self.names)]
                for way, of_way in self.ways.items()
            ],
        )
        rows = self.curve.to_dict()["rows"]
        curve = MarkedTable(
            ["after call", "queries", *self._curve_names],
            [
                [Cell(str(row["call"])), Cell(str(row["queries"]))]
                + [Cell(_digits(row[name])) for name in self._curve_names]
                for row in rows
            ],
        )
        return ways, curve

    def _page_parts(self) -> PageParts:
        from rankmark.results import html_parts as html  # noqa: PLC0415
        from rankmark.results.drawing.result_page import PageParts, Picture  # noqa: PLC0415

        pictures = []
        if self._curve_names and not np.isnan(self._curve).all():
            pictures = [Picture("Means after each call", lambda ax: self.plot(ax=ax))]
        costs = [[name, f"{value:,.6g}"] for name, value in self.total_costs().items()]
        tables = [table.as_html() for table in self.tables()]
        rest = "".join([*tables, html.table(["costs", "all queries"], costs)])
        title = f"Several searches for each query, of {self._about()['run']}"
        return PageParts(title, "", pictures, rest + html.notes(self.notes))

    def _notes(self) -> list[str]:
        return self.notes

    def column(self, name: object) -> int:
        """Return the column of a measure in ``scores``.

        Raises
        ------
        NotEvaluatedError
            If it was not evaluated.
        """
        if str(name) in self._names:
            return self._names.index(str(name))
        from rankmark.errors import MeasureError  # noqa: PLC0415
        from rankmark.measures.names import measures as measures_of  # noqa: PLC0415

        try:
            found = [*map(str, measures_of(name))]  # type: ignore[arg-type]
        except MeasureError as error:
            raise NotEvaluatedError(error.found, error.remedy, where=error.where) from None
        if len(found) != 1 or found[0] not in self._names:
            raise NotEvaluatedError(
                f"{', '.join(found)} was not evaluated",
                f"this evaluation has {', '.join(self._names)}",
            )
        return self._names.index(found[0])


def _digits(value: float | None) -> str:
    return "nan" if value is None or math.isnan(value) else f"{value:.4f}"
