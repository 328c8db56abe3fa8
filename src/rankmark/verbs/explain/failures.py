"""Why relevant documents are not among the first of a run: the result of ``failure_causes``."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.errors import counted
from rankmark.results.explanations.page import Page, number
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.number_style import UNKNOWN, written_range
from rankmark.results.result import Row
from rankmark.results.shown_parts import Heading, Notes, Part, Title
from rankmark.results.shown_result import Column, table_of
from rankmark.results.table_schema import columns_of
from rankmark.statistics.shares import ratio_interval

if TYPE_CHECKING:
    from rankmark.measures import Measure

LOST, BELOW = "lost between stages", "below the cutoff"
CAUSES = (
    "gone from the corpus",
    "query missing",
    "not retrieved",
    LOST,
    "lost as units were combined",
    "tied across the cutoff",
    BELOW,
)
"""The causes, in the order in which a document meets them."""
FOUND = "found"
_RETRIEVED = "retrieved"  # where documents are found without a cutoff
_SHOWN = 8  # queries named of a cause, and documents, unless all rows are asked for


class Failure(NamedTuple):
    """A relevant document that is not among the first k of a run.

    Parameters
    ----------
    query_id, doc_id, label
        The document.
    cause
        As that of a ``Cause``, without the names of stages.
    stage
        The last stage that has it; None if none has.
    rank
        Its rank there.
    earlier
        The last stage that had it among its first k; None if none had.
    """

    query_id: str
    doc_id: str
    label: float
    cause: str
    stage: str | None = None
    rank: int | None = None
    earlier: str | None = None


@dataclass(frozen=True, slots=True)
class Cause(Row):
    """How often something is the cause.

    Parameters
    ----------
    cause
        "gone from the corpus", "query missing", "not retrieved", "lost between A and B" (stages),
        "lost as units were combined", "tied across the cutoff" or "below the cutoff".
    documents
        How many, counted once for each query to which they are relevant.
    share, low, high
        Of the documents that are not among the first k, and its interval, which allows for several
        documents of one query; NaN where there is none.
    per_query
        {query id: documents}, those with most first.
    ranks
        The lowest, the median and the highest rank in the last stage that has them; None if none
        has.
    earlier
        How many were among the first k of an earlier stage.
    """

    cause: str
    documents: int
    share: float
    low: float
    high: float
    per_query: dict[str, int]
    ranks: tuple[float, float, float] | None
    earlier: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFailures(Row):
    """What a run did not find.

    Parameters
    ----------
    run
        Its name: that of the last stage.
    stages
        The names of all stages, the first one first.
    relevant_by_query
        The number of relevant documents of each query, {query id: number}.
    failures
        Those that are not among the first k, in the order of the judgments.
    """

    run: str
    stages: tuple[str, ...]
    relevant_by_query: Mapping[str, int]
    failures: tuple[Failure, ...]

    def causes(self, confidence: float, queries: Sequence[str] | None = None) -> list[Cause]:
        """Return the causes, in order, over all or some queries."""
        kept = None if queries is None else {*queries}
        failures = [one for one in self.failures if kept is None or one.query_id in kept]
        by_cause: dict[tuple[int, int], list[Failure]] = {}
        for one in failures:
            at = self.stages.index(one.stage) if one.cause == LOST and one.stage else 0
            by_cause.setdefault((CAUSES.index(one.cause), at), []).append(one)
        sizes = Counter(one.query_id for one in failures)
        return [
            self._cause(cause, at, by_cause[cause, at], sizes, confidence)
            for cause, at in sorted(by_cause)
        ]

    def _cause(
        self,
        cause: int,
        at: int,
        failures: Sequence[Failure],
        sizes: Mapping[str, int],
        confidence: float,
    ) -> Cause:
        of_query = Counter(one.query_id for one in failures)
        parts = np.array([of_query[query] for query in sizes], dtype=np.float64)
        wholes = np.array([*sizes.values()], dtype=np.float64)
        ends = ratio_interval(parts, wholes, confidence=confidence).within((0.0, 1.0))
        ranks = sorted(one.rank for one in failures if one.rank is not None)
        words = CAUSES[cause]
        if words == LOST:
            words = f"lost between {self.stages[at]} and {self.stages[at + 1]}"
        return Cause(
            words,
            len(failures),
            len(failures) / sum(sizes.values()),
            ends.low,
            ends.high,
            dict(of_query.most_common()),
            (ranks[0], median(ranks), ranks[-1]) if ranks else None,
            sum(one.earlier is not None for one in failures),
        )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FailureCauses(Page):
    """Why relevant documents are not among the first k of a run, or of two.

    Attributes
    ----------
    measure, where
        The measure whose cutoff and relevant documents these are, and where the documents are that
        it finds, such as "among the first 10".
    pipelines
        What each run did not find, a ``RunFailures`` each: one, or a baseline and another.
    slices
        {name: its queries}, as far as they have relevant documents.
    confidence
        Of the intervals.
    notes
        Further remarks.
    settings
        The conventions.
    """

    measure: str
    where: str
    pipelines: tuple[RunFailures, ...]
    slices: Mapping[str, Sequence[str]]
    confidence: float
    notes: list[str] = field(default_factory=list)
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def causes(self) -> list[Cause]:
        """The causes of the first run."""
        return self.pipelines[0].causes(self.confidence)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A dict for each document that a run did not find: ``run``, and what a ``Failure`` has."""
        return [{"run": run.run} | one._asdict() for run in self.pipelines for one in run.failures]

    @property
    def changes(self) -> list[dict[str, Any]]:
        """How many documents have one cause in the first run and another in the second.

        A dict each: ``baseline_cause``, ``run_cause`` and ``documents``, the most first; "found" is
        no failure.
        """
        if len(self.pipelines) < 2:
            return []
        first, second = (
            {(one.query_id, one.doc_id): one.cause for one in run.failures}
            for run in self.pipelines
        )
        pairs = Counter((first.get(key, FOUND), second.get(key, FOUND)) for key in first | second)
        return [
            {"baseline_cause": one, "run_cause": other, "documents": documents}
            for (one, other), documents in pairs.most_common()
            if one != other
        ]

    def _contents(self) -> dict[str, Any]:
        """Return what JSON has.

        Returns
        -------
        pipelines
            For each run ``run``, its ``stages``, ``relevant`` and ``not_found``, the ``causes``,
            and those by slice: ``slices``.
        relevant, not_found
            The number of relevant documents, and of those that are not among the first k.
        changes
            How many documents have one cause in the first run and another in the second.
        rows
            The documents that a run did not find.
        """
        return {
            "measure": self.measure,
            "where": self.where,
            "pipelines": [self._of_run(run) for run in self.pipelines],
            "changes": self.changes,
            "rows": self.rows,
            "confidence": self.confidence,
            "notes": self.notes,
            "settings": self.settings,
        }

    def _of_run(self, run: RunFailures) -> dict[str, Any]:
        return {
            "run": run.run,
            "stages": run.stages,
            "relevant": sum(run.relevant_by_query.values()),
            "not_found": len(run.failures),
            "causes": run.causes(self.confidence),
            "slices": {
                name: run.causes(self.confidence, queries) for name, queries in self.slices.items()
            },
        }

    def _table(self) -> dict[str, Any]:
        return columns_of(self.rows, "run", *Failure._fields)

    def parts_of(self, run: RunFailures, *, all_rows: bool = False) -> list[Part]:
        """Return what is shown of one run: a sentence, tables, and the queries of each cause."""
        not_found, relevant = len(run.failures), sum(run.relevant_by_query.values())
        of = (
            f"{counted(relevant, 'relevant document')} of "
            f"{counted(len(run.relevant_by_query), 'query', 'queries')}"
        )
        verb = "is" if (not_found or relevant) == 1 else "are"
        where = f"{self.where} {'by' if self.where == _RETRIEVED else 'of'} {run.run}"
        said = f"all {of} {verb} {where}"
        if not_found or not relevant:
            said = f"{not_found:,} of {of} {verb} not {where}"
        parts: list[Part] = [Title(said) if run is self.pipelines[0] else f"{said}."]
        causes = run.causes(self.confidence)
        if causes:
            parts += [self._grid(causes), *self._by_slice(run, causes)]
            parts += [_queries_of(one, all_rows=all_rows) for one in causes]
        return [*parts, _documents(run)] if all_rows and causes else parts

    def _blocks(self, *, all_rows: bool, wide: bool) -> list[Part]:  # noqa: ARG002
        blocks = [part for run in self.pipelines for part in self.parts_of(run, all_rows=all_rows)]
        if self.changes:
            names = (run.run for run in self.pipelines)
            rows = [[*map(str, (*one.values(),))] for one in self.changes]
            blocks += [
                Heading("Documents with another cause in the second run:"),
                MarkedTable([*names, "documents"], rows, 2),
            ]
        legend = [self.legend] if any(run.failures for run in self.pipelines) else []
        return [*blocks, Notes([*legend, *self.notes])]

    @property
    def legend(self) -> str:
        """What the columns of the tables are."""
        was_there = any(one.earlier for run in self.pipelines for one in run.failures)
        return (
            f"share: of the documents that are not {self.where}, with its "
            f"{self.confidence:.0%} interval over queries; ranks: in the last stage that has them"
            + f"; earlier: an earlier stage had them {self.where}"
            * was_there
        )

    def _grid(self, causes: Sequence[Cause]) -> MarkedTable:
        columns = [
            Column("cause", lambda one: one.cause),
            Column("documents", lambda one: f"{one.documents:,}"),
            Column("share", lambda one: _share(one.share)),
            Column(f"{self.confidence:.0%} interval", _interval),
            Column("queries", lambda one: f"{len(one.per_query):,}"),
        ]
        if any(one.ranks for one in causes):
            columns.append(Column("ranks (median)", _ranks))
        if any(one.earlier for one in causes):
            columns.append(Column("earlier", lambda one: f"{one.earlier:,}"))
        return table_of(columns, causes, keys=1)

    def _by_slice(self, run: RunFailures, causes: Sequence[Cause]) -> list[Part]:
        if not self.slices:
            return []
        rows = []
        for name, queries in self.slices.items():
            found = {one.cause: one for one in run.causes(self.confidence, queries)}
            relevant = sum(run.relevant_by_query.get(query, 0) for query in queries)
            shown = (
                f"{found[one.cause].documents:,} ({_share(found[one.cause].share)})"
                if one.cause in found
                else "0"
                for one in causes
            )
            not_found = sum(one.documents for one in found.values())
            rows.append([name, f"{relevant:,}", f"{not_found:,}", *shown])
        head = ["slice", "relevant", "not found", *(one.cause for one in causes)]
        return [Heading("By slice:"), MarkedTable(head, rows, 1)]


def _share(value: float) -> str:
    return UNKNOWN if math.isnan(value) else f"{value:.0%}"


def _interval(cause: Cause) -> str:
    return written_range(_share(cause.low), _share(cause.high))


def _ranks(cause: Cause) -> str:
    if cause.ranks is None:
        return ""
    lowest, middle, highest = cause.ranks
    if lowest == highest:
        return f"{lowest:.10g}"
    return f"{lowest:.10g} to {highest:.10g} ({middle:.10g})"


def where_of(measure: Measure) -> str:
    """Say where the documents that a measure finds are, as "among the first 10"."""
    if measure.budget is not None:
        return f"within {measure.budget}"
    k = getattr(measure, "k", None)
    return _RETRIEVED if k is None else f"among the first {k:,}"


def _queries_of(cause: Cause, *, all_rows: bool) -> str:
    """Name the queries of a cause, with the number of documents if there are several."""
    named = [
        f"{query} ({documents})" if documents > 1 else query
        for query, documents in cause.per_query.items()
    ]
    more = 0 if all_rows else len(named) - _SHOWN
    rest = f" and {more:,} more" if more > 0 else ""
    return f"{cause.cause}: {', '.join(named[:_SHOWN] if rest else named)}{rest}"


def _documents(run: RunFailures) -> MarkedTable:
    columns = [
        Column("query", lambda one: one.query_id),
        Column("document", lambda one: one.doc_id),
        Column("label", lambda one: number(one.label)),
        Column("cause", lambda one: one.cause),
        Column("last stage", lambda one: one.stage or ""),
        Column("rank", lambda one: number(one.rank)),
        Column("was among the first of", lambda one: one.earlier or ""),
    ]
    return table_of(columns, run.failures, keys=2, ids=[0, 1])
