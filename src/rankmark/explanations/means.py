"""Which queries make the means of two runs differ."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rankmark.explanations.formula import short
from rankmark.explanations.page import SCHEMA, Grid, Page, as_json_knows, number
from rankmark.exports import json_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankmark.explanations.explained import Explained

_SHOWN = 10  # queries of either sign
_LEAST = 1e-5  # what a lesser value counts in a geometric mean


@dataclass(frozen=True, eq=False)
class MeanDifference(Page):
    """Why a run's figure over all queries differs from another's: a's minus b's.

    Attributes
    ----------
    measure
        What was measured.
    value_a, value_b
        The two figures, as ``evaluate`` gives them.
    values
        {query id: the values of a and b}, over the queries of either; None where a figure is not
        over the query.
    name_a, name_b
        What the runs are called.
    settings
        The conventions.
    """

    measure: Explained
    value_a: float
    value_b: float
    values: Mapping[str, tuple[float | None, float | None]]
    name_a: str = "a"
    name_b: str = "b"
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def value(self) -> float:
        """The difference, float64."""
        return self.value_a - self.value_b

    @property
    def rows(self) -> list[dict[str, Any]]:
        """What queries add to the difference, a dict each, the greatest first.

        ``query_id``; ``a`` and ``b``, the query's values; their ``difference``; its
        ``contribution`` to the difference of the figures; and the running ``total``, which ends in
        the value. Of a geometric mean, a query contributes by the ratio of its values.
        """
        weight, counted = self._weight(), self._counted()
        rows: list[dict[str, Any]] = []
        for query, pair in self.values.items():
            steps = zip(pair, counted, strict=True)
            a, b = (0.0 if x is None else self._scaled(x) / n for x, n in steps)
            difference = None if None in pair else (pair[0] or 0.0) - (pair[1] or 0.0)
            row = {"query_id": query, "a": pair[0], "b": pair[1], "difference": difference}
            rows.append(row | {"contribution": weight * (a - b)})
        # NaN, of which every total is NaN, goes last.
        rows.sort(key=lambda row: (math.isnan(row["contribution"]), -abs(row["contribution"])))
        totals = itertools.accumulate(row["contribution"] for row in rows)
        return [row | {"total": total} for row, total in zip(rows, totals, strict=True)]

    def _scaled(self, value: float) -> float:
        """Give what the measure's figure is a mean, or a sum, of."""
        return math.log(max(value, _LEAST)) if self.measure.aggregate == "gmean" else value

    def _counted(self) -> tuple[int, int]:
        """Say over how many queries each figure is; 1 for a sum."""
        if self.measure.aggregate == "sum":
            return 1, 1
        a, b = zip(*self.values.values(), strict=True)
        return sum(x is not None for x in a), sum(x is not None for x in b)

    def _weight(self) -> float:
        """Say what a step of the mean is worth in the figure: 1, unless it is a geometric mean.

        There steps are differences of logarithms, which the logarithmic mean of the two figures
        makes differences of figures again.
        """
        if self.measure.aggregate != "gmean" or self.value_a == self.value_b:
            return 1.0
        return self.value / (math.log(self.value_a) - math.log(self.value_b))

    def to_dict(self) -> dict[str, Any]:
        """Write everything as JSON knows it; NaN becomes None."""
        return {
            "schema": SCHEMA,
            "measure": str(self.measure),
            "value": json_number(self.value),
            "values": {"a": json_number(self.value_a), "b": json_number(self.value_b)},
            "runs": {"a": self.name_a, "b": self.name_b},
            "rows": as_json_knows(self.rows),
            "settings": dict(self.settings),
        }

    def _blocks(self, *, all_rows: bool, wide: bool) -> list[Grid | str]:  # noqa: ARG002
        rows = self.rows
        steps = [row["difference"] for row in rows if row["difference"] is not None]
        greater, less, equal = (
            sum(step > 0 for step in steps),
            sum(step < 0 for step in steps),
            sum(step == 0 for step in steps),
        )
        lacking = len(rows) - greater - less - equal
        blocks: list[Grid | str] = [
            f"{self.measure}: A = {self.name_a} {short(self.value_a)}, B = {self.name_b} "
            f"{short(self.value_b)}, A - B = {short(self.value)}",
            f"Of {len(rows):,} queries, A is greater in {greater:,}, B in {less:,}, and {equal:,} "
            "are equal." + (f" {lacking:,} have no value for one of them." if lacking else ""),
        ]
        for side, better in (
            ("B", [r for r in rows if r["contribution"] < 0]),
            ("A", [r for r in rows if r["contribution"] > 0]),
        ):
            if better:
                shown = better if all_rows else better[:_SHOWN]
                blocks += [f"Where {side} is greater:", _queries(shown, better)]
        return blocks


def _queries(shown: list[dict[str, Any]], rows: list[dict[str, Any]]) -> Grid:
    head = ["query", "A", "B", "difference", "adds"]
    cells: list[list[str] | str] = [
        [row["query_id"], *(number(row[one]) for one in ("a", "b", "difference", "contribution"))]
        for row in shown
    ]
    left = rows[len(shown) :]
    if left:
        total = sum(row["contribution"] for row in left)
        cells.append(f"... {len(left):,} more, together {number(total)}")
    cells.append(["all of these", "", "", "", number(sum(row["contribution"] for row in rows))])
    return Grid(head, cells, 1, [0])
