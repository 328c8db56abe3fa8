"""Plots of evaluations, drawn by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.plots import drawn_by_query, drawn_by_rank
from rankmark.plots.marks.figures import SIZE, as_file, axes
from rankmark.plots.plot_request import PlotRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

    from rankmark.plots.kinds import Kind
    from rankmark.plots.marks.figures import Format


class Plot(PlotRequest):
    """A plot of evaluations."""

    def draw(self, ax: Axes | None = None) -> Axes:
        """Draw on Axes, by default of a new pyplot figure, and return them."""
        drawing = _DRAWINGS[self.kind](self)
        with axes(ax) as canvas:
            drawing(canvas)
        return canvas

    def as_file(self, form: Format, size: tuple[float, float] = SIZE) -> bytes:
        """Return the bytes of a file; ``size`` is its width and height in inches."""
        return as_file(_DRAWINGS[self.kind](self), form, size)


_DRAWINGS: dict[Kind, Callable[[PlotRequest], Callable[[Axes], None]]] = {
    "curve": drawn_by_rank.curve,
    "dcg": drawn_by_rank.dcg,
    "precision-recall": drawn_by_rank.precision_recall,
    "differences": drawn_by_query.differences,
    "scatter": drawn_by_query.scatter,
    "distribution": drawn_by_query.distribution,
    "heatmap": drawn_by_query.heatmap,
    "judged": drawn_by_rank.judged,
}
