"""Lines of values by rank, cutoff or recall."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.results.drawing.end_labels import End, add_end_labels
from rankmark.results.drawing.figures import (
    DASHES,
    GREY,
    colour,
    count_along,
    faint,
    font_size,
    framed,
    marker,
    run_colour,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from rankmark.array_types import Floats, Ints

_MARKS = 8  # on each line; more would hide it
_SHORT = 200  # up to here, a logarithmic axis has labels between the powers of ten


class Look(NamedTuple):
    """What distinguishes a line from the others.

    Parameters
    ----------
    run
        The number of the run, from 0, for its colour and marker; None for grey without a marker,
        for lines that are not of a run.
    dash
        The number of its dashes; 0 is solid.
    thin
        Whether it is thin, without markers.
    rest
        Whether it is one of the runs without a colour.
    """

    run: int | None
    dash: int
    thin: bool = False
    rest: bool = False


class Line(NamedTuple):
    """A line of points x and y, (n,) each, all or some with markers.

    ``name`` is written at its end. With ``steps``, a value stays the same up to the next point.
    ``every`` is the distance of markers. From the point ``thin_from`` on, the line is thin. A bar
    marks its end if it ``ends_early``.
    """

    x: Floats | Ints
    y: Floats
    look: Look
    name: str | None = None
    steps: bool = False
    every: int | None = None
    thin_from: int | None = None
    ends_early: bool = False


def draw_lines(
    ax: Axes,
    lines: Sequence[Line],
    legend: Sequence[tuple[Look, str]],
    *,
    title: str,
    x_label: str,
    y_label: str,
) -> None:
    """Draw lines, and a legend of looks."""
    from matplotlib.lines import Line2D  # noqa: PLC0415

    runs = 1 + max((line.look.run or 0 for line in lines), default=0)
    for line in lines:
        thin = slice(len(line.x) if line.thin_from is None else max(line.thin_from - 1, 0), None)
        thick = slice(None if line.thin_from is None else line.thin_from)
        marked = [at for at in _marked(line, runs) if at < len(line.x[thick])]
        drawn: dict[str, Any] = {"drawstyle": "steps-post"} if line.steps else {}
        style = _style(ax, line.look)
        ax.plot(line.x[thick], line.y[thick], markevery=marked, **style | drawn)
        if len(line.x[thin]) > 1:
            thinner = _style(ax, line.look._replace(thin=True)) | drawn
            ax.plot(line.x[thin], line.y[thin], **thinner)
        if line.ends_early:
            cap = {"marker": "|", "markersize": font_size(ax), "color": style["color"]}
            ax.add_line(Line2D(line.x[-1:], line.y[-1:], linestyle="none", **cap))
    ends = [
        End(float(line.x[-1]), float(line.y[-1]), line.name, style["color"], style.get("marker"))
        for line, style in ((line, _style(ax, line.look)) for line in lines)
        if line.name is not None and len(line.x)
    ]
    left = add_end_labels(ax, ends) if ends else 0
    if left:
        legend = [*legend, (Look(None, 0, rest=True), f"{left} more runs")]
    handles = [(Line2D([], [], **_style(ax, look)), name) for look, name in legend]
    ax.grid(axis="y", color=faint(ax), linewidth=0.6)
    framed(ax, title, x_label, y_label, handles)


def limit_values(ax: Axes, lines: Sequence[Line], last: int, *, log: bool = False) -> None:
    """Set the limits of the axes: values from 0 unless some are negative, and up to 1 if close.

    Ranks and cutoffs go from 1 to ``last``.
    """
    values = np.concatenate([line.y for line in lines])
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if low >= 0:
        top = 1.02 if 0.8 < high <= 1 else max(high * 1.06, 0.02)
        ax.set_ylim(-0.02 * top if low < 0.01 * top else 0.0, top)
    if log:
        from matplotlib.ticker import LogLocator, NullFormatter  # noqa: PLC0415

        ax.set_xscale("log")
        if last <= _SHORT:
            ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        ax.set_xlim(0.93, max(last, 2) * 1.07)
        ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.xaxis.set_minor_formatter(NullFormatter())
        return
    margin = max(0.02 * (last - 1.0), 0.5)
    ax.set_xlim(1.0 - margin, last + margin)
    count_along(ax)


def limit_shares(ax: Axes) -> None:
    """Set the limits of both axes to 0 and 1."""
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)


def _style(ax: Axes, look: Look) -> dict[str, Any]:
    """Return matplotlib's properties of a look, for the size of the axes' text."""
    size = font_size(ax)
    shade = GREY if look.run is None else colour(ax, look.run)
    style: dict[str, Any] = {
        "color": run_colour(ax, None) if look.rest else shade,
        "linestyle": DASHES[look.dash % len(DASHES)],
        "linewidth": size * (0.09 if look.thin or look.rest else 0.16),
    }
    if look.rest:
        return style | {"zorder": 1.8, "alpha": 0.6 if look.thin else 1.0}
    if look.thin:
        return style | {"alpha": 0.75, "zorder": 1.9}
    if look.run is None:
        return style
    return style | {"marker": marker(look.run), "markersize": size * 0.5, "markeredgewidth": 0.0}


def _marked(line: Line, runs: int) -> list[int]:
    """Choose the points with markers, different for each run, so that they do not overlap."""
    points = len(line.x)
    if line.every is not None:
        return [*range(0, points, line.every)]
    if points <= 2 * _MARKS:
        return list(range(points))
    step = points / _MARKS
    first = step * ((line.look.run or 0) + 0.5) / runs
    return [int(first + step * number) for number in range(_MARKS)]
