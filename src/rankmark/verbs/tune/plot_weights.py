"""A picture of what fusion gives by the weight of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.errors import InputError
from rankmark.results.drawing.figures import axes
from rankmark.results.drawing.lines import BandedLine, Level, draw_banded_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from matplotlib.axes import Axes

    from rankmark.verbs.tune.tuning_grid import TriedFusion


def draw_weights(
    ax: Axes | None,
    runs: Sequence[str],
    rows: Sequence[TriedFusion],
    best: TriedFusion,
    levels: Mapping[str, float],
    *,
    measure: str,
    more_is_better: bool,
    title: str,
) -> Axes:
    """Draw the mean of the best point at each weight, as ``TunedFusion.plot`` describes.

    Parameters
    ----------
    rows, best
        All points, and the one that was chosen.
    levels
        {name: height} of horizontal lines.
    """
    weighted = [one for one in rows if one.weights is not None]
    if len({one.weights for one in weighted}) < 2:
        raise InputError("no weights were tuned", "choose a step, and a method that takes weights")
    chosen = None
    if len(runs) == 2:
        kinds: dict[str, list[TriedFusion]] = {}
        for one in weighted:
            kinds.setdefault(_without_k(one.method), []).append(one)
        lines = [
            _line(name, number, rows, 1, more_is_better=more_is_better)
            for number, (name, rows) in enumerate(kinds.items(), 1)
        ]
        x_label = f"weight of {runs[1]}; that of {runs[0]} is the rest"
        if best.weights is not None:
            chosen = best.weights[1], best.mean
    else:
        lines = [
            _line(f"weight of {run}", at + 1, weighted, at, more_is_better=more_is_better)
            for at, run in enumerate(runs)
        ]
        x_label = "weight of a run, with the best weights of the others"
    ends = [float((line.y if more_is_better else -line.y).max()) for line in lines]
    banded = int(np.argmax(ends))  # bands of several lines could not be told apart
    lines = [
        line if at == banded else line._replace(lows=None, highs=None)
        for at, line in enumerate(lines)
    ]
    heights = [Level(*named, 2 * at) for at, named in enumerate(levels.items())]
    with axes(ax) as canvas:
        draw_banded_lines(
            canvas,
            lines,
            heights,
            chosen=chosen,
            title=title,
            x_label=x_label,
            y_label=f"mean {measure}",
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
