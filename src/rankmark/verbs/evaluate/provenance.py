"""Write how inputs were interpreted, values, and intervals."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from rankmark.measures.thresholds import without_rel
from rankmark.named_tuples import NamedTuple
from rankmark.results.details import Brief
from rankmark.results.number_style import USUAL, NumberStyle

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankmark.array_types import Floats, Ints
    from rankmark.conventions import Conventions
    from rankmark.data.alignment import Alignment
    from rankmark.measures import Measure

_WITH_NUMBERS_BY_ID = ("json", "jsonl", "records")
"""Forms in which the list of a query may be a mapping to labels or scores."""
_OBVIOUS = ({"form": "trec"}, {"form": "mapping"})


class Readable(Protocol):
    """What is known of a source after it was read."""

    @property
    def name(self) -> str:
        """The file's name, or the form: ``<mapping>``, ``<frame>``, ..."""
        ...

    def description(self) -> dict[str, Any]:
        """Describe how it was interpreted."""
        ...

    def sha256(self) -> str | None:
        """Hash the file's bytes; None if it is not a file."""
        ...


class Describable(Protocol):
    """Documents that were left out of a run as seen before."""

    def description(self) -> dict[str, Any]:
        """Describe how they were interpreted."""
        ...


class Sources(NamedTuple):
    """What was evaluated: judgments, a run, and the documents seen before, if any."""

    qrels: Readable
    run: Readable
    seen: Describable | None


class Given(NamedTuple):
    """A system as it was given: a run, or trials, whose scores are averaged within queries.

    Parameters
    ----------
    name
        Its name; None if it has that of its only run.
    runs
        Its runs, in any form that ``evaluate`` takes, or their evaluations.
    tables
        What was read of each run, if they are scores by query.
    """

    name: str | None
    runs: list[Any]
    tables: Sequence[Any] = ()


def described(source: Readable) -> dict[str, Any]:
    """Return a source's name, the SHA-256 of its file, if any, and how it was read."""
    return {"name": source.name, "sha256": source.sha256(), **source.description()}


def read_as(source: Readable, without_number: str) -> str | None:
    """Return how a source was read; None if that is obvious."""
    description = source.description()
    if description in _OBVIOUS:
        return None
    form = description["form"]
    line = source.name if source.name == f"<{form}>" else f"{source.name} read as {form}"
    if "subtopics" in description:
        line += " by subtopic"
    if "packing" in description:
        line += f" in {description['packing']}"
    if "columns" in description:
        columns = description["columns"]
        line += ": columns " if line == source.name else ": "
        line += ", ".join(f"{role}={name}" for role, name in columns.items())
        of_ids = {"query_id", "doc_id", "parent"}
        if form not in _WITH_NUMBERS_BY_ID:
            of_ids |= {"list"}
        if columns.keys() <= of_ids:
            line += f", {without_number}"
    if "unjudged" in description:
        line += f", {description['unjudged']:,} without a label, which are unjudged"
    if "parents" in description:
        line += f", with the documents of {description['parents']:,} units"
    return None if line == source.name else line


def note_of(conventions: Conventions, before: str = "") -> Brief:
    """Return a note of conventions, behind some words; it is brief, "", if all are as usual."""
    line = f"{before}{conventions}"
    return Brief("" if str(conventions) == str(type(conventions)()) else line, line)


def unsaid_rel(measures: Sequence[Measure], a: Alignment) -> str | None:
    """Return what counts as relevant, if labels are graded and rel was not chosen; else None."""
    if not without_rel(measures):
        return None
    # If the measures need only the first ideal labels, those of the run show the others.
    label = np.concatenate([a.ideal_label, a.label])
    return unsaid_rel_of(measures, label[label > 0])


def unsaid_rel_of(measures: Sequence[Measure], grades: Floats) -> str | None:
    """Return the same, given the positive labels: (n,) float64."""
    by_default = without_rel(measures)
    if not by_default:
        return None
    lowest, highest = grades.min(initial=np.inf), grades.max(initial=0.0)
    if not lowest < highest or highest < 1:
        return None
    upper = float(grades[grades > highest / 2].min())
    example = by_default[0](rel=upper if upper > 1 else float(lowest))
    more = f" and {len(by_default) - 3} more" if by_default[3:] else ""
    names = ", ".join(map(str, by_default[:3])) + more
    counts = "count" if by_default[1:] else "counts"
    return (
        f"{names} {counts} labels >= 1 as relevant; labels go up to {highest:g}; set rel to change "
        f"this, as in {example}"
    )


def out_of_reach(
    measures: Sequence[Measure], a: Alignment, rows: Ints | None = None
) -> tuple[str, ...]:
    """Return lines on queries that no ranking can satisfy with the cutoff of a measure.

    Parameters
    ----------
    rows
        (n,) int64, the numbers of the queries averaged; None for all.
    """
    if "preferences" in a.views:
        return ()
    lines = []
    for measure in measures:
        never = measure.out_of_reach(a)
        if never is None:
            continue
        never = never if rows is None else never[rows]
        if count := int(never.sum()):
            queries = "query" if len(never) == 1 else "queries"
            need, have = ("needs", "has") if count == 1 else ("need", "have")
            k = getattr(measure, "k", 0)
            documents = "1 document" if k == 1 else f"{k:,} documents"
            lines.append(
                f"{count:,} of {len(never):,} {queries} {need} more than {documents}, and {have} "
                f"0 in {measure} whatever the ranking"
            )
    return tuple(lines)


def asked_for(asked: Mapping[str, Measure]) -> str | None:
    """Write the canonical names of measures that were requested by other names, if any.

    P alone is the name of several measures in trec_eval, which it does not have here.
    """
    others = [f"{name} is {m}" for name, m in asked.items() if _stem(name) != _stem(m.name)]
    if str(asked.get("P")) == "P":
        from rankmark.measures.trec_eval_names import FAMILIES  # noqa: PLC0415  (all measures)

        cutoffs = ",".join(map(str, FAMILIES["P"].defaults))
        others.append(f"P is that of the whole ranking, as set_P; trec_eval's P is P@{cutoffs}")
    return f"asked for: {', '.join(others)}" if others else None


def _stem(name: str) -> str:
    """Return the beginning of a name, without parameters: p for P_5, P@5 and p(rel=2)."""
    letters = re.match(r"[^\W\d]*", name.strip().replace("-", "_"))
    return letters[0].strip("_").lower() if letters else ""


def written_value(measure: Measure, value: float, style: NumberStyle = USUAL) -> str:
    """Write a value as in tables: counts as whole numbers, the rest with four decimals."""
    if measure.aggregate == "sum":
        return f"{value:.0f}"
    return style.written(value, is_share=is_share(measure))


def is_share(measure: Measure) -> bool:
    """Return whether values of a measure may be written in percent."""
    return measure.bounds == (0.0, 1.0)


def has_best(measure: Measure) -> bool:
    """Return whether a measure tells how good a run is, and not what was counted or judged."""
    judged = measure.depends_on in {"judged", "anywhere"}
    about_judgments = judged and measure.nothing_relevant is None
    return measure.depends_on != "counts" and not about_judgments


def interval_lines(
    measures: Sequence[Measure],
    moved: Mapping[str, tuple[float, float]],
    bounds: Mapping[str, tuple[float, float]],
    errors: Mapping[str, float],
    style: NumberStyle = USUAL,
) -> list[str]:
    """Write the intervals of the means: over ties, judgments and sampling errors."""
    reasons = {
        "another order of ties could give": moved,
        "judging the unjudged could give": bounds,
    }
    lines = [interval_line(measures, why, found, style) for why, found in reasons.items() if found]
    if errors:
        each = (f"{name} {error:.1g}" for name, error in errors.items())
        lines.append(f"estimated from sampled orders, standard error: {', '.join(each)}")
    return lines


def interval_line(
    measures: Sequence[Measure],
    reason: str,
    intervals: Mapping[str, tuple[float, float]],
    style: NumberStyle = USUAL,
) -> str:
    """Write the intervals of some means, with the reason."""
    by_name = {str(measure): measure for measure in measures}
    ends = [
        f"{name} {written_value(by_name[name], low, style)} to "
        f"{written_value(by_name[name], high, style)}"
        for name, (low, high) in intervals.items()
    ]
    return f"{reason} {', '.join(ends)}"
