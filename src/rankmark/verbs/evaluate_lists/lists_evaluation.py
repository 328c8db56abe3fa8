"""The result of evaluating the lists of a run: a value of each measure, and its interval."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankmark.errors import NotEvaluatedError, counted, listed
from rankmark.measures.of_runs.run_measure import RunLists, RunMeasure
from rankmark.results.log_keys import logged
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.number_style import UNKNOWN
from rankmark.results.result import Row
from rankmark.results.shown_result import Column, TabledResult, table_of
from rankmark.results.table_schema import columns_of


@dataclass(frozen=True, slots=True, kw_only=True)
class RunValue(Row):
    """The value of a measure of a run.

    Parameters
    ----------
    measure
        Its canonical name.
    value
        Of all lists.
    low, high
        Ends of the interval of what as many other lists would give: leaving out one list at a
        time, by Student's t; NaN where ``undefined`` says why.
    confidence
        Of the interval.
    undefined
        Why there is no interval, or "".
    """

    measure: str
    value: float
    low: float
    high: float
    confidence: float
    undefined: str = ""

    @classmethod
    def of(cls, measure: RunMeasure, lists: RunLists, confidence: float) -> RunValue:
        """Compute a measure of some lists."""
        value, without = measure.of(lists)
        n = len(without)
        spread = float(np.ptp(without)) if n else 0.0
        undefined = "there is only one list" if n < 2 else ""
        if not undefined and not spread:
            undefined = "the value is the same whichever list is left out"
        found = cls(
            measure=str(measure),
            value=value,
            low=math.nan,
            high=math.nan,
            confidence=confidence,
            undefined=undefined,
        )
        if undefined:
            return found
        from rankmark.statistics.confidence_intervals import quantile_of_t  # noqa: PLC0415

        error = math.sqrt((n - 1) / n * float(((without - without.mean()) ** 2).sum()))
        reach = quantile_of_t(n - 1, confidence) * error
        lowest, highest = measure.bounds
        return replace(found, low=max(value - reach, lowest), high=min(value + reach, highest))


@dataclass(frozen=True, slots=True, kw_only=True)
class ListsAudit(Row):
    """What was evaluated.

    Parameters
    ----------
    lists
        How many lists the run has, without those that hold nothing.
    catalogue
        How many items the catalogue has.
    outside, outside_examples
        How many items of the lists, down to the deepest rank that a measure reads, are not in the
        catalogue, and some of them.
    """

    lists: int
    catalogue: int
    outside: int
    outside_examples: tuple[str, ...]

    def __str__(self) -> str:
        line = f"{counted(self.lists, 'list')}; catalogue {counted(self.catalogue, 'item')}"
        if not self.outside:
            return line
        examples = listed(self.outside_examples, self.outside)
        return f"{line}; {counted(self.outside, 'item')} of the lists not in it: {examples}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ListsEvaluation(TabledResult, Mapping[str, float]):
    """Numbers that all lists of a run have together, by the names of measures.

    None of them is a mean over queries, so there are no values by query.

    Parameters
    ----------
    rows
        A RunValue for each measure, in the requested order.
    audit
        What was evaluated.
    settings
        All choices, and how the run was read.
    """

    rows: tuple[RunValue, ...]
    audit: ListsAudit
    settings: Mapping[str, Any]

    def __getitem__(self, name: str | RunMeasure) -> float:
        return self.row(name).value

    def __iter__(self) -> Iterator[str]:
        return iter(row.measure for row in self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def to_log(self, prefix: str = "") -> dict[str, float]:
        """Return the values by keys that experiment trackers accept, as ``Evaluation.to_log``."""
        return logged(self, prefix)

    def row(self, name: str | RunMeasure) -> RunValue:
        """Return the value of a measure with its interval.

        Raises
        ------
        NotEvaluatedError
            If it was not evaluated.
        """
        for row in self.rows:
            if row.measure == str(name):
                return row
        raise NotEvaluatedError(f"{name} was not evaluated", f"there is {', '.join(self)}")

    @property
    def heading(self) -> str:
        """What the result is about."""
        return f"All lists of {self.settings['run']['name']} together"

    @property
    def notes(self) -> list[str]:
        """The lines below the table: what was evaluated, and how intervals were found."""
        share = self.rows[0].confidence
        why = [f"{row.measure} has no interval: {row.undefined}" for row in self.rows]
        return [
            str(self.audit),
            *(line for line, row in zip(why, self.rows, strict=True) if row.undefined),
            f"{share:.0%} intervals leave out one list at a time (jackknife, t)",
            f"conventions: ties={self.settings['ties']}",
        ]

    def _grids(self) -> list[MarkedTable]:
        columns = [
            Column("measure", lambda row: row.measure),
            Column("value", lambda row: f"{row.value:.4f}"),
            Column(
                f"{self.rows[0].confidence:.0%} interval",
                lambda row: UNKNOWN if row.undefined else f"[{row.low:.4f}, {row.high:.4f}]",
                attached=True,
            ),
        ]
        return [table_of(columns, self.rows, caption=f"{self.heading}.", label="tab:lists")]

    def _contents(self) -> Mapping[str, Any]:
        return {"settings": self.settings, "audit": self.audit, "rows": self.rows}

    def _table(self) -> dict[str, Any]:
        return columns_of(self.rows)
