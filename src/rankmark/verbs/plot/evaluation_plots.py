"""Plots of evaluations, by query and by rank: their data, titles and labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.errors import InputError
from rankmark.measures import DCG
from rankmark.results.drawing.bars import draw_differences
from rankmark.results.drawing.figures import SIZE, as_file, axes
from rankmark.results.drawing.lines import Line, Look, draw_lines, limit_shares, limit_values
from rankmark.results.drawing.points import draw_scatter
from rankmark.results.drawing.shaded_cells import draw_heat
from rankmark.results.drawing.spreads import draw_distributions
from rankmark.results.text_width import cut_apart
from rankmark.verbs.plot import numbers_by_rank as numbers
from rankmark.verbs.plot.plot_request import PlotRequest, at_each_k, number_of_queries, over_queries

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes

    from rankmark.array_types import Floats, Ints
    from rankmark.measures import Measure
    from rankmark.results.drawing.figures import Format
    from rankmark.verbs.plot.kinds import Kind
    from rankmark.verbs.plot.numbers_by_rank import Ends
    from rankmark.verbs.plot.plot_request import Plottable

    Drawing = Callable[[Axes], None]

_LETTERS_IN_TITLE = 60  # of two names and a measure, in a picture of the usual width


class Scores(NamedTuple):
    """Scores of queries by runs.

    Parameters
    ----------
    queries
        (n_queries,) ids.
    values
        (n_queries, n_runs) float64, NaN if the query does not count for a run.
    """

    queries: list[str]
    values: Floats


def by_query(evaluations: Sequence[Plottable], measure: Measure) -> Scores:
    """Combine the scores of runs, for all queries for which any run has a value."""
    columns = [
        dict(
            zip(
                evaluation.queries,
                evaluation.scores[:, evaluation.column(measure)].tolist(),
                strict=True,
            )
        )
        for evaluation in evaluations
    ]
    queries = list(dict.fromkeys(query for column in columns for query in column))
    values = np.array([[column.get(query, np.nan) for column in columns] for query in queries])
    if np.isinf(values).any():
        raise InputError(
            "a score is infinite and cannot be drawn", "draw another", where=str(measure)
        )
    present = ~np.isnan(values).all(axis=1) if queries else np.zeros(0, dtype=bool)
    if not present.any():
        raise InputError(
            "no query has a value", "choose no_relevant or queries otherwise", where=str(measure)
        )
    return Scores(
        [query for query, kept in zip(queries, present.tolist(), strict=True) if kept],
        values[present],
    )


def in_both(scores: Scores) -> Scores:
    """Keep the queries for which both runs have a value."""
    present = ~np.isnan(scores.values[:, 0]) & ~np.isnan(scores.values[:, 1])
    if not present.any():
        raise InputError("no query has a value for both runs", "evaluate them for the same queries")
    kept = [query for query, both in zip(scores.queries, present.tolist(), strict=True) if both]
    return Scores(kept, scores.values[present])


def best_runs(values: Floats, *, more_is_better: bool) -> list[int]:
    """Order runs by their mean over queries, NaN left out: (n_queries, n_runs), the best first."""
    present = ~np.isnan(values)
    counts = present.sum(axis=0)
    means = np.where(present, values, 0.0).sum(axis=0) / np.maximum(counts, 1)
    merit = np.where(counts > 0, means if more_is_better else -means, -np.inf)
    return np.argsort(-merit, kind="stable").tolist()


def best_first(scores: Scores, *, more_is_better: bool) -> Scores:
    """Order queries by their mean over the runs, NaN left out."""
    means = np.nanmean(scores.values, axis=1)
    order = np.argsort(-means if more_is_better else means, kind="stable")
    return Scores([scores.queries[row] for row in order.tolist()], scores.values[order])


def differences(request: PlotRequest) -> Drawing:
    """Draw the gain or loss of each query from the first run, the baseline, to the other."""
    (measure,) = request.measures
    scores = in_both(by_query(request.evaluations, measure))
    differences = scores.values[:, 1] - scores.values[:, 0]
    baseline, other = request.runs
    title = request.heading(
        f"{measure}: {' minus '.join(_in_title(measure, other, baseline))}",
        number_of_queries([len(differences)]),
        caption=[f"dashed line: the mean, {differences.mean():+.4f}".replace("-", "\u2212")],
    )
    less = "" if measure.more_is_better else ", lower is better"

    return lambda ax: draw_differences(
        ax,
        differences,
        scores.queries,
        (baseline, other),
        (request.numbers[0], request.numbers[1]),
        more_is_better=measure.more_is_better,
        title=title,
        y_label=f"difference in {measure}{less}",
    )


def _in_title(measure: Measure, *runs: str) -> list[str]:
    """Shorten the names of two runs, so that both stand in one line."""
    return cut_apart(runs, max((_LETTERS_IN_TITLE - len(str(measure))) // 2, 12))


def scatter(request: PlotRequest) -> Drawing:
    """Draw each query's scores by two runs."""
    (measure,) = request.measures
    scores = in_both(by_query(request.evaluations, measure)).values
    first, second = request.runs
    title = request.heading(str(measure), number_of_queries([len(scores)]))

    return lambda ax: draw_scatter(
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


def distribution(request: PlotRequest) -> Drawing:
    """Draw the distribution of scores of each run, the best run first."""
    (measure,) = request.measures
    values = by_query(request.evaluations, measure).values
    counts = (~np.isnan(values)).sum(axis=0).tolist()
    title = request.heading(
        str(measure), number_of_queries(counts), caption=["a dot for each query", *_order(request)]
    )
    rows = best_runs(values, more_is_better=measure.more_is_better)

    return lambda ax: draw_distributions(
        ax,
        [values[:, row] for row in rows],
        [request.runs[row] for row in rows],
        [request.numbers[row] for row in rows],
        title=title,
        x_label=str(measure),
    )


def heatmap(request: PlotRequest) -> Drawing:
    """Draw all scores as shades."""
    (measure,) = request.measures
    scores = best_first(
        by_query(request.evaluations, measure), more_is_better=measure.more_is_better
    )
    counted = number_of_queries([len(scores.queries)])
    title = request.heading(str(measure), counted, caption=_order(request))
    rows = best_runs(scores.values, more_is_better=measure.more_is_better)

    return lambda ax: draw_heat(
        ax,
        scores.values[:, rows],
        [request.runs[row] for row in rows],
        [request.numbers[row] for row in rows],
        scores.queries,
        title=title,
        label=str(measure),
        bounds=_bounds(measure, scores.values),
    )


def _order(request: PlotRequest) -> list[str]:
    """Describe the order of rows, if there are several."""
    return ["best run first"] if len(request.runs) > 1 else []


def _bounds(measure: Measure, scores: Floats) -> tuple[float, float]:
    """Return the measure's bounds, or those of the scores if it has none."""
    low, high = measure.bounds
    low = low if np.isfinite(low) else min(0.0, float(np.nanmin(scores)))
    high = high if np.isfinite(high) else max(float(np.nanmax(scores)), low + 1e-9)
    return low, high


def curve(request: PlotRequest) -> Drawing:
    """Draw measures at each cutoff, down to the end of a run's rankings."""
    of_budgets = next((one.budget for one in request.measures if one.budget), None)
    curves = numbers.curves if of_budgets is None else numbers.curves_of_budgets
    found = curves(
        request.evaluations, request.measures, request.k, request.query, log=request.log_k
    )
    kinds = [at_each_k(measure) for measure in request.measures]
    lines = [
        _to_end(found.k, values, found.ends[run], _look(request, run, kind, kinds))._replace(
            name=_at_end(request, run, kind)
        )
        for run, of_run in enumerate(found.values)
        for kind, values in enumerate(of_run)
    ]
    aggregates = [measure.aggregate for measure in request.measures]
    words = [*kinds, over_queries(found.averaged, request.query, aggregates)]
    legend = _legend(request, kinds)
    x_label = "k" if of_budgets is None else f"budget of {of_budgets.cost}"
    return _drawn(
        request, lines, legend, words, found.k, found.ends, x_label=x_label, y_label=_label(kinds)
    )


def dcg(request: PlotRequest) -> Drawing:
    """Draw the DCG of runs and of the ideal ranking."""
    (measure,) = request.measures
    found = numbers.ideals(
        request.evaluations, measure, request.k, request.query, log=request.log_k
    )
    own_ideals = bool((found.ideal != found.ideal[0]).any())
    looks = [_look(request, run, 0, ["DCG@k", "IDCG@k"]) for run in range(len(request.runs))]
    lines = [
        _to_end(found.k, values, found.ends[run], looks[run])._replace(
            name=_at_end(request, run, 0)
        )
        for run, values in enumerate(found.dcg)
    ]
    lines += [
        Line(found.k, values, looks[run]._replace(dash=1) if own_ideals else Look(None, 1))
        for run, values in enumerate(found.ideal if own_ideals else found.ideal[:1])
    ]
    legend = _runs(request, looks) if len(request.runs) > 1 else [(looks[0], "DCG@k")]
    legend.append((Look(None, 1), "IDCG@k"))
    parameters = {name: value for name, value in vars(measure).items() if name != "ideal"}
    name = at_each_k(DCG.with_parameters(**parameters))
    words = [f"{name} and IDCG@k", over_queries(found.averaged, request.query)]
    return _drawn(request, lines, legend, words, found.k, found.ends, y_label=name)


def precision_recall(request: PlotRequest) -> Drawing:
    """Draw interpolated precision, a step function; for one query, also precision at each rank."""
    (measure,) = request.measures
    found = numbers.recalls(request.evaluations, measure, request.k, request.query)
    kinds = ["interpolated"]
    looks = [_look(request, run, 0, kinds) for run in range(len(request.runs))]
    every = (len(found.recalls) - 1) // 10
    lines = [
        Line(found.recalls, values, look, _at_end(request, run, 0), steps=True, every=every)
        for run, (values, look) in enumerate(zip(found.interpolated, looks, strict=True))
    ]
    lines += [
        Line(*raw, look._replace(thin=True)) for raw, look in zip(found.raw, looks, strict=False)
    ]
    legend = _legend(request, kinds)
    if found.raw:
        if len(request.runs) == 1:
            legend.append((looks[0], "interpolated"))
        legend.append((Look(None, 0, thin=True), "at each rank"))
    rel = vars(measure)["rel"]
    what = "interpolated precision" + ("" if rel == 1 else f" (rel={rel:g})")
    title = request.heading(what, over_queries(found.averaged, request.query))

    def draw(ax: Axes) -> None:
        limit_shares(ax)
        draw_lines(ax, lines, legend, title=title, x_label="recall", y_label="precision")

    return draw


def judged(request: PlotRequest) -> Drawing:
    """Draw the fractions of the first k documents that are judged and tied."""
    found = numbers.judged(request.evaluations, request.k, request.query)
    kinds = ["judged", "tied"]
    lines = [
        _to_end(found.k, values, found.ends[run], _look(request, run, kind, kinds))._replace(
            name=_at_end(request, run, kind)
        )
        for run in range(len(request.runs))
        for kind, values in enumerate((found.judged[run], found.tied[run]))
    ]
    who = (
        f"query {request.query}" if request.query is not None else number_of_queries(found.counted)
    )
    who = who if request.query is not None else f"mean of {who}"
    legend, words = _legend(request, kinds), ["judged and tied", who]
    label = "share of the first k documents"
    return _drawn(request, lines, legend, words, found.k, found.ends, y_label=label)


def _to_end(k: Ints | Floats, values: Floats, ends: Ends, look: Look) -> Line:
    """Draw values down to the end of rankings, thin after the end of more than half of them."""
    last = max(int((k <= ends.longest).sum()), 1)
    half = int((k <= ends.half).sum())
    thin_from = half if half < last else None
    return Line(k[:last], values[:last], look, thin_from=thin_from, ends_early=last < len(k))


def _look(request: PlotRequest, run: int, kind: int, kinds: Sequence[str]) -> Look:
    """Use dashes to distinguish kinds, or runs if there is only one kind."""
    number = request.numbers[run]
    if number is None:
        return Look(None, kind if len(kinds) > 1 else 0, rest=True)
    return Look(number, kind if len(kinds) > 1 else number)


def _at_end(request: PlotRequest, run: int, kind: int) -> str | None:
    """Name a run at the end of its line if some runs are grey, and alike in a legend."""
    return request.runs[run] if None in request.numbers and kind == 0 else None


def _runs(request: PlotRequest, looks: Sequence[Look]) -> list[tuple[Look, str]]:
    """Name runs in the legend, unless their names are at the ends of lines."""
    if len(request.runs) == 1 or None in request.numbers:
        return []
    return list(zip(looks, request.runs, strict=True))


def _legend(request: PlotRequest, kinds: Sequence[str]) -> list[tuple[Look, str]]:
    """Name runs and kinds, if there are several."""
    looks = [_look(request, run, 0, kinds) for run in range(len(request.runs))]
    legend = _runs(request, looks)
    if len(kinds) > 1:
        legend += [(Look(None, number), name) for number, name in enumerate(kinds)]
    return legend


def _label(kinds: Sequence[str]) -> str:
    return kinds[0] if len(kinds) == 1 else "value"


def _drawn(
    request: PlotRequest,
    lines: Sequence[Line],
    legend: Sequence[tuple[Look, str]],
    words: Sequence[str],
    k: Ints | Floats,
    ends: Sequence[Ends],
    *,
    x_label: str = "k",
    y_label: str,
) -> Drawing:
    last = float(k[-1])
    title = request.heading(*words, caption=_end_remarks(ends, last))

    def draw(ax: Axes) -> None:
        limit_values(ax, lines, last, log=request.log_k)
        draw_lines(ax, lines, legend, title=title, x_label=x_label, y_label=y_label)

    return draw


def _end_remarks(ends: Sequence[Ends], last: float) -> list[str]:
    """Explain why lines end before the last cutoff, or are thin."""
    remarks = []
    if any(end.longest < last for end in ends):
        remarks.append("a line ends with the run's longest ranking")
    if any(end.half < min(end.longest, last) for end in ends):
        remarks.append("thin where fewer than half of the rankings continue")
    return remarks


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
        return _DRAWINGS[self.kind](self)


_DRAWINGS: dict[Kind, Callable[[PlotRequest], Drawing]] = {
    "curve": curve,
    "dcg": dcg,
    "precision-recall": precision_recall,
    "differences": differences,
    "scatter": scatter,
    "distribution": distribution,
    "heatmap": heatmap,
    "judged": judged,
}
