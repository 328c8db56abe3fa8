"""The result of evaluating several searches for each query: each way to merge them, and costs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from rankmark.array_types import defined_means
from rankmark.errors import InputError, listed, shown
from rankmark.measures.names import measures as measures_of
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.per_query import Audit, MeansByQuery
from rankmark.results.plain_table import Table
from rankmark.results.shown_parts import Notes, Part
from rankmark.results.table_schema import Columns, long_form, texts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankmark.array_types import Floats, Ints
    from rankmark.results.drawing.result_page import PageParts, Picture

Way = Literal["interleave", "concatenate", "union", "first", "last", "best"]


@dataclass(frozen=True, slots=True)
class CallAudit(Audit):
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
    failed
        Documents whose label failed, and which count as not judged.
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
    failed: int = 0

    told = (
        (
            "judged {judged:,}, answered {answered:,}, missing {missing:,}, run-only "
            "{run_only:,}, not applicable {not_applicable:,}; calls {calls:,}, documents "
            "{documents:,}, distinct {distinct:,}",
            "",
        ),
        ("; repeated within a call {repeated_in_call:,}", "repeated_in_call"),
        ("; without a label, as it failed, {failed:,}", "failed"),
    )

    def _ends(self) -> str:
        examples = listed(self.run_only_examples, self.run_only)
        return f"; not judged: {examples}" if self.run_only else ""


class CallEvaluation(MeansByQuery):
    """Several searches for each query: a mapping from the names of measures to means.

    ``scores`` are those of the way ``how`` in which the calls were taken together; NaN for a query
    to which retrieval does not apply, and where a measure is undefined.
    """

    _main, _label, _words = "calls", "tab:calls", ("evaluated", "evaluation")

    def __init__(
        self,
        *,
        how: Way,
        ways: Mapping[str, Floats],
        curve: Floats,
        curve_names: tuple[str, ...],
        searches: Ints,
        counts: Mapping[str, Ints | Floats],
        costs: Mapping[str, Floats],
        **found: Any,
    ) -> None:
        super().__init__(scores=ways[how], **found)
        self.how, self._ways = how, dict(ways)
        self._curve, self._curve_names = curve, curve_names
        self._searches, self._counts, self._costs = searches, dict(counts), dict(costs)

    @property
    def heading(self) -> str:
        """What was evaluated."""
        return f"Several searches for each query, of {self._about()['run']}"

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
        if all(math.isnan(means["union"][name]) for name in self._curve_names):
            del means["union"]
        return means

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
        ids = texts("query_id", self._queries)
        return Table({"query_id": ids, **self._counts, **self._costs})

    def total_costs(self) -> dict[str, float]:
        """Return the sums over all queries, and of each cost, what one relevant document cost."""
        columns = {**self._counts, **self._costs}
        totals = {name: float(np.nansum(values)) for name, values in columns.items()}
        found = float(np.nansum(self._counts["relevant"]))
        return totals | {
            f"{name} per relevant document": totals[name] / found if found else math.nan
            for name in ("documents", *self._costs)
        }

    @property
    def notes(self) -> list[str]:
        """The lines below a table: costs, audit, how calls were read, and conventions."""
        totals = self.total_costs()
        per_found = [
            f"{name} {value:,.6g}"
            for name, value in totals.items()
            if name.endswith(" document") and not math.isnan(value)
        ]
        sums = [f"{name} {totals[name]:,.6g}" for name in ("relevant", *self._costs)]
        return [f"costs: {', '.join([*sums, *per_found])}", *super().notes]

    def _contents(self, *, per_query: bool = True) -> dict[str, Any]:
        """Return what JSON has.

        Returns
        -------
        total_costs
            Sums of calls, documents and costs, and what one relevant document cost.
        calls
            What was read: ``name``, ``sha256``, ``form``, and the ``columns``; of a query, how many
            calls it has.
        call
            The number of the call, from 1.
        queries
            How many queries made it.
        relevant
            Relevant documents found.
        """
        written = super()._contents(per_query=per_query)
        return written | ({"costs": self.costs.to_dict()["rows"]} if per_query else {})

    def _more(self) -> dict[str, Any]:
        return {
            "ways": self.ways,
            "curve": self.curve.to_dict()["rows"],
            "total_costs": self.total_costs(),
        }

    def _grids(self, *, per_query: bool = False) -> list[MarkedTable]:
        """Return the table of the ways to take calls together, and that of the means after each."""
        if per_query:
            return super()._grids(per_query=True)
        ways = MarkedTable(
            ["how", *self.names],
            (
                [way, *(f"{of_way[name]:.4f}" for name in self.names)]
                for way, of_way in self.ways.items()
            ),
            caption=f"{self.heading}.",
            label=self._label,
        )
        curve = MarkedTable(
            ["after call", "queries", *self._curve_names],
            (
                [f"{call}", f"{queries}", *(f"{value:.4f}" for value in values)]
                for (call, queries, *_), values in zip(
                    zip(*self.curve._table().values(), strict=True), self._curve, strict=True
                )
            ),
            caption=f"{self.heading}, after each call.",
            label=f"{self._label}-calls",
        )
        return [ways, curve]

    def tables(self) -> list[MarkedTable]:
        """Return the table of the ways to take calls together, and that of the means after each."""
        return self._grids()

    def as_table(self, *, per_query: bool = True, is_long: bool = False) -> Table:
        """Return the values of each query, or else the means of each way.

        Parameters
        ----------
        per_query
            Whether there is a row for each query.
        is_long
            Whether a row has one value, in the columns measure and value.
        """
        if per_query:
            return super().as_table(is_long=is_long)
        ways = self.ways
        columns: Columns = {
            name: texts(name, [run]) * len(ways) for name, run in self._about().items()
        }
        columns["how"] = texts("how", [*ways])
        keys = [*columns]
        columns |= {name: [of_way[name] for of_way in ways.values()] for name in self.names}
        return Table(long_form(columns, keys) if is_long else columns)

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

        if not self._is_drawn():
            raise InputError("there is no value after any call", "evaluate other measures to plot")
        calls = np.arange(1, len(self._curve) + 1)
        lines = [
            Line(calls, self._curve[:, at], Look(at, at), name)
            for at, name in enumerate(self._curve_names)
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

    def _is_drawn(self) -> bool:
        return bool(self._curve_names) and not np.isnan(self._curve).all()

    def _pictures(self) -> list[Picture]:
        from rankmark.results.drawing.result_page import Picture  # noqa: PLC0415

        drawn = Picture("Means after each call", lambda ax: self.plot(ax=ax))
        return [drawn] if self._is_drawn() else []

    def _page_parts(self) -> PageParts:
        from rankmark.results.written_forms import Html  # noqa: PLC0415

        costs = ((name, f"{value:,.6g}") for name, value in self.total_costs().items())
        told: list[Part] = [
            *self._grids(),
            MarkedTable(["costs", "all queries"], costs),
            Notes(self.notes),
        ]
        return super()._page_parts()._replace(rest=Html().joined(told))

    def _meant(self, name: object) -> Sequence[str]:
        known = str(name) in self._names
        return [str(name)] if known else [*map(str, measures_of(name))]  # type: ignore[arg-type]
