"""A comparison of two runs, in the formats that people paste and programs read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.formatting.text_tables import separated, with_notes

if TYPE_CHECKING:
    from rankmark.report.result_tables import Format
    from rankmark.results.ranking_comparison import RankingComparison


def rendered(found: RankingComparison, form: Format, *, per_query: bool) -> str:
    """Write a comparison.

    Parameters
    ----------
    found
        What is written.
    form
        "json" is one indented document, "jsonl" one line; both hold settings, audit and the
        SHA-256 of each file. "csv" holds numbers in full. "table", "markdown" and "latex" round
        to four decimals and are followed by the audit, but for latex, where it is comments.
    per_query
        A row a query, besides the means.
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
    cells = [[query, *(f"{value:.4f}" for value in values)] for query, values in rows]
    return with_notes(form, head, cells, 1, found.notes)
