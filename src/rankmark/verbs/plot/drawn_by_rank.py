"""Plots by rank: their data, titles and labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.measures import DCG
from rankmark.results.drawing.lines import Line, Look, draw_lines, limit_shares, limit_values
from rankmark.verbs.plot import numbers_by_rank as numbers
from rankmark.verbs.plot.captions import at_each_k, number_of_queries, over_queries

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes

    from rankmark.array_types import Floats, Ints
    from rankmark.verbs.plot.numbers_by_rank import Ends
    from rankmark.verbs.plot.plot_request import PlotRequest

    Drawing = Callable[[Axes], None]


def curve(request: PlotRequest) -> Drawing:
    """Draw measures at each cutoff, down to the end of a run's rankings."""
    found = numbers.curves(
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
    return _drawn(request, lines, legend, words, found.k, found.ends, y_label=_label(kinds))


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
    title = request.title(what, over_queries(found.averaged, request.query))

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


def _to_end(k: Ints, values: Floats, ends: Ends, look: Look) -> Line:
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
    k: Ints,
    ends: Sequence[Ends],
    *,
    y_label: str,
) -> Drawing:
    last = int(k[-1])
    title = request.title(*words, *_end_remarks(ends, last))

    def draw(ax: Axes) -> None:
        limit_values(ax, lines, last, log=request.log_k)
        draw_lines(ax, lines, legend, title=title, x_label="k", y_label=y_label)

    return draw


def _end_remarks(ends: Sequence[Ends], last: int) -> list[str]:
    """Explain why lines end before the last cutoff, or are thin."""
    remarks = []
    if any(end.longest < last for end in ends):
        remarks.append("a line ends with the run's longest ranking")
    if any(end.half < min(end.longest, last) for end in ends):
        remarks.append("thin where fewer than half of the rankings continue")
    return remarks
