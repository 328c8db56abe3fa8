"""Results with a row for each query, as a table or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.results.marked_tables import MarkedTable
from rankmark.results.plain_table import Table
from rankmark.results.table_schema import Columns, long_form, texts
from rankmark.results.text_tables import Cell
from rankmark.results.text_width import fitted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankmark.results.per_query import ByQuery


def rendered(
    found: ByQuery,
    form: str,
    *,
    per_query: bool,
    notes: Sequence[str],
    caption: str,
    label: str,
    width: int | None = None,
) -> str:
    """Write a result.

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
    caption, label
        Of "latex".
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
        return table.as_latex(caption=caption, label=label)
    told = "".join(f"{note}\n" for note in notes)
    return fitted(f"{table.as_text(width=width)}\n{told}", width)


def as_table(found: ByQuery, runs: Mapping[str, str], *, per_query: bool, is_long: bool) -> Table:
    """Return the values of each query, or else their means, behind the names of the runs."""
    columns: Columns = {"query_id": texts("query_id", found.queries)} if per_query else {}
    count = len(found.queries) if per_query else 1
    columns = {**{name: texts(name, [run]) * count for name, run in runs.items()}, **columns}
    keys = [*columns]
    for at, name in enumerate(found.names):
        columns[name] = found.scores[:, at] if per_query else [found.means[name]]
    return Table(long_form(columns, keys) if is_long else columns)
