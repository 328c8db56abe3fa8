"""Lines: what changes with rank, cutoff or recall."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.drawing.figures import (
    DASHES,
    GREY,
    colour,
    count_along,
    faint,
    font_size,
    framed,
    marker,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from rankmark.alignment import Floats, Ints

_MARKS = 8  # on each line; more would hide it


class Look(NamedTuple):
    """How a line is told from the others.

    Parameters
    ----------
    run
        Number of the run, from 0, which colour and marker tell; None for grey without marker.
    dash
        Number of its dashes, from 0, which is solid.
    thin
        Whether it stands back, without markers.
    """

    run: int | None
    dash: int
    thin: bool = False


class Line(NamedTuple):
    """A line of points x and y: (n,) each. Each point has a marker, or some where there are many.

    Of two lines with the same look, a legend needs to name one.
    """

    x: Floats | Ints
    y: Floats
    look: Look


def draw_lines(
    ax: Axes,
    lines: Sequence[Line],
    legend: Sequence[tuple[Look, str]],
    *,
    title: str,
    x_label: str,
    y_label: str,
) -> None:
    """Draw lines, and a legend that names looks."""
    from matplotlib.lines import Line2D  # noqa: PLC0415

    runs = 1 + max((one.look.run or 0 for one in lines), default=0)
    for one in lines:
        ax.plot(one.x, one.y, markevery=_marked(one, runs), **_style(ax, one.look))
    handles = [(Line2D([], [], **_style(ax, look)), name) for look, name in legend]
    ax.grid(axis="y", color=faint(ax), linewidth=0.6)
    framed(ax, title, x_label, y_label, handles)


def limit_values(ax: Axes, lines: Sequence[Line]) -> None:
    """Begin at 0 where nothing is below, so that heights compare, and end at 1 where that is near.

    Ranks and cutoffs begin at 1.
    """
    values = np.concatenate([one.y for one in lines])
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if low >= 0:
        top = 1.02 if 0.8 < high <= 1 else max(high * 1.06, 0.02)
        ax.set_ylim(-0.02 * top if low < 0.01 * top else 0.0, top)
    last = max(float(one.x[-1]) for one in lines)
    margin = max(0.02 * (last - 1.0), 0.5)
    ax.set_xlim(1.0 - margin, last + margin)
    count_along(ax)


def limit_shares(ax: Axes) -> None:
    """Show all of both shares, 0 to 1."""
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)


def _style(ax: Axes, look: Look) -> dict[str, Any]:
    """Give what matplotlib calls a look, next to the axes' text."""
    size = font_size(ax)
    style: dict[str, Any] = {
        "color": GREY if look.run is None else colour(ax, look.run),
        "linestyle": DASHES[look.dash % len(DASHES)],
        "linewidth": size * (0.09 if look.thin else 0.16),
    }
    if look.thin:
        return style | {"alpha": 0.75, "zorder": 1.9}
    if look.run is None:
        return style
    return style | {"marker": marker(look.run), "markersize": size * 0.5, "markeredgewidth": 0.0}


def _marked(one: Line, runs: int) -> list[int]:
    """Choose the points with markers, each run its own, so that they do not hide one another."""
    points = len(one.x)
    if points <= 2 * _MARKS:
        return list(range(points))
    step = points / _MARKS
    first = step * ((one.look.run or 0) + 0.5) / runs
    return [int(first + step * number) for number in range(_MARKS)]
