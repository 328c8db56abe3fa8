"""The result of planning a gate: how often it passes good runs, and how many queries it needs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from rankmark.errors import one_line
from rankmark.results.details import Detail
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.number_style import UNKNOWN, number, percent, whole, written_range
from rankmark.results.result import Row
from rankmark.results.shown_result import TabledResult
from rankmark.results.table_schema import columns_of

if TYPE_CHECKING:
    from rankmark.statistics.margin_decision import MarginDecision
    from rankmark.verbs.gate.gate_condition import Condition

_SMALLEST = (
    "smallest margin: what so many queries can show if no score changes; needed, if unchanged: "
    "queries that can show max_drop then"
)
_FROM_DECISIONS = (
    *("margin", "n", "effective", "smallest_margin", "required_if_unchanged", "spread"),
    *("required", "required_for_spread", "required_for_rare"),
)
TYPICAL = {
    "for a small change": 0.04,
    "if a third of the queries change": 0.15,
    "for another system": 0.27,
}
"""Standard deviations of differences of nDCG@10, as seen between real runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionPower(Row):
    """What one condition of a gate needs, if the two runs are as good as was asked about.

    Parameters
    ----------
    name
        The measure, and the slice if there is one.
    max_drop
        The margin as it was given, or None if an improvement is required.
    margin
        The margin in units of the measure.
    n
        Queries now.
    effective
        How many queries of equal weight, or clusters of equal size, they are worth.
    smallest_margin
        The smallest margin that so many queries can show if no score changes.
    required_if_unchanged
        How many queries can show this margin if no score changes; None if no number can.
    spread
        Standard deviation of the differences of queries.
    required, required_for_spread, required_for_rare
        Queries with which the condition passes as often as asked, by formula, and its two parts:
        what Student's t needs for the spread, and what is needed on top because rare large losses
        may not be in the sample. None if unknown.
    simulated
        The same in draws from the observed queries; None if unknown, or more than can be drawn.
    power
        How often it passes with the queries there are, in draws from those observed; NaN if there
        is nothing to draw from.
    spread_low, spread_high
        80% interval of the spread; NaN if unknown.
    power_low, power_high
        How often it passes with the queries there are, in draws, if the spread is at either end.
    required_low, required_high
        Queries required if the spread is at either end, in draws; None if unknown.
    typical
        Without runs, the queries required if differences had each spread of ``TYPICAL``; None where
        that is unknown, and with runs.
    """

    name: str
    max_drop: float | str | None
    margin: float
    n: int
    effective: float
    smallest_margin: float
    required_if_unchanged: int | None
    spread: float
    required: int | None
    required_for_spread: int | None
    required_for_rare: int | None
    simulated: int | None
    power: float
    spread_low: float = math.nan
    spread_high: float = math.nan
    power_low: float = math.nan
    power_high: float = math.nan
    required_low: int | None = None
    required_high: int | None = None
    typical: tuple[int, ...] | None = None

    @classmethod
    def of(cls, condition: Condition, decision: MarginDecision) -> Self:
        """Return what a condition needs by formula."""
        return cls(
            name=condition.name,
            max_drop=None if condition.require_better else condition.max_drop,
            simulated=None,
            power=math.nan,
            **{name: getattr(decision, name) for name in _FROM_DECISIONS},
        )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class GatePower(TabledResult):
    """How often a gate passes a run that is good enough, and how many queries it needs.

    Parameters
    ----------
    baseline, new
        Names of the runs whose differences were drawn from.
    rows
        One for each condition.
    gain
        How much better the new run is taken to be in truth; 0: as good as the baseline.
    target
        How often the gate is to pass.
    n
        Queries now.
    power
        How often all conditions pass together, with the queries there are.
    required
        Queries with which all conditions pass together as often as asked; None if that is more
        than can be drawn.
    clusters
        Number of clusters that the queries belong to, or None.
    resamples, seed
        Draws of each simulation, and their seed.
    settings
        The conventions, and how the inputs were read.
    """

    baseline: str
    new: str
    rows: tuple[ConditionPower, ...]
    gain: float
    target: float
    n: int
    power: float
    required: int | None
    clusters: int | None
    resamples: int
    seed: int
    settings: dict[str, Any]

    def _contents(self) -> dict[str, Any]:
        """Return what JSON has.

        Returns
        -------
        queries
            How many queries there are.
        required_queries
            The number of queries with which all conditions hold together often enough; None if
            unknown.
        conditions
            An object for each condition.
        """
        return {
            "baseline": self.baseline,
            "new": self.new,
            "gain": self.gain,
            "target": self.target,
            "queries": self.n,
            "clusters": self.clusters,
            "power": self.power,
            "required_queries": self.required,
            "resamples": self.resamples,
            "seed": self.seed,
            "conditions": self.rows,
            "settings": self.settings,
            "notes": self.notes,
        }

    def _table(self) -> dict[str, Any]:
        return columns_of(self.rows)

    def _grids(self) -> list[MarkedTable]:
        """Return a table with a row for each condition, and one for all."""
        head = [
            *("condition", "max_drop", "queries", "smallest margin", "needed, if unchanged"),
            *("passes now", "passes, range", "needed, simulated", "needed, range"),
            "needed, by formula",
        ]
        cells = [
            [
                row.name,
                "better" if row.max_drop is None else str(row.max_drop),
                f"{row.n:,}",
                number(row.smallest_margin),
                whole(row.required_if_unchanged),
                percent(row.power),
                written_range(percent(row.power_low), percent(row.power_high)),
                whole(row.simulated),
                written_range(whole(row.required_low), whole(row.required_high)),
                UNKNOWN
                if row.required is None
                else f"{row.required_for_spread:,} + {row.required_for_rare:,}",
            ]
            for row in self.rows
        ]
        if self.new and len(self.rows) > 1:
            together = [percent(self.power), "", whole(self.required), "", ""]
            cells.append(["all together", "", f"{self.n:,}", "", "", *together])
        return [MarkedTable(head, cells, 2)]

    @property
    def notes(self) -> list[str]:
        """Lines on what was assumed and drawn."""
        if not self.new:
            return self._without_runs()
        better = "as good as the baseline" if self.gain == 0 else f"better by {self.gain:g}"
        units = "queries" if self.clusters is None else f"{self.clusters:,} clusters"
        lines: list[str] = [
            f"assumed: {self.new} is really {better}, and varies from query to query as observed; "
            f"needed: queries with which the gate passes {self.target:.0%} of the time",
            Detail(
                f"passes now, and needed, simulated: {self.resamples:,} draws of {units} from "
                f"those observed, seed {self.seed}; all queries that changed were shifted by the "
                "same amount, to that mean"
            ),
            Detail(
                "needed, by formula: what Student's t needs for the spread of differences, plus "
                "what is needed because rare losses may not be in the sample"
            ),
            _SMALLEST,
        ]
        if any(row.spread_high == row.spread_high for row in self.rows):
            lines.append(
                "ranges: simulated for the lowest and the highest standard deviation that these "
                f"{units} allow (80%); about one pilot in ten needs more queries"
            )
        if any(row.effective < 0.995 * row.n for row in self.rows):
            lines.append(
                "weights or clusters make queries worth less: "
                + ", ".join(f"{row.name} {row.effective:.1f} of {row.n:,}" for row in self.rows)
            )
        return lines

    def _without_runs(self) -> list[str]:
        return [
            f"{self.n:,} judged queries; two runs would say how much differences vary between "
            "them, and so how many more are needed",
            _SMALLEST,
            *(
                f"{row.name}, max_drop {row.max_drop}: about "
                + ", ".join(
                    f"{needed:,} {name} (standard deviation {spread:g})"
                    for needed, (name, spread) in zip(row.typical, TYPICAL.items(), strict=True)
                )
                for row in self.rows
                if row.typical
            ),
        ]

    def __repr__(self) -> str:
        found = f"{self.n:,} queries pass {percent(self.power)}, {whole(self.required)} needed"
        return one_line(f"GatePower({self.new}: {found})")
