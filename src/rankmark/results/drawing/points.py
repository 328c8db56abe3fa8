"""Points: each query's score by one run against its score by another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.results.drawing.colour_bars import add_colour_bar, clear_shades
from rankmark.results.drawing.figures import (
    GREY,
    faint,
    fitted,
    font_size,
    framed,
    paper,
    run_colour,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from rankmark.array_types import Floats

_MOST_POINTS = 1000  # more are drawn as counts in cells


def draw_scatter(
    ax: Axes,
    x: Floats,
    y: Floats,
    runs: Sequence[str],
    numbers: tuple[int | None, int | None],
    *,
    more_is_better: bool,
    title: str,
    labels: tuple[str, str],
    bounds: tuple[float, float],
) -> None:
    """Draw a point for each query, (n,) float64 each, in the colour of the better run.

    ``x`` is the baseline. Queries with the same values are one larger point; many queries are drawn
    as counts in cells.
    """
    import matplotlib as mpl  # noqa: PLC0415
    from matplotlib.colors import ListedColormap  # noqa: PLC0415
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415

    clear_shades(ax)
    low, high = bounds
    pad = 0.03 * (high - low)
    ax.set_xlim(low - pad, high + pad)
    ax.set_ylim(low - pad, high + pad)
    ax.set_aspect("equal")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(5))
    ax.plot([low, high], [low, high], color=GREY, linewidth=0.8, linestyle=(0, (4, 2)), zorder=3.0)
    size = font_size(ax)
    legend = []
    if len(x) <= _MOST_POINTS:
        places, counts = np.unique(np.column_stack([x, y]), axis=0, return_counts=True)
        style: dict[str, Any] = {"alpha": 0.65, "linewidth": 0.0}
        area = min(0.25, 16.0 / int(counts.max())) * size**2
        steps = np.sign(places[:, 1] - places[:, 0]) * (1 if more_is_better else -1)
        shades = {-1.0: run_colour(ax, numbers[0]), 0.0: GREY, 1.0: run_colour(ax, numbers[1])}
        colours = [shades[step] for step in steps.tolist()]
        ax.scatter(
            places[:, 0], places[:, 1], s=area * counts, clip_on=False, color=colours, **style
        )
        ax.grid(color=faint(ax), linewidth=0.6)
        if counts.max() > 1:
            most = ax.scatter([], [], s=area * int(counts.max()), color=GREY, **style)
            legend.append((most, f"{int(counts.max())} queries"))
    else:
        cells = ax.hexbin(
            x,
            y,
            gridsize=40,
            extent=(low, high, low, high),
            bins="log",
            mincnt=1,
            cmap=ListedColormap(mpl.colormaps["Blues"](np.linspace(0.25, 1.0, 256))),
            linewidths=0.1,
        )
        bar = add_colour_bar(ax, cells, "queries", shrink=0.8)
        bar.ax.yaxis.set_major_formatter("{x:,.0f}")
    framed(ax, title, *labels, legend)
    _count_better(ax, x, y, runs, more_is_better=more_is_better)


def _count_better(
    ax: Axes, x: Floats, y: Floats, runs: Sequence[str], *, more_is_better: bool
) -> None:
    """Write into the corners which run is better there, and for how many queries."""
    style: dict[str, Any] = {"transform": ax.transAxes, "fontsize": font_size(ax) * 0.9}
    style |= {"parse_math": False, "zorder": 4.0}
    style["bbox"] = {"facecolor": paper(ax), "linewidth": 0.0, "pad": 1.0, "alpha": 0.8}
    above, below = int((y > x).sum()), int((y < x).sum())
    up, down = (runs[1], runs[0]) if more_is_better else (runs[0], runs[1])
    up, down = (fitted(ax, name, 0.4) for name in (up, down))
    ax.text(0.02, 0.98, f"{up} better: {above:,}", ha="left", va="top", **style)
    ax.text(0.98, 0.02, f"{down} better: {below:,}", ha="right", va="bottom", **style)
