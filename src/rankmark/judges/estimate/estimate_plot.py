"""The picture of an estimate: intervals of people alone and of both, and the model's mean."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rankmark.results.drawing.dots import Panel, draw_panels
from rankmark.results.drawing.figures import SIZE, axes, headed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from rankmark.judges.estimate.estimated import Estimated

_ROW = 0.32  # inches


def drawn_size(rows: int) -> tuple[float, float]:
    """Return the width and height in inches of a picture of so many differences, or means."""
    return SIZE[0], max(0.9 + 3 * _ROW * rows, 1.8)


def draw_estimates(rows: Sequence[Estimated], ax: Axes | None, *, title: bool) -> Axes:
    """Draw three rows for each difference, or for each mean."""
    names: list[str] = []
    numbers: list[int | None] = []
    means, lows, highs, hollow = [], [], [], []
    for row in rows:
        people, model = row.found.people, row.found.model
        for name, number, ends, is_hollow in (
            (f"{row.name}: people alone", 0, (people.estimate, *row.people_shown), False),
            ("people and model", 1, (row.estimate, *row.shown), False),
            ("model alone", None, (model.estimate, math.nan, math.nan), True),
        ):
            names.append(name)
            numbers.append(number)
            means.append(ends[0])
            lows.append(ends[1])
            highs.append(ends[2])
            hollow.append(is_hollow)
    are_means = rows[0].baseline is None
    label = rows[0].measure if are_means else f"difference in {rows[0].measure}"
    panel = Panel(
        label, means, lows, highs, hollow, math.nan if are_means else 0.0, [""] * len(names)
    )
    counts = rows[0].found
    level = f"{100 * counts.interval.confidence:.6g}%"
    words = (
        f"{counts.n:,} queries judged by people, {counts.others:,} by the model only; "
        f"{level} intervals"
    )
    if rows[0].family > 1:
        words += f", corrected for {rows[0].family} differences"
    with axes(ax, drawn_size(len(rows))) as canvas:
        heading = headed(canvas, words if title else "")
        return draw_panels(canvas, [panel], names, numbers, title=heading)
