"""Which queries of a log to judge for a gate, in which order, and how many at least."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Annotated, Any

from rankmark.arguments import Kind
from rankmark.data.files.input_file import printable
from rankmark.data.files.whole_files import path_given, small_file
from rankmark.errors import InputError, ParseError, RankmarkError, counted, shown
from rankmark.results.details import Detail
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.shown_result import Column, TabledResult, table_of
from rankmark.results.table_schema import texts
from rankmark.verbs.gate.gate_condition import Condition

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints
    from rankmark.statistics.margin_decision import Verdict
    from rankmark.verbs.gate.logged_queries import LoggedQueries

_SCHEMA = 1
_MOST_BYTES = 1 << 28
_FEW = 10  # queries that text lists
_MANY = 300  # queries that few people will judge for one change


@dataclass(frozen=True, slots=True)
class PlannedCondition:
    """What is known of a condition before anything is judged.

    Parameters
    ----------
    condition
        What is asked.
    queries
        Queries of the log, or of the slice.
    mean_loss, largest_loss
        The mean, and the largest, of what each query can lose at most.
    can_change
        How many of them can lose anything.
    least
        How many queries of the order are enough if none of them loses anything; None if that is
        unknown, or no number is. 0 if no judgments can make the condition fail.
    """

    condition: Condition
    queries: int
    mean_loss: float
    largest_loss: float
    can_change: int
    least: int | None


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CandidatePlan:
    """The order in which the queries of a log are judged for one candidate.

    Parameters
    ----------
    name
        The name of the candidate.
    rows
        What is known of each condition.
    planned
        How many queries are to be judged.
    missing
        How many queries of the log it does not answer.
    documents
        {query: ids of the documents to judge} of these, in their order: all that either run has in
        the ranks that count, best first.
    digest
        A hash of the whole order and of all weights, by which ``gate`` recognises the runs.
    logged, weights, order
        The log, (N,) float64 the weight of each query, and the numbers of those that are drawn.
    """

    name: str
    rows: tuple[PlannedCondition, ...]
    planned: int
    missing: int
    documents: Mapping[str, Sequence[str]]
    digest: str
    logged: LoggedQueries = field(repr=False)
    weights: Floats = field(repr=False)
    order: Ints = field(repr=False)

    @property
    def verdict(self) -> Verdict:
        """``"holds"`` if no judgments could make a condition fail, else ``"cannot tell"``."""
        return "holds" if all(one.least == 0 for one in self.rows) else "cannot tell"

    @property
    def least(self) -> int | None:
        """How many queries are enough if none loses anything; None if that is unknown."""
        found = [one.least for one in self.rows]
        return None if None in found else max(one for one in found if one is not None)

    def weight_of(self, place: int) -> float:
        """Return the weight of the query at a place of the order, from 0."""
        return float(self.weights[self.order[place]])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class GatePlan(TabledResult):
    """Which queries of a log to judge, so that ``gate`` can decide about it.

    Parameters
    ----------
    baseline
        The name of the baseline.
    candidates
        The order of each candidate.
    conditions
        What is asked, a condition for each slice.
    queries, size
        How many queries the log has, and the sum of what they count.
    slices
        {name: number of queries}.
    is_weighted, is_clustered
        Whether queries have weights, or belong to clusters.
    claim
        Whether the verdict is about the "log" or the "population".
    conventions
        How rankings are read, as far as it is not as usual.
    seed
        Of the order.
    asked_n
        The number of queries that was asked for; None for none.
    """

    baseline: str
    candidates: tuple[CandidatePlan, ...]
    conditions: tuple[Condition, ...]
    queries: int
    size: float
    slices: Mapping[str, int]
    is_weighted: bool
    is_clustered: bool
    claim: str
    conventions: Mapping[str, Any]
    seed: int
    asked_n: int | None = None

    @property
    def verdict(self) -> Verdict:
        """``"holds"`` if one candidate needs no judgments, else ``"cannot tell"``."""
        found = [one.verdict for one in self.candidates]
        return "holds" if "holds" in found else "cannot tell"

    @property
    def least(self) -> int | None:
        """How many queries are enough if none loses anything, for the first candidate."""
        return self.candidates[0].least

    @property
    def planned(self) -> int:
        """How many queries are to be judged for the first candidate."""
        return self.candidates[0].planned

    @property
    def to_judge(self) -> dict[str, tuple[str, ...]]:
        """{query: ids of the documents to judge}, in order; of several candidates, of all."""
        found: dict[str, dict[str, None]] = {}
        for one in self.candidates:
            for query, documents in one.documents.items():
                found.setdefault(query, {}).update(dict.fromkeys(documents))
        return {query: tuple(documents) for query, documents in found.items()}

    @property
    def headline(self) -> str:
        """What to do, in a sentence."""
        said = []
        for one in self.candidates:
            name = f"{one.name} against {self.baseline}"
            if one.verdict == "holds":
                said.append(f"{name}: the gate holds without a judgment")
            elif self._is_too_small(one):
                said.append(f"{name}: the log is too small for a claim about the population")
            else:
                documents = sum(map(len, one.documents.values()))
                said.append(
                    f"{name}: judge {counted(one.planned, 'query', 'queries')} "
                    f"({counted(documents, 'document')}), in the order of this plan"
                )
        return "; ".join(said)

    def _is_too_small(self, one: CandidatePlan) -> bool:
        """Return whether a sample has too few queries to show anything without a gain."""
        return self.claim == "population" and (
            not len(one.order)
            or any(
                row.least is None and row.condition.margin and not row.condition.relative
                for row in one.rows
            )
        )

    def _contents(self) -> dict[str, Any]:
        """Return what JSON has, which ``gate`` reads.

        Returns
        -------
        queries, size
            How many queries the log has, and the sum of what they count.
        candidates
            For each, ``digest``; ``conditions`` with what can change; and ``order``, the queries to
            judge, with the documents of both rankings.
        conditions
            Keywords of ``Condition``.
        """
        return {
            "verdict": self.verdict,
            "baseline": self.baseline,
            "queries": self.queries,
            "size": self.size,
            "slices": dict(self.slices),
            "claim": self.claim,
            "weighted": self.is_weighted,
            "clustered": self.is_clustered,
            "seed": self.seed,
            "asked_n": self.asked_n,
            "conventions": dict(self.conventions),
            "conditions": [one.to_dict() for one in self.conditions],
            "candidates": [
                {
                    "name": one.name,
                    "verdict": one.verdict,
                    "least": one.least,
                    "planned": one.planned,
                    "digest": one.digest,
                    "conditions": [_row_of(row) for row in one.rows],
                    "order": [
                        {
                            "query_id": query,
                            "weight": one.weight_of(place),
                            "doc_ids": list(documents),
                        }
                        for place, (query, documents) in enumerate(one.documents.items())
                    ],
                }
                for one in self.candidates
            ],
            "notes": self.notes,
        }

    def _table(self) -> dict[str, Any]:
        """Return a row for each document to judge, in order."""
        pairs = [(query, one) for query, documents in self.to_judge.items() for one in documents]
        return {
            "query_id": texts("query_id", [query for query, _ in pairs]),
            "doc_id": texts("doc_id", [document for _, document in pairs]),
            "label": [None] * len(pairs),  # for people to fill in
        }

    def _grids(self) -> list[MarkedTable]:
        """Return a table of what can change, and one of the first queries to judge."""
        columns = [
            Column("condition", lambda row: row[1].condition.text),
            Column("queries", lambda row: f"{row[1].queries:,}"),
            Column("can lose", lambda row: f"{row[1].can_change:,}"),
            Column("worst case", lambda row: f"{0.0 - row[1].mean_loss:+.4f}"),
            Column("worst query", lambda row: f"{0.0 - row[1].largest_loss:+.4f}"),
            Column("needed if none loses", lambda row: _least(row[1])),
        ]
        if len(self.candidates) > 1:
            columns.insert(0, Column("candidate", lambda row: row[0].name))
        each = [(one, row) for one in self.candidates for row in one.rows]
        head = ["place", "query", "weight", "documents"]
        first = [
            [f"{place + 1:,}", query, f"{one.weight_of(place):.4f}", f"{len(documents):,}"]
            for one in self.candidates[:1]
            for place, (query, documents) in enumerate([*one.documents.items()][:_FEW])
        ]
        tables = [table_of(columns, each)]
        return [*tables, MarkedTable(head, first, 2)] if first else tables

    @property
    def notes(self) -> list[str]:
        """What the plan is about, and when it is of little use."""
        log = f"the {counted(self.queries, 'query', 'queries')} of this log"
        about = f"about {log}{', weighted' if self.is_weighted else ''}"
        if self.claim == "population":
            about = f"about the population that {log} are a random sample of"
            if self.is_clustered:
                about = f"about the population of users whose queries are {log}, one query a user"
        lines = [f"{about}; seed {self.seed}"]
        for one in self.candidates:
            of = f"{one.name}: " if len(self.candidates) > 1 else ""
            if one.missing:
                count = counted(one.missing, "query", "queries")
                lines.append(f"{one.name} has no ranking for {count}, which can lose everything")
            if one.verdict != "holds":
                lines.append(f"{of}{self._prospect(one)}")
        if len(self.candidates) > 1:
            lines.append(f"the places below are those of {self.candidates[0].name}")
        return [
            *lines,
            Detail(
                "worst case: the most that the mean can fall, whatever the judgments; queries are "
                "drawn in proportion to their weights, which are what each can lose, times what it "
                "counts, and plus the margin where that is relative"
            ),
        ]

    def _prospect(self, one: CandidatePlan) -> str:
        """Say whether the queries planned can be enough."""
        planned, least = counted(one.planned, "query", "queries"), one.least
        if self._is_too_small(one):
            return (
                f"{counted(len(one.order), 'query is', 'queries are')} drawn from this log, and "
                "cannot be enough; take a longer log, or make the claim about the log"
            )
        if least is not None and least > one.planned:
            return f"{planned} cannot be enough: {least:,} are needed even if none loses anything"
        if any(row.condition.require_better for row in one.rows):
            return f"{planned} are enough if they gain enough; look after each"
        if one.planned > _MANY:
            return (
                f"{planned} are many: so much can change that a plan helps little; allow a larger "
                "drop, or judge a random sample without a plan"
            )
        if self.claim == "log" and one.planned == len(one.order):
            return "all queries that can lose anything are in the plan, so that it decides"
        return (
            f"{planned} are enough if few of them lose anything; look after each, and judge more "
            "in the same order if not"
        )


def _row_of(row: PlannedCondition) -> dict[str, Any]:
    names = (one.name for one in fields(row) if one.name != "condition")
    return {"name": row.condition.name} | {name: getattr(row, name) for name in names}


def _least(row: PlannedCondition) -> str:
    return "" if row.least is None else f"{row.least:,}"


@dataclass(frozen=True, slots=True)
class GivenPlan:
    """What ``gate`` has to know of a plan, as it is or from its file.

    Parameters
    ----------
    conditions, conventions, seed
        As ``GatePlan`` has them.
    n
        The number of queries that was asked for.
    digests
        {candidate: the hash of its order}.
    slices
        Names of the slices.
    is_weighted, is_clustered
        Whether queries have weights, or belong to clusters.
    claim
        Whether the verdict is about the "log" or the "population".
    path
        The path of its file; None if it was given as it is.
    """

    conditions: tuple[Condition, ...]
    conventions: Mapping[str, Any]
    seed: int
    n: int | None
    digests: Mapping[str, str]
    slices: Sequence[str]
    is_weighted: bool
    is_clustered: bool
    claim: str
    path: str | None = None

    @classmethod
    def of(cls, plan: GatePlan) -> GivenPlan:
        """Take what is needed of a plan."""
        return cls(
            plan.conditions,
            plan.conventions,
            plan.seed,
            plan.asked_n,
            {one.name: one.digest for one in plan.candidates},
            [*plan.slices],
            plan.is_weighted,
            plan.is_clustered,
            plan.claim,
        )

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> GivenPlan:
        """Read the JSON of a plan."""
        file = path_given("plan", path)
        where = printable(str(file))
        data = small_file(file, _MOST_BYTES)
        try:
            found = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise ParseError(
                f"it is no JSON ({error})", "give what plan-gate wrote as JSON", where=where
            ) from None
        try:
            if found["schema"] != _SCHEMA:
                raise InputError(
                    f"its schema is {shown(found['schema'])}", "make a new plan", where=where
                )
            return cls(
                tuple(Condition(**one) for one in found["conditions"]),
                dict(found["conventions"]),
                int(found["seed"]),
                found["asked_n"],
                {one["name"]: str(one["digest"]) for one in found["candidates"]},
                [*found["slices"]],
                bool(found["weighted"]),
                bool(found["clustered"]),
                str(found["claim"]),
                str(file),
            )
        except RankmarkError:
            raise
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            missing = f"has no {error}" if isinstance(error, KeyError) else f"is wrong ({error})"
            raise InputError(
                f"it is no plan of a gate: it {missing}",
                "give what plan-gate wrote as JSON",
                where=where,
            ) from None


def _plan(name: str, given: Any) -> GivenPlan:
    if isinstance(given, GivenPlan):
        return given
    if isinstance(given, GatePlan):
        return GivenPlan.of(given)
    if isinstance(given, (str, os.PathLike)):
        return GivenPlan.read(given)
    raise InputError(f"{name} is {shown(given)}", "need what plan_gate returned, or its JSON file")


Plan = Annotated[Any, Kind(_plan)]
"""A plan, or the path of its JSON."""
