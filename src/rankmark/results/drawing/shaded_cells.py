"""Cells in shades: scores by query, counts of labels, and differences of pairs of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.results.drawing.figures import (
    COLOURS,
    GREY,
    LETTER,
    Heading,
    beside,
    faint,
    font_size,
    framed,
    headed,
    inches,
    ink,
    name_columns,
    name_rows,
    paper,
    shown,
    unparsed,
)
from rankmark.results.text_width import width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable

    from rankmark.array_types import Bools, Floats, Ints


_OURS = "rankmark: colour bar"  # label of the Axes, not drawn


def clear_shades(ax: Axes) -> None:
    """Remove marks drawn in shades before, with their colour bar."""
    for mark in [*ax.images, *ax.collections]:
        bar = mark.colorbar
        if bar is not None and bar.ax.get_label() == _OURS:
            bar.remove()
            mark.remove()


def add_colour_bar(ax: Axes, shades: ScalarMappable, label: str, **options: Any) -> Any:
    """Add a colour bar beside Axes, and return it."""
    bar = ax.figure.colorbar(shades, ax=ax, aspect=30, **options)
    bar.ax.set_label(_OURS)
    (bar.ax.yaxis if bar.orientation == "vertical" else bar.ax.xaxis).set_label_text(
        shown(label), fontsize=font_size(ax), parse_math=False
    )
    bar.outline.set_visible(False)
    return bar


_MOST_COLUMNS = 600  # more are narrower than printed dots


def draw_heat(
    ax: Axes,
    scores: Floats,
    runs: Sequence[str],
    numbers: Sequence[int | None],
    queries: Sequence[str],
    *,
    title: Heading,
    label: str,
    bounds: tuple[float, float],
) -> None:
    """Draw scores, (n_queries, n_runs) float64: a row for each run, queries from best to worst.

    NaN is white. If there are many queries, a column is the mean of several neighbours.
    """
    import matplotlib as mpl  # noqa: PLC0415

    clear_shades(ax)
    title = headed(ax, title)
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
    name_columns(ax, queries, (inches(ax)[0] * 72.0 - beside(ax)) * _OF_BAR / n)
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


_SMALLEST = 4.5  # points of a number in a cell
_DARK = 0.55  # share from which a cell is so dark that its number is light


def draw_label_cells(
    ax: Axes, counts: Ints, labels: Sequence[str], *, title: str, names: tuple[str, str]
) -> None:
    """Draw how many documents have each pair of labels.

    A cell is shaded by its share of the row: of what the first judge gives the label, how much the
    second gives each. Cells on which both agree have a frame.

    Parameters
    ----------
    counts
        (K, K) int64, a row for each label of the first judge.
    labels, names
        (K,) of the labels, and of the two judges.
    """
    import matplotlib as mpl  # noqa: PLC0415
    from matplotlib.colors import ListedColormap  # noqa: PLC0415
    from matplotlib.patches import Rectangle  # noqa: PLC0415

    clear_shades(ax)
    k = len(labels)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = counts / counts.sum(1, keepdims=True)
    blues = ListedColormap(mpl.colormaps["Blues"](np.linspace(0.0, 0.9, 256)))
    image = ax.imshow(
        shares,
        aspect="auto",
        interpolation="nearest",
        cmap=blues.with_extremes(bad=paper(ax)),
        vmin=0.0,
        vmax=1.0,
    )
    ax.set_xticks(range(k), labels)
    ax.set_yticks(range(k), labels)
    unparsed([*ax.get_xticklabels(), *ax.get_yticklabels()])
    ax.tick_params(axis="both", length=0)
    longest = max(len(f"{count:,}") for count in counts.ravel().tolist())
    width, height = (side * 72.0 * 0.8 / k for side in inches(ax))
    size = min(font_size(ax), 0.9 * width / (LETTER * longest), 0.6 * height)
    for row in range(k):
        frame: dict[str, Any] = {"fill": False, "edgecolor": ink(ax), "linewidth": 1.0}
        ax.add_patch(Rectangle((row - 0.5, row - 0.5), 1.0, 1.0, **frame))
        for column in range(k if size >= _SMALLEST else 0):
            dark = shares[row, column] >= _DARK
            ax.text(
                column,
                row,
                f"{counts[row, column]:,}",
                ha="center",
                va="center",
                fontsize=size,
                color="white" if dark else "black",
            )
    bar = add_colour_bar(ax, image, "share of the row", pad=0.02)
    bar.ax.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    framed(ax, title, f"label by {names[1]}", f"label by {names[0]}")
    for spine in ax.spines.values():
        spine.set_visible(False)


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
    titles: tuple[Heading, Heading],
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
    sides = (inches(ax)[0] * 72.0 - beside(ax)) * _OF_BAR / n, inches(ax)[1] * 72.0 / n
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
