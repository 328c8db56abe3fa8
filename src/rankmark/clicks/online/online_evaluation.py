"""The result of ``online``: values by issue of a query, and their numbers with intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankmark.clicks.analysis_units import Unit, column_of
from rankmark.clicks.online.issue_values import IssueValues, UnitSums, unit_sums
from rankmark.clicks.online.online_measures import OnlineMeasure, online_measures
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.per_query import Audit, MeansByQuery


@dataclass(frozen=True, slots=True)
class OnlineAudit(Audit):
    """What the log holds.

    Parameters
    ----------
    issues, clicked, empty
        Issues of queries, those with a click, and those without documents.
    units, without_unit
        How many users or other units there are, and issues of none, which intervals leave out.
    unit
        What the units are.
    """

    issues: int
    clicked: int
    empty: int
    units: int
    without_unit: int
    unit: str

    told = (
        ("issues {issues:,}, with a click {clicked:,}, without documents {empty:,}", ""),
        ("; units ({unit}) {units:,}", ""),
        ("; issues without one {without_unit:,}", "without_unit"),
    )


class OnlineEvaluation(MeansByQuery):
    """What users did: a value of each measure for each issue of a query.

    Attributes
    ----------
    scores
        (n_issues, n_measures) float64, a row for each issue, NaN where a measure is undefined.
    measures
        The measures.
    means
        {name: its number for all issues}: their mean, or what the measure declares.
    log
        In JSON, the log that was read: ``name`` and ``columns``.
    """

    _label = "tab:online"
    heading = "What users did"

    def __init__(
        self,
        measures: Sequence[OnlineMeasure],
        found: IssueValues,
        unit: Unit,
        audit: OnlineAudit,
        read: Mapping[str, dict[str, Any]],
    ) -> None:
        self.measures = tuple(measures)
        with np.errstate(invalid="ignore", divide="ignore"):
            scores = np.column_stack(
                [value / weight for value, weight in zip(found.values, found.weights, strict=True)]
            )
        super().__init__(
            names=[*map(str, measures)],
            queries=[str(one) for one in found.ids.to_pylist()],
            scores=np.ascontiguousarray(scores),
            conventions={"unit": unit},
            audit=audit,
            read=read,
        )
        self._units, ids = found.groups[column_of(unit)]
        pairs = zip(measures, found.values, found.weights, strict=True)
        alone = np.arange(len(self._units))
        self._all: list[UnitSums] = []
        self._by_unit: list[UnitSums] = []
        for measure, values, weights in pairs:
            self._by_unit.append(unit_sums(measure, values, weights, self._units, len(ids)))
            of_all = measure.aggregate != "mean of units"
            self._all.append(
                unit_sums(measure, values, weights, alone, len(alone))
                if of_all
                else self._by_unit[-1]
            )

    @property
    def _figures(self) -> tuple[float, ...]:
        return tuple(
            _median(self.scores[:, at]) if measure.aggregate == "median" else self._all[at].ratio
            for at, measure in enumerate(self.measures)
        )

    @property
    def units(self) -> dict[str, int]:
        """The number of the unit of each issue, as ``clusters=`` of ``compare_scores`` takes it."""
        return dict(zip(self.queries, self._units.tolist(), strict=True))

    def intervals(self, confidence: float = 0.95) -> dict[str, tuple[float, float]]:
        """Return a confidence interval of each number, by the delta method over the units.

        Wilson's over the units where all issues are alike, such as without any click. NaN for both
        ends if there is one unit, and for the median of times.

        Parameters
        ----------
        confidence
            Above 0 and below 1.
        """
        found = {}
        for measure, sums in zip(self.measures, self._by_unit, strict=True):
            ends = math.nan, math.nan
            if measure.aggregate != "median":
                one = sums.interval(confidence, is_share=measure.is_share)
                one = one.within((0.0, 1.0 if measure.is_share else math.inf))
                ends = one.low, one.high
            found[str(measure)] = ends
        return found

    def _meant(self, name: Any) -> Sequence[str]:
        return [*map(str, online_measures(name))]

    def _grids(self, *, per_query: bool = False) -> list[MarkedTable]:
        if per_query:
            return super()._grids(per_query=True)
        rows = [
            [name, text, "" if math.isnan(low) else f"[{low:.4f}, {high:.4f}]"]
            for (name, text), (low, high) in zip(
                self._shown(), self.intervals().values(), strict=True
            )
        ]
        head = ["measure", "value", "95% interval"]
        return [MarkedTable(head, rows, attached=head[2:], label=self._label)]

    @property
    def notes(self) -> list[str]:
        """The lines below a table: what numbers are, what is left out, audit, conventions."""
        lines, n = [], len(self.scores)
        for at, measure in enumerate(self.measures):
            undefined = int(np.isnan(self.scores[:, at]).sum())
            told: list[str] = [] if measure.aggregate == "mean" else [measure.aggregate]
            told += [f"{undefined:,} of {n:,} issues without a value are left out"] * (
                undefined > 0
            )
            lines += [f"{measure}: {'; '.join(told)}"] * bool(told)
        return [*lines, *super().notes]

    def _more(self) -> dict[str, Any]:
        return {"intervals": self.intervals()}


def _median(values: Any) -> float:
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else math.nan
