"""Plots of comparisons: the request, their data, titles and labels, and sizes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from rankmark.arguments import flag
from rankmark.errors import InputError
from rankmark.results.drawing.dots import (
    MOST_ABREAST,
    Panel,
    draw_joined,
    draw_panels,
    lanes_of,
    rows_of,
)
from rankmark.results.drawing.figures import SIZE, Heading, as_file, axes
from rankmark.results.drawing.lines import DifferenceLine, abreast, draw_difference_lines
from rankmark.results.drawing.shaded_cells import draw_pair_cells
from rankmark.results.run_names import letters, listed_letters
from rankmark.results.text_width import cut, width
from rankmark.verbs.plot.kinds import refuse_compared
from rankmark.verbs.plot.plot_request import (
    conventions_in_words,
    number_of_queries,
    numbers_of_compared,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.axes import Axes

    from rankmark.measures.names import AnyMeasure
    from rankmark.results.drawing.figures import Format
    from rankmark.results.trade_off import TradeOff
    from rankmark.verbs.plot.kinds import ComparedKind
    from rankmark.verbs.plot.plot_request import Plottable

    Drawing = Callable[[Axes], Axes | None]


class ComparedRuns(Protocol):
    """Runs and measures, the mean of each run on each measure, and the differences of pairs.

    Rows have the fields that ``rm.Comparison`` documents.

    Attributes
    ----------
    compared
        The measures: ``name`` and ``more_is_better``.
    chosen
        Choices: ``test``, ``correction``, ``family``, ``confidence`` and ``level``.
    """

    runs: tuple[str, ...]
    queries: tuple[str, ...]
    baseline: str | None
    compared: Any
    chosen: Any

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures."""
        ...

    @property
    def pairs(self) -> Sequence[tuple[str, str]]:
        """The pairs compared, (baseline, run) each."""
        ...

    @property
    def leaderboard(self) -> Iterable[Any]:
        """``run``, ``measure``, ``rank``, ``mean``, ``low`` and ``high``."""
        ...

    @property
    def differences(self) -> Iterable[Any]:
        """Rows of ``rankmark.verbs.compare.compared_rows.RunDifference``."""
        ...

    @property
    def evaluations(self) -> Mapping[str, Plottable]:
        """The evaluation of each run; empty if the scores came from another program."""
        ...

    def column(self, name: object) -> int:
        """Return the number of a measure."""
        ...

    def trade_off(self, *measures: Any) -> TradeOff:
        """Return two measures of each run, and the Pareto front."""
        ...


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


class ComparedPlotRequest:
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
        self.columns: list[int] = []
        self.asked: list[object] = [] if measures is None else _several(measures)
        if kind != "trade-off":
            self.columns = _columns(kind, compared, measures)
            refuse_compared(kind, len(self.columns), len(compared.runs), compared.baseline)
        self.has_title: bool = flag("title", title)
        self._rows = {(row.run, row.measure): row for row in compared.leaderboard}
        first = [*compared.runs]
        if compared.measures:
            first.sort(key=lambda run: self.row(run, compared.measures[0]).rank)
        if kind == "trade-off":
            found = self.trade_off
            is_best = dict(zip(found.names, found.front.tolist(), strict=True))
            first.sort(key=lambda run: not is_best[run])
        best = [compared.runs.index(run) for run in first]
        numbers = numbers_of_compared(compared.runs, best, highlight, compared.baseline)
        self.numbers: dict[str, int | None] = dict(zip(compared.runs, numbers, strict=True))

    @cached_property
    def trade_off(self) -> TradeOff:
        """The two measures of a trade-off, and the Pareto front."""
        return self.compared.trade_off(*self.asked)

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
        return bool(self.compared.compared[column].more_is_better)

    @property
    def by_letter(self) -> bool:
        """Whether letters say which runs are significantly better than others."""
        return self.compared.baseline is None and len(self.compared.runs) > 1

    def beaten(self, measure: str, runs: Sequence[str], longest: int) -> list[str]:
        """Return the letters of the runs that each run is significantly better than.

        ``runs`` are in the order of their letters; a longer list is a number of runs.
        """
        place = {run: at for at, run in enumerate(runs)}
        found: list[dict[int, bool]] = [{} for _ in runs]
        for row in self.compared.differences:
            if row.measure == measure and row.significant and row.better is not None:
                doubtful = row.reversible_by not in {"", "nothing"}
                found[place[row.better]][place[row.worse]] = doubtful
        return [
            listed_letters(one, {at for at, doubtful in one.items() if doubtful}, longest)
            for one in found
        ]

    def heading(self, *words: str, caption: Sequence[str] = ()) -> Heading:
        """Return a title of words, and a caption that ends with the conventions.

        Both are empty if there is to be no title.
        """
        if not self.has_title:
            return Heading()
        said = [*caption]
        for evaluation in self.compared.evaluations.values():
            said.append(conventions_in_words(evaluation.conventions))
            break
        return Heading(", ".join(words), "; ".join(said))

    @property
    def number_of_queries(self) -> str:
        """The number of queries, in words."""
        return number_of_queries([len(self.compared.queries)])

    def test(self) -> str:
        """Return the test that was applied, and how its p-values were corrected, in words."""
        chosen = self.compared.chosen
        name = _TESTS[chosen.test]
        if chosen.correction == "none":
            return f"{name} without correction"
        drawn = set(self.measures)
        sizes = {row.family for row in self.compared.differences if row.measure in drawn} - {0}
        least, most = min(sizes, default=0), max(sizes, default=0)
        over = f"{most}" if least == most else f"{least} to {most}"
        tests = "test" if most == 1 else "tests"
        each = " at each k" if self.kind == "cutoffs" and chosen.family == "measure" else ""
        correction = _CORRECTIONS[chosen.correction]
        return f"{name} with the {correction} correction for {over} {tests}{each}"


def _columns(
    kind: ComparedKind,
    compared: ComparedRuns,
    measures: Iterable[AnyMeasure] | AnyMeasure | None,
) -> list[int]:
    """Return the numbers of the measures to draw: by default all, or the first."""
    if kind == "cutoffs":
        return _series(compared, measures)
    if measures is None:
        count = len(compared.measures) if kind == "leaderboard" else 1
        return [*range(count)]
    return [*dict.fromkeys(compared.column(name) for name in _several(measures))]


def _several(measures: Iterable[AnyMeasure] | AnyMeasure) -> list[object]:
    """Return one measure or several as a list."""
    one = isinstance(measures, str) or not isinstance(measures, Iterable)
    given: list[object] = [measures] if one else [*measures]  # type: ignore[misc]
    if not given:
        raise InputError("measure names none", "name one that was compared")
    return given


def _series(
    compared: ComparedRuns, measures: Iterable[AnyMeasure] | AnyMeasure | None
) -> list[int]:
    """Return the numbers of one measure's cutoffs, in ascending order of these."""
    named = measures if measures is not None else compared.measures[0]
    one = isinstance(named, str) or not isinstance(named, Iterable)
    wanted = {split_cutoff(str(name))[0] for name in ([named] if one else named)}  # type: ignore[union-attr]
    if len(wanted) > 1:
        raise InputError(f"cutoffs draws 1 measure, and there are {len(wanted)}", "name one")
    (base,) = wanted
    at = {
        k: i
        for i, (name, k) in enumerate(map(split_cutoff, compared.measures))
        if name == base and k
    }
    if len(at) < 2:
        raise InputError(
            f"cutoffs needs a measure at two cutoffs or more, and {base} has {len(at)}",
            "compare several, such as nDCG @ [1, 5, 10], or with --cutoffs 1..20",
        )
    return [at[k] for k in sorted(at)]


def split_cutoff(name: str) -> tuple[str, int]:
    """Split a measure's name into that of the measure and its cutoff, or 0."""
    base, _, k = name.rpartition("@")
    return (base, int(k)) if base and k.isdecimal() else (name, 0)


def trade_off(plot: ComparedPlotRequest) -> Drawing:
    """Draw two measures of each run, with intervals, and the Pareto front."""
    found = plot.trade_off
    level = f"bars: {100 * plot.compared.chosen.confidence:.6g}% intervals"
    title = plot.heading(
        f"{found.y.name} against {found.x.name}",
        plot.number_of_queries,
        caption=["dashed line: the Pareto front; runs that another beats in both are faint", level],
    )
    numbers = [plot.numbers[run] for run in plot.compared.runs]
    return lambda ax: found.draw(ax, title, numbers)


_LONGEST_NAME = 40
_LONGEST_BASELINE = 28  # letters in a title
_LONGEST_LIST = 12  # letters beside a row
_WIDTH_OF_LETTER = 0.075  # inches, about


def leaderboard(plot: ComparedPlotRequest) -> Drawing:
    """Draw means with their intervals, a panel for each measure."""
    compared, runs = plot.compared, plot.best_first()
    apart: dict[tuple[str, str], bool] = {}
    if compared.baseline is not None:
        apart = {(pair.run, pair.measure): pair.significant for pair in compared.differences}
    panels = []
    for column, measure in zip(plot.columns, plot.measures, strict=True):
        rows = [plot.row(run, measure) for run in runs]
        of_baseline = plot.row(compared.baseline, measure).mean if compared.baseline else math.nan
        less = "" if plot.more_is_better(column) else ", lower is better"
        panels.append(
            Panel(
                f"{measure}{less}",
                [row.mean for row in rows],
                [row.low for row in rows],
                [row.high for row in rows],
                [not apart.get((run, measure), True) for run in runs],
                of_baseline,
                plot.beaten(measure, runs, _LONGEST_LIST) if plot.by_letter else [""] * len(rows),
            )
        )
    has_intervals = any(not math.isnan(low) for panel in panels for low in panel.lows)
    level = f" with {100 * compared.chosen.confidence:.6g}% intervals" if has_intervals else ""
    words: list[str] = []
    lists = [one for panel in panels for one in panel.beaten]
    if any(lists):
        words.append(
            f"letters on the right: runs that are significantly worse by the {plot.test()}"
        )
        if any("(" in one for one in lists):
            words.append(
                "in parentheses if ties or unjudged documents could reverse the difference"
            )
    elif plot.by_letter:
        words.append(f"no significant difference by the {plot.test()}")
    elif apart:
        words.append(f"dashed line: mean of {cut(compared.baseline or '', _LONGEST_NAME)}")
        words.append(f"hollow dots: not significantly different from it by the {plot.test()}")
    title = plot.heading(f"means of {plot.number_of_queries}{level}", caption=words)
    names = [*runs]
    if any(lists):
        names = [
            f"{letter}  {name}" for letter, name in zip(letters(len(runs)), names, strict=True)
        ]

    def draw(ax: Axes) -> Axes:
        numbers = [plot.numbers[run] for run in runs]
        return draw_panels(ax, panels, names, numbers, title=title)

    return draw


def matrix(plot: ComparedPlotRequest) -> Drawing:
    """Draw the difference of each pair of runs."""
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
    words = [f"coloured if p is at most {level:g} by the {plot.test()}"]
    title = f"{measure}, row minus column, {plot.number_of_queries}"
    titles = (
        plot.heading(title, caption=["p below each difference", *words]),
        plot.heading(title, caption=words),
    )
    less = "" if plot.more_is_better(column) else ", lower is better"

    return lambda ax: draw_pair_cells(
        ax,
        differences,
        p,
        apart,
        runs,
        [plot.numbers[run] for run in runs],
        more_is_better=plot.more_is_better(column),
        titles=titles,
        label=f"difference in {measure}{less}",
    )


def critical_difference(plot: ComparedPlotRequest) -> Drawing:
    """Draw means on a scale, and join runs that do not differ significantly."""
    (measure,), (column,) = plot.measures, plot.columns
    runs, values, groups = _joined(plot)
    if not runs:
        raise InputError("no run has a mean", "choose no_relevant or queries otherwise")
    words = [
        f"bars join runs that do not differ significantly at level "
        f"{plot.compared.chosen.level:g} by the {plot.test()}"
    ]
    less = "" if plot.more_is_better(column) else ", lower is better"

    return lambda ax: draw_joined(
        ax,
        values,
        groups,
        runs,
        [plot.numbers[run] for run in runs],
        more_is_better=plot.more_is_better(column),
        title=plot.heading(f"means of {plot.number_of_queries}", caption=words),
        x_label=f"{measure}{less}",
    )


def _joined(plot: ComparedPlotRequest) -> tuple[list[str], list[float], list[list[int]]]:
    """Return the runs that have a mean, their means, and groups of two or more of them."""
    (measure,) = plot.measures
    rows = [plot.row(run, measure) for run in plot.best_first()]
    rows = [row for row in rows if not math.isnan(row.mean)]
    members: dict[str, list[int]] = {}
    for at, shared in enumerate(_groups(plot, [row.run for row in rows])):
        for letter in re.findall(r"[a-z]'*", shared):
            members.setdefault(letter, []).append(at)
    groups = [group for group in members.values() if len(group) > 1]
    return [row.run for row in rows], [row.mean for row in rows], groups


def _groups(plot: ComparedPlotRequest, runs: Sequence[str]) -> Sequence[str]:
    """Return letters for each run; two share one unless they differ significantly."""
    from rankmark.statistics.letters import letters as shared_letters  # noqa: PLC0415

    (measure,) = plot.measures
    place = {run: at for at, run in enumerate(runs)}
    rows = [
        row
        for row in plot.compared.differences
        if row.measure == measure and row.baseline in place and row.run in place
    ]
    pairs = [(place[row.baseline], place[row.run]) for row in rows]
    p = [row.adjusted_p for row in rows]
    return shared_letters([-at for at in range(len(runs))], pairs, p, plot.compared.chosen.level)


def cutoffs(plot: ComparedPlotRequest) -> Drawing:
    """Draw differences from the baseline at each cutoff."""
    compared = plot.compared
    baseline = compared.baseline or compared.runs[0]
    k = np.array([split_cutoff(measure)[1] for measure in plot.measures])
    rows = {(row.run, row.measure): row for row in compared.differences if row.baseline == baseline}
    lines = []
    for run in plot.best_first():
        if run == baseline:
            continue
        of_run = [rows[run, measure] for measure in plot.measures]
        differences, lows, highs = (
            np.array([getattr(row, end) for row in of_run])
            for end in (
                "difference",
                "adjusted_low",
                "adjusted_high",
            )
        )
        apart = np.array([row.significant for row in of_run])
        lines.append(DifferenceLine(run, plot.numbers[run], differences, lows, highs, apart))
    base = split_cutoff(plot.measures[0])[0]
    adjusted = "" if compared.chosen.correction == "none" else "adjusted "
    bands = f"bands: {adjusted}{100 * compared.chosen.confidence:.6g}% intervals"
    filled = f"filled markers: significant by the {plot.test()}"
    said = f"{base}@k minus that of {cut(baseline, _LONGEST_BASELINE)}", plot.number_of_queries
    titles = plot.heading(*said, caption=[bands, filled]), plot.heading(*said, caption=[filled])
    less = "" if plot.more_is_better(plot.columns[0]) else ", lower is better"

    return lambda ax: draw_difference_lines(
        ax, k, lines, titles=titles, y_label=f"difference in {base}@k{less}"
    )


def _wider(plot: ComparedPlotRequest, most: int, usual: int = 12) -> float:
    """Return the inches that names take beyond usual ones, down to ``most`` letters."""
    longest = min(max(map(width, plot.compared.runs)), most)
    return max(longest - usual, 0) * _WIDTH_OF_LETTER


def size_of_leaderboard(plot: ComparedPlotRequest) -> tuple[float, float]:
    """Return the width and height in inches that suit a leaderboard."""
    across = min(len(plot.columns), MOST_ABREAST)
    below = -(-len(plot.columns) // MOST_ABREAST)
    height = 0.8 + below * (0.6 + 0.19 * len(plot.compared.runs))
    return (6.0, 6.6, 8.0)[across - 1] + _wider(plot, 30), max(height, 2.4)


def size_of_matrix(plot: ComparedPlotRequest) -> tuple[float, float]:
    """Return the width and height in inches that suit a matrix."""
    side = min(max(0.5 * len(plot.compared.runs), 2.4), 8.5)
    return side + 2.4 + _wider(plot, _LONGEST_NAME), 0.8 * side + 1.2


def size_of_joined(plot: ComparedPlotRequest) -> tuple[float, float]:
    """Return the width and height in inches that suit runs joined by bars."""
    _, values, groups = _joined(plot)
    worth = [value if plot.more_is_better(plot.columns[0]) else -value for value in values]
    lanes = max((lane for lane, _ in lanes_of(worth, groups)), default=-1) + 1
    return 6.0 + 2 * _wider(plot, 26), max(1.1 + 0.2 * rows_of(len(values), lanes), 1.9)


def size_of_cutoffs(plot: ComparedPlotRequest) -> tuple[float, float]:
    """Return the width and height in inches that suit a panel for each run in colour."""
    baseline = plot.compared.baseline or plot.compared.runs[0]
    panels = sum(number is not None for run, number in plot.numbers.items() if run != baseline)
    if panels < 2:
        return SIZE
    across = abreast(panels)
    return 1.0 + 2.4 * max(across, 2), 1.2 + 1.8 * -(-panels // across)


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
        return _DRAWINGS[self.kind](self)


_DRAWINGS: dict[ComparedKind, Callable[[ComparedPlotRequest], Drawing]] = {
    "leaderboard": leaderboard,
    "matrix": matrix,
    "critical-difference": critical_difference,
    "cutoffs": cutoffs,
    "trade-off": trade_off,
}
_SIZES: dict[ComparedKind, Callable[[ComparedPlotRequest], tuple[float, float]]] = {
    "leaderboard": size_of_leaderboard,
    "matrix": size_of_matrix,
    "critical-difference": size_of_joined,
    "cutoffs": size_of_cutoffs,
}
"""Sizes of the kinds that need more than the usual one."""
