"""A power analysis as a table or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    width
        The columns of a line of "table"; None for no limit.
    """
    if form == "json":
        return found.to_json(indent=2) + "\n"
    if form == "jsonl":
        return found.to_json() + "\n"
    (table,) = found._grids()
    if form == "table":
        told = "".join(f"{note}\n" for note in notes)
        return fitted(f"{table.as_text(width=width)}\n{told}", width)
    return found.to_markdown() if form == "markdown" else found.to_latex()
