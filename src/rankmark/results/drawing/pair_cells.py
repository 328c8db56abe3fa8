"""A matrix of runs by runs: the difference of each pair, shaded if it is significant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.results.drawing.colour_bars import add_colour_bar, clear_shades
from rankmark.results.drawing.figures import (
    COLOURS,
    GREY,
    faint,
    font_size,
    framed,
    headed,
    inches,
    ink,
    name_rows,
    paper,
    shown,
    unparsed,
)
from rankmark.results.text_width import width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from rankmark.array_types import Bools, Floats

_SMALLEST = 4.5  # points of a number in a cell
_LETTERS = 6.4  # in a cell, such as +0.123 or <0.001
_DEEPEST = 0.55  # share of the colour in the darkest shade, on which dark text is legible
_OF_BAR = 0.8  # share of the width that the colour bar leaves


def draw_pair_cells(
    ax: Axes,
    differences: Floats,
    p: Floats,
    apart: Bools,
    names: Sequence[str],
    numbers: Sequence[int | None],
    *,
    more_is_better: bool,
    titles: tuple[str, str],
    label: str,
) -> None:
    """Draw the difference of row and column, (n_runs, n_runs) float64 each, and p below it.

    Significant differences are blue if the row is better, and orange if the column is. Numbers
    are left out if there is no room for them: ``titles`` is the title with and without them.
    """
    from matplotlib.colors import LinearSegmentedColormap  # noqa: PLC0415

    clear_shades(ax)
    n = len(names)
    blue, orange = (_mixed(ax, COLOURS[number]) for number in (1, 2))
    ends = (orange, blue) if more_is_better else (blue, orange)
    shades = LinearSegmentedColormap.from_list("pairs", [ends[0], paper(ax), ends[1]])
    most = max(float(np.nanmax(np.abs(differences), initial=0.0)), 1e-9)
    image = ax.imshow(
        np.where(apart, differences, np.nan),
        aspect="auto",
        interpolation="nearest",
        cmap=shades.with_extremes(bad=paper(ax)),
        vmin=-most,
        vmax=most,
    )
    ranked = [f"{place}  {name}" for place, name in enumerate(names, 1)]
    name_rows(ax, ranked, numbers)
    ax.tick_params(axis="both", length=0)
    longest = max(width(label.get_text()) for label in ax.get_yticklabels())
    taken = longest * 0.57 * float(ax.get_yticklabels()[0].get_fontsize())
    sides = (inches(ax)[0] * 72.0 - taken) * _OF_BAR / n, inches(ax)[1] * 72.0 / n
    _name_columns(ax, names, sides[0])
    ax.set_xticks(np.arange(n + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(n + 1) - 0.5, minor=True)
    ax.tick_params(which="minor", length=0)
    ax.grid(which="minor", color=faint(ax), linewidth=0.6)
    size = min(font_size(ax) * 0.9, sides[0] * 0.95 / (_LETTERS * 0.57), sides[1] * 0.9 / 2.3)
    for row in range(n):
        ax.plot([row - 0.5, row + 0.5], [row - 0.5, row + 0.5], color=faint(ax), linewidth=0.6)
    title = titles[0] if size >= _SMALLEST else titles[1]
    title = headed(ax, title)
    if size >= _SMALLEST:
        _write_numbers(ax, differences, p, apart, size)
    bar = add_colour_bar(ax, image, label, pad=0.02)
    bar.ax.yaxis.set_major_formatter(lambda value, _: _signed(value))
    framed(ax, title, "", "")
    for spine in ax.spines.values():
        spine.set_visible(False)


def _mixed(ax: Axes, colour: str) -> Any:
    from matplotlib.colors import to_rgb  # noqa: PLC0415

    both = zip(to_rgb(colour), to_rgb(paper(ax)), strict=True)
    return tuple(_DEEPEST * one + (1 - _DEEPEST) * other for one, other in both)


def _name_columns(ax: Axes, names: Sequence[str], room: float) -> None:
    """Write names above the columns if they have room, else the numbers of the rows."""
    size = font_size(ax)
    fit = max(map(width, names)) * size * 0.57 < room * 0.95
    texts = [shown(name) for name in names] if fit else [f"{n}" for n in range(1, len(names) + 1)]
    ax.xaxis.tick_top()
    ax.set_xticks(range(len(names)), texts, fontsize=min(size, room / 1.5))
    unparsed(ax.get_xticklabels())


def _write_numbers(ax: Axes, differences: Floats, p: Floats, apart: Bools, size: float) -> None:
    style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": size, "linespacing": 1.15}
    for row, column in zip(*np.nonzero(~np.isnan(differences)), strict=True):
        if row == column:
            continue
        value = differences[row, column]
        text = f"{_signed(value, 3 if abs(value) < 9.9995 else 1)}\n{_p(p[row, column])}"
        shade = ink(ax) if apart[row, column] else GREY
        ax.text(column, row, text, color=shade, **style)


def _signed(value: float, digits: int | None = None) -> str:
    text = f"{value:+.{digits}f}" if digits is not None else f"{value:+.3g}"
    return "0" if not value else text.replace("-", "\u2212")


def _p(p: float) -> str:
    if np.isnan(p):
        return "no p"
    return "<0.001" if p < 0.001 else f"{p:.3f}"
