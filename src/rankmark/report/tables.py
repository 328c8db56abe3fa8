"""A table of results, in the formats that people paste and programs read."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rankmark.evaluation import SCHEMA, written_value
from rankmark.grids import latex, markdown, text
from rankmark.version import __version__

if TYPE_CHECKING:
    from rankmark.evaluation import Evaluation
    from rankmark.measures import Measure

Format = Literal["table", "json", "jsonl", "csv", "markdown", "latex"]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table: what it is about, and a value a measure."""

    keys: tuple[str, ...]
    values: tuple[float, ...]


def rendered(evaluations: Sequence[Evaluation], form: Format, *, per_query: bool) -> str:
    """Write evaluations of one or several runs, which share measures and conventions.

    Parameters
    ----------
    evaluations
        One a run, at least one.
    form
        "json" is one document, "jsonl" one line a run; both hold settings, audit and the SHA-256
        of each file. "csv" holds numbers in full. "table", "markdown" and "latex" round to four
        decimals and are followed by audit and conventions, but for latex, where they are comments.
    per_query
        A row a query and run, besides the means.
    """
    if form == "json":
        return _json(evaluations, per_query=per_query)
    if form == "jsonl":
        return "".join(ev.to_json(per_query=per_query) + "\n" for ev in evaluations)
    measures = evaluations[0].measures
    keys = ("run", "query_id") if per_query else ("run",)
    rows = [row for ev in evaluations for row in _rows(ev, per_query=per_query)]
    if form == "csv":
        return _csv(keys, measures, rows)
    head = [*keys, *map(str, measures)]
    cells = [[*row.keys, *map(written_value, measures, row.values)] for row in rows]
    if form == "markdown":
        return (
            markdown(head, cells, len(keys))
            + "\n"
            + "".join(f"{x}  \n" for x in notes(evaluations))
        )
    if form == "latex":
        return "".join(f"% {note}\n" for note in notes(evaluations)) + latex(head, cells, len(keys))
    return text(head, cells, len(keys)) + "\n" + "".join(f"{note}\n" for note in notes(evaluations))


def notes(evaluations: Sequence[Evaluation]) -> list[str]:
    """List what stands under a table.

    Who was averaged, a line a run; what files were taken for, where that could be asked; and the
    conventions.
    """
    width = max(len(ev.run_name) for ev in evaluations)
    audits = [f"{ev.run_name:<{width}}  {ev.audit}" for ev in evaluations]
    readings = dict.fromkeys(line for ev in evaluations for line in ev.readings)
    return [*audits, *readings, f"conventions: {evaluations[0].conventions}"]


def _rows(ev: Evaluation, *, per_query: bool) -> list[Row]:
    mean = Row((ev.run_name, "all") if per_query else (ev.run_name,), ev.means)
    if not per_query:
        return [mean]
    scored = zip(ev.queries, ev.scores.tolist(), strict=True)
    return [*(Row((ev.run_name, query), tuple(scores)) for query, scores in scored), mean]


def _json(evaluations: Sequence[Evaluation], *, per_query: bool) -> str:
    chosen = evaluations[0].settings  # but for the files, the same for every run
    document = {
        "schema": SCHEMA,
        "rankmark": __version__,
        "settings": {name: chosen[name] for name in chosen if name not in {"qrels", "run"}},
        "runs": [ev.to_dict(per_query=per_query) for ev in evaluations],
    }
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def _csv(keys: Sequence[str], measures: Sequence[Measure], rows: Sequence[Row]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*keys, *measures])
    for row in rows:
        writer.writerow([*row.keys, *("" if math.isnan(x) else repr(x) for x in row.values)])
    return out.getvalue()
