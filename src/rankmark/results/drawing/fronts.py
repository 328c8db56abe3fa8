"""Points of two values that are traded for each other, and the lines of the best of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rankmark.results.drawing.figures import colour, faint, font_size, framed, marker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from rankmark.array_types import Bools, Floats


class Cloud(NamedTuple):
    """Points x and y of one name, (n,) each, and whether each is joined by the line."""

    name: str
    x: Floats
    y: Floats
    joined: Bools


def draw_fronts(
    ax: Axes, clouds: Sequence[Cloud], *, title: str, x_label: str, y_label: str
) -> None:
    """Draw a line through the best points of each name, and the others faintly; y by powers."""
    legend: list[tuple[Artist, str]] = []
    size = font_size(ax) * 0.5
    for number, cloud in enumerate(clouds):
        look: dict[str, Any] = {"color": colour(ax, number), "marker": marker(number)}
        look |= {"markersize": size, "markeredgewidth": 0.0}
        others = ~cloud.joined
        ax.plot(cloud.x[others], cloud.y[others], linestyle="none", alpha=0.35, **look)
        order = sorted(cloud.joined.nonzero()[0].tolist(), key=lambda at: cloud.x[at])
        (line,) = ax.plot(cloud.x[order], cloud.y[order], linewidth=1.2, **look)
        legend.append((line, cloud.name))
    ax.set_yscale("log")
    ax.grid(color=faint(ax), linewidth=0.6)
    framed(ax, title, x_label, y_label, legend if len(clouds) > 1 else ())
