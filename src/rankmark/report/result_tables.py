"""Evaluations as a table or JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from rankmark.formatting.result import as_json
from rankmark.formatting.text_tables import separated, with_notes
from rankmark.report.aggregate_tables import Aggregates
from rankmark.report.notes import notes
from rankmark.results.evaluation import SCHEMA
from rankmark.results.provenance import written_value
from rankmark.version import __version__

if TYPE_CHECKING:
    from rankmark.measures import Measure
    from rankmark.results.evaluation import Evaluation

Format = Literal["table", "json", "jsonl", "csv", "markdown", "latex"]


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table; values of aggregates have decimals even if the measure is a count."""

    keys: tuple[str, ...]
    values: tuple[float, ...]
    is_aggregate: bool = False

    def cells(self, measures: Sequence[Measure]) -> list[str]:
        """Return the cells of the row."""
        if self.is_aggregate:
            return [*self.keys, *(f"{value:.4f}" for value in self.values)]
        return [*self.keys, *map(written_value, measures, self.values)]


def rendered(
    evaluations: Sequence[Evaluation],
    form: Format,
    *,
    per_query: bool,
    aggregates: Aggregates | None = None,
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
        SHA-256 of each file. "csv" contains all digits. "table", "markdown" and "latex" round to
        four decimals and are followed by audit and conventions (in LaTeX, as comments).
    per_query
        Add a row per query and run.
    aggregates
        Rows instead of the means; in JSON, in addition to them.
    tie_interval, bounds
        Whether to add these intervals for every measure.
    """
    aggregates = aggregates or Aggregates()
    intervals = {"tie_interval": tie_interval, "bounds": bounds}
    runs = (
        ev.to_dict(per_query=per_query, **intervals) | aggregates.for_json(ev) for ev in evaluations
    )
    if form == "json":
        return _json(list(runs))
    if form == "jsonl":
        return "".join(as_json(run) + "\n" for run in runs)
    measures = evaluations[0].measures
    keys = ["run", *["query_id"] * per_query, *["aggregate"] * bool(aggregates.names)]
    rows = [row for ev in evaluations for row in _rows(ev, aggregates, per_query=per_query)]
    head = [*keys, *map(str, measures)]
    if form == "csv":
        return separated(head, [(row.keys, row.values) for row in rows])
    cells = [row.cells(measures) for row in rows]
    return with_notes(form, head, cells, len(keys), notes(evaluations, **intervals))


def _rows(ev: Evaluation, aggregates: Aggregates, *, per_query: bool) -> list[Row]:
    of_all = (ev.run_name, "all") if per_query else (ev.run_name,)
    last = [
        Row((*of_all, how), values, is_aggregate=True) for how, values in aggregates.of(ev).items()
    ]
    last = last or [Row(of_all, tuple(ev.means.values()))]
    if not per_query:
        return last
    scored = zip(ev.queries, ev.scores.tolist(), strict=True)
    no_aggregate = [""] * bool(aggregates.names)
    rows = [Row((ev.run_name, query, *no_aggregate), tuple(scores)) for query, scores in scored]
    return [*rows, *last]


def _json(runs: Sequence[Mapping[str, Any]]) -> str:
    settings = runs[0]["settings"]  # the same for every run, except for the files
    document = {
        "schema": SCHEMA,
        "rankmark": __version__,
        "settings": {name: settings[name] for name in settings if name not in {"qrels", "run"}},
        "runs": runs,
    }
    return as_json(document, indent=2) + "\n"
