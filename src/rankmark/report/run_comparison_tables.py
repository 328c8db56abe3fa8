"""Comparisons of runs as tables, CSV or JSON."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankmark.formatting.result import as_json
from rankmark.formatting.text_tables import separated
from rankmark.formatting.text_width import fitted
from rankmark.report.notes import notes
from rankmark.results.comparison_display import text_of

if TYPE_CHECKING:
    from rankmark.report.result_tables import Format
    from rankmark.report.table_options import TableOptions
    from rankmark.results.comparison import Comparison


def rendered(
    compared: Comparison, form: Format, options: TableOptions, *, per_query: bool = False
) -> tuple[str, list[str]]:
    """Write a comparison.

    Parameters
    ----------
    form
        "json" is one indented document, "jsonl" one line. "csv" has a row for each pair of runs and
        measure, with all digits. "table" and "markdown" have a legend, which is the caption in
        "latex".
    options
        Order of the runs, how numbers are written, and the lines below the table.
    per_query
        In JSON and JSONL, add the scores of each query; in CSV, have a row for each run and query
        instead.

    Returns
    -------
    str, list of str
        The text, and the lines that go to standard error if the text is pasted.
    """
    sort, digits, percent = options.sort, options.style.digits, options.style.percent
    layout = compared.layout(sort=sort, digits=digits, percent=percent)
    if form in {"json", "jsonl"}:
        document = compared.to_dict(per_query=per_query)
        order = {run: at for at, run in enumerate(layout.runs)}
        document["leaderboard"].sort(key=lambda row: order[row["run"]])
        return as_json(document, indent=2 if form == "json" else None) + "\n", []
    found = list(compared.evaluations.values())
    look = replace(options, names=list(compared.evaluations))
    below = [line for line in notes(found, look) if line not in layout.legend] if found else []
    if form == "csv":
        return _csv(compared, per_query=per_query), [*layout.legend, *below]
    if form == "latex":
        page = options.page
        latex = compared.to_latex(
            sort=sort,
            digits=digits,
            percent=percent,
            caption=page.caption,
            label=page.label or "tab:comparison",
            environment=page.environment,
            resize=page.resize,
            tables=options.tables,
        )
        return latex, [*layout.legend, *below]
    if form == "markdown":
        return compared.to_markdown(sort=sort, digits=digits, percent=percent), below
    text = text_of(layout, layout.legend, styled=options.styled, width=options.width)
    told = "".join(f"{line}\n" for line in below)
    return text + "\n" * bool(below) + fitted(told, options.width), []


def _csv(compared: Comparison, *, per_query: bool) -> str:
    if per_query:
        rows = [
            ((run, query), tuple(scores))
            for at, run in enumerate(compared.runs)
            for query, scores in zip(compared.queries, compared.scores[:, at].tolist(), strict=True)
        ]
        return separated(["run", "query_id", *compared.measures], rows)
    rows_of: list[dict[str, Any]] = [
        row
        | {
            "baseline_mean": compared[row["baseline"]][row["measure"]],
            "run_mean": compared[row["run"]][row["measure"]],
        }
        for rows in (compared.differences, *(part.differences for part in compared.slices.values()))
        for row in rows.for_json()
    ] or compared.leaderboard.for_json()
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows_of[0]), lineterminator="\n")
    writer.writeheader()
    for row in rows_of:
        writer.writerow({name: _in_full(value) for name, value in row.items()})
    return out.getvalue()


def _in_full(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(value)
    return value
