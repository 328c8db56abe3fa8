"""What people would say of runs, estimated: means and differences, in words, tables and JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from rankmark.errors import InputError, NotEvaluatedError, few
from rankmark.judges.estimate.gate_estimate import GateableEstimate
from rankmark.results.details import Detail
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.number_style import LEAVES_0_OUT, adjusted_ends, adjusted_range, number
from rankmark.results.shown_result import Column, PagedResult, table_of
from rankmark.results.table_schema import columns_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rankmark.judges.estimate.estimated import Estimated
    from rankmark.results.drawing.result_page import Picture

_TOLD = {
    "t": "Student's t",
    "Korn-Graubard": "of Korn and Graubard, within the range of the measure",
    "reweighting": "reweighting bounds of human labels alone where fewer than 5 scores are not the "
    "lowest or the highest",
    "gains and losses, Korn-Graubard": "of differences, from those of gains and of losses (Zou and "
    "Donner), and p-values that agree with them",
}
_ROW = 0.32  # inches in a plot


class Needed(NamedTuple):
    """Queries that people have to judge for an interval of this half-width."""

    measure: str
    name: str
    half_width: float
    with_model: int | None
    alone: int | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Estimate(PagedResult, GateableEstimate):
    """Means and differences of runs by human labels, estimated with LLM labels.

    Parameters
    ----------
    means
        Of each run on each measure, the measures in the order asked for.
    differences
        Of pairs of runs, on each measure: the run's mean minus that of its ``baseline``.
    both
        The scores of the runs by both sets of labels.
    sample
        How the queries that people judged were drawn, in words.
    settings
        All choices.
    half_width
        What was asked about: how far an interval may reach on each side; None if nothing was.
    """

    @property
    def decision(self) -> str:
        """The answer in a sentence: which run is better, or how good a single one is."""
        measure = self.measures[0]
        rows = [row for row in self.differences if row.measure == measure]
        if not rows:
            means = [row for row in self.means if row.measure == measure]
            said = [
                f"{row.run} has {measure} {number(row.estimate)}{_between(row)}" for row in means
            ]
            return f"{'; '.join(said)}. {_worth(means[0])}"
        if self._is_complete:
            largest = max(rows, key=lambda row: abs(row.estimate))
            which = f", the largest of {len(rows)} differences" if rows[1:] else ""
            return f"{_better(largest)}{which}. {_worth(largest)}"
        if len(rows) == 1:
            return f"{_decided(rows[0])}. {_worth(rows[0])}"
        clear = [row for row in rows if row.significant]
        if not clear:
            none = f"None of the {len(rows)} differences in {measure} is significant"
            return f"{none}. {_worth(*rows)}"
        largest = max(clear, key=lambda row: abs(row.estimate))
        share = f"{len(clear)} of the {len(rows)} differences in {measure}"
        verb = "is" if len(clear) == 1 else "are"
        return f"{share} {verb} significant; {_decided(largest)}. {_worth(largest)}"

    @property
    def headline(self) -> str:
        """The decision."""
        return self.decision

    @property
    def heading(self) -> str:
        """What was estimated."""
        return f"{', '.join(self.measures)} estimated from human labels and LLM labels"

    @property
    def _is_complete(self) -> bool:
        """Whether people judged all queries that are asked about, so nothing is estimated."""
        return bool(self.settings["finite"]) and bool(self.both.judged.all())

    @property
    def _labels_needed(self) -> list[Needed]:
        """What the half-width asked about needs, for each difference, or each mean."""
        found: list[Needed] = []
        for row in (self.differences or self.means) if self.half_width is not None else ():
            try:
                needed = row.labels_for(self.half_width or math.nan)
            except InputError:  # no spread
                continue
            own = (row.measure, row.name, self.half_width or math.nan)
            found.append(Needed(*own, needed.with_model, needed.alone))
        return found

    @property
    def notes(self) -> list[str]:
        """The lines below the tables: the sample, and how intervals were found."""
        finite = "; about these queries only (finite)" if self.settings["finite"] else ""
        # Only the intervals of the table are corrected.
        which = "a single" if any(row.family > 1 for row in self.differences) else "an"
        return [
            f"sample: {int(self.both.judged.sum()):,} of {len(self.both.queries):,} queries are "
            f"judged by people, {self.sample}{finite}",
            *self.both.evaluations[0][1].audit.about_corpus(),
            "model alone: the mean by the model's labels; no interval can show its bias",
            "worth: how many queries judged by people alone would give as narrow an interval",
            *(_needed(one, which) for one in self._labels_needed),
            *self._doubted(),
            *self._corrections(),
            *map(Detail, self._details()),
        ]

    def _doubted(self) -> Iterator[str]:
        """Say which intervals are missing, or to be read with care, and why."""
        if self._is_complete:
            yield (
                "no intervals: people judged all of these queries, so the numbers are no estimates"
            )
            return
        doubted: dict[str, list[str]] = {}
        for row in (*self.means, *self.differences):
            if why := row.undefined or row.found.interval.warning:
                doubted.setdefault(why, []).append(f"{row.name} in {row.measure}")
        for why, names in doubted.items():
            yield f"{few(names)}: {why}"

    def _corrections(self) -> Iterator[str]:
        """Say what was corrected, and where intervals do not agree with p-values."""
        corrected = [row for row in self.differences if row.family > 1 and not row.undefined]
        if not corrected:
            return
        line = (
            "p-values and intervals of differences are corrected for "
            f"{max(row.family for row in corrected)} differences ({self.settings['correction']})"
        )
        shown_ends = {end for row in corrected for end in (*row.shown, *row.people_shown)}
        yield f"{line}; {LEAVES_0_OUT}" if 0.0 in shown_ends else line
        apart = [row for row in corrected if row.significant and not row.excludes_zero]
        for measure in dict.fromkeys(row.measure for row in apart):
            names = [row.name for row in apart if row.measure == measure]
            yield (
                f"{few(names)} in {measure}: significant, but the interval contains 0, as "
                "intervals take each direction by itself"
            )

    def _details(self) -> Iterator[str]:
        settings, rows = self.settings, self.differences or self.means
        lams = ", ".join(
            f"{row.name} {row.found.lam:.2f} (correlation {_correlation(row)})" for row in rows[:6]
        )
        yield f"{settings['method']}: weight of the model's scores (lambda): {lams}"
        if settings["interval"] == "normal":
            yield "intervals by the normal distribution, as PPI++ was published"
        elif settings["interval"] == "auto":
            methods = dict.fromkeys(
                _TOLD.get(row.found.ends.method, row.found.ends.method)
                for row in (*self.means, *self.differences)
            )
            yield f"intervals: {'; '.join(methods)}"
        else:
            degrees = rows[0].found.degrees
            yield (
                f"intervals by Student's t, {degrees:.4g} degrees of freedom; the error of each "
                "query is computed with the lambda of the other queries"
            )
        left = max(row.found.left_out for row in (*self.means, *self.differences))
        if left:
            yield f"{left:,} queries without a score by the model are left out"
        yield (
            "each set of labels has documents of its own: what one of them did not judge counts as "
            "not relevant in its score"
        )
        yield from map(str, self.both.evaluations[0][0].provenance)

    def _table(self) -> dict[str, Any]:
        return columns_of(row.to_dict() for row in (*self.means, *self.differences))

    def _contents(self) -> dict[str, Any]:
        """Return what JSON has.

        Returns
        -------
        labels_needed
            For ``half_width``, how many queries people have to judge ``with_model`` and ``alone``;
            None if all are too few.
        """
        each = [one.to_dict(per_query=False) for one, _ in self.both.evaluations]
        by_model = self.both.evaluations[0][1].to_dict(per_query=False)
        return {
            "people": each[0]["qrels"],
            "model": by_model["qrels"],
            "runs": {name: one["run"] for name, one in zip(self.runs, each, strict=True)},
            "settings": self.settings,
            "decision": self.decision,
            "sample": self.sample,
            "queries": len(self.both.queries),
            "means": [row.to_dict() for row in self.means],
            "differences": [row.to_dict() for row in self.differences],
            "labels_needed": self._labels_needed,
            "notes": self.notes,
        }

    def _grids(self) -> list[MarkedTable]:
        """Return the table of means, and that of differences if there are any."""
        return [
            self._grid(rows, f"tab:estimate{label}")
            for rows, label in ((self.means, ""), (self.differences, "-differences"))
            if rows
        ]

    def _grid(self, rows: Sequence[Estimated], label: str) -> MarkedTable:
        are_means, several = rows[0].baseline is None, len(self.measures) > 1
        corrected = any(row.family > 1 for row in rows)
        level = f"{100 * self.settings['confidence']:.6g}% interval"
        level = f"adjusted {level}" if corrected else level
        sign = "" if are_means else "+"
        words = [Column("measure", lambda row: str(row.measure))] if several else []
        words.append(Column("run" if are_means else "difference", lambda row: str(row.name)))
        p = Column("adjusted p" if corrected else "p", lambda row: _p(row.adjusted_p))
        both = "both" if several else f"{rows[0].measure}, both"
        columns = [
            *words,
            Column(both, lambda row: number(row.estimate, sign)),
            Column(level, lambda row: _ends(row.shown, sign), attached=True),
            *([] if are_means else [p]),
            Column("people alone", lambda row: number(row.found.people.estimate, sign)),
            Column(level, lambda row: _ends(row.people_shown, sign), attached=True),
            Column("model alone", lambda row: number(row.found.model.estimate, sign)),
            Column("worth", lambda row: _effective(row.effective_n)),
        ]
        return table_of(columns, rows, keys=len(words), caption=self.decision, label=label)

    def _pictures(self) -> list[Picture]:
        from rankmark.results.drawing.result_page import Picture  # noqa: PLC0415

        rows = self.differences or self.means
        what = "Differences" if self.differences else "Means"
        return [
            Picture(
                f"{what} of {measure} by people alone, by people and model, and by the model alone",
                partial(self._drawn, measure),
                drawn_size(sum(row.measure == measure for row in rows)),
            )
            for measure in self.measures
        ]

    def _drawn(self, measure: str, ax: Axes) -> Axes:
        return self.plot(measure, ax=ax)

    def plot(
        self, measure: str | None = None, *, title: bool = True, ax: Axes | None = None
    ) -> Axes:
        """Plot the intervals of people alone, of both sets of labels, and the model's mean.

        Differences are drawn if there are any, and means otherwise.

        Parameters
        ----------
        measure
            The name of a measure; None for the first.
        title
            Whether there is a title.
        ax
            The Axes to draw on; None for a new pyplot figure.

        Returns
        -------
        matplotlib.axes.Axes
            ``ax``, or the Axes of the new figure.

        Raises
        ------
        MissingDependencyError
            If matplotlib is not installed.
        NotEvaluatedError
            If the measure was not estimated.
        InputError
            If ``ax`` is not Axes, or there is no room.
        """
        rows = self.differences or self.means
        names = [*dict.fromkeys(row.measure for row in rows)]
        asked = names[0] if measure is None else str(measure)
        if asked not in names:
            raise NotEvaluatedError(f"{asked} was not estimated", f"there are: {', '.join(names)}")
        return _draw([row for row in rows if row.measure == asked], ax, title=title)


def drawn_size(rows: int) -> tuple[float, float]:
    """Return the width and height in inches of a picture of so many differences, or means."""
    from rankmark.results.drawing.figures import SIZE  # noqa: PLC0415

    return SIZE[0], max(0.9 + 3 * _ROW * rows, 1.8)


def _draw(rows: Sequence[Estimated], ax: Axes | None, *, title: bool) -> Axes:
    """Draw three rows for each difference, or for each mean."""
    from rankmark.results.drawing.dots import Panel, draw_panels  # noqa: PLC0415
    from rankmark.results.drawing.figures import axes  # noqa: PLC0415

    drawn: list[tuple[str, int | None, float, float, float, bool]] = []
    for row in rows:
        people, model = row.found.people, row.found.model
        drawn += [
            (f"{row.name}: people alone", 0, people.estimate, *row.people_shown, False),
            ("people and model", 1, row.estimate, *row.shown, False),
            ("model alone", None, model.estimate, math.nan, math.nan, True),
        ]
    names, numbers, means, lows, highs, hollow = zip(*drawn, strict=True)
    first = rows[0]
    label, zero = (first.measure, math.nan)
    if first.baseline is not None:
        label, zero = f"difference in {first.measure}", 0.0
    panel = Panel(label, means, lows, highs, hollow, zero, [""] * len(names))
    counts = first.found
    level = f"{100 * counts.interval.confidence:.6g}%"
    words = (
        f"{counts.n:,} queries judged by people, {counts.others:,} by the model only; "
        f"{level} intervals"
    )
    if first.family > 1:
        words += f", corrected for {first.family} differences"
    with axes(ax, drawn_size(len(rows))) as canvas:
        return draw_panels(canvas, [panel], names, numbers, title=words if title else "")


def _decided(row: Estimated) -> str:
    if row.undefined:
        return f"The difference of {row.name} in {row.measure} is unknown: {row.undefined}"
    if not row.significant:
        return (
            f"Cannot tell whether {row.run} or {row.baseline} is better: the difference in "
            f"{row.measure} is {row.estimate:+.4f}{_between(row)}"
        )
    return f"{_better(row)}{_between(row)}"


def _better(row: Estimated) -> str:
    if row.estimate == 0:
        return f"{row.run} and {row.baseline} have the same {row.measure}"
    better = (row.estimate > 0) == row.more_is_better
    word = "better" if better else "worse"
    return f"{row.run} is {word} than {row.baseline} by {abs(row.estimate):.4f} {row.measure}"


def _between(row: Estimated) -> str:
    if row.undefined:
        return ""
    level = f"{100 * row.found.interval.confidence:.6g}%"
    if row.baseline is None:
        return f" ({level}: {row.low:.4f} to {row.high:.4f})"
    return f" ({level}: {adjusted_range(*row.shown, '{:+.4f}'.format)})"


def _worth(row: Estimated, *others: Estimated) -> str:
    """Say what the labels are worth: to a row, or from the least to the most of several."""
    found = row.found
    judged = f"{found.n:,} queries judged by people"
    if not found.others:
        return f"People judged all {found.n:,} queries."
    by_model = f"the model's labels of {found.others:,} others"
    worth = sorted(one.effective_n for one in (row, *others) if not math.isnan(one.effective_n))
    if not worth:
        return f"{judged}, and {by_model}."
    ends = dict.fromkeys(f"{end:,.1f}" for end in (worth[0], worth[-1]))
    return f"{judged}, with {by_model}, are worth {' to '.join(ends)} judged by people alone."


def _ends(ends: tuple[float, float], sign: str) -> str:
    low, high = ends
    if math.isnan(low):
        return "-"
    if not sign:  # the mean of a run
        return f"[{low:.4f}, {high:.4f}]"
    return adjusted_ends(low, high, "{:+.4f}".format)


def _p(value: float) -> str:
    if math.isnan(value):
        return "-"
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"


def _effective(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:,.1f}"


def _needed(one: Needed, which: str) -> str:
    interval = f"for {which} interval of ±{one.half_width:g} for {one.name}, {one.measure}"
    alone = "more than there can be" if one.alone is None else f"{one.alone:,}"
    if one.with_model is None:
        return f"{interval}: judging all queries is not enough; without the model it takes {alone}"
    return (
        f"{interval}: people have to judge {one.with_model:,} queries; without the model it takes "
        f"{alone}"
    )


def _correlation(row: Estimated) -> str:
    value = row.found.correlation
    return "unknown" if math.isnan(value) else f"{value:.2f}"
