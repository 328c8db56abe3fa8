"""Points of two values each, with the line on which they are equal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.marks.colour_bars import clear_shades
from rankmark.marks.figures import GREY, colour, faint, font_size, framed, ink, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from rankmark.array_types import Floats

_MOST_NAMES = 30


def draw_equality(
    ax: Axes,
    x: Floats,
    y: Floats,
    names: Sequence[str],
    *,
    title: str,
    labels: tuple[str, str],
    what: str,
) -> None:
    """Draw a point for each query or system, and the line on which both values are equal.

    Parameters
    ----------
    x, y
        (n,) float64 each.
    names
        (n,) of the points, written beside them if they are few; empty for none.
    labels, what
        Of the axes, and of the points, such as "queries".
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
    above = y > x
    area = (0.45 * size) ** 2
    style: dict[str, Any] = {"s": area, "alpha": 0.75, "linewidth": 0.0, "clip_on": False}
    for rows, number in ((above, 1), (~above, 2)):
        ax.scatter(x[rows], y[rows], color=colour(ax, number), **style)
    if 0 < len(names) <= _MOST_NAMES:
        for name, across, up in zip(names, x.tolist(), y.tolist(), strict=True):
            ax.annotate(
                shown(name),
                (across, up),
                xytext=(0.4 * size, -0.35 * size),
                textcoords="offset points",
                fontsize=size * 0.75,
                color=ink(ax),
                parse_math=False,
            )
    ax.grid(color=faint(ax), linewidth=0.6)
    text: dict[str, Any] = {"transform": ax.transAxes, "fontsize": size * 0.9, "zorder": 4.0}
    higher, lower = int(above.sum()), int((np.asarray(y) < x).sum())
    ax.text(0.02, 0.98, f"{what} higher: {higher:,}", ha="left", va="top", **text)
    ax.text(0.98, 0.02, f"{what} lower: {lower:,}", ha="right", va="bottom", **text)
    framed(ax, title, *labels)
