"""Distributions of the scores of queries, a row for each run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.results.drawing.figures import (
    Heading,
    faint,
    font_size,
    framed,
    headed,
    ink,
    name_rows,
    paper,
    run_colour,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from rankmark.array_types import Floats

_MOST_POINTS = 200  # more are drawn as counts in bins
_BINS = 40


def draw_distributions(
    ax: Axes,
    values: Sequence[Floats],
    names: Sequence[str],
    numbers: Sequence[int | None],
    *,
    title: Heading | str,
    x_label: str,
) -> None:
    """Draw a row for each name: (n,) float64 each, NaN left out.

    A box from the first to the third quartile with the median, a diamond at the mean; and a point
    for each query, or for many queries, their counts in 40 bins.
    """
    title = headed(ax, title)
    present = [scores[~np.isnan(scores)] for scores in values]
    everything = np.concatenate(present)
    edges = np.linspace(everything.min(), everything.max(), _BINS + 1)
    if edges[0] == edges[-1]:
        edges = edges[0] + np.linspace(-0.5, 0.5, _BINS + 1) / 10
    counted = [np.histogram(scores, edges)[0] for scores in present]
    tallest = max(int(counts.max(initial=0)) for counts in counted)
    for row, (scores, counts) in enumerate(zip(present, counted, strict=True)):
        if not len(scores):
            continue
        if len(scores) <= _MOST_POINTS:
            _points(ax, scores, row, edges, run_colour(ax, numbers[row]))
        else:
            height = 0.36 * counts / tallest
            ax.fill_between(
                np.repeat(edges, 2)[1:-1],
                row - np.repeat(height, 2),
                row + np.repeat(height, 2),
                color=run_colour(ax, numbers[row]),
                alpha=0.45,
                linewidth=0.0,
            )
        _box(ax, scores, row)
    name_rows(ax, names, numbers)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.grid(axis="x", color=faint(ax), linewidth=0.6)
    framed(ax, title, x_label, "", _legend(ax))
    ax.spines["left"].set_visible(False)


def _points(ax: Axes, values: Floats, row: int, edges: Floats, shade: Any) -> None:
    """Draw a point for each value, with close values spread around the middle of the row."""
    order = np.argsort(values, kind="stable")
    at = np.minimum(np.searchsorted(edges, values[order], side="right") - 1, _BINS - 1)
    heights = np.zeros(len(values))
    most = int(np.bincount(at).max())
    step = min(0.09, 0.7 / most)
    for place in np.unique(at).tolist():
        members = np.flatnonzero(at == place)
        heights[members] = (np.arange(len(members)) - (len(members) - 1) / 2) * step
    ax.scatter(
        values[order],
        row + heights,
        s=(0.4 * font_size(ax)) ** 2,
        color=shade,
        alpha=0.6,
        linewidth=0.0,
        clip_on=False,
    )


def _box(ax: Axes, values: Floats, row: int) -> None:
    low, middle, high = np.percentile(values, [25, 50, 75]).tolist()
    corners = np.array([-0.3, 0.3, 0.3, -0.3, -0.3]) + row
    mean, median, quartiles = _looks(ax)
    ax.plot([low, low, high, high, low], corners, **quartiles)
    ax.plot([middle, middle], [row - 0.3, row + 0.3], **median)
    ax.plot([values.mean()], [row], **mean)


def _looks(ax: Axes) -> list[dict[str, Any]]:
    """Return matplotlib's properties of mean, median and quartiles."""
    mean = {
        "marker": "D",
        "markersize": 0.55 * font_size(ax),
        "markerfacecolor": paper(ax),
        "markeredgecolor": ink(ax),
        "markeredgewidth": 0.9,
        "linestyle": "none",
    }
    median = {"color": ink(ax), "linewidth": 1.8}
    return [mean, median, median | {"linewidth": 0.9, "alpha": 0.75}]


def _legend(ax: Axes) -> list[tuple[Artist, str]]:
    from matplotlib.lines import Line2D  # noqa: PLC0415

    words = ("mean", "median", "middle half")
    return [(Line2D([], [], **look), word) for look, word in zip(_looks(ax), words, strict=True)]
