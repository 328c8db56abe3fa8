"""Bars down a ranking: what each document adds to a value, with the ideal ranking beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.results.drawing.figures import (
    GREY,
    colour,
    faint,
    fitted,
    font_size,
    framed,
    inches,
    ink,
    unparsed,
)
from rankmark.results.text_width import width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from rankmark.array_types import Floats

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
    framed(ax, title, x_label, "" if named else "rank", artists)
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
