"""Plots by query: their data, titles and labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.results.drawing.bars import draw_differences
from rankmark.results.drawing.heat import draw_heat
from rankmark.results.drawing.points import draw_scatter
from rankmark.results.drawing.spreads import draw_distributions
from rankmark.verbs.plot.captions import number_of_queries
from rankmark.verbs.plot.numbers_by_query import best_first, best_runs, by_query, in_both

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

    from rankmark.array_types import Floats
    from rankmark.measures import Measure
    from rankmark.verbs.plot.plot_request import PlotRequest

    Drawing = Callable[[Axes], None]


def differences(request: PlotRequest) -> Drawing:
    """Draw the gain or loss of each query from the first run, the baseline, to the other."""
    (measure,) = request.measures
    scores = in_both(by_query(request.evaluations, measure))
    differences = scores.values[:, 1] - scores.values[:, 0]
    baseline, other = request.runs
    title = request.title(
        f"{measure}, {other} minus {baseline}",
        number_of_queries([len(differences)]),
        f"mean {differences.mean():+.4f}",
    )
    less = "" if measure.more_is_better else ", lower is better"

    def draw(ax: Axes) -> None:
        draw_differences(
            ax,
            differences,
            scores.queries,
            (baseline, other),
            (request.numbers[0], request.numbers[1]),
            more_is_better=measure.more_is_better,
            title=title,
            y_label=f"difference in {measure}{less}",
        )

    return draw


def scatter(request: PlotRequest) -> Drawing:
    """Draw each query's scores by two runs."""
    (measure,) = request.measures
    scores = in_both(by_query(request.evaluations, measure)).values
    first, second = request.runs
    title = request.title(str(measure), number_of_queries([len(scores)]))

    def draw(ax: Axes) -> None:
        draw_scatter(
            ax,
            scores[:, 0],
            scores[:, 1],
            request.runs,
            (request.numbers[0], request.numbers[1]),
            more_is_better=measure.more_is_better,
            title=title,
            labels=(f"{measure} of {first}", f"{measure} of {second}"),
            bounds=_bounds(measure, scores),
        )

    return draw


def distribution(request: PlotRequest) -> Drawing:
    """Draw the distribution of scores of each run, the best run first."""
    (measure,) = request.measures
    values = by_query(request.evaluations, measure).values
    counts = (~np.isnan(values)).sum(axis=0).tolist()
    title = request.title(str(measure), number_of_queries(counts), *_order(request))
    rows = best_runs(values, more_is_better=measure.more_is_better)

    def draw(ax: Axes) -> None:
        draw_distributions(
            ax,
            [values[:, row] for row in rows],
            [request.runs[row] for row in rows],
            [request.numbers[row] for row in rows],
            title=title,
            x_label=str(measure),
        )

    return draw


def heatmap(request: PlotRequest) -> Drawing:
    """Draw all scores as shades."""
    (measure,) = request.measures
    scores = best_first(
        by_query(request.evaluations, measure), more_is_better=measure.more_is_better
    )
    title = request.title(str(measure), number_of_queries([len(scores.queries)]), *_order(request))
    rows = best_runs(scores.values, more_is_better=measure.more_is_better)

    def draw(ax: Axes) -> None:
        draw_heat(
            ax,
            scores.values[:, rows],
            [request.runs[row] for row in rows],
            [request.numbers[row] for row in rows],
            scores.queries,
            title=title,
            label=str(measure),
            bounds=_bounds(measure, scores.values),
        )

    return draw


def _order(request: PlotRequest) -> list[str]:
    """Describe the order of rows, if there are several."""
    return ["best run first"] if len(request.runs) > 1 else []


def _bounds(measure: Measure, scores: Floats) -> tuple[float, float]:
    """Return the measure's bounds, or those of the scores if it has none."""
    low, high = measure.bounds
    low = low if np.isfinite(low) else min(0.0, float(np.nanmin(scores)))
    high = high if np.isfinite(high) else max(float(np.nanmax(scores)), low + 1e-9)
    return low, high
