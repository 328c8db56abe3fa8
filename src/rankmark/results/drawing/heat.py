"""Heat maps: a table of scores in shades, runs by queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.results.drawing.colour_bars import add_colour_bar, clear_shades
from rankmark.results.drawing.figures import (
    count_along,
    font_size,
    framed,
    inches,
    name_rows,
    paper,
    shown,
    unparsed,
)
from rankmark.results.text_width import width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from rankmark.array_types import Floats

_MOST_COLUMNS = 600  # more are narrower than printed dots


def draw_heat(
    ax: Axes,
    scores: Floats,
    runs: Sequence[str],
    numbers: Sequence[int | None],
    queries: Sequence[str],
    *,
    title: str,
    label: str,
    bounds: tuple[float, float],
) -> None:
    """Draw scores, (n_queries, n_runs) float64: a row for each run, queries from best to worst.

    NaN is white. If there are many queries, a column is the mean of several neighbours.
    """
    import matplotlib as mpl  # noqa: PLC0415

    clear_shades(ax)
    n = len(scores)
    columns = _binned(scores, _MOST_COLUMNS)
    colours = mpl.colormaps["cividis"].with_extremes(bad=paper(ax))
    image = ax.imshow(
        columns.T,
        aspect="auto",
        interpolation="nearest",
        cmap=colours,
        vmin=bounds[0],
        vmax=bounds[1],
        extent=(0.5, n + 0.5, len(runs) - 0.5, -0.5),
    )
    name_rows(ax, runs, numbers)
    ax.tick_params(axis="both", length=0)
    size = font_size(ax) * 0.8
    turned = 0 if n == 1 else 90
    if inches(ax)[0] * 0.8 * 72.0 / n >= 1.2 * size and max(map(width, queries)) <= 12:
        ax.set_xticks(
            range(1, n + 1), [shown(query) for query in queries], rotation=turned, fontsize=size
        )
        unparsed(ax.get_xticklabels())
    else:
        count_along(ax)
    for row in range(1, len(runs)):
        ax.axhline(row - 0.5, color=paper(ax), linewidth=1.2)
    add_colour_bar(ax, image, label, pad=0.02)
    words = "query" if n == 1 else "queries, best first"
    if len(columns) < n:
        words += f", about {n / len(columns):.0f} to a column"
    framed(ax, title, words, "")
    for spine in ax.spines.values():
        spine.set_visible(False)


def _binned(scores: Floats, most: int) -> Floats:
    """Average neighbouring rows, NaN left out, so that at most ``most`` are left."""
    if len(scores) <= most:
        return scores
    starts = np.linspace(0, len(scores), most + 1).astype(np.int64)[:-1]
    present = ~np.isnan(scores)
    sums = np.add.reduceat(np.where(present, scores, 0.0), starts, axis=0)
    counts = np.add.reduceat(present.astype(np.float64), starts, axis=0)
    with np.errstate(invalid="ignore"):
        means: Floats = sums / counts
    return means
