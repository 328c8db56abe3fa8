"""Recall of neighbours as a table or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.results.marked_tables import MarkedTable
from rankmark.results.plain_table import Table
from rankmark.results.table_schema import Columns, long_form, texts
from rankmark.results.text_tables import Cell
from rankmark.results.text_width import fitted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.answers.neighbours.neighbour_recall import NeighbourRecall
    from rankmark.verbs.evaluate.result_tables import Format

_CONFIDENCE = 0.95


def rendered(
    found: NeighbourRecall,
    form: Format,
    *,
    per_query: bool,
    notes: Sequence[str],
    width: int | None = None,
) -> str:
    """Write recall: a row for each measure with an interval, or a row for each query.

    Parameters
    ----------
    form
        "json" is one indented document, "jsonl" one line; "table", "markdown" and "latex" round to
        four decimals; a table is followed by the audit.
    per_query
        Write a row for each query, and the means below.
    notes
        The lines below a table.
    width
        The columns of a line of "table"; None for no limit.
    """
    if form in ("json", "jsonl"):
        indent = 2 if form == "json" else None
        return found.to_json(per_query=per_query, intervals=True, indent=indent) + "\n"
    table = _by_query(found) if per_query else _with_intervals(found)
    if form == "markdown":
        return table.as_markdown()
    if form == "latex":
        return table.as_latex(caption="Recall of nearest neighbours.", label="tab:neighbours")
    told = "".join(f"{note}\n" for note in notes)
    return fitted(f"{table.as_text(width=width)}\n{told}", width)


def _by_query(found: NeighbourRecall) -> MarkedTable:
    rows = [*zip(found.queries, map(tuple, found.scores.tolist()), strict=True)]
    rows.append(("all", tuple(found.means.values())))
    cells = [[Cell(query), *(Cell(f"{value:.4f}") for value in values)] for query, values in rows]
    return MarkedTable(["query_id", *found.names], cells)


def _with_intervals(found: NeighbourRecall) -> MarkedTable:
    share = f"{_CONFIDENCE:.0%}".removesuffix("%")
    cells = []
    for name, mean in found.means.items():
        one = found.interval(name, confidence=_CONFIDENCE)
        ends = "" if one.undefined else f"[{one.low:.4f}, {one.high:.4f}]"
        cells.append([Cell(name), Cell(f"{mean:.4f}"), Cell(ends), Cell(f"{one.n:,}")])
    return MarkedTable(["measure", "mean", f"{share}% interval", "queries"], cells)


def as_table(found: NeighbourRecall, *, per_query: bool, is_long: bool) -> Table:
    """Return the values of each query, or else their means."""
    columns: Columns = {"query_id": texts("query_id", found.queries)} if per_query else {}
    if not per_query:
        columns["query_id"] = ["all"]
    for at, name in enumerate(found.names):
        columns[name] = found.scores[:, at] if per_query else [found.means[name]]
    return Table(long_form(columns, ["query_id"]) if is_long else columns)
