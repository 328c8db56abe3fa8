"""Runs on a scale, with bars that join those that do not differ significantly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankmark.errors import InputError
from rankmark.results.drawing.figures import (
    GREY,
    faint,
    fitted,
    font_size,
    framed,
    headed,
    inches,
    ink,
    run_colour,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

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
    title: str,
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
    for half, side in ((order[:best], 1), (order[best:][::-1], -1)):
        for row, run in enumerate(half):
            y = -_ABOVE - lanes * _LANE - row - 0.3
            edge = ax.get_xlim()[1 if side > 0 else 0]
            shade: Any = run_colour(ax, numbers[run])
            x = values[run]
            ax.plot([x, x, edge], [0.0, y, y], color=shade, linewidth=0.8, zorder=2.0)
            ax.plot([x], [0.0], "o", color=shade, markersize=0.45 * size, clip_on=False, zorder=4.0)
            name, value = fitted(ax, names[run], 0.3), _written(values[run])
            text = f" {name}  {value}" if side > 0 else f"{value}  {name} "
            ax.text(
                edge,
                y,
                text,
                ha="left" if side > 0 else "right",
                color=GREY if numbers[run] is None else ink(ax),
                **style,
            )
    framed(ax, headed(ax, title), x_label, "")
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.set_yticks([])
    ax.grid(axis="x", color=faint(ax), linewidth=0.6)
    for name, spine in ax.spines.items():
        spine.set_visible(name == "top")


def _written(value: float) -> str:
    return f"{value:.4f}" if abs(value) < 10 else f"{value:,.1f}"
