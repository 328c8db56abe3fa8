"""Plots of evaluations, drawn by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.results.drawing.figures import SIZE, as_file, axes
from rankmark.verbs.plot import drawn_by_query, drawn_by_rank
from rankmark.verbs.plot.kinds import KINDS
from rankmark.verbs.plot.plot_request import PlotRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

    from rankmark.results.drawing.figures import Format


class Plot(PlotRequest):
    """A plot of evaluations."""

    def draw(self, ax: Axes | None = None) -> Axes:
        """Draw on Axes, by default of a new pyplot figure, and return them."""
        drawing = self._drawing()
        with axes(ax) as canvas:
            drawing(canvas)
        return canvas

    def as_file(self, form: Format, size: tuple[float, float] = SIZE) -> bytes:
        """Return the bytes of a file; ``size`` is its width and height in inches."""
        return as_file(self._drawing(), form, size)

    def _drawing(self) -> Callable[[Axes], None]:
        """Call the function that has the name of the kind."""
        functions = drawn_by_rank if KINDS[self.kind].by_rank else drawn_by_query
        drawing: Callable[[Axes], None] = getattr(functions, self.kind.replace("-", "_"))(self)
        return drawing
