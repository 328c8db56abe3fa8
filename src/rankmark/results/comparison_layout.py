"""Comparisons laid out as tables: a leaderboard with marks, and differences with tests."""

from __future__ import annotations

import math
import string
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from rankmark.conventions import in_a_sentence
from rankmark.errors import MeasureError
from rankmark.formatting.github_markdown import one_line
from rankmark.formatting.marked_tables import Cell, MarkedTable, places
from rankmark.formatting.number_style import USUAL, NumberStyle
from rankmark.results.provenance import has_best, is_share
from rankmark.version import __version__

if TYPE_CHECKING:
    from rankmark.measures import Measure
    from rankmark.results.evaluation import Evaluation
    from rankmark.results.row_tables import Rows
    from rankmark.results.run_differences import ComparedMeasure, RunDifference
    from rankmark.results.standings import Standing
    from rankmark.results.statistics_choices import Choices

_NOT_BRIEF = {"relative", "wins/ties/losses", "robust"}
BETTER, WORSE = "*", "†"
MOST_PAIRS = 30
"""Rows of differences below a leaderboard of all pairs."""
_MOST_WITH_INTERVALS = 3  # measures side by side


class Displayed(Protocol):
    """A comparison, as far as tables are concerned."""

    runs: tuple[str, ...]
    queries: tuple[str, ...]
    baseline: str | None
    compared: tuple[ComparedMeasure, ...]
    chosen: Choices
    evaluations: dict[str, Evaluation]
    with_bounds: bool

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures."""
        ...

    @property
    def leaderboard(self) -> Rows[Standing]:
        """The mean of each run on each measure."""
        ...

    @property
    def differences(self) -> Rows[RunDifference]:
        """The difference of each pair on each measure."""
        ...

    @property
    def legend(self) -> list[str]:
        """Lines that say how intervals and p-values were found."""
        ...

    @property
    def slices(self) -> Any:
        """The same comparison within slices of the queries, if there are any."""
        ...

    def column(self, name: object) -> int:
        """Return the number of a measure."""
        ...


class Layout:
    """A comparison with the order of its runs and the style of its numbers.

    Parameters
    ----------
    compared
        The comparison.
    sort
        The measure that orders the runs, best first; None for the first one.
    style
        How numbers are written.

    Raises
    ------
    MeasureError
        If the measure was not compared.
    """

    def __init__(
        self, compared: Displayed, sort: str | None = None, style: NumberStyle = USUAL
    ) -> None:
        self.compared = compared
        self.style = style
        try:
            column = 0 if sort is None else compared.column(sort)
        except MeasureError as error:
            raise MeasureError(f"cannot sort by {sort}: {error.found}", error.remedy) from None
        rows = compared.leaderboard.where(measure=compared.measures[column])
        self.runs = [row.run for row in sorted(rows, key=lambda row: row.rank)]
        self.measures: Sequence[ComparedMeasure] = compared.compared
        self._standings: Mapping[tuple[str, str], Standing] = {
            (row.run, row.measure): row for row in compared.leaderboard
        }
        self._known: Mapping[str, Measure] = {
            str(measure): measure
            for evaluation in compared.evaluations.values()
            for measure in evaluation.measures
        }
        # Two runs are compared once: the second against the first, as with a baseline.
        first = compared.runs[0] if len(compared.runs) == 2 else None
        self.baseline = first if compared.baseline is None else compared.baseline
        self.letters = dict(zip(self.runs, letters(len(self.runs)), strict=True))

    def leaderboard(self, *, intervals: bool | None = None) -> MarkedTable:
        """Lay out a row for each run and a column for each measure.

        Parameters
        ----------
        intervals
            Whether each mean is followed by its interval; None for up to three measures.
        """
        if intervals is None:
            intervals = len(self.measures) <= _MOST_WITH_INTERVALS
        with_letters = self._marks_by_letter
        head = ["", "run"] if with_letters else ["run"]
        columns: list[list[Cell]] = [[Cell(run) for run in self.runs]]
        if with_letters:
            columns.insert(0, [Cell(self.letters[run]) for run in self.runs])
        keys = len(head)
        for measure in self.measures:
            head.append(measure.name)
            columns.append(self._means(measure))
            if intervals:
                head.append(self._confidence)
                columns.append([Cell(self._interval(run, measure)) for run in self.runs])
        return MarkedTable(head, [*zip(*columns, strict=True)], keys)

    def differences(self, *, brief: bool = False) -> MarkedTable:
        """Lay out a row for each difference: from a baseline, with the means, or else of each pair.

        Parameters
        ----------
        brief
            Of differences from a baseline, show only the difference, p and the effect size, which
            fit on a page.
        """
        if self.baseline is not None:
            table = self._against_baseline(self.baseline)
            if brief:  # the second interval is that of the difference
                kept = [at for at, name in enumerate(table.head) if name not in _NOT_BRIEF]
                second = [at for at in kept if table.head[at] == self._confidence][1]
                table = table.only([at for at in kept if at != second])
            return table
        several = len(self.measures) > 1
        head = [*["measure"] * several, "run", "baseline", *self._head_of_differences]
        order = {run: at for at, run in enumerate(self.runs)}
        rows = []
        for measure in self.measures:
            found = self.compared.differences.where(measure=measure.name)
            for row in sorted(found, key=lambda one: (order[one.run], order[one.baseline])):
                keys = [*[Cell(measure.name)] * several, Cell(row.run), Cell(row.baseline)]
                rows.append([*keys, *self._of_difference(row, measure)])
        return MarkedTable(head, rows, 2 + several)

    def _against_baseline(self, baseline: str) -> MarkedTable:
        several = len(self.measures) > 1
        head = [*["measure"] * several, "run", "mean" if several else self.measures[0].name]
        head += [self._confidence, *self._head_of_differences]
        rows = []
        for measure in self.measures:
            found = {row.run: row for row in self.compared.differences.where(measure=measure.name)}
            for run, mean in zip(self.runs, self._means(measure), strict=True):
                first = [*[Cell(measure.name)] * several, Cell(run)]
                first += [mean, Cell(self._interval(run, measure))]
                if run == baseline:
                    blank = [Cell("")] * (len(self._head_of_differences) - 1)
                    rows.append([*first, Cell("baseline"), *blank])
                else:
                    rows.append([*first, *self._of_difference(found[run], measure)])
        return MarkedTable(head, rows, 1 + several)

    def slices(self) -> Iterator[tuple[str, Layout]]:
        """Yield the name of each slice, with its number of queries, and its tables."""
        for name, part in self.compared.slices.items():
            number = len(part.queries)
            queries = "1 query" if number == 1 else f"{number:,} queries"
            layout = Layout(part, style=self.style)
            layout.order_as(self)
            yield f"{name}, {queries}", layout

    def order_as(self, other: Layout) -> None:
        """Order the runs as in another layout, with its letters."""
        self.runs, self.letters = other.runs, other.letters

    @property
    def _head_of_differences(self) -> list[str]:
        p = "p" if self.compared.chosen.correction == "none" else "adjusted p"
        head = ["difference", self._confidence, "relative", p, "d_z", "wins/ties/losses"]
        return [*head, "robust"] if self.has_robust else head

    @property
    def has_robust(self) -> bool:
        """Whether something could reverse a difference."""
        return any(row.robust not in {"", "yes"} for row in self.compared.differences)

    def _of_difference(self, row: RunDifference, measure: ComparedMeasure) -> list[Cell]:
        nan = math.isnan(row.relative)
        texts = [
            self._written(row.difference, measure, sign="+"),
            self._ends(row.low, row.high, measure, sign="+"),
            "" if nan else f"{100 * row.relative:+.1f}%",
            self._written_p(row.adjusted_p),
            "" if math.isnan(row.d_z) else f"{row.d_z:+.2f}",
            f"{row.wins}/{row.ties}/{row.losses}",
            *([row.robust] if self.has_robust else []),
        ]
        return [Cell(text) for text in texts]

    @property
    def _confidence(self) -> str:
        return f"{100 * self.compared.chosen.confidence:.4g}% interval"

    def _written_p(self, p: float) -> str:
        if math.isnan(p):
            return "undefined"
        return "<0.0001" if p < 0.0001 else f"{p:.4f}"

    def _means(self, measure: ComparedMeasure) -> list[Cell]:
        means = [self._standings[run, measure.name].mean for run in self.runs]
        texts = [self._written(mean, measure) for mean in means]
        known = self._known.get(measure.name)
        is_quality = measure.aggregate != "sum" and (known is None or has_best(known))
        found = places(means, texts, lower_is_better=measure.lower_is_better)
        marks = self._marks(measure)
        return [
            Cell(text, place if is_quality else 0, marks.get(run, ""))
            for run, text, place in zip(self.runs, texts, found, strict=True)
        ]

    @property
    def _marks_by_letter(self) -> bool:
        return self.baseline is None and len(self.runs) > 2

    def _marks(self, measure: ComparedMeasure) -> dict[str, str]:
        """Return what is raised behind each mean: letters of runs that are beaten, or a star."""
        rows = self.compared.differences.where(measure=measure.name)
        significant = [row for row in rows if row.significant and row.better is not None]
        if not self._marks_by_letter:
            return {row.run: BETTER if row.better == row.run else WORSE for row in significant}
        beaten: dict[str, list[str]] = {}
        for row in significant:
            loser = row.baseline if row.better == row.run else row.run
            beaten.setdefault(str(row.better), []).append(self.letters[loser])
        between = "," if len(self.runs) > len(string.ascii_lowercase) else ""
        return {run: between.join(sorted(found, key=_by_length)) for run, found in beaten.items()}

    @property
    def marks_in_words(self) -> str | None:
        """What the marks mean; None without any tests."""
        if not len(self.compared.differences):
            return None
        if self._marks_by_letter:
            return "raised letters: significantly better than the runs with these letters"
        return f"{BETTER} significantly better than {self.baseline}, {WORSE} significantly worse"

    @property
    def robust_in_words(self) -> str | None:
        """Whether anything could reverse a difference; None if that is not known."""
        known = {row.robust for row in self.compared.differences} - {""}
        if not known:
            return None
        if known == {"yes"}:
            tried = "no order of ties"
            if self.compared.with_bounds:
                tried += ", and no judgments of the unjudged documents,"
            return f"robust: {tried} could reverse a difference"
        return "robust: yes if nothing tried could reverse the difference, otherwise what could"

    def _written(self, value: float, measure: ComparedMeasure, sign: str = "") -> str:
        if math.isnan(value):
            return "nan"
        if measure.aggregate == "sum":
            return f"{value:{sign}.0f}"
        return self.style.written(value, is_share=self._is_share(measure), sign=sign)

    def _is_share(self, measure: ComparedMeasure) -> bool:
        if known := self._known.get(measure.name):
            return is_share(known)
        means = [self._standings[run, measure.name].mean for run in self.runs]
        return all(0 <= mean <= 1 for mean in means)

    @property
    def in_percent(self) -> str | None:
        """Which measures are written in percent; None if none is."""
        if not self.style.percent:
            return None
        shares = [m.name for m in self.measures if m.aggregate != "sum" and self._is_share(m)]
        if len(shares) == len(self.measures):
            return "values in percent"
        return f"values in percent: {', '.join(shares)}" if shares else None

    def _interval(self, run: str, measure: ComparedMeasure) -> str:
        standing = self._standings[run, measure.name]
        return self._ends(standing.low, standing.high, measure)

    def _ends(self, low: float, high: float, measure: ComparedMeasure, sign: str = "") -> str:
        if math.isnan(low) or math.isnan(high):
            return ""
        low_text, high_text = (self._written(end, measure, sign) for end in (low, high))
        return f"[{low_text}, {high_text}]"

    @property
    def legend(self) -> list[str]:
        """Lines below the tables: what the numbers and the marks mean."""
        lines = [self.marks_in_words, *self.compared.legend, *self._without_interval]
        number = len(self.compared.differences)
        is_cut = self.baseline is None and number > MOST_PAIRS
        if not (is_cut and self.has_robust):  # there is no column to explain
            lines.append(self.robust_in_words)
        lines += [self.in_percent, *self._of_slices]
        if is_cut:
            lines.append(f"{number:,} differences are not shown; csv and json have all of them")
        return [line for line in lines if line]

    @property
    def _of_slices(self) -> list[str]:
        """Lines on slices that disagree with the whole, and the slice where each run is worst."""
        slices = self.compared.slices
        if not slices:
            return []
        first = self.measures[0].name
        others = [run for run in self.runs if run != self.baseline]
        worst = ", ".join(f"{slices.worst(first, run)} for {run}" for run in others)
        return [f"worst slice on {first}: {worst}", *slices.warnings]

    @property
    def _without_interval(self) -> list[str]:
        """Lines on why means have no interval."""
        measures_of: dict[str, list[str]] = {}
        for row in self.compared.leaderboard:
            if row.undefined and row.measure not in measures_of.setdefault(row.undefined, []):
                measures_of[row.undefined].append(row.measure)
        return [
            f"{', '.join(measures)}: no interval of the mean ({why})"
            for why, measures in measures_of.items()
        ]

    @property
    def conventions(self) -> str | None:
        """The conventions of the evaluations; None for scores of another program."""
        for evaluation in self.compared.evaluations.values():
            return str(evaluation.conventions)
        return None

    @property
    def below(self) -> list[str]:
        """Return the legend and the conventions."""
        chosen = self.conventions
        return [*self.legend, *([] if chosen is None else [f"conventions: {chosen}"])]

    def caption(self, table: MarkedTable) -> str:
        """Return the caption of a table for a paper."""
        # What a paper needs; tables have the smallest p.
        told = [line for line in self.compared.legend if not line.startswith("smallest")]
        lines = [self.marks_in_words, *told, self.in_percent]
        if self._confidence not in table.head:
            lines = [line for line in lines if line and not line.startswith("intervals: ")]
        if not self.has_robust:
            lines.insert(-1, self.robust_in_words)
        queries = f"{len(self.compared.queries):,}"
        best = " Best values in bold, second best underlined." if len(self.runs) > 1 else ""
        legend = "".join(f" {_sentence(line)}" for line in lines if line)
        chosen = in_a_sentence(self.conventions or "")
        conventions = f" Conventions: {chosen}; " if chosen else " "
        return f"Means over {queries} queries.{best}{legend}{conventions}rankmark {__version__}."


def letters(number: int) -> list[str]:
    """Return a, b, ..., z, aa, ab, ...; as many as runs."""
    found = []
    for at in range(number):
        text, left = "", at + 1
        while left:
            left, digit = divmod(left - 1, 26)
            text = string.ascii_lowercase[digit] + text
        found.append(text)
    return found


def _by_length(text: str) -> tuple[int, str]:
    return len(text), text


def _sentence(line: str) -> str:
    line = one_line(line)
    begin = line if line[:1] in {BETTER} else line[:1].upper() + line[1:]
    return begin + "."
