"""Plots of comparisons, drawn by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.results.drawing.figures import SIZE, as_file, axes
from rankmark.verbs.plot import drawn_by_comparison
from rankmark.verbs.plot.compared_plot_request import ComparedPlotRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

    from rankmark.results.drawing.figures import Format
    from rankmark.verbs.plot.kinds import ComparedKind

    Drawing = Callable[[Axes], Axes | None]


class ComparedPlot(ComparedPlotRequest):
    """A plot of a comparison."""

    def size(self) -> tuple[float, float]:
        """Return the width and height that suit the number of runs and measures, in inches."""
        return _SIZES[self.kind](self) if self.kind in _SIZES else SIZE

    def draw(self, ax: Axes | None = None) -> Axes:
        """Draw on Axes, by default of a new pyplot figure, and return them."""
        drawing = self._drawing()
        with axes(ax, self.size()) as canvas:
            return drawing(canvas) or canvas

    def as_file(self, form: Format, size: tuple[float, float] | None = None) -> bytes:
        """Return the bytes of a file; ``size`` is its width and height in inches."""
        return as_file(self._drawing(), form, size or self.size())

    def _drawing(self) -> Drawing:
        """Call the function that has the name of the kind."""
        drawing: Drawing = getattr(drawn_by_comparison, self.kind.replace("-", "_"))(self)
        return drawing


_SIZES: dict[ComparedKind, Callable[[ComparedPlotRequest], tuple[float, float]]] = {
    "leaderboard": drawn_by_comparison.size_of_leaderboard,
    "matrix": drawn_by_comparison.size_of_matrix,
    "critical-difference": drawn_by_comparison.size_of_joined,
}
"""Sizes of the kinds that need more than the usual one."""
