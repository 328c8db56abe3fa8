"""Lines of differences from a baseline at each cutoff, with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.results.drawing.figures import (
    count_along,
    faint,
    font_size,
    framed,
    inches,
    ink,
    marker,
    paper,
    run_colour,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from rankmark.array_types import Bools, Floats, Ints


class DifferenceLine(NamedTuple):
    """One run.

    Parameters
    ----------
    name, number
        Its name, and the number of its colour; None for grey, without intervals.
    differences, lows, highs
        (n_cutoffs,) float64, NaN where there is none.
    apart
        (n_cutoffs,) bool: whether the run differs significantly from the baseline.
    """

    name: str
    number: int | None
    differences: Floats
    lows: Floats
    highs: Floats
    apart: Bools


def draw_difference_lines(
    ax: Axes, k: Ints, lines: Sequence[DifferenceLine], *, title: str, y_label: str
) -> None:
    """Draw differences at each cutoff k, (n_cutoffs,) int64; filled markers are significant."""
    from matplotlib.lines import Line2D  # noqa: PLC0415

    room = inches(ax)[0] * 72.0 / len(k)
    size = min(0.5 * font_size(ax), 0.8 * room)
    legend: list[tuple[Artist, str]] = []
    ax.axhline(0.0, color=ink(ax), linewidth=0.6)
    for line in sorted(lines, key=lambda line: line.number is not None):
        shade: Any = run_colour(ax, line.number)
        style: dict[str, Any] = {"color": shade, "marker": marker(line.number or 0)}
        style |= {"markersize": size, "markeredgewidth": 0.18 * size}
        if line.number is not None:
            ax.fill_between(k, line.lows, line.highs, color=shade, alpha=0.15, linewidth=0.0)
            legend.append((Line2D([], [], linewidth=1.4, **style), line.name))
        ax.plot(k, line.differences, color=shade, linewidth=1.4)
        for filled in (False, True):
            drawn = np.where(line.apart == filled, line.differences, np.nan)
            face = shade if filled else paper(ax)
            ax.plot(k, drawn, linestyle="none", markerfacecolor=face, **style)
    if rest := sum(line.number is None for line in lines):
        grey = Line2D([], [], linewidth=1.4, color=run_colour(ax, None))
        legend.append((grey, "1 more run" if rest == 1 else f"{rest} more runs"))
    count_along(ax)
    ax.grid(axis="y", color=faint(ax), linewidth=0.6)
    framed(ax, title, "k", y_label, legend)
