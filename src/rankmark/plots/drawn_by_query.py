"""Drawings of each query's scores: their numbers, and the words around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.plots.captions import number_of_queries
from rankmark.plots.marks.bars import draw_differences
from rankmark.plots.marks.heat import draw_heat
from rankmark.plots.marks.points import draw_scatter
from rankmark.plots.marks.spreads import draw_distributions
from rankmark.plots.numbers_by_query import best_first, best_runs, by_query, in_both

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

    from rankmark.array_types import Floats
    from rankmark.measures import Measure
    from rankmark.plots.picture import Picture

    Drawing = Callable[[Axes], None]


def differences(picture: Picture) -> Drawing:
    """Draw what each query gains or loses from the first run, the baseline, to the other."""
    (asked,) = picture.measures
    scores = in_both(by_query(picture.evaluations, asked))
    differences = scores.values[:, 1] - scores.values[:, 0]
    baseline, other = picture.runs
    title = picture.title(
        f"{asked}, {other} less {baseline}",
        number_of_queries([len(differences)]),
        f"mean {differences.mean():+.4f}",
    )
    less = "" if asked.more_is_better else ", less is better"

    def draw(ax: Axes) -> None:
        draw_differences(
            ax,
            differences,
            scores.queries,
            (baseline, other),
            (picture.numbers[0], picture.numbers[1]),
            more_is_better=asked.more_is_better,
            title=title,
            y_label=f"difference in {asked}{less}",
        )

    return draw


def scatter(picture: Picture) -> Drawing:
    """Draw each query's scores by two runs."""
    (asked,) = picture.measures
    scores = in_both(by_query(picture.evaluations, asked)).values
    first, second = picture.runs
    title = picture.title(str(asked), number_of_queries([len(scores)]))

    def draw(ax: Axes) -> None:
        draw_scatter(
            ax,
            scores[:, 0],
            scores[:, 1],
            picture.runs,
            (picture.numbers[0], picture.numbers[1]),
            more_is_better=asked.more_is_better,
            title=title,
            labels=(f"{asked} of {first}", f"{asked} of {second}"),
            bounds=_bounds(asked, scores),
        )

    return draw


def distribution(picture: Picture) -> Drawing:
    """Draw how scores are spread, run by run, the best run first."""
    (asked,) = picture.measures
    values = by_query(picture.evaluations, asked).values
    counts = (~np.isnan(values)).sum(axis=0).tolist()
    title = picture.title(str(asked), number_of_queries(counts), *_order(picture))
    rows = best_runs(values, more_is_better=asked.more_is_better)

    def draw(ax: Axes) -> None:
        draw_distributions(
            ax,
            [values[:, row] for row in rows],
            [picture.runs[row] for row in rows],
            [picture.numbers[row] for row in rows],
            title=title,
            x_label=str(asked),
        )

    return draw


def heatmap(picture: Picture) -> Drawing:
    """Draw all scores in shades."""
    (asked,) = picture.measures
    scores = best_first(by_query(picture.evaluations, asked), more_is_better=asked.more_is_better)
    title = picture.title(str(asked), number_of_queries([len(scores.queries)]), *_order(picture))
    rows = best_runs(scores.values, more_is_better=asked.more_is_better)

    def draw(ax: Axes) -> None:
        draw_heat(
            ax,
            scores.values[:, rows],
            [picture.runs[row] for row in rows],
            [picture.numbers[row] for row in rows],
            scores.queries,
            title=title,
            label=str(asked),
            bounds=_bounds(asked, scores.values),
        )

    return draw


def _order(picture: Picture) -> list[str]:
    """Say how rows are sorted, where there are several."""
    return ["best run first"] if len(picture.runs) > 1 else []


def _bounds(asked: Measure, scores: Floats) -> tuple[float, float]:
    """Give the measure's bounds, or where it has none, those of the scores."""
    low, high = asked.bounds
    low = low if np.isfinite(low) else min(0.0, float(np.nanmin(scores)))
    high = high if np.isfinite(high) else max(float(np.nanmax(scores)), low + 1e-9)
    return low, high
