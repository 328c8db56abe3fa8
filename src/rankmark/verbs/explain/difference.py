"""The difference of two runs for one query, document by document."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankmark.results.explanations.contribution_tables import shortened
from rankmark.results.explanations.page import Formula, Grid, Page, as_json_knows, number
from rankmark.results.result import json_number
from rankmark.results.table_schema import columns_of
from rankmark.verbs.explain.gains_and_losses import (
    SCHEMA,
    by_role,
    order,
    signed,
    signed_short,
    verdict,
)

if TYPE_CHECKING:
    from rankmark.results.explanations.explanation import Explanation

SIDES = ("baseline", "other")


@dataclass(frozen=True, eq=False, repr=False)
class Difference(Page):
    """The difference of two runs' values for one query, other minus baseline, by document.

    Attributes
    ----------
    baseline, other
        The two explanations.
    baseline_name, other_name
        The names of the runs.
    """

    baseline: Explanation
    other: Explanation
    baseline_name: str = "baseline"
    other_name: str = "other"

    @property
    def difference(self) -> float:
        """The other run's value minus the baseline's, float64."""
        return self.other.value - self.baseline.value

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A dict for each document that contributes to the difference.

        ``doc_id`` and ``label``; ``rank_baseline`` and ``rank_other``, None if it contributes
        nothing there; ``contribution_baseline`` and ``contribution_other``; ``difference``, other
        less baseline; and the running ``total``, which ends in the difference of the values. Gains
        come first, then losses, each by size. Empty if contributions are unknown.
        """
        each: dict[Any, dict[str, Any]] = {}
        both = dict.fromkeys(
            f"{name}_{side}" for name in ("rank", "contribution") for side in SIDES
        )
        for side, explanation in self._sides():
            for row in explanation.rows:
                note = row["note"] if row["doc_id"] is None else None
                new = {"doc_id": row["doc_id"], "label": row["label"]} | both
                merged = each.setdefault((row["doc_id"], note), new)
                merged[f"rank_{side}"] = row["rank"]
                merged[f"contribution_{side}"] = row["contribution"]
                merged["note"] = note
        rows = self._differing(list(each.values()))
        kept = [row for row in rows if row["difference"]]
        better = self.baseline.measure.more_is_better
        return _with_totals(
            sorted(kept, key=lambda row: order(row["difference"], more_is_better=better))
        )

    @property
    def by_rank(self) -> list[dict[str, Any]]:
        """A dict for each rank, in order.

        ``rank``; ``doc_id_baseline`` and ``doc_id_other``; their labels; and as in ``rows``,
        ``contribution_baseline``, ``contribution_other``, ``difference`` and ``total``.
        """
        each: dict[Any, dict[str, Any]] = {}
        names = ("doc_id", "label", "contribution")
        both = dict.fromkeys(f"{name}_{side}" for name in names for side in SIDES)
        for side, explanation in self._sides():
            for row in explanation.rows:
                rank = row["rank"]
                key = rank or (row["doc_id"], row["note"])
                merged = each.setdefault(key, {"rank": rank} | both)
                merged[f"doc_id_{side}"] = row["doc_id"]
                merged[f"label_{side}"] = row["label"]
                merged[f"contribution_{side}"] = row["contribution"]
                merged["note"] = None if rank else row["note"]
        ranked = sorted(each.values(), key=lambda row: row["rank"] or float("inf"))
        return _with_totals(self._differing(ranked))

    @property
    def is_known(self) -> bool:
        """Whether the contributions of documents are known."""
        rows = [*self.baseline.rows, *self.other.rows]
        return all(row["contribution"] is not None for row in rows)

    def _sides(self) -> list[tuple[str, Explanation]]:
        return list(zip(SIDES, (self.baseline, self.other), strict=True))

    def _differing(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if not self.is_known:
            return []
        for row in rows:
            baseline, other = (row[f"contribution_{side}"] or 0.0 for side in SIDES)
            row["difference"] = other - baseline
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return everything as values that JSON can represent; NaN becomes None."""
        return {
            "schema": SCHEMA,
            "measure": str(self.baseline.measure),
            "more_is_better": self.baseline.measure.more_is_better,
            "query": self.baseline.query,
            "runs": {"baseline": self.baseline_name, "other": self.other_name},
            "values": {side: json_number(each.value) for side, each in self._sides()},
            "difference": json_number(self.difference),
            "rows": as_json_knows(self.rows),
            "by_rank": as_json_knows(self.by_rank),
            "explanations": {side: each.to_dict() for side, each in self._sides()},
        }

    def _table(self) -> dict[str, Any]:
        about = {
            "measure": str(self.baseline.measure),
            "baseline": self.baseline_name,
            "run": self.other_name,
            "query_id": self.baseline.query,
        }
        names = ("doc_id", "label", "difference", "total")
        return columns_of([about | row for row in self.rows], *about, *names)

    def _blocks(self, *, all_rows: bool, wide: bool) -> list[Grid | str]:  # noqa: ARG002
        measure = self.baseline.measure
        title = (
            f"{measure} of query {self.baseline.query}: "
            f"{by_role('baseline', self.baseline_name, self.baseline.value)}, "
            f"{by_role('other', self.other_name, self.other.value)}, "
            f"other - baseline = {signed_short(self.difference)}"
        )
        names = self.baseline_name, self.other_name
        better = verdict(self.difference, *names, more_is_better=measure.more_is_better)
        notes = dict.fromkeys([*self.baseline.notes, *self.other.notes])
        if not self.is_known:
            return [title, better, "What documents contribute is unknown.", *notes]
        blocks: list[Grid | str] = ["No document contributes to the difference."]
        if rows := self.rows:
            blocks = [
                "By document, gains first:",
                _by_document(rows, all_rows=all_rows),
                "By rank:",
                _by_rank(self.by_rank, all_rows=all_rows),
            ]
        for side, each in self._sides():
            if each.votes is not None:
                votes = each.votes.of(row["doc_id"] for row in self.rows)
                name = getattr(self, f"{side}_name")
                if votes.documents:
                    blocks += [f"{name}: {votes.title()}", votes.grid(all_rows=all_rows)]
        formulas = [Formula(f"{side}: {each.formula}") for side, each in self._sides()]
        return [title, better, *blocks, *notes, *formulas]


def _with_totals(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Add the running totals of the differences to rows."""
    totals = itertools.accumulate(row["difference"] for row in rows)
    return [row | {"total": total} for row, total in zip(rows, totals, strict=True)]


def _label(doc_id: str | None, label: float | None) -> str:
    """Format a document's label; ? if it is unjudged."""
    return "?" if doc_id is not None and label is None else number(label)


def _by_document(rows: list[dict[str, Any]], *, all_rows: bool) -> Grid:
    head = ["document", "label", "baseline rank", "other rank", "baseline adds", "other adds"]
    cells = [
        [
            row["doc_id"] or row["note"] or "",
            _label(row["doc_id"], row["label"]),
            *(number(row[f"rank_{side}"]) for side in SIDES),
            *(number(row[f"contribution_{side}"]) for side in SIDES),
            signed(row["difference"]),
            signed(row["total"]),
        ]
        for row in rows
    ]
    head += ["difference", "total"]
    return Grid(head, shortened(cells, rows, all_rows=all_rows), 1, [0])


def _by_rank(rows: list[dict[str, Any]], *, all_rows: bool) -> Grid:
    rows = [row for row in rows if all_rows or row["difference"]]
    head = ["rank", "baseline document", "label", "other document", "label", "difference", "total"]
    cells = [
        [
            number(row["rank"]),
            row["doc_id_baseline"] or row["note"] or "",
            _label(row["doc_id_baseline"], row["label_baseline"]),
            row["doc_id_other"] or "",
            _label(row["doc_id_other"], row["label_other"]),
            signed(row["difference"]),
            signed(row["total"]),
        ]
        for row in rows
    ]
    return Grid(head, shortened(cells, rows, all_rows=all_rows), 0, [1, 3])
