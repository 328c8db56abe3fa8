"""Differences of two runs on measures of a run, by leaving each user out of both."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rankmark.results.number_style import UNKNOWN, written_p
from rankmark.results.shown_result import Column, table_of
from rankmark.scoring.run_values import difference_of
from rankmark.statistics import adjust

if TYPE_CHECKING:
    from rankmark.results.marked_tables import MarkedTable
    from rankmark.verbs.compare.statistics_choices import Choices
    from rankmark.verbs.evaluate.evaluation import Evaluation

_CORRECTIONS = ("holm", "hochberg", "bonferroni", "bh", "by")


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueDifference:
    """How two runs differ on a measure of the run: one number of all lists together.

    Parameters
    ----------
    measure, baseline, run
        Their names.
    more_is_better
        Whether a positive difference means that the run is better.
    baseline_value, run_value
        The numbers of the two.
    difference, low, high
        The run's minus the baseline's, and its interval: a user is left out of both runs at a time
        (jackknife, Student's t); NaN where ``undefined`` says why.
    p, adjusted_p
        p-value of the same, and corrected for the pairs of the measure, by Holm's method where the
        correction of the comparison is one of means.
    significant
        Whether ``adjusted_p`` is at most the level.
    undefined
        Why there is no interval, or "".
    """

    measure: str
    baseline: str
    run: str
    more_is_better: bool
    baseline_value: float
    run_value: float
    difference: float
    low: float
    high: float
    p: float
    adjusted_p: float
    significant: bool
    undefined: str = ""

    @property
    def is_gain(self) -> bool:
        """Whether the run is better."""
        return (self.difference > 0) == self.more_is_better


def value_differences(
    evaluations: Mapping[str, Evaluation], pairs: Sequence[tuple[str, str]], chosen: Choices
) -> list[ValueDifference]:
    """Return the differences of each pair on each measure of the run that all have."""
    found: list[ValueDifference] = []
    first, *others = evaluations.values()
    for measure in first.left_out:
        if not all(measure in one.left_out for one in others):
            continue
        rows = []
        for baseline, run in pairs:
            a, b = (evaluations[name].left_out[measure] for name in (baseline, run))
            known = difference_of(a, b)
            low, high = known.ends(chosen.confidence, (-math.inf, math.inf))
            rows.append(
                ValueDifference(
                    measure=str(measure),
                    baseline=baseline,
                    run=run,
                    more_is_better=measure.more_is_better,
                    baseline_value=a.value,
                    run_value=b.value,
                    difference=known.value,
                    low=low,
                    high=high,
                    p=known.p,
                    adjusted_p=math.nan,
                    significant=False,
                    undefined=known.undefined,
                )
            )
        correction = chosen.correction if chosen.correction in _CORRECTIONS else "holm"
        p = [row.p for row in rows]
        if chosen.correction != "none":
            p = adjust(p, correction).adjusted.tolist()  # type: ignore[arg-type]
        found += [
            replace(row, adjusted_p=one, significant=one <= chosen.level)
            for row, one in zip(rows, p, strict=True)
        ]
    return found


APART = (
    "of all lists together, no means over queries; a user is left out of both runs at a time, and "
    "each interval is by itself:"
)
"""The heading of their table."""


def table_of_values(rows: Sequence[ValueDifference], confidence: float) -> MarkedTable:
    """Return a table of differences."""
    columns = [
        Column("measure", lambda row: row.measure),
        Column("baseline", lambda row: row.baseline),
        Column("value", lambda row: f"{row.baseline_value:.4f}"),
        Column("run", lambda row: row.run),
        Column("value ", lambda row: f"{row.run_value:.4f}"),
        Column("difference", lambda row: f"{row.difference:+.4f}{_mark(row)}"),
        Column(
            f"{confidence:.0%} interval",
            lambda row: UNKNOWN if row.undefined else f"[{row.low:+.4f}, {row.high:+.4f}]",
            attached=True,
        ),
        Column("adjusted p", lambda row: UNKNOWN if row.undefined else written_p(row.adjusted_p)),
    ]
    return table_of(columns, rows, caption=APART)


def _mark(row: ValueDifference) -> str:
    return ("*" if row.is_gain else "†") if row.significant else ""
