"""Results in words: what judgments and runs were taken for, values, and intervals."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankmark.alignment.alignment import Alignment
    from rankmark.measures import Measure
    from rankmark.sources.contract.source import Source
    from rankmark.sources.prepared.remembered import Described

_NEEDS_NO_WORD = ({"form": "trec"}, {"form": "mapping"})


def described(source: Source | Described) -> dict[str, Any]:
    """Give a source's name, the SHA-256 of its bytes if it is a file, and what it was taken for."""
    return {"name": source.name, "sha256": source.sha256(), **source.description()}


def read_as(source: Source | Described, without_number: str) -> str | None:
    """Say what a source was taken for; None where it can be nothing else."""
    taken = source.description()
    if taken in _NEEDS_NO_WORD:
        return None
    line = f"{source.name} read as {taken['form']}"
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


def unsaid_rel(measures: Sequence[Measure], a: Alignment) -> str | None:
    """Say what counts as relevant where labels are graded and nobody said it; else None."""
    unsaid = [
        one
        for one in measures
        if "rel" in one.parameters
        and "rel" not in one.chosen
        and one.depends_on != "subtopics"
        and getattr(one, "max_rel", None) is None  # gains without a threshold
    ]
    if not unsaid:
        return None
    # Where the measures look at each query's first labels, those of the run show the others.
    label = np.concatenate([a.ideal_label, a.label])
    grades = label[label > 0]
    lowest, highest = grades.min(initial=np.inf), grades.max(initial=0.0)
    if not lowest < highest or highest < 1:
        return None
    upper = float(grades[grades > highest / 2].min())
    example = unsaid[0](rel=upper if upper > 1 else float(lowest))
    names = ", ".join(map(str, unsaid[:3])) + (f" and {len(unsaid) - 3} more" if unsaid[3:] else "")
    return (
        f"labels are graded, from {lowest:g} to {highest:g}, and every label from 1 on counts as "
        f"relevant in {names}; choose rel, as in {example}, or write rel=1 if you "
        "mean that"
    )


def asked_for(asked: Mapping[str, Measure]) -> str | None:
    """Say what measures are called here that were asked for by other names; else None."""
    other = [f"{name} is {one}" for name, one in asked.items() if _stem(name) != _stem(one.name)]
    return f"asked for: {', '.join(other)}" if other else None


def _stem(name: str) -> str:
    """Give what a name begins with, without parameters and numbers: P_5, P@5 and p(rel=2) are p."""
    letters = re.match(r"[^\W\d]*", name.strip().replace("-", "_"))
    return letters[0].strip("_").lower() if letters else ""


def written_value(one: Measure, value: float) -> str:
    """Write a value as tables show it: counts whole, the rest to four decimals."""
    return f"{value:.0f}" if one.aggregate == "sum" else f"{value:.4f}"


def interval_lines(
    measures: Sequence[Measure],
    moved: Mapping[str, tuple[float, float]],
    bounds: Mapping[str, tuple[float, float]],
    errors: Mapping[str, float],
) -> list[str]:
    """Say how far the means could move, a line for each reason that there is."""
    reasons = {
        "another order of ties could give": moved,
        "judging the unjudged could give": bounds,
    }
    lines = [interval_line(measures, *one) for one in reasons.items() if one[1]]
    if errors:
        each = (f"{name} {error:.1g}" for name, error in errors.items())
        lines.append(f"estimated from drawn orders, standard error: {', '.join(each)}")
    return lines


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
