"""A comparison of judgments as JSON, Markdown, LaTeX and text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.judges.agreement import agreement_tables as tables
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.text_tables import Cell

if TYPE_CHECKING:
    from rankmark.judges.agreement.judgment_comparison import JudgmentComparison


def as_text(
    found: JudgmentComparison, form: str, *, per_query: bool, is_quiet: bool, width: int | None
) -> str:
    """Write a comparison in a form other than rows.

    Markdown and LaTeX have the tables of text, or only that of the queries.
    """
    if form == "json":
        return found.to_json(per_query=per_query, indent=2) + "\n"
    if form == "table":
        return found.to_text(per_query=per_query, notes=not is_quiet, width=width) + "\n"
    shown = [tables.of_queries(found.pairs[0])] if per_query else found.text_tables()
    marked = [
        MarkedTable(table.head, [[*map(Cell, row)] for row in table.rows], table.words)
        for table in shown
    ]
    if form == "markdown":
        return "\n".join(table.as_markdown() for table in marked)
    judges = f"{', '.join(found.names[:-1])} and {found.names[-1]}"
    return "\n".join(
        one.as_latex(
            caption=f"Labels by {judges}: {table.caption}.",
            label="tab:judges" if number == 1 else f"tab:judges-{number}",
        )
        for number, (table, one) in enumerate(zip(shown, marked, strict=True), 1)
    )
