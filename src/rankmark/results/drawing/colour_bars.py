"""Colour bars: the legend of shades, one for each Axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankmark.results.drawing.figures import font_size, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable

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
