"""The result of ``compare_online_offline``: what offline differences say of online ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from rankmark.errors import counted
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.number_style import UNKNOWN
from rankmark.results.shown_result import Column, DrawnResult, table_of
from rankmark.results.table_schema import columns_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class OfflineMeasure(NamedTuple):
    """An offline measure, and how well its differences predicted the online ones.

    Parameters
    ----------
    measure
        Its name.
    n
        How many experiments there are.
    agreement, agreement_low, agreement_high
        The share of experiments in which both differences have the same sign, and Wilson's
        interval; those in which one is 0 are left out.
    measured
        The correlation of the differences as they were measured.
    correlation, correlation_low, correlation_high
        The correlation of the true differences, and its interval; NaN if any is possible.
    slope, slope_low, slope_high
        By how much the true online difference rises with the true offline one; NaN if there is no
        bounded interval.
    undefined
        Why there is none, or "".
    smallest
        The smallest offline difference that predicts an online gain with the probability asked for.
    reason
        Why there is no such difference, or "".
    p
        The p-value of the measured correlation, corrected for the number of measures.
    """

    measure: str
    n: int
    agreement: float
    agreement_low: float
    agreement_high: float
    measured: float
    correlation: float
    correlation_low: float
    correlation_high: float
    slope: float
    slope_low: float
    slope_high: float
    undefined: str
    smallest: float
    reason: str
    p: float


class OfflinePair(NamedTuple):
    """Two offline measures of the same experiments.

    Parameters
    ----------
    measure, other
        Their names.
    difference
        Of the measured correlations.
    p
        The p-value, corrected by Holm's method for the number of pairs.
    """

    measure: str
    other: str
    difference: float
    p: float


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class OnlineOffline(DrawnResult):
    """What the offline differences of past experiments say of the online ones.

    Parameters
    ----------
    measures
        A row for each offline measure, the highest measured correlation first.
    pairs
        Whether two of them differ.
    experiments
        The experiments.
    left_out
        How many experiments lack an offline measure.
    settings, read
        All choices, and what was read.
    """

    measures: tuple[OfflineMeasure, ...]
    pairs: tuple[OfflinePair, ...]
    experiments: tuple[str, ...]
    left_out: int
    settings: dict[str, Any]
    read: dict[str, Any]

    _captions = {"correlations": "The correlation of the true differences, with its interval"}  # noqa: RUF012

    @property
    def maybe_best(self) -> tuple[str, ...]:
        """The measures that the first one does not beat significantly; none if none predicts."""
        level, first = 1.0 - self.settings["confidence"], self.measures[0]
        if not (first.p <= level and first.measured > 0):
            return ()
        beaten = {
            other
            for one in self.pairs
            if first.measure in one[:2] and one.p <= level
            for other in one[:2]
        }
        return tuple(
            one.measure for one in self.measures if one is first or one.measure not in beaten
        )

    @property
    def headline(self) -> str:
        """Say which measure predicts best, and whether that is known."""
        first, found = self.measures[0], self.maybe_best
        over = f"in {counted(first.n, 'experiment')}"
        alone = len(self.measures) == 1
        if not found:
            what = "the offline differences predict" if alone else "any offline measure predicts"
            return f"{over}, it is not known whether {what} the online ones"
        if alone:
            return f"{over}, the offline differences predict the online ones"
        others = [one for one in found if one != first.measure]
        rest = f"; {', '.join(others)} may be as good" if others else ""
        return f"{first.measure} predicts best {over}{rest}"

    @property
    def notes(self) -> list[str]:
        """How the numbers were found."""
        chosen = self.settings
        share = f"{100.0 * chosen['confidence']:g}%"
        lines = [
            "same sign: share of experiments, with Wilson's interval; correlation and slope: of "
            "true differences, by maximum likelihood with the given errors, with profile intervals",
            f"gain from: the smallest offline difference that predicts an online gain with a "
            f"probability of {100.0 * chosen['probability']:g}%",
            "p: permutation test of the measured correlation, corrected for "
            f"{counted(len(self.measures), 'measure')} by the largest of each draw; "
            f"{chosen['resamples']:,} draws, seed {chosen['seed']}; "
            f"intervals have {share} confidence, each by itself",
        ]
        for one in self.measures:
            unknown = {"slope": one.undefined, "smallest difference": one.reason}
            lines += [f"{one.measure}: no {what}: {why}" for what, why in unknown.items() if why]
        if self.left_out:
            lines.append(
                f"left out: {counted(self.left_out, 'experiment')} without all offline measures"
            )
        return lines

    @property
    def kept_notes(self) -> list[str]:
        """The notes on what is not known."""
        return self.notes[3:]

    def _grids(self) -> list[MarkedTable]:
        interval = f"{100.0 * self.settings['confidence']:g}% interval"

        def ends(name: str) -> Column:
            def text(one: OfflineMeasure) -> str:
                low, high = getattr(one, f"{name}_low"), getattr(one, f"{name}_high")
                return "" if math.isnan(low) else f"[{low:.3g}, {high:.3g}]"

            return Column(interval, text, attached=True)

        columns = [
            Column("measure", lambda one: one.measure),
            Column("same sign", _number("agreement")),
            ends("agreement"),
            Column("measured r", _number("measured")),
            Column("correlation", _number("correlation")),
            ends("correlation"),
            Column("slope", _number("slope")),
            ends("slope"),
            Column("gain from", _number("smallest")),
            Column("p", lambda one: UNKNOWN if math.isnan(one.p) else f"{one.p:.4f}"),
        ]
        return [
            table_of(
                columns, self.measures, caption=f"{self.headline}.", label="tab:online-offline"
            )
        ]

    def _contents(self) -> dict[str, Any]:
        """Return what JSON has.

        Returns
        -------
        table
            What was read: ``name``, ``sha256`` and ``form``.
        experiments
            The names of the experiments.
        """
        return {
            "table": self.read,
            "headline": self.headline,
            "settings": self.settings,
            "experiments": self.experiments,
            "measures": self.measures,
            "maybe_best": self.maybe_best,
            "pairs": self.pairs,
            "notes": self.notes,
        }

    def _table(self) -> dict[str, Any]:
        return columns_of(self.measures)

    def _draw(self, kind: str, ax: Axes, *, title: bool) -> None:  # noqa: ARG002  (there is one)
        from rankmark.results.drawing.dots import Panel, draw_panels  # noqa: PLC0415

        found = self.measures
        panel = Panel(
            label="correlation of true differences",
            means=[one.correlation for one in found],
            lows=[one.correlation_low for one in found],
            highs=[one.correlation_high for one in found],
            hollow=[not one.correlation_low > 0 for one in found],
            line=0.0,
            beaten=[""] * len(found),
        )
        names = [one.measure for one in found]
        draw_panels(ax, [panel], names, [0] * len(names), title=self.headline if title else "")


def _number(name: str) -> Callable[[OfflineMeasure], str]:
    def text(one: OfflineMeasure) -> str:
        value = getattr(one, name)
        return UNKNOWN if math.isnan(value) else f"{value:.3g}"

    return text
