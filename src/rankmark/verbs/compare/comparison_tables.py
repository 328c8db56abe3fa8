"""Comparisons of runs as tables, CSV or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankmark.results.latex_float import IN_A_COLUMN
from rankmark.results.result import as_json
from rankmark.verbs.compare.comparison_display import markdown_of, text_of
from rankmark.verbs.compare.row_tables import Rows
from rankmark.verbs.evaluate.notes import notes, to_show

if TYPE_CHECKING:
    from rankmark.results.result import Result
    from rankmark.results.table_options import TableOptions
    from rankmark.verbs.compare.comparison import Comparison
    from rankmark.verbs.evaluate.result_tables import Format


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
    sort, digits, percent = options.sort, options.style.digits, options.style.percent
    layout = compared.layout(sort=sort, digits=digits, percent=percent)
    if form in {"json", "jsonl"}:
        document = compared.to_dict(per_query=per_query)
        order = {run: at for at, run in enumerate(layout.runs)}
        document["leaderboard"].sort(key=lambda row: order[row["run"]])
        return as_json(document, indent=2 if form == "json" else None) + "\n", []
    found = list(compared.evaluations.values())
    look = options._replace(names=list(compared.evaluations))
    legend = layout.legend
    audit = notes(found, look, tested=bool(len(compared.differences))) if found else []
    audit = [line for line in audit if line not in legend]
    below = to_show([*legend, *audit], options)
    if form in {"csv", "parquet"}:
        means = options.tables == ("means",)
        rows = as_table(compared, per_query=per_query, is_long=is_long, means=means)
        return rows, below
    if form == "latex":
        page = options.page or IN_A_COLUMN
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
        return latex, below
    if form == "markdown":
        return markdown_of(layout, to_show(layout.below, options)), to_show(audit, options)
    return text_of(layout, below, styled=options.styled, width=options.width), []


def as_table(
    compared: Comparison, *, per_query: bool = False, is_long: bool = False, means: bool = False
) -> Result:
    """Return the rows of a comparison.

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
    parts = [compared, *compared.slices.values()]
    rows: list[Any] = [row for part in parts for row in part.differences]
    if means or not rows:
        rows = [row for part in parts for row in part.leaderboard]
    return Rows(rows, type(rows[0]))
