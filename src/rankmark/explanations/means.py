"""Which queries make the means of two runs differ."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rankmark.explanations.gains_and_losses import (
    SCHEMA,
    by_role,
    order,
    signed,
    signed_short,
    verdict,
)
from rankmark.explanations.page import Grid, Page, as_json_knows, number
from rankmark.formatting.result import columns_of, json_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankmark.explanations.explained import Explained

_SHOWN = 10  # queries of a table
_LEAST = 1e-5  # what a lesser value counts in a geometric mean


@dataclass(frozen=True, eq=False, kw_only=True)
class MeanDifference(Page):
    """Why another run's figure over all queries differs from the baseline's: other less baseline.

    Attributes
    ----------
    measure
        What was measured.
    baseline, other
        The two figures, as ``evaluate`` gives them.
    values
        {query id: the values of baseline and other}, over the queries of either; None where a
        figure is not over the query.
    baseline_name, other_name
        What the runs are called.
    settings
        The conventions.
    """

    measure: Explained
    baseline: float
    other: float
    values: Mapping[str, tuple[float | None, float | None]]
    baseline_name: str = "baseline"
    other_name: str = "other"
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def difference(self) -> float:
        """The other run's figure less the baseline's, float64."""
        return self.other - self.baseline

    @property
    def rows(self) -> list[dict[str, Any]]:
        """What queries add to the difference, a dict each.

        ``query_id``; ``baseline`` and ``other``, the query's values; their ``difference``, other
        less baseline; its ``contribution`` to the difference of the figures; and the running
        ``total``, which ends in the difference. Of a geometric mean, a query contributes by the
        ratio of its values. Queries that the other run answers better come first, then those that
        it answers worse, each by size; then those that only one figure is over; then equal ones.
        """
        rows = self._sorted()
        totals = itertools.accumulate(row["contribution"] for row in rows)
        return [row | {"total": total} for row, total in zip(rows, totals, strict=True)]

    def _sorted(self) -> list[dict[str, Any]]:
        weight, counted = self._weight(), self.counted
        keyed: list[tuple[tuple[Any, ...], dict[str, Any]]] = []
        for query, pair in self.values.items():
            scaled = [None if x is None else self._scaled(x) for x in pair]
            baseline, other = (
                0.0 if x is None else x / n for x, n in zip(scaled, counted, strict=True)
            )
            contribution = weight * (other - baseline)
            row = {"query_id": query, "baseline": pair[0], "other": pair[1]}
            row |= {"difference": _difference(pair), "contribution": contribution}
            keyed.append((self._place(_difference(scaled), contribution), row))
        keyed.sort(key=lambda one: one[0])
        return [row for _, row in keyed]

    def _place(self, step: float | None, contribution: float) -> tuple[Any, ...]:
        """Give the key by which a query is sorted: one of both figures by what it gains."""
        if step is None:
            # NaN, of which every total is NaN, goes last.
            return (4 if math.isnan(contribution) else 2, -abs(contribution))
        group, size = order(step, more_is_better=self.measure.more_is_better)
        return (group + (group >= 2), size)

    def _scaled(self, value: float) -> float:
        """Give what the measure's figure is a mean, or a sum, of."""
        return math.log(max(value, _LEAST)) if self.measure.aggregate == "gmean" else value

    @property
    def counted(self) -> tuple[int, int]:
        """Over how many queries the baseline's figure is, and the other's; 1 for a sum."""
        if self.measure.aggregate == "sum":
            return 1, 1
        baseline, other = zip(*self.values.values(), strict=True)
        return sum(x is not None for x in baseline), sum(x is not None for x in other)

    def _weight(self) -> float:
        """Say what a step of the mean is worth in the figure: 1, unless it is a geometric mean.

        There steps are differences of logarithms, which the logarithmic mean of the two figures
        makes differences of figures again.
        """
        if self.measure.aggregate != "gmean" or self.baseline == self.other:
            return 1.0
        return self.difference / (math.log(self.other) - math.log(self.baseline))

    def to_dict(self) -> dict[str, Any]:
        """Write everything as JSON knows it; NaN becomes None."""
        return {
            "schema": SCHEMA,
            "measure": str(self.measure),
            "more_is_better": self.measure.more_is_better,
            "runs": {"baseline": self.baseline_name, "other": self.other_name},
            "values": {"baseline": json_number(self.baseline), "other": json_number(self.other)},
            "difference": json_number(self.difference),
            "rows": as_json_knows(self.rows),
            "settings": dict(self.settings),
        }

    def _table(self) -> dict[str, Any]:
        return columns_of(
            self.rows, "query_id", "baseline", "other", "difference", "contribution", "total"
        )

    def _blocks(self, *, all_rows: bool, wide: bool) -> list[Grid | str]:  # noqa: ARG002
        rows = self.rows
        better, worse, equal, baseline_alone, other_alone = self._parted(rows)
        names = self.baseline_name, self.other_name
        lacking = len(rows) - len(better) - len(worse) - len(equal)
        blocks: list[Grid | str] = [
            f"{self.measure}: {by_role('baseline', names[0], self.baseline)}, "
            f"{by_role('other', names[1], self.other)}, "
            f"other - baseline = {signed_short(self.difference)}",
            verdict(self.difference, *names, more_is_better=self.measure.more_is_better),
            f"Of {_of_queries(len(rows))}, {names[1]} is better in {len(better):,}, "
            f"{names[0]} in {len(worse):,}, and {len(equal):,} {_are(len(equal))} equal."
            + (f" {lacking:,} {_have(lacking)} no value for one of them." if lacking else ""),
        ]
        if len(set(self.counted)) > 1:
            before, after = map(_of_queries, self.counted)
            blocks.append(
                f"The baseline's figure is over {before} and the other's over {after}, so a query "
                "adds its share of the other's figure less its share of the baseline's."
            )
        for heading, part in (
            (f"Better with {names[1]}:", better),
            (f"Worse with {names[1]}:", worse),
            (f"Only {names[0]} has a value:", baseline_alone),
            (f"Only {names[1]} has a value:", other_alone),
        ):
            if part:
                blocks += [heading, _queries(part if all_rows else part[:_SHOWN], part)]
        if added := sum(row["contribution"] for row in equal):
            blocks.append(f"The equal queries add {signed(added)} together.")
        return blocks

    def _parted(self, rows: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
        """Part rows: better with the other run, worse, equal, and of one figure alone.

        Heads speak of the query's own values, since a contribution can have another sign where the
        two figures are not over the same number of queries.
        """
        parts: list[list[dict[str, Any]]] = [[], [], [], [], []]
        for row in rows:
            step = row["difference"]
            if step is None or math.isnan(step):
                if row["baseline"] is None or row["other"] is None:
                    parts[3 if row["other"] is None else 4].append(row)
            else:
                group, _ = order(step, more_is_better=self.measure.more_is_better)
                parts[group].append(row)
        return parts


def _of_queries(count: int) -> str:
    """Write how many queries there are."""
    return "1 query" if count == 1 else f"{count:,} queries"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _have(count: int) -> str:
    return "has" if count == 1 else "have"


def _difference(pair: Sequence[float | None]) -> float | None:
    baseline, other = pair
    return None if baseline is None or other is None else other - baseline


def _queries(shown: list[dict[str, Any]], rows: list[dict[str, Any]]) -> Grid:
    head = ["query", "baseline", "other", "difference", "adds"]
    cells: list[list[str] | str] = [
        [
            row["query_id"],
            *(number(row[one]) for one in ("baseline", "other")),
            *(signed(row[one]) for one in ("difference", "contribution")),
        ]
        for row in shown
    ]
    left = rows[len(shown) :]
    if left:
        total = sum(row["contribution"] for row in left)
        cells.append(f"... {len(left):,} more, together {signed(total)}")
    cells.append(["all of these", "", "", "", signed(sum(row["contribution"] for row in rows))])
    return Grid(head, cells, 1, [0])
