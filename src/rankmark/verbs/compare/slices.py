"""A comparison within slices of the queries, and where slices and the whole disagree."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np

from rankmark.errors import NotEvaluatedError
from rankmark.results import html_parts as html
from rankmark.results.number_style import NumberStyle
from rankmark.results.result import Result
from rankmark.results.table_schema import columns_of
from rankmark.statistics import adjust
from rankmark.verbs.compare.difference_intervals import (
    DifferenceIntervals,
    Tested,
    with_adjusted_intervals,
)
from rankmark.verbs.compare.row_tables import Rows
from rankmark.verbs.compare.run_difference import RunDifference

if TYPE_CHECKING:
    from rankmark.verbs.compare.run_difference import ComparedMeasure
    from rankmark.verbs.compare.standings import Standing
    from rankmark.verbs.compare.statistics_choices import Choices


class Compared(Protocol):
    """The part of a comparison that slices need."""

    queries: tuple[str, ...]
    compared: tuple[ComparedMeasure, ...]
    chosen: Choices

    @property
    def measures(self) -> tuple[str, ...]:
        """Canonical names of the measures."""
        ...

    @property
    def _own_differences(self) -> Rows[RunDifference]:
        """The differences, corrected without regard to slices."""
        ...

    @property
    def _intervals(self) -> DifferenceIntervals:
        """Intervals of the differences, at any confidence."""
        ...

    @property
    def differences(self) -> Rows[RunDifference]:
        """The differences, corrected."""
        ...

    @property
    def leaderboard(self) -> Rows[Standing]:
        """The means."""
        ...

    def _correct(self, differences: Rows[RunDifference]) -> None:
        """Replace the differences by those with other corrections."""
        ...

    def column(self, name: object) -> int:
        """Return the number of a measure."""
        ...

    def __getitem__(self, run: str) -> dict[str, float]: ...


Part = TypeVar("Part", bound=Compared)


class Slices(Result, Mapping[str, Part], Generic[Part]):
    """The same comparison within each slice of the queries: a mapping from slices to comparisons.

    p-values are corrected for the pairs and the slices together: each measure by itself, or all
    measures and slices if the family is "all".

    Attributes
    ----------
    whole
        The comparison over all queries.
    differences_of_whole
        Its differences, corrected together with those of the slices if the family is "all".
    """

    def __init__(self, whole: Part, parts: Mapping[str, Part]) -> None:
        self.whole = whole
        self._parts = dict(parts)
        tables = _corrected(whole, parts)
        self.differences_of_whole: Rows[RunDifference] = tables.pop("", whole._own_differences)
        for name, rows in tables.items():
            parts[name]._correct(rows)

    def __getitem__(self, name: str) -> Part:
        if name not in self._parts:
            raise NotEvaluatedError(
                f"there is no slice {name!r}", f"choose from {', '.join(self._parts)}"
            )
        return self._parts[name]

    def _ipython_key_completions_(self) -> list[str]:
        """Return what completes ``slices["`` in notebooks."""
        return [*self]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    @property
    def differences(self) -> Rows[RunDifference]:
        """The differences of all slices, with the slice in the field ``slice``."""
        rows = [row for part in self.values() for row in part.differences]
        return Rows(rows, RunDifference)

    def __repr__(self) -> str:
        return f"Slices({', '.join(map(repr, self._parts))})"

    def _repr_html_(self) -> str:
        style, parts = NumberStyle(), []
        for name, part in self.items():
            queries = "1 query" if len(part.queries) == 1 else f"{len(part.queries):,} queries"
            runs = dict.fromkeys(row.run for row in part.leaderboard)
            rows = [
                [run, *(style.written(each.mean) for each in part.leaderboard.where(run=run))]
                for run in runs
            ]
            parts += [html.title(f"{name} ({queries})"), html.table(["run", *part.measures], rows)]
        return html.page(*parts, html.notes(self.warnings))

    def worst(self, measure: str, run: str) -> str:
        """Return the slice in which a run is worst, compared with its baseline.

        For a run without a baseline, the slice with its worst mean.
        """
        column = self.whole.column(measure)
        sign = 1 if self.whole.compared[column].more_is_better else -1
        name = self.whole.measures[column]
        values: dict[str, float] = {}
        for slice_name, part in self.items():
            rows = part.differences.where(measure=name, run=run)
            value = sign * (rows[0].difference if rows else part[run][name])
            if not math.isnan(value):
                values[slice_name] = value
        return min(values, key=values.__getitem__) if values else next(iter(self))

    @property
    def warnings(self) -> list[str]:
        """Where slices and the whole disagree on which of two runs is better."""
        tables = [part.differences for part in self.values()]  # in the order of the whole
        return [
            line
            for whole, *rows in zip(self.whole.differences, *tables, strict=True)
            if whole.better is not None
            for line in _disagreements(whole, rows)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything for JSON, with None for NaN."""
        return {
            "slices": {
                name: {
                    "queries": len(part.queries),
                    "leaderboard": part.leaderboard.for_json(),
                    "differences": part.differences.for_json(),
                }
                for name, part in self.items()
            },
            "warnings": self.warnings,
        }

    def _table(self) -> dict[str, Any]:
        rows = [asdict(row) for part in self.values() for row in part.leaderboard]
        return columns_of(rows, "run", "measure", "mean", "slice")


def _disagreements(whole: RunDifference, rows: Sequence[RunDifference]) -> Iterator[str]:
    """Yield where the slices of a difference have the other sign."""
    worse = whole.baseline if whole.better == whole.run else whole.run
    what = f"{whole.measure}: {whole.better} is better than {worse} over all queries"
    for row in rows:
        if row.significant and row.difference * whole.difference < 0:
            yield f"{what}, but significantly worse in {row.slice} ({row.n:,} queries)"
    known = [row.difference for row in rows if not math.isnan(row.difference)]
    if known and float(np.mean(known)) * whole.difference < 0:
        yield f"{what}, but worse on average over the slices, each with equal weight"


def _corrected(whole: Part, parts: Mapping[str, Part]) -> dict[str, Rows[RunDifference]]:
    """Correct the p-values of the slices together, and with the whole ("") if the family is all."""
    tables = {name: list(part._own_differences) for name, part in parts.items()}
    if whole.chosen.family == "all":
        tables[""] = list(whole._own_differences)
    correction, level = whole.chosen.correction, whole.chosen.level
    if correction == "none" or not parts:  # not all corrections are of p-values alone
        return {name: Rows(rows, RunDifference) for name, rows in tables.items()}
    pairs = len(whole._own_differences) // len(whole.measures)
    families = [None] if whole.chosen.family == "all" else [*whole.measures]
    for measure in families:
        places = [
            (name, at)
            for name, rows in tables.items()
            for at, row in enumerate(rows)
            if measure is None or row.measure == measure
        ]
        found = adjust([tables[name][at].p for name, at in places], correction)  # type: ignore[arg-type]
        corrected = [
            replace(
                tables[name][at],
                adjusted_p=adjusted,
                family=found.family,
                significant=adjusted <= level,
            )
            for (name, at), adjusted in zip(places, found.adjusted.tolist(), strict=True)
        ]
        of = [
            Tested(row, (parts.get(name) or whole)._intervals, *divmod(at, pairs))
            for row, (name, at) in zip(corrected, places, strict=True)
        ]
        rows_found = with_adjusted_intervals(of, whole.chosen)
        for (name, at), row in zip(places, rows_found, strict=True):
            tables[name][at] = row
    return {name: Rows(rows, RunDifference) for name, rows in tables.items()}
