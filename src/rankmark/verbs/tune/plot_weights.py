"""A picture of what fusion gives by the weight of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.errors import InputError
from rankmark.results.drawing.figures import axes
from rankmark.results.drawing.lines import BandedLine, Level, draw_banded_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from matplotlib.axes import Axes

    from rankmark.verbs.tune.tuning_grid import TriedFusion


class WeightPlot(NamedTuple):
    """What is drawn.

    Parameters
    ----------
    measure, more_is_better
        The name of the measure, and whether higher means are better.
    runs
        Their names.
    rows
        All points.
    best
        The point that was chosen.
    levels
        {name: height} of horizontal lines.
    """

    measure: str
    runs: Sequence[str]
    rows: Sequence[TriedFusion]
    best: TriedFusion
    levels: Mapping[str, float]
    more_is_better: bool

    def draw(self, ax: Axes | None, *, title: str) -> Axes:
        """Draw the mean of the best point at each weight, as ``TunedFusion.plot`` describes."""
        weighted = [one for one in self.rows if one.weights is not None]
        if len({one.weights for one in weighted}) < 2:
            raise InputError(
                "no weights were tuned", "choose a step, and a method that takes weights"
            )
        better = self.more_is_better
        chosen = None
        if len(self.runs) == 2:
            kinds: dict[str, list[TriedFusion]] = {}
            for one in weighted:
                kinds.setdefault(_without_k(one.method), []).append(one)
            lines = [
                _line(name, number, rows, 1, more_is_better=better)
                for number, (name, rows) in enumerate(kinds.items(), 1)
            ]
            x_label = f"weight of {self.runs[1]}; that of {self.runs[0]} is the rest"
            if self.best.weights is not None:
                chosen = self.best.weights[1], self.best.mean
        else:
            lines = [
                _line(f"weight of {run}", at + 1, weighted, at, more_is_better=better)
                for at, run in enumerate(self.runs)
            ]
            x_label = "weight of a run, with the best weights of the others"
        ends = [float((line.y if better else -line.y).max()) for line in lines]
        banded = int(np.argmax(ends))  # bands of several lines could not be told apart
        lines = [
            line if at == banded else line._replace(lows=None, highs=None)
            for at, line in enumerate(lines)
        ]
        levels = [Level(*named, 2 * at) for at, named in enumerate(self.levels.items())]
        with axes(ax) as canvas:
            draw_banded_lines(
                canvas,
                lines,
                levels,
                chosen=chosen,
                title=title,
                x_label=x_label,
                y_label=f"mean {self.measure}",
            )
            canvas.set_xlim(-0.02, 1.02)
        return canvas


def _without_k(method: str) -> str:
    """Return a method without the constant of RRF, whose best value at each weight is drawn."""
    return "RRF" if method.startswith("RRF(k=") else method


def _line(
    name: str, number: int, rows: Iterable[TriedFusion], run: int, *, more_is_better: bool
) -> BandedLine:
    """Return the line of the best points at each weight of a run."""
    best: dict[float, TriedFusion] = {}
    for row in rows:
        weight = (row.weights or ())[run]
        other = best.setdefault(weight, row)
        if (row.mean > other.mean) if more_is_better else (row.mean < other.mean):
            best[weight] = row
    kept = [best[weight] for weight in sorted(best)]
    mean, low, high = (
        np.array([getattr(one, field) for one in kept]) for field in ("mean", "low", "high")
    )
    return BandedLine(name, number, np.array(sorted(best)), mean, low, high)
