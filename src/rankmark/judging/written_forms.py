"""A comparison of judgments as JSON, Markdown, LaTeX and text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.formatting.marked_tables import MarkedTable
from rankmark.formatting.text_tables import Cell
from rankmark.judging import agreement_tables as tables

if TYPE_CHECKING:
    from rankmark.judging.judgment_comparison import JudgmentComparison


def as_text(
    found: JudgmentComparison, form: str, *, per_query: bool, is_quiet: bool, width: int | None
) -> str:
    """Write a comparison in a form other than rows.

    Markdown and LaTeX have one table: that of the figures, or of queries.
    """
    if form == "json":
        return found.to_json(per_query=per_query, indent=2) + "\n"
    if form == "table":
        return found.to_text(per_query=per_query, notes=not is_quiet, width=width) + "\n"
    pair = found.pairs[0]
    shown = tables.of_queries(pair) if per_query else tables.of_figures(pair)
    if len(found.judges) > 2 and not per_query:
        shown = tables.of_pairs(found.pairs)
    rows = [[*map(Cell, row)] for row in shown.rows]
    table = MarkedTable(shown.head, rows, shown.words)
    if form == "markdown":
        return table.as_markdown()
    return table.as_latex(caption=f"Agreement of {' and '.join(found.names)}.", label="tab:judges")
