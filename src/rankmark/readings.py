"""Results in words: what judgments and runs were taken for, values, and intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankmark.measures import Measure
    from rankmark.sources import Qrels, Run

_NEEDS_NO_WORD = ({"form": "trec"}, {"form": "mapping"})


def described(prepared: Qrels | Run) -> dict[str, Any]:
    """Give a source's name, the SHA-256 of its bytes if it is a file, and what it was taken for."""
    source = prepared.source
    return {"name": prepared.name, "sha256": source.sha256(), **source.taken()}


def reading(prepared: Qrels | Run, without_number: str) -> str | None:
    """Say what a source was taken for; None where it can be nothing else."""
    taken = prepared.source.taken()
    if taken in _NEEDS_NO_WORD:
        return None
    line = f"{prepared.name} read as {taken['form']}"
    if "subtopics" in taken:
        line += " by subtopic"
    if "packing" in taken:
        line += f" in {taken['packing']}"
    if "columns" in taken:
        columns = taken["columns"]
        line += ": " + ", ".join(f"{role}={name}" for role, name in columns.items())
        if columns.keys() <= {"query_id", "doc_id"}:
            line += f", {without_number}"
    return line


def written_value(one: Measure, value: float) -> str:
    """Write a value as tables show it: counts whole, the rest to four decimals."""
    return f"{value:.0f}" if one.aggregate == "sum" else f"{value:.4f}"


def interval_line(
    measures: Sequence[Measure], reason: str, intervals: Mapping[str, tuple[float, float]]
) -> str:
    """Say what a reason could make of the means that are named."""
    named = {str(one): one for one in measures}
    ends = [
        f"{name} {written_value(named[name], low)} to {written_value(named[name], high)}"
        for name, (low, high) in intervals.items()
    ]
    return f"{reason} {', '.join(ends)}"
