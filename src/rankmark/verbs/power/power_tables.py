"""A power analysis as a table or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.results.marked_tables import MarkedTable
from rankmark.results.text_tables import Cell, text
from rankmark.results.text_width import fitted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.verbs.evaluate.result_tables import Format
    from rankmark.verbs.power.detectable import PowerAnalysis
    from rankmark.verbs.power.planned_gate import GatePower


def rendered(
    found: PowerAnalysis | GatePower,
    form: Format,
    notes: Sequence[str],
    *,
    words: int = 1,
    width: int | None = None,
) -> str:
    """Write a power analysis.

    Parameters
    ----------
    form
        "json" is one indented document, "jsonl" one line; both contain settings, audits and the
        SHA-256 of each file. The others have a column for each measure, and "table" has notes
        below.
    notes
        The lines below a table.
    words
        Its number of columns of words, which come first.
    width
        The columns of a line of "table"; None for no limit.
    """
    if form == "json":
        return found.to_json(indent=2) + "\n"
    if form == "jsonl":
        return found.to_json() + "\n"
    if form == "table":
        told = "".join(f"{note}\n" for note in notes)
        return fitted(f"{text(*found.table(), words, width=width)}\n{told}", width)
    head, cells = found.table()
    table = MarkedTable(head, [[*map(Cell, row)] for row in cells])
    if form == "markdown":
        return table.as_markdown()
    return table.as_latex(caption="; ".join(found.notes), label="tab:power")
