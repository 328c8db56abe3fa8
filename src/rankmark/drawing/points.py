"""Points: each query's score by one run against its score by another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.drawing.figures import GREY, colour, faint, font_size, framed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankmark.alignment import Floats

_MOST_POINTS = 1000  # more are counted in cells


def draw_scatter(
    ax: Axes,
    x: Floats,
    y: Floats,
    *,
    title: str,
    x_label: str,
    y_label: str,
    bounds: tuple[float, float],
) -> None:
    """Draw a point for each query, (n,) float64 each; above the diagonal, the second is better.

    Queries at one place are one larger point; of many queries, cells say how many they hold.
    """
    import matplotlib as mpl  # noqa: PLC0415
    from matplotlib.colors import ListedColormap  # noqa: PLC0415
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415

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
        style: dict[str, Any] = {"color": colour(ax, 1), "alpha": 0.65, "linewidth": 0.0}
        area = min(0.25, 16.0 / int(counts.max())) * size**2
        ax.scatter(places[:, 0], places[:, 1], s=area * counts, clip_on=False, **style)
        ax.grid(color=faint(ax), linewidth=0.6)
        if counts.max() > 1:
            most = ax.scatter([], [], s=area * int(counts.max()), **style)
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
        bar = ax.figure.colorbar(cells, ax=ax, shrink=0.8, aspect=30)
        bar.ax.yaxis.set_major_formatter("{x:,.0f}")
        bar.set_label("queries", fontsize=size)
        bar.outline.set_visible(False)
    framed(ax, title, x_label, y_label, legend)
