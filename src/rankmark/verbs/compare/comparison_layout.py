"""Comparisons laid out as tables, and what tables say of themselves: legends and captions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rankmark.conventions import in_a_sentence
from rankmark.errors import MeasureError, counted, one_line
from rankmark.results.details import Detail
from rankmark.results.marked_tables import MarkedTable, places
from rankmark.results.number_style import USUAL, NumberStyle, adjusted_ends, written_p
from rankmark.results.run_names import letters, listed_letters
from rankmark.results.text_tables import Cell
from rankmark.verbs.compare.comparison_legend import legend
from rankmark.verbs.compare.run_differences import NOTHING
from rankmark.verbs.evaluate.notes import trials_in_caption
from rankmark.verbs.evaluate.provenance import has_best, is_share
from rankmark.version import __version__

if TYPE_CHECKING:
    from rankmark.measures import Measure
    from rankmark.verbs.compare.compared_rows import ComparedMeasure, RunDifference
    from rankmark.verbs.compare.compared_runs import ComparedRuns
    from rankmark.verbs.compare.means_and_intervals import Standing

BETTER, WORSE = "*", "†"
BETTER_THAN = "better than"
COUNTS = "wins/ties/losses"
CAUSES = {"ties": "order of ties", "unjudged": "unjudged documents"}
"""What may reverse a difference, and the name of its column."""
_CAUSES_IN_WORDS = {
    "ties": "another order of ties",
    "unjudged": "judging the unjudged documents",
}
MOST_PAIRS = 30
"""Rows of differences below a leaderboard of all pairs."""


def is_reversible(row: RunDifference) -> bool:
    """Return whether something that was tried could reverse a difference."""
    return row.reversible_by not in {"", NOTHING}


def reversal(reversible_by: str, cause: str) -> str:
    """Return a cell on whether something could reverse a difference."""
    if not reversible_by:
        return ""
    return "could reverse it" if cause in reversible_by else "cannot reverse it"


def legend_of(layout: Layout) -> list[str]:
    """Return lines below the tables: what the numbers and the marks mean."""
    number = len(layout.compared.differences)
    lines = [marks_in_words(layout), *legend(layout.compared), *_without_interval(layout)]
    lines += [*reversals_in_words(layout), layout.in_percent, *_of_slices(layout)]
    if layout.reference is None and number > MOST_PAIRS:
        lines.append(changed_in_words(layout))
        lines.append(f"{number:,} differences are not shown; csv and json have all of them")
    return [line for line in lines if line]


def caption_of(layout: Layout, table: MarkedTable) -> str:
    """Return the caption of a table for a paper: what it shows, and what a reader has to know."""
    has_means = layout.confidence in table.head
    told = legend(layout.compared, of_means=has_means, of_differences=COUNTS in table.head)
    lines = [
        marks_in_words(layout, raised=True),
        *(line for line in told if not line.startswith("smallest")),
    ]
    if COUNTS not in table.head:
        lines.append(changed_in_words(layout))
    lines += [*reversals_in_words(layout), layout.in_percent]
    queries = f"{len(layout.compared.queries):,}"
    best = " Best values in bold, second best underlined." if len(layout.runs) > 1 else ""
    best += trials_in_caption(layout.compared.evaluations)
    sentences = "".join(f" {capitalised(one_line(line))}." for line in lines if line)
    chosen = in_a_sentence(layout.conventions or "")
    conventions = f" Conventions: {chosen}; " if chosen else " "
    return f"Means over {queries} queries.{best}{sentences}{conventions}rankmark {__version__}."


def marks_in_words(layout: Layout, *, raised: bool = False) -> str | None:
    """Return what the marks mean; None without any tests.

    ``raised`` if letters are raised behind the means, and not in a column of their own.
    """
    compared = layout.compared
    rows = [*compared.differences, *compared.slices.differences]
    if not rows:
        return None
    significant = [row for row in rows if row.significant and row.better is not None]
    if not layout.marks_by_letter:
        said = f"{BETTER} significantly better than {layout.reference}, {WORSE} significantly worse"
    elif not significant:
        return "no run is significantly better than another"
    elif raised:
        said = "raised letters: significantly better than the runs with these letters"
    else:
        said = f"{BETTER_THAN}: letters of the runs that are significantly worse on the measure"
    doubtful = [row for row in significant if is_reversible(row)]
    causes = [
        words
        for cause, words in _CAUSES_IN_WORDS.items()
        if any(cause in row.reversible_by for row in doubtful)
    ]
    if causes:
        said += f"; in parentheses if {' or '.join(causes)} could reverse the difference"
    return said


def reversals_in_words(layout: Layout) -> list[str]:
    """Return whether anything could reverse a difference; nothing if that is not known."""
    known = [row for row in layout.compared.differences if row.reversible_by]
    tried = [*CAUSES] if layout.compared.with_bounds else ["ties"]
    return [
        _reversals(known, cause, f"{_CAUSES_IN_WORDS[cause]} could") for cause in tried if known
    ]


def _reversals(known: Sequence[RunDifference], cause: str, could: str) -> str:
    """Say how many differences something could reverse."""
    number = sum(cause in row.reversible_by for row in known)
    if not number:
        which = "the difference" if len(known) == 1 else "any difference"
        return Detail(f"{could} not reverse {which}")
    if len(known) == 1:
        return f"{could} reverse the difference"
    return f"{could} reverse {number:,} of {len(known):,} differences"


def changed_in_words(layout: Layout) -> str | None:
    """Return on how many queries two runs differ; None without pairs."""
    changed = {row.wins + row.losses for row in layout.compared.differences}
    if not changed:
        return None
    least, most = min(changed), max(changed)
    number = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    return f"two runs differ on {number} of {len(layout.compared.queries):,} queries"


def _of_slices(layout: Layout) -> list[str]:
    """Return lines on slices that disagree with the whole, and the worst slice of each run."""
    slices = layout.compared.slices
    if not slices:
        return []
    first = layout.measures[0].name
    others = [run for run in layout.runs if run != layout.reference]
    worst = ", ".join(f"{slices.worst(first, run)} for {run}" for run in others)
    return [f"worst slice on {first}: {worst}", *slices.warnings]


def _without_interval(layout: Layout) -> list[str]:
    """Return lines on why means have no interval."""
    measures_of: dict[str, list[str]] = {}
    for row in layout.compared.leaderboard:
        if row.undefined and row.measure not in measures_of.setdefault(row.undefined, []):
            measures_of[row.undefined].append(row.measure)
    return [
        f"{', '.join(measures)}: no interval of the mean ({why})"
        for why, measures in measures_of.items()
    ]


def capitalised(line: str) -> str:
    """Return a line with a capital first letter, unless the first word is a name, such as nDCG."""
    first = line.split(" ", 1)[0].rstrip(":;,")
    return line[:1].upper() + line[1:] if first.isalpha() and first.islower() else line


_NOT_BRIEF = {"relative", *CAUSES.values()}
_MOST_WITH_INTERVALS = 3  # measures side by side


class Layout:
    """A comparison with the order of its runs and the style of its numbers.

    Parameters
    ----------
    compared
        The comparison.
    sort
        The measure that orders the runs, best first, or "given"; None for the first one.
    style
        How numbers are written.

    Raises
    ------
    MeasureError
        If the measure was not compared.
    """

    def __init__(
        self, compared: ComparedRuns, sort: str | None = None, style: NumberStyle = USUAL
    ) -> None:
        self.compared = compared
        self.style = style
        try:
            column = 0 if sort in {None, "given"} else compared.column(sort)
        except MeasureError as error:
            raise MeasureError(f"cannot sort by {sort}: {error.found}", error.remedy) from None
        rows = compared.leaderboard.where(measure=[*compared.measures, ""][column])
        self.runs: list[str] = [row.run for row in sorted(rows, key=lambda row: row.rank)]
        if sort == "given" or not compared.measures:
            self.runs = list(compared.runs)
        self.measures: Sequence[ComparedMeasure] = compared.compared
        self._standings: Mapping[tuple[str, str], Standing] = {
            (row.run, row.measure): row for row in compared.leaderboard
        }
        self._known: Mapping[str, Measure] = {
            str(measure): measure
            for evaluation in compared.evaluations.values()
            for measure in evaluation.measures
        }
        # Of two runs there is one difference, which has room beside the means.
        first = compared.runs[0] if len(compared.runs) == 2 else None
        self.reference: str | None = first if compared.baseline is None else compared.baseline
        self.letters: dict[str, str] = dict(zip(self.runs, letters(len(self.runs)), strict=True))

    def leaderboard(self, *, intervals: bool | None = None) -> MarkedTable:
        """Lay out a row for each run and a column for each measure.

        Parameters
        ----------
        intervals
            Whether each mean is followed by its interval; None for up to three measures.
        """
        if intervals is None:
            intervals = len(self.measures) <= _MOST_WITH_INTERVALS
        with_letters = self.marks_by_letter
        head = ["", "run"] if with_letters else ["run"]
        columns: list[list[Cell]] = [[Cell(run) for run in self.runs]]
        if with_letters:
            columns.insert(0, [Cell(self.letters[run]) for run in self.runs])
        keys = len(head)
        for measure in self.measures:
            head.append(measure.name)
            columns.append(self._means(measure))
            if intervals:
                head.append(self.confidence)
                columns.append([Cell(self._interval(run, measure)) for run in self.runs])
        marks_head = BETTER_THAN if with_letters else ""
        rows = [*zip(*columns, strict=True)]
        return MarkedTable(head, rows, keys, marks_head, [self.confidence])

    def differences(self, *, brief: bool = False) -> MarkedTable:
        """Lay out a row for each difference: from one run, with the means, or else of each pair.

        Parameters
        ----------
        brief
            Of differences from one run, leave out what does not fit on a page.
        """
        if self.reference is not None:
            table = self._against(self.reference)
            if brief:
                kept = [at for at, name in enumerate(table.head) if name not in _NOT_BRIEF]
                table = table.only(kept)
            return table
        several = len(self.measures) > 1
        head = [*["measure"] * several, "run", "minus", *self._head_of_differences]
        order = {run: at for at, run in enumerate(self.runs)}
        rows = []
        for measure in self.measures:
            found = self.compared.differences.where(measure=measure.name)
            for row in sorted(found, key=lambda one: (order[one.run], order[one.baseline])):
                keys = [*[Cell(measure.name)] * several, Cell(row.run), Cell(row.baseline)]
                rows.append([*keys, *self._of_difference(row, measure)])
        return MarkedTable(head, rows, 2 + several, attached=self._intervals)

    def _against(self, reference: str) -> MarkedTable:
        several = len(self.measures) > 1
        head = [*["measure"] * several, "run", "mean" if several else self.measures[0].name]
        of_difference = [*self._head_of_differences]
        if self.compared.baseline is None:
            of_difference[0] = f"minus {reference}"
        head += [self.confidence, *of_difference]
        rows = []
        for measure in self.measures:
            found = {row.run: row for row in self.compared.differences.where(measure=measure.name)}
            for run, mean in zip(self.runs, self._means(measure), strict=True):
                first = [*[Cell(measure.name)] * several, Cell(run)]
                first += [mean, Cell(self._interval(run, measure))]
                if run == reference:
                    word = "baseline" if self.compared.baseline is not None else ""
                    blank = [Cell("")] * (len(of_difference) - 1)
                    rows.append([*first, Cell(word), *blank])
                else:
                    rows.append([*first, *self._of_difference(found[run], measure)])
        return MarkedTable(head, rows, 1 + several, attached=self._intervals)

    @property
    def _intervals(self) -> list[str]:
        return [self.confidence, self.adjusted_confidence]

    def slices(self) -> Iterator[tuple[str, Layout]]:
        """Yield the name of each slice, with its number of queries, and its tables."""
        for name, part in self.compared.slices.items():
            queries = counted(len(part.queries), "query", "queries")
            if (worth := part.effective_queries) is not None:
                queries += f", worth {worth:.1f} of equal weight"
            layout = Layout(part, style=self.style)
            layout.order_as(self)
            yield f"{name}, {queries}", layout

    def order_as(self, other: Layout) -> None:
        """Order the runs as in another layout, with its letters."""
        self.runs = other.runs
        self.letters = other.letters

    @property
    def _head_of_differences(self) -> list[str]:
        p = "p" if self.compared.chosen.correction == "none" else "adjusted p"
        causes = [name for cause, name in CAUSES.items() if self.could_reverse(cause)]
        return ["difference", self.adjusted_confidence, "relative", p, "d_z", COUNTS, *causes]

    def could_reverse(self, cause: str) -> bool:
        """Return whether something, "ties" or "unjudged", could reverse any difference."""
        return any(cause in row.reversible_by for row in self.compared.differences)

    def _of_difference(self, row: RunDifference, measure: ComparedMeasure) -> list[Cell]:
        nan = math.isnan(row.relative)
        texts = [
            self._written(row.difference, measure, sign="+"),
            self._adjusted_ends(row, measure),
            "" if nan else f"{100 * row.relative:+.1f}%",
            "undefined" if math.isnan(row.adjusted_p) else written_p(row.adjusted_p),
            "" if math.isnan(row.d_z) else f"{row.d_z:+.2f}",
            f"{row.wins}/{row.ties}/{row.losses}",
            *(reversal(row.reversible_by, cause) for cause in CAUSES if self.could_reverse(cause)),
        ]
        return [Cell(text) for text in texts]

    @property
    def confidence(self) -> str:
        """The head of columns of single intervals."""
        return f"{100 * self.compared.chosen.confidence:.4g}% interval"

    @property
    def adjusted_confidence(self) -> str:
        """The head of columns of intervals of differences."""
        is_corrected = self.compared.chosen.correction != "none"
        return f"adjusted {self.confidence}" if is_corrected else self.confidence

    def _means(self, measure: ComparedMeasure) -> list[Cell]:
        means = [self._standings[run, measure.name].mean for run in self.runs]
        texts = [self._written(mean, measure) for mean in means]
        known = self._known.get(measure.name)
        is_quality = measure.aggregate != "sum" and (known is None or has_best(known))
        found = places(means, texts, more_is_better=measure.more_is_better)
        marks = self.marks(measure)
        return [
            Cell(text, place if is_quality else 0, marks.get(run, ""))
            for run, text, place in zip(self.runs, texts, found, strict=True)
        ]

    @property
    def marks_by_letter(self) -> bool:
        """Whether marks are letters of runs, as all pairs of three or more are compared."""
        return self.reference is None and len(self.runs) > 2

    def marks(self, measure: ComparedMeasure) -> dict[str, str]:
        """Return the mark of each mean: letters of runs that are beaten, or a star."""
        rows = self.compared.differences.where(measure=measure.name)
        significant = [row for row in rows if row.significant and row.better is not None]
        if not self.marks_by_letter:
            return {row.run: _star(row) for row in significant}
        place = {run: at for at, run in enumerate(self.letters)}
        beaten: dict[str, dict[int, bool]] = {}
        for row in significant:
            beaten.setdefault(str(row.better), {})[place[str(row.worse)]] = is_reversible(row)
        return {
            run: listed_letters(found, {at for at, doubtful in found.items() if doubtful})
            for run, found in beaten.items()
        }

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

    def _ends(self, low: float, high: float, measure: ComparedMeasure) -> str:
        if math.isnan(low) or math.isnan(high):
            return ""
        low_text, high_text = (self._written(end, measure) for end in (low, high))
        return f"[{low_text}, {high_text}]"

    def _adjusted_ends(self, row: RunDifference, measure: ComparedMeasure) -> str:
        """Return the adjusted interval of a difference; an end that is 0 is not part of it."""
        low, high = row.adjusted_low, row.adjusted_high
        if math.isnan(low) or math.isnan(high):
            return ""
        return adjusted_ends(low, high, lambda end: self._written(end, measure, "+"))

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
        return [*legend_of(self), *([] if chosen is None else [f"conventions: {chosen}"])]


def _star(row: RunDifference) -> str:
    mark = BETTER if row.better == row.run else WORSE
    return f"({mark})" if is_reversible(row) else mark
