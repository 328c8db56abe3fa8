"""The plot of a leaderboard: the rank interval of each model."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rankmark.results.drawing.dots import Panel, draw_panels
from rankmark.results.drawing.figures import SIZE, count_along, headed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from rankmark.verbs.leaderboard.standing import Standing

_ROW, _AROUND = 0.17, 1.2  # inches


def drawn_size(rows: int) -> tuple[float, float]:
    """Return the width and height of a figure with so many rows, in inches."""
    return SIZE[0], max(SIZE[1] / 2, _AROUND + _ROW * rows)


def draw_ranks(ax: Axes, models: Sequence[Standing], title: str) -> None:
    """Draw a dot for the rank of each model and a line for its interval, in the order given."""
    panel = Panel(
        label="rank and its interval (hollow: may be first)",
        means=[one.rank or math.nan for one in models],
        lows=[one.rank_low or math.nan for one in models],
        highs=[one.rank_high or math.nan for one in models],
        hollow=[one.rank_low == 1 and one.rank != 1 for one in models],
        line=math.nan,
        beaten=[""] * len(models),
    )
    names = [one.model for one in models]
    first = draw_panels(ax, [panel], names, [0] * len(models), title=headed(ax, title))
    count_along(first)
