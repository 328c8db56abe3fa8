"""Bars: what each query gains or loses from one run to another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.drawing.figures import (
    GREY,
    colour,
    count_along,
    faint,
    fitted,
    font_size,
    framed,
    inches,
    ink,
    paper,
    shown,
    unparsed,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from rankmark.alignment import Floats

_MOST_BARS = 300  # more are a shape


def draw_differences(
    ax: Axes,
    differences: Floats,
    queries: Sequence[str],
    runs: tuple[str, str],
    *,
    more_is_better: bool,
    title: str,
    y_label: str,
) -> None:
    """Draw what the second run has over the first, (n,) float64, from most to least."""
    order = np.argsort(-differences, kind="stable")
    values = differences[order]
    n = len(values)
    places = np.arange(1, n + 1)
    first, second = colour(ax, 2), colour(ax, 1)
    if n <= _MOST_BARS:
        colours = [second if value > 0 else first for value in values]
        ax.bar(places, values, width=0.8 if n <= 100 else 1.0, color=colours, linewidth=0.0)
    else:
        # Sorted values hide nothing between two of so many.
        kept = np.unique(np.linspace(0, n - 1, 1001).round().astype(np.int64))
        for shade, part in ((second, np.maximum), (first, np.minimum)):
            ax.fill_between(places[kept], part(values[kept], 0.0), color=shade, linewidth=0.0)
    ax.axhline(0.0, color=ink(ax), linewidth=0.6)
    ax.axhline(float(values.mean()), color=GREY, linewidth=0.8, linestyle=(0, (4, 2)))
    ax.set_xlim(0.4, n + 0.6)
    most = max(float(np.abs(values).max()), 1e-9) * 1.2
    ax.set_ylim(-most, most)
    ax.grid(axis="y", color=faint(ax), linewidth=0.6)
    _name_queries(ax, [queries[row] for row in order.tolist()])
    x_label = "queries, by difference" if n > 1 else "query"
    framed(ax, title, x_label, y_label)
    above, below = int((values > 0).sum()), int((values < 0).sum())
    down, up = (fitted(ax, one, 0.6) for one in (runs if more_is_better else runs[::-1]))
    size = font_size(ax)
    says: dict[str, Any] = {"transform": ax.transAxes, "fontsize": size, "parse_math": False}
    says["bbox"] = {"facecolor": paper(ax), "linewidth": 0.0, "pad": 1.0}
    ax.text(0.99, 0.985, f"{up} better: {above:,}", ha="right", va="top", **says)
    ax.text(0.01, 0.015, f"{down} better: {below:,}", ha="left", va="bottom", **says)


def _name_queries(ax: Axes, queries: Sequence[str]) -> None:
    """Write ids under the bars where there is room for each."""
    size = font_size(ax) * 0.8
    room = inches(ax)[0] * 72.0 / max(len(queries), 1)
    if room < 1.25 * size or max(map(len, queries)) * size * 0.6 > inches(ax)[1] * 72.0 / 3:
        count_along(ax)
        return
    turned = 0 if len(queries) == 1 else 90
    names = [shown(one) for one in queries]
    ax.set_xticks(range(1, len(names) + 1), names, rotation=turned, fontsize=size)
    ax.tick_params(axis="x", length=0)
    unparsed(ax.get_xticklabels())
