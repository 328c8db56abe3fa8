"""Points: scores of two runs by query, of systems by two judges, and trade-offs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.results.drawing.figures import (
    GREY,
    LETTER,
    Heading,
    colour,
    faint,
    fitted,
    fitted_names,
    font_size,
    framed,
    inches,
    ink,
    marker,
    paper,
    run_colour,
    shown,
)
from rankmark.results.drawing.shaded_cells import add_colour_bar, clear_shades
from rankmark.results.text_width import width as width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from rankmark.array_types import Bools, Floats


_MOST_POINTS = 1000  # more are drawn as counts in cells


def draw_scatter(
    ax: Axes,
    x: Floats,
    y: Floats,
    runs: Sequence[str],
    numbers: tuple[int | None, int | None],
    *,
    more_is_better: bool,
    title: Heading,
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


Box = tuple[float, float, float, float]
"""Left, bottom, right and top, in points."""

_MOST_NAMED = 300
"""Of more points, none has a name."""


def draw_equality(
    ax: Axes,
    x: Floats,
    y: Floats,
    names: Sequence[str],
    *,
    title: str,
    labels: tuple[str, str],
    what: tuple[str, str],
    judge: str,
) -> None:
    """Draw a point for each query or system, and the line on which both values are equal.

    Parameters
    ----------
    x, y
        (n,) float64 each.
    names
        (n,) of the points, written beside them if there are few.
    labels
        Of the axes.
    what
        What the points are, one and several, such as "query" and "queries".
    judge
        What gives the values on the vertical axis.
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
    area = (0.45 * size) ** 2
    style: dict[str, Any] = {"s": area, "alpha": 0.75, "linewidth": 0.0, "clip_on": False}
    shades = ((y > x, colour(ax, 1)), (y < x, colour(ax, 2)), (y == x, GREY))
    for rows, shade in shades:
        ax.scatter(x[rows], y[rows], color=shade, **style)
    if len(names) <= _MOST_NAMED:
        # The drawing is a square, and names of the points farthest from the line come first.
        scale = min(inches(ax)) * 72.0 / (ends[1] - ends[0])
        order = np.argsort(-np.abs(y - x), kind="stable")
        values = x[order], y[order]
        points = (values[0] - ends[0]) * scale, (values[1] - ends[0]) * scale
        _write_names(ax, values, points, [names[at] for at in order.tolist()])
    ax.grid(color=faint(ax), linewidth=0.6)
    text: dict[str, Any] = {"transform": ax.transAxes, "fontsize": size * 0.9, "zorder": 4.0}
    text |= {"parse_math": False}
    text["bbox"] = {"facecolor": paper(ax), "linewidth": 0.0, "pad": 1.0, "alpha": 0.8}
    who = fitted(ax, judge, 0.3)
    higher, lower = int((y > x).sum()), int((y < x).sum())
    ax.text(0.02, 0.98, f"{who} higher: {_counted(higher, what)}", ha="left", va="top", **text)
    ax.text(0.98, 0.02, f"{who} lower: {_counted(lower, what)}", ha="right", va="bottom", **text)
    framed(ax, title, *labels)


def _counted(number: int, what: tuple[str, str]) -> str:
    return f"{number:,} {what[0] if number == 1 else what[1]}"


def _write_names(
    ax: Axes,
    values: tuple[Floats, Floats],
    points: tuple[Floats, Floats],
    names: Sequence[str],
    rises: Sequence[float] = (0.0,),
    clear: int | None = None,
) -> None:
    """Write names beside points, the first ones first, as far as there is room.

    ``values`` are x and y, ``points`` about how far these are from the left and the bottom, and
    ``rises`` how far above a point its name may stand, in heights of the name. Names of the first
    ``clear`` points cover none of these, but may cover others; None for all.
    """
    size = font_size(ax)
    small = 0.75 * size
    across, up = points
    most = inches(ax)[0] * 72.0
    radius = 0.3 * size
    boxes = [
        (a - radius, b - radius, a + radius, b + radius)
        for a, b in zip(across.tolist(), up.tolist(), strict=True)
    ]
    taken = boxes[:clear]
    for at, name in enumerate(map(shown, names)):
        taken += boxes[clear:] if at == clear else []
        width, height = LETTER * small * width_of(name), 0.95 * small
        beside = (0.4 * size, -0.4 * size - width)
        for shift, rise in ((shift, rise * small) for shift in beside for rise in rises):
            left, level = across[at] + shift, up[at] + rise
            box = (left, level - height / 2, left + width, level + height / 2)
            if left < 0 or left + width > most or any(_overlap(box, other) for other in taken):
                continue
            taken.append(box)
            ax.annotate(
                name,
                (values[0][at], values[1][at]),
                xytext=(0.4 * size if shift > 0 else -0.4 * size, rise),
                textcoords="offset points",
                ha="left" if shift > 0 else "right",
                va="center_baseline",
                fontsize=small,
                color=ink(ax),
                parse_math=False,
            )
            break


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


class Cloud(NamedTuple):
    """Points of one name.

    Parameters
    ----------
    x, y
        (n,) float64 each.
    joined
        (n,) bool: whether a point is on the front, and joined by the line; others are faint.
    number
        Of the colour; None for grey.
    x_ends, y_ends
        (n, 2) float64, their intervals, NaN where there is none; or None.
    """

    name: str
    x: Floats
    y: Floats
    joined: Bools
    number: int | None
    x_ends: Floats | None = None
    y_ends: Floats | None = None


_FAINT = 0.35  # opacity of what is beaten


def draw_fronts(
    ax: Axes,
    clouds: Sequence[Cloud],
    front: Sequence[Floats] = (),
    *,
    title: Heading | str,
    labels: tuple[str, str],
    logs: tuple[bool, bool],
) -> None:
    """Draw a line through the best points of each name, and the others faintly.

    With ``front``, x and y of the best points of all names, a dashed line joins these, and names
    are written beside points instead of a legend.
    """
    legend: list[tuple[Artist, str]] = []
    size = font_size(ax) * 0.5
    for number, cloud in enumerate(clouds):
        shade = run_colour(ax, cloud.number)
        look: dict[str, Any] = {"color": shade}
        look["marker"] = marker(number if cloud.number is None else cloud.number)
        look |= {"markersize": size, "markeredgewidth": 0.0, "zorder": 2.4}
        others = ~cloud.joined
        ax.plot(cloud.x[others], cloud.y[others], linestyle="none", alpha=_FAINT, **look)
        order = sorted(cloud.joined.nonzero()[0].tolist(), key=lambda at: cloud.x[at])
        (line,) = ax.plot(cloud.x[order], cloud.y[order], linewidth=1.2, **look)
        legend.append((line, cloud.name))
        for at, is_best in enumerate(cloud.joined.tolist()):
            bar = {"color": shade, "alpha": 0.7 if is_best else _FAINT, "linewidth": 0.2 * size}
            if cloud.x_ends is not None:
                ax.plot(cloud.x_ends[at], [cloud.y[at]] * 2, **bar)
            if cloud.y_ends is not None:
                ax.plot([cloud.x[at]] * 2, cloud.y_ends[at], **bar)
    for scale, is_log in zip((ax.set_xscale, ax.set_yscale), logs, strict=True):
        if is_log:
            scale("log")
    ax.grid(color=faint(ax), linewidth=0.6)
    if front:
        ax.margins(0.1)  # for names at the right
        ax.plot(*front, color=GREY, linewidth=0.8, linestyle=(0, (4, 2)), zorder=1.5)
        _name_clouds(ax, clouds, logs)
    framed(ax, title, *labels, legend if len(clouds) > 1 and not front else ())


def _name_clouds(ax: Axes, clouds: Sequence[Cloud], logs: tuple[bool, bool]) -> None:
    """Write the name of each point beside it, those on the front first."""
    ordered = sorted(clouds, key=lambda cloud: not cloud.joined.any())
    points = []
    for values, ends, is_log, side in (
        ([cloud.x[0] for cloud in ordered], ax.get_xlim(), logs[0], inches(ax)[0]),
        ([cloud.y[0] for cloud in ordered], ax.get_ylim(), logs[1], inches(ax)[1]),
    ):
        low, high, *at = np.log(np.array([*ends, *values])) if is_log else [*ends, *values]
        points.append((np.array(at) - low) / ((high - low) or 1.0) * side * 72.0)
    x, y = (np.array([getattr(cloud, axis)[0] for cloud in ordered]) for axis in "xy")
    names = fitted_names(ax, [cloud.name for cloud in ordered], 0.3)
    best = sum(bool(cloud.joined.any()) for cloud in ordered)
    # Above or below the bars of intervals.
    _write_names(ax, (x, y), (points[0], points[1]), names, rises=(0.7, -0.7), clear=best)
