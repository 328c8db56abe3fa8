"""What makes the values of two runs differ for one query."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankmark.explanations.formula import short
from rankmark.explanations.page import SCHEMA, Formula, Grid, Page, as_json_knows, number
from rankmark.explanations.tables import shortened
from rankmark.exports import json_number

if TYPE_CHECKING:
    from rankmark.explanations.explanation import Explanation


@dataclass(frozen=True, eq=False)
class Difference(Page):
    """Why a run's value for one query differs from another's: a's minus b's.

    Attributes
    ----------
    a, b
        The two explanations.
    name_a, name_b
        What the runs are called.
    """

    a: Explanation
    b: Explanation
    name_a: str = "a"
    name_b: str = "b"

    @property
    def value(self) -> float:
        """The difference, float64."""
        return self.a.value - self.b.value

    @property
    def rows(self) -> list[dict[str, Any]]:
        """What documents add to the difference, a dict each, the greatest first, 0 left out.

        ``doc_id`` and ``label``; ``rank_a`` and ``rank_b``, None where it adds nothing there;
        ``contribution_a`` and ``contribution_b``; ``difference``; and the running ``total``, which
        ends in the value. Empty where contributions are unknown.
        """
        each: dict[Any, dict[str, Any]] = {}
        both = dict.fromkeys(["rank_a", "rank_b", "contribution_a", "contribution_b"])
        for side, told in (("a", self.a), ("b", self.b)):
            for row in told.rows:
                key = row["doc_id"], row["note"] if row["doc_id"] is None else None
                known = each.setdefault(
                    key, {"doc_id": row["doc_id"], "label": row["label"]} | both
                )
                known[f"rank_{side}"] = row["rank"]
                known[f"contribution_{side}"] = row["contribution"]
                known["note"] = row["note"] if row["doc_id"] is None else None
        rows = self._differing(list(each.values()))
        kept = [row for row in rows if row["difference"]]
        return _with_totals(sorted(kept, key=lambda row: -abs(row["difference"])))

    @property
    def by_rank(self) -> list[dict[str, Any]]:
        """The same rank by rank: ``rank``, ``doc_id_a`` and ``doc_id_b`` with their labels."""
        each: dict[Any, dict[str, Any]] = {}
        names = ("doc_id", "label", "contribution")
        both = dict.fromkeys(f"{name}_{side}" for name in names for side in "ab")
        for side, told in (("a", self.a), ("b", self.b)):
            for row in told.rows:
                rank = row["rank"]
                key = rank or (row["doc_id"], row["note"])
                known = each.setdefault(key, {"rank": rank} | both)
                known[f"doc_id_{side}"] = row["doc_id"]
                known[f"label_{side}"] = row["label"]
                known[f"contribution_{side}"] = row["contribution"]
                known["note"] = None if rank else row["note"]
        ranked = sorted(each.values(), key=lambda row: row["rank"] or float("inf"))
        return _with_totals(self._differing(ranked))

    @property
    def is_known(self) -> bool:
        """Whether it is known what documents add."""
        rows = [*self.a.rows, *self.b.rows]
        return all(row["contribution"] is not None for row in rows)

    def _differing(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if not self.is_known:
            return []
        for row in rows:
            row["difference"] = (row["contribution_a"] or 0.0) - (row["contribution_b"] or 0.0)
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Write everything as JSON knows it; NaN becomes None."""
        return {
            "schema": SCHEMA,
            "measure": str(self.a.measure),
            "query": self.a.query,
            "value": json_number(self.value),
            "values": {"a": json_number(self.a.value), "b": json_number(self.b.value)},
            "runs": {"a": self.name_a, "b": self.name_b},
            "rows": as_json_knows(self.rows),
            "by_rank": as_json_knows(self.by_rank),
            "a": self.a.to_dict(),
            "b": self.b.to_dict(),
        }

    def _blocks(self, *, all_rows: bool, wide: bool) -> list[Grid | str]:  # noqa: ARG002
        a, b = short(self.a.value), short(self.b.value)
        title = (
            f"{self.a.measure} of query {self.a.query}: A = {self.name_a} {a}, "
            f"B = {self.name_b} {b}, A - B = {short(self.value)}"
        )
        notes = dict.fromkeys([*self.a.notes, *self.b.notes])
        if not self.is_known:
            return [title, "What documents contribute is unknown.", *notes]
        blocks: list[Grid | str] = ["No document makes a difference."]
        if rows := self.rows:
            blocks = [
                "By document:",
                _by_document(rows, all_rows=all_rows),
                "By rank:",
                _by_rank(self.by_rank, all_rows=all_rows),
            ]
        formulas = [Formula(f"A: {self.a.formula}"), Formula(f"B: {self.b.formula}")]
        return [title, *blocks, *notes, *formulas]


def _with_totals(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Give rows the running total of their differences."""
    totals = itertools.accumulate(row["difference"] for row in rows)
    return [row | {"total": total} for row, total in zip(rows, totals, strict=True)]


def _label(doc_id: str | None, label: float | None) -> str:
    """Write a document's label; ? where nobody judged it."""
    return "?" if doc_id is not None and label is None else number(label)


def _by_document(rows: list[dict[str, Any]], *, all_rows: bool) -> Grid:
    head = ["document", "label", "rank A", "rank B", "adds to A", "to B", "difference", "total"]
    cells = [
        [
            row["doc_id"] or row["note"] or "",
            _label(row["doc_id"], row["label"]),
            number(row["rank_a"]),
            number(row["rank_b"]),
            number(row["contribution_a"]),
            number(row["contribution_b"]),
            number(row["difference"]),
            number(row["total"]),
        ]
        for row in rows
    ]
    return Grid(head, shortened(cells, rows, all_rows=all_rows), 1, [0])


def _by_rank(rows: list[dict[str, Any]], *, all_rows: bool) -> Grid:
    rows = [row for row in rows if all_rows or row["difference"]]
    head = ["rank", "document of A", "label", "document of B", "label", "difference", "total"]
    cells = [
        [
            number(row["rank"]),
            row["doc_id_a"] or row["note"] or "",
            _label(row["doc_id_a"], row["label_a"]),
            row["doc_id_b"] or "",
            _label(row["doc_id_b"], row["label_b"]),
            number(row["difference"]),
            number(row["total"]),
        ]
        for row in rows
    ]
    return Grid(head, shortened(cells, rows, all_rows=all_rows), 0, [1, 3])
