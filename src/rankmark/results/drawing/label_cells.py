"""A table of labels by labels: how many documents two judges give each pair of labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.results.drawing.colour_bars import add_colour_bar, clear_shades
from rankmark.results.drawing.figures import LETTER, font_size, framed, inches, ink, paper, unparsed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from rankmark.array_types import Ints

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
