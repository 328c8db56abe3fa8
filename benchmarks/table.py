"""The table: rows with their ratios and goals, as text, Markdown or JSON."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isinf
from typing import Any, Literal, Self

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
    size: int | None = None  # rows of the run, where growth with them is measured

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

    @property
    def shortfall(self) -> float:
        """How many times better the row would have to be to meet its goal."""
        if self.goal is None:
            return 0.0
        value = self.ratio if self.goal.of == "ratio" else self.ours.median
        limit = self.goal.limit
        return limit / value if self.goal.bound == "at least" else value / limit

    def cells(self, runs: int, *, spread: bool = False) -> tuple[str, ...]:
        """Return the row as text; a median of fewer runs than asked says of how many.

        `spread` adds the lowest and the highest measurement to each median.
        """
        goal = ""
        if self.goal:
            unit = "x" if self.goal.of == "ratio" else f" {self.ours.unit}"
            goal = f"{self.goal.bound} {self.goal.limit:g}{unit}"
        met = {True: "yes", False: "NO", None: ""}[self.met]
        ours, theirs = (_cell(sample, runs, spread) for sample in (self.ours, self.theirs))
        return self.work, ours, self.peer, theirs, times(self.ratio), goal, met

    def facts(self) -> dict[str, Any]:
        """Return the row with all its measurements, for JSON."""
        return {
            "work": self.work,
            "unit": self.ours.unit,
            "rankmark": self.ours.values,
            "peer": self.peer,
            "theirs": self.theirs.values,
            "ratio": self.ratio,
            "goal": self.goal and asdict(self.goal),
            "met": self.met,
            "size": self.size,
        }

    @classmethod
    def from_facts(cls, facts: dict[str, Any]) -> Self:
        """Return the row that `facts` describes."""
        ours, theirs = (
            Sample(tuple(facts[side]), facts["unit"]) for side in ("rankmark", "theirs")
        )
        goal = facts["goal"] and Goal(**facts["goal"])
        return cls(facts["work"], ours, facts["peer"], theirs, goal, facts["size"])


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


def markdown(rows: Sequence[Row], runs: int, *, spread: bool = False) -> str:
    """Write the rows as a Markdown table."""
    rule = tuple("---:" if place in NUMERIC else "---" for place in range(len(HEADER)))
    cells = [HEADER, rule, *(row.cells(runs, spread=spread) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def times(ratio: float) -> str:
    """Write a ratio: 1.25x, 37x; nothing where ours is 0."""
    if isinf(ratio):
        return ""
    return f"{ratio:.2f}x" if ratio < 10 else f"{ratio:.0f}x"


def _cell(sample: Sample, runs: int, spread: bool) -> str:
    count = len(sample.values)
    written = str(sample) if count >= runs else f"{sample} ({count})"
    if spread and count > 1:
        low, high = (Sample((end(sample.values),), sample.unit) for end in (min, max))
        written += f" [{low} to {high}]"
    return written
