"""The table: rows with their ratios and goals, as text, Markdown or JSON."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sample import Sample

HEADER = ("work", "rankmark", "peer", "its median", "ratio", "goal", "met")
NUMERIC = {1, 3, 4, 5}


@dataclass(frozen=True, slots=True)
class Goal:
    """What design.md asks of a row, of its ratio or of rankmark's own figure."""

    bound: Literal["at least", "at most"]
    limit: float
    of: Literal["ratio", "ours"] = "ratio"


@dataclass(frozen=True, slots=True)
class Row:
    """One line: a work, rankmark's figure and a peer's."""

    work: str
    ours: Sample
    peer: str
    theirs: Sample
    goal: Goal | None = None

    @property
    def ratio(self) -> float:
        """How many times ours the peer's is; the reverse where the goal is a ceiling on it."""
        ours, theirs = self.ours.median, self.theirs.median
        if self.goal and self.goal.of == "ratio" and self.goal.bound == "at most":
            ours, theirs = theirs, ours
        return theirs / ours if ours else float("inf")

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None where there is none."""
        if self.goal is None:
            return None
        value = self.ratio if self.goal.of == "ratio" else self.ours.median
        at_least = self.goal.bound == "at least"
        return value >= self.goal.limit if at_least else value <= self.goal.limit

    def cells(self, runs: int) -> tuple[str, ...]:
        """Return the row as text; a median of fewer runs than asked says of how many."""
        goal = ""
        if self.goal:
            unit = "x" if self.goal.of == "ratio" else f" {self.ours.unit}"
            goal = f"{self.goal.bound} {self.goal.limit:g}{unit}"
        met = {True: "yes", False: "NO", None: ""}[self.met]
        ratio = f"{self.ratio:.2f}x" if self.ratio < 10 else f"{self.ratio:.0f}x"
        ours, theirs = (_cell(sample, runs) for sample in (self.ours, self.theirs))
        return self.work, ours, self.peer, theirs, ratio, goal, met

    def facts(self) -> dict[str, object]:
        """Return the row with all its measurements, for JSON."""
        return {
            "work": self.work,
            "unit": self.ours.unit,
            "rankmark": self.ours.values,
            "peer": self.peer,
            "theirs": self.theirs.values,
            "ratio": self.ratio,
            "goal": self.goal and f"{self.goal.of} {self.goal.bound} {self.goal.limit:g}",
            "met": self.met,
        }


def text(rows: Sequence[Row], runs: int) -> str:
    """Align the rows in columns."""
    cells = [HEADER, *(row.cells(runs) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    rule = tuple("-" * width for width in widths)
    return "\n".join(
        "  ".join(
            cell.rjust(width) if place in NUMERIC else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in (cells[0], rule, *cells[1:])
    )


def markdown(rows: Sequence[Row], runs: int) -> str:
    """Write the rows as a Markdown table."""
    rule = tuple("---:" if place in NUMERIC else "---" for place in range(len(HEADER)))
    cells = [HEADER, rule, *(row.cells(runs) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def _cell(sample: Sample, runs: int) -> str:
    count = len(sample.values)
    return str(sample) if count >= runs else f"{sample} ({count})"
