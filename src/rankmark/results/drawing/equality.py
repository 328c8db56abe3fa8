"""Points of two values each, with the line on which they are equal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.results.drawing.colour_bars import clear_shades
from rankmark.results.drawing.figures import (
    GREY,
    LETTER,
    colour,
    faint,
    fitted,
    font_size,
    framed,
    inches,
    ink,
    paper,
    shown,
)
from rankmark.results.text_width import width as width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from rankmark.array_types import Floats

Box = tuple[float, float, float, float]
"""Left, bottom, right and top, in points."""

_MOST_POINTS = 300
"""Of more points, none has a name."""


def draw_equality(
    ax: Axes,
    x: Floats,
    y: Floats,
    names: Sequence[str],
    *,
    title: str,
    labels: tuple[str, str],
    what: tuple[str, str],
    judge: str,
) -> None:
    """Draw a point for each query or system, and the line on which both values are equal.

    Parameters
    ----------
    x, y
        (n,) float64 each.
    names
        (n,) of the points, written beside them if there are few.
    labels
        Of the axes.
    what
        What the points are, one and several, such as "query" and "queries".
    judge
        What gives the values on the vertical axis.
    """
    clear_shades(ax)
    low = float(min(x.min(), y.min()))
    high = float(max(x.max(), y.max()))
    pad = 0.06 * (high - low) or 0.5
    ax.set_xlim(low - pad, high + pad)
    ax.set_ylim(low - pad, high + pad)
    ax.set_aspect("equal")
    ends = [low - pad, high + pad]
    ax.plot(ends, ends, color=GREY, linewidth=0.8, linestyle=(0, (4, 2)), zorder=1.5)
    size = font_size(ax)
    area = (0.45 * size) ** 2
    style: dict[str, Any] = {"s": area, "alpha": 0.75, "linewidth": 0.0, "clip_on": False}
    shades = ((y > x, colour(ax, 1)), (y < x, colour(ax, 2)), (y == x, GREY))
    for rows, shade in shades:
        ax.scatter(x[rows], y[rows], color=shade, **style)
    if len(names) <= _MOST_POINTS:
        _write_names(ax, x, y, names)
    ax.grid(color=faint(ax), linewidth=0.6)
    text: dict[str, Any] = {"transform": ax.transAxes, "fontsize": size * 0.9, "zorder": 4.0}
    text |= {"parse_math": False}
    text["bbox"] = {"facecolor": paper(ax), "linewidth": 0.0, "pad": 1.0, "alpha": 0.8}
    who = fitted(ax, judge, 0.3)
    higher, lower = int((y > x).sum()), int((y < x).sum())
    ax.text(0.02, 0.98, f"{who} higher: {_counted(higher, what)}", ha="left", va="top", **text)
    ax.text(0.98, 0.02, f"{who} lower: {_counted(lower, what)}", ha="right", va="bottom", **text)
    framed(ax, title, *labels)


def _counted(number: int, what: tuple[str, str]) -> str:
    return f"{number:,} {what[0] if number == 1 else what[1]}"


def _write_names(ax: Axes, x: Floats, y: Floats, names: Sequence[str]) -> None:
    """Write names beside points, those farthest from the line first, as far as there is room."""
    size = font_size(ax)
    small = 0.75 * size
    # The drawing is a square; its side in points is about that of the shorter one.
    low, high = ax.get_xlim()
    scale = min(inches(ax)) * 72.0 / (high - low)
    across, up = ((each - low) * scale for each in (x, y))
    radius = 0.3 * size
    taken = [
        (a - radius, b - radius, a + radius, b + radius)
        for a, b in zip(across.tolist(), up.tolist(), strict=True)
    ]
    for at in np.argsort(-np.abs(y - x), kind="stable").tolist():
        name = shown(names[at])
        width, height = LETTER * small * width_of(name), 0.95 * small
        for left in (across[at] + 0.4 * size, across[at] - 0.4 * size - width):
            box = (left, up[at] - height / 2, left + width, up[at] + height / 2)
            if left < 0 or any(_overlap(box, other) for other in taken):
                continue
            taken.append(box)
            is_right = left > across[at]
            ax.annotate(
                name,
                (x[at], y[at]),
                xytext=(0.4 * size if is_right else -0.4 * size, 0.0),
                textcoords="offset points",
                ha="left" if is_right else "right",
                va="center_baseline",
                fontsize=small,
                color=ink(ax),
                parse_math=False,
            )
            break


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
