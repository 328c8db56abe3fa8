"""A comparison of two runs as a table or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.formatting.marked_tables import MarkedTable
from rankmark.formatting.text_tables import Cell, separated
from rankmark.formatting.text_width import fitted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.report.result_tables import Format
    from rankmark.results.ranking_comparison import RankingComparison


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
        SHA-256 of each file. "csv" contains all digits. "table", "markdown" and "latex" round to
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
    if form == "csv":
        return separated(head, [((query,), values) for query, values in rows])
    cells = [[Cell(query), *(Cell(f"{value:.4f}") for value in values)] for query, values in rows]
    table = MarkedTable(head, cells)
    if form == "markdown":
        return table.as_markdown()
    if form == "latex":
        a, b = found.run_names
        return table.as_latex(caption=f"Similarity of {a} and {b}.", label="tab:similarity")
    told = "".join(f"{note}\n" for note in notes)
    return fitted(f"{table.as_text(width=width)}\n{told}", width)
