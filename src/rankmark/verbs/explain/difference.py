"""The difference of two runs: for one query by document, and over all queries by query.

In all of rankmark, the first run named is the baseline, and a difference is the other run minus the
baseline.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from rankmark.errors import counted
from rankmark.results.explanations.breakdown import shortened
from rankmark.results.explanations.contributions import short
from rankmark.results.explanations.page import Page, number
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.shown_parts import Formula, Part, Title
from rankmark.results.table_schema import columns_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankmark.results.explanations.contributions import Explained
    from rankmark.results.explanations.explanation import Explanation


def signed(value: float | None) -> str:
    """Format a difference for a table, with its sign; None as an empty string."""
    return _with_sign(value, "" if value is None else number(value))


def signed_short(value: float) -> str:
    """Format a difference for a line of text, with its sign."""
    return _with_sign(value, short(value))


def _with_sign(value: float | None, written: str) -> str:
    return f"+{written}" if value is not None and value > 0 else written


def order(step: float, *, more_is_better: bool) -> tuple[int, float]:
    """Return the sort key of a step: gains, then losses, each by size; 0; then NaN.

    ``step`` is the other run's value minus the baseline's.
    """
    if math.isnan(step):
        return 3, 0.0
    if not step:
        return 2, 0.0
    return int((step > 0) != more_is_better), -abs(step)


def verdict(difference: float, baseline: str, other: str, *, more_is_better: bool) -> str:
    """Return a sentence on which run is better."""
    rule = "" if more_is_better else " Less is better, so a negative difference is a gain."
    if math.isnan(difference):
        return f"No difference is known.{rule}"
    if not difference:
        return f"The runs are equal.{rule}"
    better = other if (difference > 0) == more_is_better else baseline
    return f"{better} is better.{rule}"


def by_role(role: str, name: str, value: float) -> str:
    """Format a run's role, its name if it has one, and its value."""
    return f"{role} {short(value)}" if name == role else f"{role} = {name} {short(value)}"


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

    _schema = 2  # in 1, the second run was the baseline
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

    def _contents(self) -> dict[str, Any]:
        """Return what JSON has.

        Returns
        -------
        runs, values
            ``baseline`` and ``other``: the names of the runs, and the two values.
        rank_baseline, rank_other
            The rank of the document in the run; None if it was not retrieved.
        contribution_baseline, contribution_other
            What the document adds to the value of the run.
        doc_id_baseline, doc_id_other, label_baseline, label_other
            The document at this rank of the run, and its label.
        explanations
            The explanations of both runs.
        """
        return {
            "measure": str(self.baseline.measure),
            "more_is_better": self.baseline.measure.more_is_better,
            "query": self.baseline.query,
            "runs": {"baseline": self.baseline_name, "other": self.other_name},
            "values": {side: each.value for side, each in self._sides()},
            "difference": self.difference,
            "rows": self.rows,
            "by_rank": self.by_rank,
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

    def _blocks(self, *, all_rows: bool, wide: bool) -> list[Part]:  # noqa: ARG002
        measure = self.baseline.measure
        title = Title(
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
        blocks: list[Part] = ["No document contributes to the difference."]
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


def _by_document(rows: list[dict[str, Any]], *, all_rows: bool) -> MarkedTable:
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
    return MarkedTable(head, shortened(cells, rows, all_rows=all_rows), 1, ids=[0])


def _by_rank(rows: list[dict[str, Any]], *, all_rows: bool) -> MarkedTable:
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
    return MarkedTable(head, shortened(cells, rows, all_rows=all_rows), 0, ids=[1, 3])


_SHOWN = 10  # queries in a table
_LEAST = 1e-5  # lower values are raised to this in a geometric mean


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MeanDifference(Page):
    """The difference of two runs' values over all queries, other minus baseline, by query.

    Attributes
    ----------
    measure
        The measure.
    baseline, other
        The two values over all queries, as returned by ``evaluate``.
    values
        {query id: its values for baseline and other}, over the queries of either; None if the query
        does not count for a run.
    baseline_name, other_name
        The names of the runs.
    settings
        The conventions.
    """

    _schema = 2  # in 1, the second run was the baseline
    measure: Explained
    baseline: float
    other: float
    values: Mapping[str, tuple[float | None, float | None]]
    baseline_name: str = "baseline"
    other_name: str = "other"
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def difference(self) -> float:
        """The other run's value minus the baseline's, float64."""
        return self.other - self.baseline

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A dict for each query.

        ``query_id``; ``baseline_value`` and ``run_value``, the query's values; their
        ``difference``, other less baseline; its ``contribution`` to the difference over all
        queries, for a geometric mean by the ratio of its values; and the running ``total``.
        Queries that the other run answers better come first, then those it answers worse, each by
        size; then queries that count for only one run; then equal ones.
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
            row = {"query_id": query, "baseline_value": pair[0], "run_value": pair[1]}
            row |= {"difference": _difference(pair), "contribution": contribution}
            keyed.append((self._place(_difference(scaled), contribution), row))
        return [row for _, row in sorted(keyed, key=itemgetter(0))]

    def _place(self, step: float | None, contribution: float) -> tuple[Any, ...]:
        """Return the sort key of a query."""
        if step is None:
            # NaN comes last, as it makes all later totals NaN.
            return (4 if math.isnan(contribution) else 2, -abs(contribution))
        group, size = order(step, more_is_better=self.measure.more_is_better)
        return (group + (group >= 2), size)

    def _scaled(self, value: float) -> float:
        """Return the value, or its logarithm for a geometric mean."""
        return math.log(max(value, _LEAST)) if self.measure.aggregate == "gmean" else value

    @property
    def counted(self) -> tuple[int, int]:
        """The numbers of queries of the baseline's mean and the other's; 1 for a sum."""
        if self.measure.aggregate == "sum":
            return 1, 1
        baseline, other = zip(*self.values.values(), strict=True)
        return sum(x is not None for x in baseline), sum(x is not None for x in other)

    def _weight(self) -> float:
        """Return the factor from a difference of scaled values to a difference of means.

        For a geometric mean, it is the logarithmic mean of the two means; otherwise 1.
        """
        if self.measure.aggregate != "gmean" or self.baseline == self.other:
            return 1.0
        return self.difference / (math.log(self.other) - math.log(self.baseline))

    def _contents(self) -> dict[str, Any]:
        """Return what JSON has.

        Returns
        -------
        runs
            ``baseline`` and ``other``: the names of the runs.
        baseline_value, run_value
            The value of the query in the run.
        """
        return {
            "measure": str(self.measure),
            "more_is_better": self.measure.more_is_better,
            "runs": {"baseline": self.baseline_name, "other": self.other_name},
            "values": {"baseline": self.baseline, "other": self.other},
            "difference": self.difference,
            "rows": self.rows,
            "settings": self.settings,
        }

    def _table(self) -> dict[str, Any]:
        about = {
            "measure": str(self.measure),
            "baseline": self.baseline_name,
            "run": self.other_name,
        }
        return columns_of([about | row for row in self.rows])

    def _blocks(self, *, all_rows: bool, wide: bool) -> list[Part]:  # noqa: ARG002
        rows = self.rows
        better, worse, equal, only_baseline, only_other = self._parted(rows)
        names = self.baseline_name, self.other_name
        without = len(rows) - len(better) - len(worse) - len(equal)
        have = "has" if without == 1 else "have"
        blocks: list[Part] = [
            Title(
                f"{self.measure}: {by_role('baseline', names[0], self.baseline)}, "
                f"{by_role('other', names[1], self.other)}, "
                f"other - baseline = {signed_short(self.difference)}"
            ),
            verdict(self.difference, *names, more_is_better=self.measure.more_is_better),
            f"Of {counted(len(rows), 'query', 'queries')}, {names[1]} is better in "
            f"{len(better):,}, {names[0]} in {len(worse):,}, and {len(equal):,} "
            f"{'is' if len(equal) == 1 else 'are'} equal."
            + (f" {without:,} {have} no value for one of them." if without else ""),
        ]
        if len(set(self.counted)) > 1:
            before, after = (counted(number, "query", "queries") for number in self.counted)
            blocks.append(
                f"The baseline's mean is over {before} and the other's over {after}, so a query "
                "adds its share of the other's mean minus its share of the baseline's."
            )
        for heading, part in (
            (f"Better with {names[1]}:", better),
            (f"Worse with {names[1]}:", worse),
            (f"Only {names[0]} has a value:", only_baseline),
            (f"Only {names[1]} has a value:", only_other),
        ):
            if part:
                blocks += [heading, _queries(part if all_rows else part[:_SHOWN], part)]
        if added := sum(row["contribution"] for row in equal):
            blocks.append(f"The equal queries add {signed(added)} together.")
        return blocks

    def _parted(self, rows: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
        """Split rows: better with the other run, worse, equal, and counted for one run only.

        The query's own values decide, as a contribution can have the opposite sign if the two means
        are not over the same number of queries.
        """
        parts: list[list[dict[str, Any]]] = [[], [], [], [], []]
        for row in rows:
            step = row["difference"]
            if step is None or math.isnan(step):
                if row["baseline_value"] is None or row["run_value"] is None:
                    parts[3 if row["run_value"] is None else 4].append(row)
            else:
                group, _ = order(step, more_is_better=self.measure.more_is_better)
                parts[group].append(row)
        return parts


def _difference(pair: Sequence[float | None]) -> float | None:
    baseline, other = pair
    return None if baseline is None or other is None else other - baseline


def _queries(shown: list[dict[str, Any]], rows: list[dict[str, Any]]) -> MarkedTable:
    head = ["query", "baseline", "other", "difference", "adds"]
    cells: list[list[str] | str] = [
        [
            row["query_id"],
            *(number(row[side]) for side in ("baseline_value", "run_value")),
            *(signed(row[step]) for step in ("difference", "contribution")),
        ]
        for row in shown
    ]
    if hidden := rows[len(shown) :]:
        total = sum(row["contribution"] for row in hidden)
        cells.append(f"... {len(hidden):,} more, together {signed(total)}")
    cells.append(["all of these", "", "", "", signed(sum(row["contribution"] for row in rows))])
    return MarkedTable(head, cells, 1, ids=[0])
