"""Plots of comparisons: leaderboards, matrices of pairs, and runs joined by bars."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.errors import InputError
from rankmark.formatting.text_width import cut, width
from rankmark.plots.captions import conventions_in_words, number_of_queries
from rankmark.plots.kinds import refuse_compared
from rankmark.plots.looks import numbers_of_compared
from rankmark.plots.marks.dots import MOST_ABREAST, Panel, draw_panels
from rankmark.plots.marks.figures import as_file, axes
from rankmark.plots.marks.joined import draw_joined, lanes_of, rows_of
from rankmark.plots.marks.pair_cells import draw_pair_cells
from rankmark.plots.plot_request import switch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes

    from rankmark.measures.names import AnyMeasure
    from rankmark.plots.compared_runs import ComparedRuns
    from rankmark.plots.kinds import ComparedKind
    from rankmark.plots.marks.figures import Format

    Drawing = Callable[[Axes], Axes | None]

_LONGEST_NAME = 40
_MOST_LETTERS = 6  # beside a row
_WIDTH_OF_LETTER = 0.075  # inches, about
_TESTS = {
    "randomisation": "randomisation test",
    "t": "t test",
    "wilcoxon": "Wilcoxon test",
    "sign": "sign test",
    "bootstrap": "bootstrap test",
}
_CORRECTIONS = {
    "holm": "Holm",
    "hochberg": "Hochberg",
    "bonferroni": "Bonferroni",
    "bh": "Benjamini-Hochberg",
    "by": "Benjamini-Yekutieli",
    "max-t": "max-T",
    "tukey": "Tukey",
}


class ComparedPlot:
    """A kind of plot of a comparison, with its measures and options.

    Raises
    ------
    InputError
        If the kind does not exist, or cannot show this comparison.
    MeasureError
        If a measure was not compared.
    """

    def __init__(
        self,
        kind: ComparedKind,
        compared: ComparedRuns,
        measures: Iterable[AnyMeasure] | AnyMeasure | None = None,
        *,
        highlight: Iterable[str] | str | None = None,
        title: bool = True,
    ) -> None:
        self.kind = kind
        self.compared = compared
        self.columns = _columns(kind, compared, measures)
        refuse_compared(kind, len(self.columns), len(compared.runs), compared.baseline)
        self.has_title = switch("title", title)
        self._rows = {(row.run, row.measure): row for row in compared.leaderboard}
        first = sorted(compared.runs, key=lambda run: self.row(run, compared.measures[0]).rank)
        best = [compared.runs.index(run) for run in first]
        numbers = numbers_of_compared(compared.runs, best, highlight)
        self.numbers = dict(zip(compared.runs, numbers, strict=True))

    def row(self, run: str, measure: str) -> Any:
        """Return the mean of a run on a measure."""
        return self._rows[run, measure]

    @property
    def measures(self) -> list[str]:
        """Names of the measures drawn."""
        return [self.compared.measures[column] for column in self.columns]

    def best_first(self) -> list[str]:
        """Return the runs by their means on the first measure drawn."""
        return sorted(self.compared.runs, key=lambda run: self.row(run, self.measures[0]).rank)

    def more_is_better(self, column: int) -> bool:
        """Return whether more is better of a measure."""
        return not self.compared.compared[column].lower_is_better

    def title(self, *words: str) -> str:
        """Return a title of words and conventions; empty if there is to be no title."""
        if not self.has_title:
            return ""
        said = [*words]
        for evaluation in self.compared.evaluations.values():
            said.append(conventions_in_words(evaluation.conventions))
            break
        return ", ".join(said)

    def test(self) -> str:
        """Say which test was made, and how its p-values were corrected."""
        chosen = self.compared.chosen
        pairs = len(self.compared.pairs)
        name = _TESTS[chosen.test]
        if chosen.correction == "none":
            return f"{name} without correction"
        over = pairs * (len(self.compared.measures) if chosen.family == "all" else 1)
        tests = "test" if over == 1 else "tests"
        return f"{name} with the {_CORRECTIONS[chosen.correction]} correction for {over} {tests}"

    def size(self) -> tuple[float, float]:
        """Return the width and height that suit the number of runs and measures, in inches."""
        return _SIZES[self.kind](self)

    def draw(self, ax: Axes | None = None) -> Axes:
        """Draw on Axes, by default of a new pyplot figure, and return them."""
        drawing = _DRAWINGS[self.kind](self)
        with axes(ax, self.size()) as canvas:
            return drawing(canvas) or canvas

    def as_file(self, form: Format, size: tuple[float, float] | None = None) -> bytes:
        """Return the bytes of a file; ``size`` is its width and height in inches."""
        return as_file(_DRAWINGS[self.kind](self), form, size or self.size())


def _columns(
    kind: ComparedKind,
    compared: ComparedRuns,
    measures: Iterable[AnyMeasure] | AnyMeasure | None,
) -> list[int]:
    """Return the numbers of the measures to draw: by default all, or the first."""
    if measures is None:
        count = len(compared.measures) if kind == "leaderboard" else 1
        return [*range(count)]
    one = isinstance(measures, str) or not isinstance(measures, Iterable)
    given: list[object] = [measures] if one else [*measures]  # type: ignore[misc]
    if not given:
        raise InputError("measure names none", "name one that was compared")
    return [*dict.fromkeys(compared.column(name) for name in given)]


def _names(runs: Sequence[str]) -> list[str]:
    return [cut(run, _LONGEST_NAME) for run in runs]


def _leaderboard(plot: ComparedPlot) -> Drawing:
    compared, runs = plot.compared, plot.best_first()
    apart: dict[tuple[str, str], bool] = {}
    if compared.baseline is not None:
        apart = {(pair.run, pair.measure): pair.significant for pair in compared.differences}
    letters = [plot.row(run, measure).letters for run in runs for measure in plot.measures]
    lettered = max(map(len, letters)) <= _MOST_LETTERS
    panels = []
    for column, measure in zip(plot.columns, plot.measures, strict=True):
        rows = [plot.row(run, measure) for run in runs]
        of_baseline = plot.row(compared.baseline, measure).mean if compared.baseline else math.nan
        less = "" if plot.more_is_better(column) else ", less is better"
        panels.append(
            Panel(
                f"{measure}{less}",
                [row.mean for row in rows],
                [row.low for row in rows],
                [row.high for row in rows],
                [not apart.get((run, measure), True) for run in runs],
                of_baseline,
                [row.letters for row in rows] if lettered else [""] * len(rows),
            )
        )
    words = [number_of_queries([len(compared.queries)])]
    if any(not math.isnan(low) for panel in panels for low in panel.lows):
        words.append(f"{100 * compared.chosen.confidence:.6g}% intervals")
    if any(any(panel.letters) for panel in panels):
        words.append(f"runs that share a letter are not told apart by the {plot.test()}")
    elif apart:
        (name,) = _names([compared.baseline or ""])
        words.append(f"dashed line: mean of {name}")
        words.append(f"hollow dots: not told apart from it by the {plot.test()}")
    title = plot.title(*words)

    def draw(ax: Axes) -> Axes:
        numbers = [plot.numbers[run] for run in runs]
        return draw_panels(ax, panels, _names(runs), numbers, title=title)

    return draw


def _matrix(plot: ComparedPlot) -> Drawing:
    (measure,), (column,) = plot.measures, plot.columns
    runs = plot.best_first()
    place = {run: at for at, run in enumerate(runs)}
    differences, p = (np.full((len(runs), len(runs)), math.nan) for _ in range(2))
    apart = np.zeros(differences.shape, dtype=bool)
    for pair in plot.compared.differences:
        if pair.measure != measure:
            continue
        run, other = place[pair.run], place[pair.baseline]
        differences[run, other], differences[other, run] = pair.difference, -pair.difference
        p[run, other] = p[other, run] = pair.adjusted_p
        apart[run, other] = apart[other, run] = pair.significant
    level = plot.compared.chosen.level
    words = [
        number_of_queries([len(plot.compared.queries)]),
        f"coloured if p is at most {level:g}",
        plot.test(),
    ]
    titles = (
        plot.title(f"{measure}, row less column, and p below", *words),
        plot.title(f"{measure}, row less column", *words),
    )
    less = "" if plot.more_is_better(column) else ", less is better"

    def draw(ax: Axes) -> None:
        draw_pair_cells(
            ax,
            differences,
            p,
            apart,
            _names(runs),
            [plot.numbers[run] for run in runs],
            more_is_better=plot.more_is_better(column),
            titles=titles,
            label=f"difference in {measure}{less}",
        )

    return draw


def _critical_difference(plot: ComparedPlot) -> Drawing:
    (measure,), (column,) = plot.measures, plot.columns
    runs, values, groups = _joined(plot)
    if not runs:
        raise InputError("no run has a mean", "choose no_relevant or queries otherwise")
    words = [
        number_of_queries([len(plot.compared.queries)]),
        f"bars join runs that are not told apart at level {plot.compared.chosen.level:g} by the "
        f"{plot.test()}",
    ]
    less = "" if plot.more_is_better(column) else ", less is better"

    def draw(ax: Axes) -> None:
        draw_joined(
            ax,
            values,
            groups,
            _names(runs),
            [plot.numbers[run] for run in runs],
            more_is_better=plot.more_is_better(column),
            title=plot.title(*words),
            x_label=f"{measure}{less}",
        )

    return draw


def _joined(plot: ComparedPlot) -> tuple[list[str], list[float], list[list[int]]]:
    """Return the runs that have a mean, their means, and groups of two or more of them."""
    (measure,) = plot.measures
    rows = [plot.row(run, measure) for run in plot.best_first()]
    rows = [row for row in rows if not math.isnan(row.mean)]
    members: dict[str, list[int]] = {}
    for at, row in enumerate(rows):
        for letter in re.findall(r"[a-z]'*", row.letters):
            members.setdefault(letter, []).append(at)
    groups = [group for group in members.values() if len(group) > 1]
    return [row.run for row in rows], [row.mean for row in rows], groups


def _wider(plot: ComparedPlot, most: int, usual: int = 12) -> float:
    """Return the inches that names take beyond usual ones, down to ``most`` letters."""
    longest = min(max(map(width, plot.compared.runs)), most)
    return max(longest - usual, 0) * _WIDTH_OF_LETTER


def _size_of_leaderboard(plot: ComparedPlot) -> tuple[float, float]:
    abreast = min(len(plot.columns), MOST_ABREAST)
    below = -(-len(plot.columns) // MOST_ABREAST)
    height = 0.8 + below * (0.6 + 0.19 * len(plot.compared.runs))
    return (6.0, 6.6, 8.0)[abreast - 1] + _wider(plot, 30), max(height, 2.4)


def _size_of_matrix(plot: ComparedPlot) -> tuple[float, float]:
    side = min(max(0.5 * len(plot.compared.runs), 2.4), 8.5)
    return side + 2.4 + _wider(plot, _LONGEST_NAME), 0.8 * side + 1.2


def _size_of_joined(plot: ComparedPlot) -> tuple[float, float]:
    _, values, groups = _joined(plot)
    worth = [value if plot.more_is_better(plot.columns[0]) else -value for value in values]
    lanes = max((lane for lane, _ in lanes_of(worth, groups)), default=-1) + 1
    return 6.0 + 2 * _wider(plot, 26), max(1.1 + 0.2 * rows_of(len(values), lanes), 1.9)


_DRAWINGS: dict[ComparedKind, Callable[[ComparedPlot], Drawing]] = {
    "leaderboard": _leaderboard,
    "matrix": _matrix,
    "critical-difference": _critical_difference,
}
_SIZES: dict[ComparedKind, Callable[[ComparedPlot], tuple[float, float]]] = {
    "leaderboard": _size_of_leaderboard,
    "matrix": _size_of_matrix,
    "critical-difference": _size_of_joined,
}
