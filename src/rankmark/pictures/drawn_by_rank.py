"""Drawings down the ranks: their numbers, and the words around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.drawing.lines import Line, Look, draw_lines, limit_shares, limit_values
from rankmark.measures import DCG
from rankmark.pictures import numbers_by_rank as numbers
from rankmark.pictures.wording import at_each_k, number_of_queries, over_queries

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes

    from rankmark.pictures.picture import Picture

    Drawing = Callable[[Axes], None]


def curve(picture: Picture) -> Drawing:
    """Draw measures at each cutoff."""
    found = numbers.curves(picture.evaluations, picture.measures, picture.k, picture.query)
    kinds = [at_each_k(one) for one in picture.measures]
    lines = [
        Line(found.k, values, _look(run, kind, kinds))
        for run, of_run in enumerate(found.values)
        for kind, values in enumerate(of_run)
    ]
    aggregates = [one.aggregate for one in picture.measures]
    words = [*kinds, over_queries(found.averaged, picture.query, aggregates)]
    return _drawn(picture, lines, _legend(picture.runs, kinds), words, y_label=_label(kinds))


def dcg(picture: Picture) -> Drawing:
    """Draw DCG of runs, and of the ideal ranking."""
    (asked,) = picture.measures
    found = numbers.ideals(picture.evaluations, asked, picture.k, picture.query)
    several = len(picture.runs) > 1
    own_ideals = bool((found.ideal != found.ideal[0]).any())
    lines = [Line(found.k, values, Look(run, 0)) for run, values in enumerate(found.dcg)]
    lines += [
        Line(found.k, values, Look(run if own_ideals else None, 1))
        for run, values in enumerate(found.ideal if own_ideals else found.ideal[:1])
    ]
    legend = [(Look(run, 0), name if several else "DCG@k") for run, name in enumerate(picture.runs)]
    legend.append((Look(None, 1), "IDCG@k"))
    given = {name: value for name, value in vars(asked).items() if name != "ideal"}
    gained = at_each_k(DCG.with_parameters(**given))
    words = [f"{gained} and IDCG@k", over_queries(found.averaged, picture.query)]
    return _drawn(picture, lines, legend, words, y_label=gained)


def precision_recall(picture: Picture) -> Drawing:
    """Draw interpolated precision, and thinner precision at each rank."""
    (asked,) = picture.measures
    found = numbers.recalls(picture.evaluations, asked, picture.k, picture.query)
    kinds = ["interpolated"]
    looks = [_look(run, 0, kinds) for run in range(len(picture.runs))]
    lines = [
        Line(numbers.RECALLS, values, look)
        for values, look in zip(found.interpolated, looks, strict=True)
    ]
    lines += [
        Line(*raw, look._replace(thin=True)) for raw, look in zip(found.raw, looks, strict=True)
    ]
    legend = _legend(picture.runs, kinds)
    if len(picture.runs) == 1:
        legend.append((looks[0], "interpolated"))
    legend.append((Look(None, 0, thin=True), "at each rank"))
    rel = vars(asked)["rel"]
    what = "interpolated precision" + ("" if rel == 1 else f" (rel={rel:g})")
    title = picture.title(what, over_queries(found.averaged, picture.query))

    def draw(ax: Axes) -> None:
        draw_lines(ax, lines, legend, title=title, x_label="recall", y_label="precision")
        limit_shares(ax)

    return draw


def judged(picture: Picture) -> Drawing:
    """Draw how much of the first k documents is judged and how much ties."""
    found = numbers.judged(picture.evaluations, picture.k, picture.query)
    kinds = ["judged", "tied"]
    lines = [
        Line(found.k, values, _look(run, kind, kinds))
        for run in range(len(picture.runs))
        for kind, values in enumerate((found.judged[run], found.tied[run]))
    ]
    who = (
        f"query {picture.query}" if picture.query is not None else number_of_queries(found.counted)
    )
    legend = _legend(picture.runs, kinds)
    return _drawn(
        picture, lines, legend, ["judged and tied", who], y_label="share of the first k documents"
    )


def _look(run: int, kind: int, kinds: Sequence[str]) -> Look:
    """Let dashes tell kinds; where there is one only, runs."""
    return Look(run, kind if len(kinds) > 1 else run)


def _legend(runs: Sequence[str], kinds: Sequence[str]) -> list[tuple[Look, str]]:
    """Name runs and kinds where there are several of them."""
    legend = []
    if len(runs) > 1:
        legend += [(_look(number, 0, kinds), name) for number, name in enumerate(runs)]
    if len(kinds) > 1:
        legend += [(Look(None, number), name) for number, name in enumerate(kinds)]
    return legend


def _label(kinds: Sequence[str]) -> str:
    return kinds[0] if len(kinds) == 1 else "value"


def _drawn(
    picture: Picture,
    lines: Sequence[Line],
    legend: Sequence[tuple[Look, str]],
    words: Sequence[str],
    *,
    y_label: str,
) -> Drawing:
    title = picture.title(*words)

    def draw(ax: Axes) -> None:
        draw_lines(ax, lines, legend, title=title, x_label="k", y_label=y_label)
        limit_values(ax, lines)

    return draw
