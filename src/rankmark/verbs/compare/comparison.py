"""The result of comparing runs: how it is shown in text, Markdown, LaTeX, HTML and plots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast, get_args

import numpy as np

from rankmark.errors import InputError, counted, listed, one_line
from rankmark.results.latex_float import IN_A_COLUMN, LatexFloat
from rankmark.results.number_style import NumberStyle
from rankmark.results.result import as_json
from rankmark.results.shown_parts import Heading, Look, Notes, Part
from rankmark.results.table_options import LatexTable
from rankmark.results.text_form import Text
from rankmark.results.trade_off import Side, TradeOff
from rankmark.results.written_forms import Markdown
from rankmark.scoring.run_values import RunValue
from rankmark.verbs.compare.compared_rows import Rows
from rankmark.verbs.compare.compared_runs import ComparedRuns
from rankmark.verbs.compare.compared_values import APART, table_of_values
from rankmark.verbs.compare.comparison_layout import MOST_PAIRS, Layout, caption_of, legend_of
from rankmark.verbs.compare.comparison_legend import legend
from rankmark.verbs.evaluate.notes import notes, to_show
from rankmark.verbs.evaluate.reliability import reliability_parts
from rankmark.verbs.plot.kinds import COMPARED, KINDS, NAMES, ComparedKind, Kind, refuse_compared
from rankmark.verbs.plot.plot_request import texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.axes import Axes

    from rankmark.measures.names import AnyMeasure
    from rankmark.results.latex_float import Environment
    from rankmark.results.marked_tables import MarkedTable
    from rankmark.results.result import Result
    from rankmark.results.table_options import TableOptions
    from rankmark.verbs.evaluate.result_tables import Format

_MOST_DIGITS = 15


class Comparison(ComparedRuns):
    """Several runs on the same queries: which is better, by how much, and how certain that is.

    Attributes
    ----------
    runs, measures
        Names, in the order given.
    queries
        (n_queries,) ids, as text: those that are averaged.
    scores
        (n_queries, n_runs, n_measures) float64, unitless; NaN where a query has no score.
    baseline
        The run that the others are compared with; None if all pairs are compared.
    evaluations
        {run: Evaluation}; empty if the scores came from another program.
    """

    @property
    def legend(self) -> list[str]:
        """Lines that say how intervals, p-values and marks were found."""
        return legend(self)

    def _contents(self, *, per_query: bool = False) -> dict[str, Any]:
        """Return what JSON has; ``runs`` are evaluations, as ``Evaluation.to_dict`` has them.

        Returns
        -------
        leaderboard
            An object for each run and measure, best run first.
        """
        written: dict[str, Any] = {
            "settings": self.settings,
            "leaderboard": self.leaderboard.for_json(),
            "differences": self.differences.for_json(),
            "legend": self.legend,
        }
        if self.of_run:
            written["of_run"] = self.of_run.for_json()
        if self._attributes:
            written |= self.slices.to_dict()
        if self.evaluations:
            written["runs"] = {
                run: evaluation.to_dict(per_query=per_query)
                for run, evaluation in self.evaluations.items()
            }
        elif per_query:
            written["per_query"] = {
                run: {
                    query: dict(zip(self.measures, row, strict=True))
                    for query, row in zip(self.queries, self.scores[:, at].tolist(), strict=True)
                }
                for at, run in enumerate(self.runs)
            }
        return written

    def layout(
        self, *, sort: str | None = None, digits: int | None = None, percent: bool = False
    ) -> Layout:
        """Return the tables of a comparison, with ``sort``, ``digits`` and ``percent``."""
        if digits is not None and not (
            isinstance(digits, int) and not isinstance(digits, bool) and 0 <= digits <= _MOST_DIGITS
        ):
            raise InputError(
                f"digits is {digits!r}", f"need a whole number from 0 to {_MOST_DIGITS}"
            )
        return Layout(self, sort, NumberStyle(digits, percent))

    def _parts(self, look: Look, **choices: Any) -> Sequence[Part]:
        """Return the tables, those of slices, and what they say.

        In LaTeX, the tables that ``_floats`` chooses; in other forms, ``choices`` are those of
        ``layout``.
        """
        if look.form == "latex":
            return self._floats(**choices)
        layout = self.layout(**choices)
        return [*parts_of(layout), Notes(look.notes(layout.below if self.measures else []))]

    def _floats(
        self,
        *,
        intervals: bool | None = None,
        caption: str | None = None,
        label: str = "tab:comparison",
        environment: Environment = "table",
        resize: bool = False,
        tables: Sequence[LatexTable] | None = None,
        **choices: Any,
    ) -> list[MarkedTable]:
        """Return tables for LaTeX: the leaderboard, unless others.

        Parameters
        ----------
        intervals
            Whether means are followed by their intervals; None for a single measure, where
            differences from a baseline follow too.
        caption
            The text of the first table; None for what the numbers and marks mean, and the
            conventions.
        label
            The label of the first table; those of others have an ending, such as ``-differences``
            or ``-slice-1``.
        environment
            ``"table"``; ``"table*"``, over both columns of a page; or ``"sidewaystable"``, turned
            by 90 degrees, of the package rotating.
        resize
            Whether a table that is too wide is made smaller until it fits, by the package graphicx.
        tables
            Any of ``"means"``, ``"differences"`` and ``"slices"`` (the means within each slice), in
            their order; None for one table, with the differences if there is a baseline and a
            single measure.
        **choices
            Those of ``layout``.

        Raises
        ------
        InputError
            If a choice does not exist, LaTeX cannot read the label, or there are no slices or
            differences to show.
        """
        layout = self.layout(**choices)
        with_intervals = len(layout.measures) == 1 if intervals is None else intervals
        is_one = layout.reference is not None and len(layout.measures) == 1 and intervals is None
        found: list[MarkedTable] = []

        def add(ending: str, table: MarkedTable, told: str) -> None:
            own = (None, f"{label}{ending}") if found else (caption, label)
            table.caption, table.page = told, LatexFloat(*own, environment, resize)
            found.append(table)

        for kind in ["means"][: len(self.measures)] if tables is None else tables:
            if kind not in get_args(LatexTable):
                raise InputError(
                    f"tables contains {kind!r}", f"need any of {', '.join(get_args(LatexTable))}"
                )
            if kind == "slices":
                for number, (name, part) in enumerate(layout.slices(), 1):
                    table = part.leaderboard(intervals=with_intervals)
                    told = f"Slice {one_line(name)}. {caption_of(part, table)}"
                    add(f"-slice-{number}", table, told)
                continue
            if kind == "differences" and not len(layout.compared.differences):
                raise InputError("there are no differences of a single run", "compare several")
            if kind == "differences" or (tables is None and is_one):
                table = layout.differences(brief=True)
            else:
                table = layout.leaderboard(intervals=with_intervals)
            add("" if kind == "means" else f"-{kind}", table, caption_of(layout, table))
        if self.of_run and tables is None:
            table = table_of_values(self.of_run, self.chosen.confidence)
            add("-of-run" if found else "", table, f"Numbers {APART.removesuffix(':')}.")
        if not found:
            raise InputError("there are no slices", "choose other tables, or compare with by")
        return found

    def trade_off(self, x: AnyMeasure | None = None, y: AnyMeasure | None = None) -> TradeOff:
        """Set two measures against each other, and find the runs that no other beats in both.

        Parameters
        ----------
        x, y
            Measures that were compared, of queries or of the run; None if there are only two.

        Returns
        -------
        TradeOff
            The values of each run with their intervals, and the Pareto front; ``plot`` draws it.

        Raises
        ------
        NotEvaluatedError
            If a measure was not compared.
        InputError
            If no two measures are named, or a run has no value.
        """
        of_run = dict.fromkeys(row.measure for row in self.of_run)
        named = [one for one in (x, y) if one is not None] or [*self.measures, *of_run]
        refuse_compared("trade-off", len(named), len(self.runs), None)
        sides = [*map(self._side, named)]
        chance = "runs close to the front may be on it, or beside it, by chance"
        if sides[0].name == sides[1].name:
            raise InputError(f"x and y are both {sides[0].name}", "name two measures")
        level = f"{100 * self.chosen.confidence:.6g}% intervals of each value; {chance}"
        return TradeOff(self.runs, sides[0], sides[1], notes=[level])

    def _side(self, name: object) -> Side:
        """Return a measure's value of each run, with its interval: of means, or of all lists."""
        evaluations = list(self.evaluations.values())
        measure = evaluations[0].run_measure(name) if evaluations else None
        if measure is not None and all(measure in one.left_out for one in evaluations):
            found = [one.left_out[measure] for one in evaluations]
            of_run = [RunValue.of(measure, one, self.chosen.confidence) for one in found]
            values = np.array([(row.value, row.low, row.high) for row in of_run])
            return Side(str(measure), values[:, 0], values[:, 1:], measure.more_is_better)
        mean = self.compared[self.column(name)]
        rows = {row.run: row for row in self.leaderboard if row.measure == mean.name}
        values = np.array([(rows[r].mean, rows[r].low, rows[r].high) for r in self.runs])
        return Side(mean.name, values[:, 0], values[:, 1:], mean.more_is_better)

    def plot(
        self,
        kind: ComparedKind | Kind = "leaderboard",
        *,
        measure: Iterable[AnyMeasure] | AnyMeasure | None = None,
        measures: Iterable[AnyMeasure] | AnyMeasure | None = None,
        runs: Sequence[str] | None = None,
        query: str | None = None,
        k: int | None = None,
        highlight: Iterable[str] | str | None = None,
        log_k: bool = False,
        title: bool = True,
        ax: Axes | None = None,
    ) -> Axes:
        """Plot the comparison, or its evaluations.

        Parameters
        ----------
        kind
            ``"leaderboard"``, means with intervals; ``"matrix"``, the difference of each pair;
            ``"critical-difference"``, means with bars that join runs that do not differ
            significantly; ``"cutoffs"``, differences from the baseline at each cutoff;
            ``"trade-off"``, two measures against each other. Any other kind is drawn from the
            evaluations, as by ``Evaluation.plot``; "Plots" in the documentation shows them all.
        measure, measures
            A measure, or several for a leaderboard and a curve; two names of one parameter. None
            for all in a leaderboard and a trade-off, whose first is the horizontal axis, and
            otherwise the first that can be plotted.
        runs
            Names of the runs to draw, for kinds drawn from evaluations; None for all. Of two runs,
            the first is the baseline.
        query, k, log_k
            For kinds drawn from evaluations, as for ``Evaluation.plot``.
        highlight
            Names of the runs in colour, the others being grey; None for all of up to seven runs,
            and of more, the six best, or the baseline and the five best.
        title
            Whether there are a title and a caption.
        ax
            The Axes to draw on; None for a new pyplot figure.

        Returns
        -------
        matplotlib.axes.Axes
            ``ax``, or the Axes of the new figure, the first if there are several.

        Raises
        ------
        MissingDependencyError
            If matplotlib is not installed.
        MeasureError
            If a measure was not compared, or cannot be plotted this way.
        InputError
            If there is no such kind of plot, an argument does not suit it, or there is nothing to
            draw.
        """
        if measure is not None and measures is not None:
            raise InputError("measure and measures are one parameter", "give one of them")
        chosen = measure if measures is None else measures
        if kind in get_args(ComparedKind):
            by_rank = {"runs": runs, "query": query, "k": k, "log_k": log_k or None}
            if unused := [name for name, value in by_rank.items() if value is not None]:
                raise InputError(f"{kind} does not use {unused[0]}", f"leave {unused[0]} out")
            from rankmark.verbs.plot.comparison_plots import ComparedPlot  # noqa: PLC0415

            looks: dict[str, Any] = {"highlight": highlight, "title": title}
            return ComparedPlot(cast("ComparedKind", kind), self, chosen, **looks).draw(ax)
        first, *others = self._drawn(kind, runs)
        return self.evaluations[first].plot(
            cast("Kind", kind),
            *(self.evaluations[run] for run in others),
            measures=chosen,
            query=query,
            k=k,
            names=[first, *others],
            highlight=highlight,
            log_k=log_k,
            title=title,
            ax=ax,
        )

    def _drawn(self, kind: object, runs: Sequence[str] | None) -> list[str]:
        """Return the runs to draw from their evaluations, the baseline first."""
        if kind not in NAMES:
            raise InputError(f"kind is {kind!r}", f"need one of {', '.join([*COMPARED, *NAMES])}")
        if not self.evaluations:
            raise InputError(
                f"{kind} is drawn from evaluations, and these scores came from another program",
                f"choose from {', '.join(COMPARED)}",
            )
        drawn = list(self.runs) if runs is None else texts("runs", runs)
        unknown = [run for run in drawn if run not in self.evaluations]
        if unknown:
            raise InputError(
                f"runs: no run is called {unknown[0]!r}",
                f"need names from {listed(self.runs, len(self.runs))}",
            )
        needed = KINDS[kind].runs
        if needed is not None and len(drawn) != needed:
            raise InputError(
                f"{kind} takes {needed} runs, and there are {len(drawn)}",
                "choose them with runs=[baseline, other]",
            )
        if runs is None and self.baseline is not None:
            drawn.sort(key=lambda run: run != self.baseline)
        return drawn

    def __repr__(self) -> str:
        queries = counted(len(self.queries), "query", "queries")
        return one_line(
            f"Comparison({counted(len(self.runs), 'run')}, {queries}: {', '.join(self.measures)})"
        )


def parts_of(layout: Layout) -> list[Part]:
    """Return the tables, those of slices, of trials, and of measures of the run, each by a name."""
    compared = layout.compared
    parts: list[Part] = [*_tables(layout)] if compared.measures else []
    for name, part in layout.slices():
        parts += [Heading(f"{name}:"), *_tables(part)]
    parts += reliability_parts(compared.evaluations)
    if compared.of_run:
        parts += [Heading(APART), table_of_values(compared.of_run, compared.chosen.confidence)]
    return parts


def _tables(layout: Layout) -> list[MarkedTable]:
    """Return one table with a baseline or of two runs, else a leaderboard and few pairs."""
    if layout.reference is not None:
        return [layout.differences()]
    rows = len(layout.compared.differences)
    return [layout.leaderboard(), *([layout.differences()] if 0 < rows <= MOST_PAIRS else [])]


def rendered(
    compared: Comparison,
    form: Format,
    options: TableOptions,
    *,
    per_query: bool = False,
    is_long: bool = False,
) -> tuple[str | Result, list[str]]:
    """Write a comparison.

    Parameters
    ----------
    form
        "json" is one indented document, "jsonl" one line. "csv" and "parquet" have a row for each
        pair of runs and measure, in full. "table" and "markdown" have a legend, which is the
        caption in "latex".
    options
        Order of the runs, how numbers are written, and the lines below the table.
    per_query
        In JSON and JSONL, add the scores of each query; in CSV and Parquet, have a row for each run
        and query instead.
    is_long
        Of these, have a row for each measure.

    Returns
    -------
    str or Result, list of str
        The text, or for CSV and Parquet the rows, and the lines that go to standard error if the
        text is pasted.
    """
    style = options.style
    chosen: dict[str, Any] = {
        "sort": options.sort,
        "digits": style.digits,
        "percent": style.percent,
    }
    layout = compared.layout(**chosen)
    if form in {"json", "jsonl"}:
        document = compared.to_dict(per_query=per_query)
        order = {run: at for at, run in enumerate(layout.runs)}
        document["leaderboard"].sort(key=lambda row: order[row["run"]])
        return as_json(document, indent=2 if form == "json" else None) + "\n", []
    found = list(compared.evaluations.values())
    look = options._replace(names=list(compared.evaluations))
    lines = legend_of(layout) if compared.measures else []
    audit = notes(found, look, tested=bool(len(compared.differences))) if found else []
    audit = [line for line in audit if line not in lines]
    below = to_show([*lines, *audit], options)
    if form in {"csv", "parquet"}:
        means = options.tables == ("means",)
        rows = as_table(compared, per_query=per_query, is_long=is_long, means=means)
        return rows, below
    if form == "latex":
        page = options.page or IN_A_COLUMN
        latex = compared.to_latex(
            **chosen,
            caption=page.caption,
            label=page.label or "tab:comparison",
            environment=page.environment,
            resize=page.resize,
            tables=options.tables,
        )
        return latex, below
    if form == "markdown":
        parts = [*parts_of(layout), Notes(to_show(layout.below, options))]
        return Markdown().write(parts), to_show(audit, options)
    text = Text(options.width, styled=options.styled)
    return text.write([*parts_of(layout), Notes(below)]) + "\n", []


def as_table(
    compared: Comparison, *, per_query: bool = False, is_long: bool = False, means: bool = False
) -> Result:
    """Return the rows of a comparison, of measures of the run if there are no others.

    Parameters
    ----------
    per_query
        The scores of each run and query.
    is_long
        Of these, a row for each measure.
    means
        Otherwise, the leaderboard instead of the differences, which one run does not have either.
    """
    if per_query:
        return compared.long if is_long else compared
    if not compared.measures:
        return compared.of_run
    parts = [compared, *compared.slices.values()]
    rows: list[Any] = [row for part in parts for row in part.differences]
    if means or not rows:
        rows = [row for part in parts for row in part.leaderboard]
    return Rows(rows, type(rows[0]))
