"""docs/evidence/benchmarks.md and its pictures, from what was measured."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

import speed_chart
from growth_plot import draw
from measured import Measured
from table import Row, markdown, times

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "evidence" / "benchmarks.md"
PLOT = ROOT / "docs" / "pictures" / "growth.svg"

# The works in the short table, as a newcomer would call them.
SHORT = {
    "files, 7M rows": "nDCG@10, AP, RR@10 and R@100 from files, whole process",
    "files, 7M rows, warm process": "the same from Python, in a running process",
    "dicts, 7M entries": "the same from dicts",
    "Polars, string ids, 7M rows": "the same from a Polars frame",
    "memory, 7M rows": "peak memory beyond `import numpy`",
    "memory, 70M rows": "the same for ten times as many queries",
    "dense 7,000 x 1,000, nDCG@10, ties averaged": "nDCG@10 of 7,000 x 1,000 labels and scores",
    "Spark, 5M rows": "5 million rows in Spark, on two cores",
    "Spark, 5M rows, from files": "the same from files that tasks read",
    "Spark, 50M rows": "50 million rows in Spark, on two cores",
}

TITLES = {
    "files": "Files",
    "threads": "The second core",
    "measures": "Many measures",
    "memory": "Memory",
    "verbs": "Memory of other commands",
    "growth": "Growth with rows",
    "robust": "Many judgments and ties",
    "dicts": "Dicts",
    "compat": "Other tools' interfaces",
    "lists": "Lists",
    "frames": "Data frames",
    "dense": "Arrays",
    "neighbours": "Nearest neighbours",
    "formats": "Parquet and packed files",
    "units": "Units of documents",
    "seen": "Seen before",
    "recommended": "Beyond accuracy",
    "subtopics": "Subtopics",
    "similarity": "Similarity of two runs",
    "explain": "Explanations",
    "query": "Small inputs",
    "rewards": "Rewards",
    "imports": "Starting",
    "instructions": "Instructions",
    "logs": "Logs of clicks",
    "spark": "Spark",
}


def write(measured: Sequence[Measured]) -> None:
    """Write the page, its plot, and the chart of the front page."""
    grown = [row for group in measured if group.group == "growth" for row in group.rows]
    has_plot = draw(grown, PLOT)
    page = "\n".join(_page(measured, has_plot=has_plot)).rstrip() + "\n"
    PAGE.write_text(page, encoding="utf-8")
    speed_chart.main()


def short_table(measured: Sequence[Measured]) -> str:
    """Return the few rows that come first on the page."""
    # Growth has rows of the same names, measured less often.
    rows = [row for group in measured if group.group != "growth" for row in group.rows]
    lines = ["| task | rankmark | compared with |", "|---|---|---|"]
    for work, task in SHORT.items():
        found = [row for row in rows if row.work == work and not row.peer.startswith("rankmark")]
        if found:
            against = ", ".join(map(_compared, found))
            lines.append(f"| {task} | {found[0].ours} | {against} |")
    return "\n".join(lines)


def _compared(row: Row) -> str:
    if row.ours.unit == "MB":
        return f"{row.theirs} for {row.peer}"
    if row.goal and row.goal.of == "ratio" and row.goal.bound == "at most":
        return f"{times(row.ratio)} the time of {row.peer}"
    return f"{times(row.ratio)} faster than {row.peer}"


def _page(measured: Sequence[Measured], *, has_plot: bool) -> Iterator[str]:
    yield "# Benchmarks"
    yield ""
    yield "`make bench` measures these figures, and writes this page and the chart in the README."
    yield "[benchmarks/README.md](../../benchmarks/README.md) says what each row measures, and how."
    yield ""
    yield "- Programs that are compared run alternately; a figure is the median of several runs,"
    yield "  with the lowest and the highest in brackets."
    yield "  A number in parentheses is the number of runs, if there were fewer than usual."
    yield "- A ratio says how many times as long, or as large, the other tool's figure is;"
    yield "  if the goal is a ratio of at most some value, it is the other way round."
    yield "- Compare ratios, not times: the figures depend on the machine and on its load."
    yield ""
    yield "## In short"
    yield ""
    yield "6,980 queries with 1,000 documents each: 7 million lines, 257 MB."
    yield ""
    yield short_table(measured)
    yield ""
    yield "## Goals that are not met"
    yield ""
    yield missed_table(measured)
    yield ""
    for group in measured:
        yield f"## {TITLES.get(group.group, group.group.capitalize())}"
        yield ""
        if group.group == "growth" and has_plot:
            yield f"![Seconds by number of rows for each tool](../pictures/{PLOT.name})"
            yield ""
        notes = [f"- {note}" for note in group.notes]
        table = [markdown(group.rows, group.runs, spread=True), *[""] * bool(notes), *notes]
        yield from _folded(_size(group.rows), table)
    yield "## Machines and versions"
    yield ""
    yield from _folded("Dates and machines", _circumstances(measured))


def missed_table(measured: Sequence[Measured]) -> str:
    """Return the rows that miss their goals, those that miss them most first."""
    rows = [row for group in measured for row in group.rows if row.met is False]
    lines = ["| work | compared with | ratio | goal |", "|---|---|---:|---:|"]
    for row in sorted(rows, key=lambda row: -row.shortfall):
        _, ours, peer, _, ratio, goal, _ = row.cells(1)
        of_ours = row.goal is not None and row.goal.of == "ours"
        lines.append(f"| {row.work} | {peer} | {ours if of_ours else ratio} | {goal} |")
    return "\n".join(lines)


def _size(rows: Sequence[Row]) -> str:
    """Say how many rows a table has, and how many of them meet their goals."""
    goals = [row.met for row in rows if row.met is not None]
    met = f", {sum(goals)} of {len(goals)} goals met" if goals else ""
    return f"{len(rows)} row{'s' * (len(rows) != 1)}{met}"


def _folded(summary: str, lines: Iterable[str]) -> Iterator[str]:
    """Fold what few readers need."""
    yield "<details>"
    yield f"<summary>{summary}</summary>"
    yield ""
    yield from lines
    yield ""
    yield "</details>"
    yield ""


def _circumstances(measured: Sequence[Measured]) -> Iterator[str]:
    versions: dict[str, str] = {}
    for group in measured:
        versions |= group.versions
    yield "| rows | date | machine |"
    yield "|---|---|---|"
    for (date, machine), groups in groupby(measured, lambda group: (group.date, group.machine)):
        names = ", ".join(f"`{group.group}`" for group in groups)
        yield f"| {names} | {date} | {machine} |"
    yield ""
    yield ", ".join(f"{name} {version}" for name, version in versions.items()) + "."
