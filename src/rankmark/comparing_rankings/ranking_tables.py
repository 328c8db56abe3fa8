"""A comparison of two runs as a table or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.formatting.marked_tables import MarkedTable
from rankmark.formatting.plain_table import Table
from rankmark.formatting.run_names import short_names
from rankmark.formatting.table_schema import Columns, long_form, texts
from rankmark.formatting.text_tables import Cell
from rankmark.formatting.text_width import fitted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.comparing_rankings.ranking_comparison import RankingComparison
    from rankmark.evaluating.result_tables import Format


def rendered(
    found: RankingComparison,
    form: Format,
    *,
    per_query: bool,
    notes: Sequence[str],
    width: int | None = None,
) -> str:
    """Write a comparison.

    Parameters
    ----------
    form
        "json" is one indented document, "jsonl" one line; both contain settings, audit and the
        SHA-256 of each file. "table", "markdown" and "latex" round to
        four decimals; a table is followed by the audit.
    per_query
        Add a row per query.
    notes
        The lines below a table.
    width
        The columns of a line of "table"; None for no limit.
    """
    if form == "json":
        return found.to_json(per_query=per_query, indent=2) + "\n"
    if form == "jsonl":
        return found.to_json(per_query=per_query) + "\n"
    rows = [("all", tuple(found.means.values()))]
    if per_query:
        rows = [*zip(found.queries, map(tuple, found.scores.tolist()), strict=True), *rows]
    head = ["query_id", *found.names]
    cells = [[Cell(query), *(Cell(f"{value:.4f}") for value in values)] for query, values in rows]
    table = MarkedTable(head, cells)
    if form == "markdown":
        return table.as_markdown()
    if form == "latex":
        a, b = found.run_names
        return table.as_latex(caption=f"Similarity of {a} and {b}.", label="tab:similarity")
    told = "".join(f"{note}\n" for note in notes)
    return fitted(f"{table.as_text(width=width)}\n{told}", width)


def as_table(found: RankingComparison, *, per_query: bool, is_long: bool) -> Table:
    """Return the values of each query, or else their means, behind the names of the runs."""
    columns: Columns = {"query_id": texts("query_id", found.queries)} if per_query else {}
    count = len(found.queries) if per_query else 1
    runs = zip(("run_a", "run_b"), texts("run_a", short_names(found.run_names)), strict=True)
    columns = {**{name: [run] * count for name, run in runs}, **columns}
    keys = [*columns]
    for at, name in enumerate(found.names):
        columns[name] = found.scores[:, at] if per_query else [found.means[name]]
    return Table(long_form(columns, keys) if is_long else columns)
