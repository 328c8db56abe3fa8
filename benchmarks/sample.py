"""Repeated measurements of one quantity, and how they are taken in turns."""

import statistics
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

Unit = Literal["s", "MB", "µs", "M"]

# A work is repeated only while all its repetitions fit into a minute.
PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class Sample:
    """Some measurements of one quantity, in one unit."""

    values: tuple[float, ...]
    unit: Unit = "s"

    @property
    def median(self) -> float:
        """The middle value."""
        return statistics.median(self.values)

    def __str__(self) -> str:
        """Return the median to three digits, with its unit."""
        value, unit = self.median, str(self.unit)
        if unit == "s" and value < 1:
            value, unit = (value * 1e3, "ms") if value >= 1e-3 else (value * 1e6, "µs")
        places = 2 if value < 10 else 1 if value < 100 else 0
        return f"{value:.{places}f} {unit}"


def interleave(
    works: Mapping[str, Callable[[], float]], runs: int, patience: float = PATIENCE
) -> dict[str, Sample]:
    """Time works in turns, A B A B, each as often as asked and as patience allows."""
    taken: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(runs):
        for name, work in works.items():
            seconds = taken[name]
            if turn and sum(seconds) + max(seconds) > patience:
                continue
            seconds.append(work())
            print(f"  {name}: {Sample((seconds[-1],))}", file=sys.stderr)
    return {name: Sample(tuple(seconds)) for name, seconds in taken.items()}
