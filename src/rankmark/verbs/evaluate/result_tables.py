"""Evaluations as a table or JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rankmark.conventions import in_a_sentence
from rankmark.errors import MeasureError
from rankmark.named_tuples import NamedTuple
from rankmark.results.marked_tables import MarkedTable, places
from rankmark.results.number_style import NumberStyle
from rankmark.results.result import as_json
from rankmark.results.run_names import short_names
from rankmark.results.shown_parts import Heading, Notes, Part
from rankmark.results.table_options import GIVEN, TableOptions
from rankmark.results.table_schema import long_form, texts
from rankmark.results.text_form import Text
from rankmark.results.text_tables import Cell
from rankmark.verbs.evaluate.aggregate_tables import Aggregates
from rankmark.verbs.evaluate.evaluation import OF_ALL_LISTS, table_of_run
from rankmark.verbs.evaluate.notes import in_percent, notes, to_show, trials_in_caption
from rankmark.verbs.evaluate.provenance import has_best, is_share, written_value
from rankmark.version import __version__

if TYPE_CHECKING:
    from rankmark.measures import Measure
    from rankmark.results.plain_table import Table
    from rankmark.verbs.evaluate.evaluation import Evaluation

Format = Literal["table", "json", "jsonl", "csv", "parquet", "markdown", "latex"]
_MOST_COLUMNS = 12  # measures; more become rows
_WITHOUT_BEST = {"stdev"}  # aggregates that are neither better nor worse


class Row(NamedTuple):
    """A row of a table; values of aggregates have decimals even if the measure is a count."""

    keys: tuple[str, ...]
    values: tuple[float, ...]
    aggregate: str | None = None
    is_total: bool = True

    def written(self, measures: Sequence[Measure], style: NumberStyle) -> list[str]:
        """Write the values."""
        if self.aggregate is None:
            return [written_value(*each, style) for each in self._each(measures)]
        return [style.written(x, is_share=is_share(m)) for m, x in self._each(measures)]

    def _each(self, measures: Sequence[Measure]) -> list[tuple[Measure, float]]:
        return [*zip(measures, self.values, strict=True)]


def rendered(
    evaluations: Sequence[Evaluation],
    form: Format,
    *,
    per_query: bool,
    aggregates: Aggregates | None = None,
    options: TableOptions | None = None,
    tie_interval: bool = False,
    bounds: bool = False,
) -> str:
    """Write evaluations of one or several runs with the same measures and conventions.

    Parameters
    ----------
    evaluations
        At least one.
    form
        "json" is one document, "jsonl" one line per run; both contain settings, audit and the
        SHA-256 of each file. "table", "markdown" and "latex" round; a table is followed by audit
        and conventions, which ``notes`` returns for the other forms.
    per_query
        Add a row per query and run.
    aggregates
        Rows instead of the means; in JSON, in addition to them.
    options
        Names and order of the runs, and how numbers are written.
    tie_interval, bounds
        Whether to add these intervals for every measure.
    """
    aggregates = aggregates or Aggregates()
    options = options or TableOptions()
    intervals = {"tie_interval": tie_interval, "bounds": bounds}
    names = options.names or short_names([ev.run_name for ev in evaluations])
    if form in {"json", "jsonl"}:
        runs = [
            _for_json(name, ev.to_dict(per_query=per_query, **intervals)) | aggregates.for_json(ev)
            for name, ev in zip(names, evaluations, strict=True)
        ]
        return _json(runs) if form == "json" else "".join(as_json(run) + "\n" for run in runs)
    measures = evaluations[0].measures
    keys = ["run", *["query_id"] * per_query, *["aggregate"] * bool(aggregates.names)]
    rows = [
        row
        for name, ev in zip(names, evaluations, strict=True)
        for row in _rows(name, ev, aggregates, per_query=per_query)
    ]
    head = [*keys, *map(str, measures)]
    table = MarkedTable(head, _cells(rows, measures, options.style), len(keys))
    of_run = table_of_run(names, evaluations) if evaluations[0].left_out else None
    tables = [*([table] if measures else []), *([of_run] if of_run else [])]
    of_trials = _of_trials(names, evaluations)
    if form == "latex":
        named = dict(zip(names, evaluations, strict=True))
        table.caption, table.label = _caption(named, options), "tab:results"
        table.page = options.page
        return "\n".join(one.as_latex() for one in tables)
    if form == "markdown":
        tables += [part for part in of_trials if isinstance(part, MarkedTable)]
        return "\n".join(one.as_markdown() for one in tables)
    if len(keys) == 1 and len(measures) > max(_MOST_COLUMNS, len(evaluations)):
        table = table.turned()
    lines = to_show(notes(evaluations, options, **intervals), options)
    parts: list[Part] = [table] if measures else []
    if of_run is not None:
        parts += [Heading(OF_ALL_LISTS), of_run]
    parts += of_trials
    return Text(options.width, styled=options.styled).write([*parts, Notes(lines)]) + "\n"


def _of_trials(names: Sequence[str], evaluations: Sequence[Evaluation]) -> list[Part]:
    if not any(one.trials for one in evaluations):
        return []
    from rankmark.verbs.evaluate.reliability import reliability_parts  # noqa: PLC0415  (few are systems of several runs)

    return reliability_parts(dict(zip(names, evaluations, strict=True)))


def as_table(
    evaluations: Sequence[Evaluation],
    names: Sequence[str],
    aggregates: Aggregates,
    *,
    per_query: bool,
    is_long: bool,
) -> Table:
    """Return the scores of each query, or else the means or aggregates, of runs with these names.

    Parameters
    ----------
    is_long
        Whether each measure has rows of its own, instead of a column.
    """
    from rankmark.results.plain_table import Table  # noqa: PLC0415

    keys: dict[str, list[Any]] = {"run": [], "query_id": [], "aggregate": []}
    values = []
    for name, ev in zip(names, evaluations, strict=True):
        if per_query:
            keys["query_id"] += ev.queries
            values.append(ev.scores)
        else:
            rows = aggregates.of(ev) or {"": tuple(ev.means.values())}
            keys["aggregate"] += rows if aggregates.names else []
            values.append(np.array([*rows.values()]))
        keys["run"] += [name] * len(values[-1])
    columns: dict[str, Any] = {key: texts(key, found) for key, found in keys.items() if found}
    words = [*columns]
    scores = np.concatenate(values)
    columns |= {str(m): scores[:, at] for at, m in enumerate(evaluations[0].measures)}
    if not per_query and not aggregates.names:  # numbers of the runs, of which each has a row
        of_run = evaluations[0].left_out
        columns |= {str(m): np.array([ev[m] for ev in evaluations]) for m in of_run}
    return Table(long_form(columns, words) if is_long else columns)


def in_order(
    evaluations: Sequence[Evaluation], sort: str | None, names: Sequence[str] | None = None
) -> tuple[list[Evaluation], list[str]]:
    """Sort evaluations, best first, or keep their order; return them and their names.

    Parameters
    ----------
    sort
        A measure; "given" for the order given; None for the first measure of which more, or less,
        is better.

    Raises
    ------
    MeasureError
        If the measure was not evaluated.
    """
    named = [*(names or short_names([ev.run_name for ev in evaluations]))]
    first = evaluations[0]
    if sort is None:
        sort = next((str(one) for one in first.measures if has_best(one)), GIVEN)
    if sort == GIVEN:
        return [*evaluations], named
    try:
        measure = first.measures[first.column(sort)]
    except MeasureError as error:
        raise MeasureError(f"cannot sort by {sort}: {error.found}", error.remedy) from None
    sign = -1.0 if measure.more_is_better else 1.0
    means = [ev[measure] for ev in evaluations]
    order = sorted(
        range(len(means)),
        key=lambda at: (math.isnan(means[at]), 0.0 if math.isnan(means[at]) else sign * means[at]),
    )
    return [evaluations[at] for at in order], [named[at] for at in order]


def _cells(
    rows: Sequence[Row], measures: Sequence[Measure], style: NumberStyle
) -> list[list[Cell]]:
    """Write the cells of a table, and mark the best of the rows that compare runs."""
    written = [row.written(measures, style) for row in rows]
    place = [[0] * len(measures) for _ in rows]
    for how in {row.aggregate for row in rows} - _WITHOUT_BEST:
        numbers = [at for at, row in enumerate(rows) if row.is_total and row.aggregate == how]
        for column, measure in enumerate(measures):
            if has_best(measure):
                found = places(
                    [rows[at].values[column] for at in numbers],
                    [written[at][column] for at in numbers],
                    more_is_better=measure.more_is_better,
                )
                for at, one in zip(numbers, found, strict=True):
                    place[at][column] = one
    return [
        [*map(Cell, row.keys), *map(Cell, texts, marked)]
        for row, texts, marked in zip(rows, written, place, strict=True)
    ]


def _rows(name: str, ev: Evaluation, aggregates: Aggregates, *, per_query: bool) -> list[Row]:
    of_all = (name, "all") if per_query else (name,)
    last = [Row((*of_all, how), values, how) for how, values in aggregates.of(ev).items()]
    last = last or [Row(of_all, tuple(ev.means.values()))]
    if not per_query:
        return last
    scored = zip(ev.queries, ev.scores.tolist(), strict=True)
    no_aggregate = [""] * bool(aggregates.names)
    rows = [
        Row((name, query, *no_aggregate), tuple(scores), is_total=False) for query, scores in scored
    ]
    return [*rows, *last]


def _caption(named: Mapping[str, Evaluation], options: TableOptions) -> str:
    """Describe a table for a paper: what is averaged, the conventions and the marks."""
    ev, *_ = evaluations = [*named.values()]
    counts = sorted({one.audit.averaged for one in evaluations})
    least, most = counts[0], counts[-1]
    queries = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    of = f"{'Mean' if len(ev.measures) == 1 else 'Means'} over {queries} queries"
    percent = "".join(f", {line}" for line in in_percent(ev.measures, options.style))
    best = " Best values in bold, second best underlined." if len(evaluations) > 1 else ""
    chosen = in_a_sentence(str(ev.conventions))
    best += trials_in_caption(named)
    return f"{of}{percent}.{best} Conventions: {chosen}; rankmark {__version__}."


def _for_json(name: str, run: dict[str, Any]) -> dict[str, Any]:
    """Add the name of a run in tables, behind the versions."""
    first = {key: run[key] for key in ("schema", "rankmark")}
    return first | {"name": name} | run


def _json(runs: Sequence[Mapping[str, Any]]) -> str:
    settings = runs[0]["settings"]  # the same for every run, except for the files
    document = {
        "schema": runs[0]["schema"],
        "rankmark": __version__,
        "settings": {name: settings[name] for name in settings if name not in {"qrels", "run"}},
        "runs": runs,
    }
    return as_json(document, indent=2) + "\n"
