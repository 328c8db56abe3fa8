"""Lines of values with bands around them, such as intervals, and horizontal lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rankmark.results.drawing.figures import (
    DASHES,
    GREY,
    faint,
    font_size,
    framed,
    ink,
    marker,
    run_colour,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from rankmark.array_types import Floats


class BandedLine(NamedTuple):
    """A line of points x and y, (n,) float64, with a band from ``lows`` to ``highs``, or without.

    ``number`` is that of its colour and marker, from 1.
    """

    name: str
    number: int
    x: Floats
    y: Floats
    lows: Floats | None = None
    highs: Floats | None = None


class Level(NamedTuple):
    """A horizontal line: its name, its height, and the number of its dashes."""

    name: str
    y: float
    dash: int


def draw_banded_lines(
    ax: Axes,
    lines: Sequence[BandedLine],
    levels: Sequence[Level],
    *,
    chosen: tuple[float, float] | None = None,
    title: str,
    x_label: str,
    y_label: str,
) -> None:
    """Draw lines with bands, levels across, and a ring around a point that was chosen."""
    from matplotlib.lines import Line2D  # noqa: PLC0415

    size = font_size(ax)
    legend: list[tuple[Artist, str]] = []
    for line in lines:
        shade: Any = run_colour(ax, line.number)
        style: dict[str, Any] = {"color": shade, "linewidth": 0.16 * size}
        style |= {"marker": marker(line.number), "markersize": 0.5 * size, "markeredgewidth": 0.0}
        if line.lows is not None and line.highs is not None:
            ax.fill_between(line.x, line.lows, line.highs, color=shade, alpha=0.15, linewidth=0.0)
        ax.plot(line.x, line.y, **style)
        legend.append((Line2D([], [], **style), line.name))
    for level in levels:
        drawn: dict[str, Any] = {"color": GREY if level.dash > 1 else ink(ax)}
        drawn |= {"linestyle": DASHES[level.dash % len(DASHES)], "linewidth": 0.12 * size}
        ax.axhline(level.y, **drawn)
        legend.append((Line2D([], [], **drawn), level.name))
    if chosen is not None:
        ring: dict[str, Any] = {"marker": "o", "linestyle": "none", "markersize": 1.2 * size}
        ring |= {"markerfacecolor": "none", "markeredgecolor": ink(ax), "markeredgewidth": 1.2}
        ax.plot(*([value] for value in chosen), **ring)
        legend.append((Line2D([], [], **ring | {"markersize": 0.8 * size}), "chosen"))
    ax.grid(axis="y", color=faint(ax), linewidth=0.6)
    framed(ax, title, x_label, y_label, legend)
