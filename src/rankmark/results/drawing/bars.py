"""Bars: differences by query, and what documents contribute to a value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.results.drawing.figures import (
    GREY,
    LETTER,
    Heading,
    colour,
    faint,
    fitted,
    font_size,
    framed,
    headed,
    inches,
    ink,
    name_columns,
    paper,
    run_colour,
    shown,
    unparsed,
)
from rankmark.results.text_width import cut_apart, width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from rankmark.array_types import Floats


_MOST_BARS = 300  # more are drawn as an area
_EXTREME = 3  # queries named on either side


def draw_differences(
    ax: Axes,
    differences: Floats,
    queries: Sequence[str],
    runs: tuple[str, str],
    numbers: tuple[int | None, int | None],
    *,
    more_is_better: bool,
    title: Heading,
    y_label: str,
) -> None:
    """Draw the other run's scores minus the baseline's, (n,) float64: gains first, losses last.

    Bars have the colour of the better run. If there is no room for an id under each bar, only the
    queries of the greatest gains and losses are named.
    """
    order = np.argsort(-differences if more_is_better else differences, kind="stable")
    values = differences[order]
    n = len(values)
    places = np.arange(1, n + 1)
    down, up = range(2) if more_is_better else (1, 0)
    first, second = run_colour(ax, numbers[down]), run_colour(ax, numbers[up])
    if n <= _MOST_BARS:
        colours = [second if value > 0 else first for value in values]
        ax.bar(places, values, width=0.8 if n <= 100 else 1.0, color=colours, linewidth=0.0)
    else:
        # Values are sorted, so those left out lie between their neighbours.
        kept = np.unique(np.linspace(0, n - 1, 1001).round().astype(np.int64))
        for shade, part in ((second, np.maximum), (first, np.minimum)):
            ax.fill_between(places[kept], part(values[kept], 0.0), color=shade, linewidth=0.0)
    ax.axhline(0.0, color=ink(ax), linewidth=0.6)
    ax.axhline(float(values.mean()), color=GREY, linewidth=0.8, linestyle=(0, (4, 2)))
    ax.set_xlim(0.4, n + 0.6)
    in_order = [queries[row] for row in order.tolist()]
    named = name_columns(ax, in_order, inches(ax)[0] * 72.0 * 0.95 / n)
    size = font_size(ax)
    pairs = [] if named else list(zip(in_order, values.tolist(), strict=True))
    high = [pair for pair in sorted(pairs, key=lambda pair: -pair[1])[:_EXTREME] if pair[1] > 0]
    low = [pair for pair in sorted(pairs, key=lambda pair: pair[1])[:_EXTREME] if pair[1] < 0]
    of_high, of_low = _extremes(ax, high), _extremes(ax, low)
    lines = 1 + max(len(of_high), len(of_low))
    # Leave room for text above and below all bars.
    free = min(max(lines * 1.3 * size / (inches(ax)[1] * 72.0 / 2), 0.08) + 0.06, 0.6)
    most = max(float(np.abs(values).max()), 1e-9) / (1.0 - free)
    ax.set_ylim(-most, most)
    ax.grid(axis="y", color=faint(ax), linewidth=0.6)
    x_label = "queries, gains first" if n > 1 else "query"
    framed(ax, title, x_label, y_label)
    style: dict[str, Any] = {"transform": ax.transAxes, "fontsize": size, "parse_math": False}
    style["bbox"] = {"facecolor": paper(ax), "linewidth": 0.0, "pad": 1.0}
    above, below = int((values > 0).sum()), int((values < 0).sum())
    better = [f"{fitted(ax, runs[run], 0.6)} better: {count:,}" for run, count in
              ((up, above), (down, below))]  # fmt: skip
    # Gains are on the left, so that text above has room on the right.
    left, right = ((0.01, "left"), (0.99, "right"))
    top, bottom = (right, left) if more_is_better else (left, right)
    ax.text(top[0], 0.985, "\n".join([better[0], *of_high]), ha=top[1], va="top", **style)
    ax.text(bottom[0], 0.015, "\n".join([*of_low, better[1]]), ha=bottom[1], va="bottom", **style)


def _extremes(ax: Axes, queries: Sequence[tuple[str, float]]) -> list[str]:
    """Name queries with their gains or losses, in a line or below each other."""
    room = 0.8 * inches(ax)[0] * 72.0 / (font_size(ax) * LETTER)
    names = cut_apart([shown(query) for query, _ in queries], 30)
    words = [
        f"{name} " + f"{value:+.2f}".replace("-", "\u2212")
        for name, (_, value) in zip(names, queries, strict=True)
    ]
    line = f"most: {', '.join(words)}"
    if not words:
        return []
    return [line] if width(line) <= room else [f"most: {words[0]}", *words[1:]]


_LOWEST_ROW = 5.5  # points, below which rows have no names
_LEGIBLE = 5.0  # points of the smallest letters
_THINNEST = 0.8  # points of a bar


def draw_contributions(
    ax: Axes,
    added: Floats,
    ideal: Floats,
    names: Sequence[str],
    numbers: Sequence[str],
    *,
    legend: tuple[str, str],
    title: str,
    x_label: str,
) -> None:
    """Draw a row for each document, the first on top: filled bars, and hollow ones of the ideal.

    Parameters
    ----------
    added, ideal
        (n,) float64, what the document of each row adds, and that of the ideal ranking. An
        ``ideal`` of NaN only is not drawn.
    names
        The name of each row, written if there is room for it. Where there is not, rows are counted.
    numbers
        What is written at the end of each filled bar, if there is room for it.
    legend
        Words for the filled bars and for the hollow ones.
    """
    n = len(added)
    both = not bool(np.isnan(ideal).all())
    places = np.arange(1.0, n + 1.0)
    room = inches(ax)[1] * 72.0 * 0.8 / n  # points of a row, without the text around the drawing
    named = room >= _LOWEST_ROW
    share = 0.4 if both else 0.7
    fill = colour(ax, 1)
    shift = share / 2 if both else 0.0
    if named:
        own = ax.barh(places - shift, added, height=share, color=fill, linewidth=0.0)
        artists: list[tuple[Any, str]] = [(own, legend[0])]
        if both:
            style: dict[str, Any] = {"facecolor": "none", "edgecolor": ink(ax), "linewidth": 0.8}
            hollow = ax.barh(places + shift, np.nan_to_num(ideal), height=share, **style)
            for bar, value in zip(hollow, ideal.tolist(), strict=True):
                bar.set_visible(bool(value))
            artists.append((hollow, legend[1]))
    else:
        lines = ax.hlines(places, 0.0, added, color=fill, linewidth=max(room * 0.8, _THINNEST))
        artists = [(lines, legend[0])]
        if both:
            edges = np.arange(n + 1) + 0.5
            outline = ax.stairs(
                np.nan_to_num(ideal), edges, orientation="horizontal", color=ink(ax), linewidth=0.8
            )
            artists.append((outline, legend[1]))
    ax.axvline(0.0, color=ink(ax), linewidth=0.6)
    ax.set_ylim(n + 0.6, 0.4)
    _name_rows(ax, names, room, named=named)
    values = np.append(added, np.nan_to_num(ideal))
    _limit(ax, values, max(map(width, numbers)) if named else 0)
    if named and room * share >= _LEGIBLE:
        _write_numbers(ax, places - shift, added, numbers, room * share)
    ax.grid(axis="x", color=faint(ax), linewidth=0.6)
    framed(ax, headed(ax, title), x_label, "" if named else "rank", artists)
    ax.spines["left"].set_visible(not named)


def _name_rows(ax: Axes, names: Sequence[str], room: float, *, named: bool) -> None:
    """Write the names of rows beside them, or count rows if they are too low."""
    if not named:
        from matplotlib.ticker import MaxNLocator  # noqa: PLC0415

        ax.yaxis.set_major_locator(MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10]))
        ax.yaxis.set_major_formatter("{x:,.0f}")
        return
    size = min(font_size(ax), room / 1.1)
    ax.set_yticks(
        range(1, len(names) + 1), [fitted(ax, name, 0.4) for name in names], fontsize=size
    )
    ax.tick_params(axis="y", length=0)
    unparsed(ax.get_yticklabels())


def _limit(ax: Axes, values: Floats, letters: int) -> None:
    """Leave room for numbers of a width in letters at the ends of bars."""
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
    span = (high - low) or 1.0
    free = span * min(letters * font_size(ax) * 0.6 / (inches(ax)[0] * 72.0 * 0.7), 0.4)
    ax.set_xlim(low - (free if low < 0 else 0.0), high + max(free, 0.02 * span))


def _write_numbers(
    ax: Axes, places: Floats, added: Floats, numbers: Sequence[str], room: float
) -> None:
    size = min(font_size(ax) - 0.5, room / 1.05)
    for place, value, number in zip(places.tolist(), added.tolist(), numbers, strict=True):
        left = value < 0
        ax.annotate(
            number,
            (value, place),
            xytext=(-3 if left else 3, 0),
            textcoords="offset points",
            ha="right" if left else "left",
            va="center",
            fontsize=size,
            color=ink(ax) if value else GREY,
            parse_math=False,
        )
