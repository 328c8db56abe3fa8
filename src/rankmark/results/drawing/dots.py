"""Means of runs: dots with intervals, and bars that join runs which do not differ."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from rankmark.errors import InputError
from rankmark.results.drawing.figures import (
    GREY,
    Heading,
    faint,
    fitted_names,
    font_size,
    framed,
    headed,
    inches,
    ink,
    name_rows,
    paper,
    run_colour,
    split,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes


MOST_ABREAST = 3  # panels
_NARROWEST = 0.7  # inches of a panel


class Panel(NamedTuple):
    """One measure.

    Parameters
    ----------
    label
        The measure's name.
    means, lows, highs
        (n_runs,) float64, NaN where there is none.
    hollow
        (n_runs,) bool: runs that do not differ significantly from the baseline.
    line
        The mean of the baseline; NaN if there is none.
    beaten
        (n_runs,) letters of the runs that each run is significantly better than.
    """

    label: str
    means: Sequence[float]
    lows: Sequence[float]
    highs: Sequence[float]
    hollow: Sequence[bool]
    line: float
    beaten: Sequence[str]


def draw_panels(
    ax: Axes,
    panels: Sequence[Panel],
    names: Sequence[str],
    numbers: Sequence[int | None],
    *,
    title: Heading | str,
) -> Axes:
    """Draw a panel for each measure, and return the Axes of the first.

    Rows are in the order given. Several panels replace ``ax``, and the title is the figure's.

    Raises
    ------
    InputError
        If several panels have no room.
    """
    if len(panels) == 1:
        title = headed(ax, title)
        _draw(ax, panels[0], names, numbers, 0.5)
        framed(ax, title, panels[0].label, "")
        ax.spines["left"].set_visible(False)
        return ax
    if len(ax.figure.axes) > 1:
        raise InputError(
            f"{len(panels)} measures take a figure of their own",
            "draw one measure on these Axes, or leave ax out",
        )
    headed(ax, title)
    width = min(len(panels), MOST_ABREAST)
    parts = split(ax, len(panels), width)
    for number, (part, panel) in enumerate(zip(parts, panels, strict=True)):
        if inches(part)[0] < _NARROWEST:
            raise InputError(
                f"{len(panels)} panels of {inches(part)[0]:.1f} inches are illegible",
                "make the picture wider, or draw fewer measures",
            )
        share = 0.5 * width if number % width == 0 else 0.0
        _draw(part, panel, names, numbers, share)
        framed(part, "", panel.label, "")
        part.spines["left"].set_visible(False)
    return parts[0]


def _draw(
    ax: Axes,
    panel: Panel,
    names: Sequence[str],
    numbers: Sequence[int | None],
    share: float,
) -> None:
    """Draw a panel; ``share`` is the width for names, in widths of the panel, or 0 for none."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415

    if share:
        name_rows(ax, names, numbers, share)
    else:
        ax.set_yticks(range(len(names)), [""] * len(names))
    ax.tick_params(axis="y", length=0)
    ax.grid(color=faint(ax), linewidth=0.6)
    if not math.isnan(panel.line):
        ax.axvline(panel.line, color=GREY, linewidth=0.8, linestyle=(0, (4, 2)), zorder=1.5)
    room = inches(ax)[1] * 72.0 / len(names)
    size = min(0.55 * font_size(ax), 0.75 * room)
    columns = (panel.means, panel.lows, panel.highs, panel.hollow, numbers)
    for row, (mean, low, high, hollow, number) in enumerate(zip(*columns, strict=True)):
        shade: Any = run_colour(ax, number)
        if math.isnan(mean):
            ax.annotate(
                "no score",
                (0.01, row),
                xycoords=ax.get_yaxis_transform(),
                va="center",
                color=GREY,
                fontsize=min(font_size(ax), room) * 0.9,
            )
            continue
        if not math.isnan(low):
            ax.plot([low, high], [row, row], color=shade, linewidth=0.28 * size, zorder=2.2)
        ax.plot([mean], [row], **_dot(ax, shade, size, hollow=hollow), zorder=2.4)
    if any(panel.beaten):
        style: dict[str, Any] = {"va": "center_baseline", "color": ink(ax)}
        style |= {"xycoords": ax.get_yaxis_transform(), "annotation_clip": False}
        style |= {"fontsize": min(font_size(ax) * 0.9, room / 1.1)}
        for row, beaten in enumerate(panel.beaten):
            ax.annotate(f" {beaten}", (1.0, row), **style)
    ax.set_ylim(len(names) - 0.5, -0.5)
    most = max(int(inches(ax)[0] * 72.0 / font_size(ax) / 3.5), 2)
    ax.xaxis.set_major_locator(MaxNLocator(min(most, 7), steps=[1, 2, 2.5, 5, 10]))


def _dot(ax: Axes, shade: Any, size: float, *, hollow: bool) -> dict[str, Any]:
    return {
        "marker": "o",
        "markersize": size,
        "markerfacecolor": paper(ax) if hollow else shade,
        "markeredgecolor": shade,
        "markeredgewidth": 0.2 * size,
        "linestyle": "none",
        "clip_on": False,
    }


_LANE = 0.5  # height of a bar's lane, in rows of names
_ABOVE = 0.35  # rows above the first bar
_SMALLEST = 4.5  # points of a name


def lanes_of(
    values: Sequence[float], groups: Sequence[Sequence[int]]
) -> list[tuple[int, Sequence[int]]]:
    """Return each group a lane, so that groups of one lane do not overlap; best groups first."""
    ends: list[float] = []
    found = []
    for group in sorted(groups, key=lambda group: -max(values[run] for run in group)):
        low, high = (edge(values[run] for run in group) for edge in (min, max))
        lane = next((at for at, end in enumerate(ends) if high < end), len(ends))
        ends[lane : lane + 1] = [low]
        found.append((lane, group))
    return found


def rows_of(runs: int, lanes: int) -> float:
    """Return the height of a drawing, in rows of names."""
    return _ABOVE + lanes * _LANE + (runs + 1) // 2 + 0.2


def draw_joined(
    ax: Axes,
    values: Sequence[float],
    groups: Sequence[Sequence[int]],
    names: Sequence[str],
    numbers: Sequence[int | None],
    *,
    more_is_better: bool,
    title: Heading,
    x_label: str,
) -> None:
    """Draw a scale with the best run on the right, names below, and a bar for each group.

    ``groups`` are numbers of runs. A dot on a bar marks a member, as others may lie between.

    Raises
    ------
    InputError
        If there is no room for the names.
    """
    worth = [value if more_is_better else -value for value in values]
    bars = lanes_of(worth, groups)
    lanes = max((lane for lane, _ in bars), default=-1) + 1
    height = rows_of(len(values), lanes)
    room = inches(ax)[1] * 72.0 / height
    size = min(font_size(ax) * 0.95, room / 1.15)
    if size < _SMALLEST:
        raise InputError(
            f"{len(values)} runs and {lanes} rows of bars leave {room:.1f} points for a name",
            "make the picture higher, or draw fewer runs",
        )
    low, high = min(values), max(values)
    pad = 0.04 * (high - low) or 0.05
    left, right = low - pad, high + pad
    ax.set_xlim(*((left, right) if more_is_better else (right, left)))
    ax.set_ylim(-height, 0.0)
    for lane, group in bars:
        y = -_ABOVE - lane * _LANE
        of_group = [values[run] for run in group]
        ax.plot(
            [min(of_group), max(of_group)], [y, y], color=ink(ax), linewidth=0.2 * size, zorder=3.0
        )
        ax.plot(of_group, [y] * len(group), "o", color=ink(ax), markersize=0.45 * size, zorder=3.0)
    order = sorted(range(len(values)), key=lambda run: (-worth[run], run))
    best = (len(order) + 1) // 2
    style: dict[str, Any] = {"fontsize": size, "va": "center", "parse_math": False}
    shorter = fitted_names(ax, names, 0.3)
    for half, side in ((order[:best], 1), (order[best:][::-1], -1)):
        for row, run in enumerate(half):
            y = -_ABOVE - lanes * _LANE - row - 0.3
            edge = ax.get_xlim()[1 if side > 0 else 0]
            shade: Any = run_colour(ax, numbers[run])
            x = values[run]
            ax.plot([x, x, edge], [0.0, y, y], color=shade, linewidth=0.8, zorder=2.0)
            ax.plot([x], [0.0], "o", color=shade, markersize=0.45 * size, clip_on=False, zorder=4.0)
            name, value = shorter[run], _written(values[run])
            text = f" {name}  {value}" if side > 0 else f"{value}  {name} "
            ax.text(
                edge,
                y,
                text,
                ha="left" if side > 0 else "right",
                color=GREY if numbers[run] is None else ink(ax),
                **style,
            )
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    framed(ax, headed(ax, title), x_label, "")
    ax.set_yticks([])
    ax.grid(axis="x", color=faint(ax), linewidth=0.6)
    for name, spine in ax.spines.items():
        spine.set_visible(name == "top")


def _written(value: float) -> str:
    return f"{value:.4f}" if abs(value) < 10 else f"{value:,.1f}"
