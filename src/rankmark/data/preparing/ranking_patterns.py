"""What measures see of single rankings: found by hashed judgments, and made into an Alignment."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np

from rankmark._core import LimitFault, RankingOptions, RankingPatterns
from rankmark.array_types import Floats, Ints, Ranks
from rankmark.conventions import Conventions, limit
from rankmark.data.alignment import Alignment, Needs
from rankmark.data.alignment.cache import Cache
from rankmark.data.contract.reading_options import ONE_THREAD
from rankmark.data.mappings.nested_mapping import NestedMapping
from rankmark.data.preparing.matching import refuse_no_subtopics, with_labels
from rankmark.data.preparing.parents import DocumentsOfUnits
from rankmark.data.preparing.qrels import Qrels
from rankmark.data.preparing.units import combined
from rankmark.errors import SchemaError, shown

NOT_PLAIN = -2
"""In the place of a pattern's number: ``find`` returns None."""
RefusedUnits = LimitFault
"""Raised for a ranking with a unit that has no document, or whose units have no sum."""


class PatternColumns(NamedTuple):
    """P patterns, and their H hits, as the columns of an alignment.

    ``queries``, (P,) int64, are numbers of queries whose judgments look like those of the ranking.
    """

    queries: Ints
    starts: Ints
    rank: Ranks
    label: Floats
    retrieved: Ints
    tie_first: Ranks | None
    tie_last: Ranks | None

    def part(self, begin: int, end: int) -> Self:
        """Keep the patterns from number ``begin`` to before ``end``."""
        starts = self.starts[begin : end + 1]
        rows = slice(starts[0], starts[-1])
        return type(self)(
            self.queries[begin:end],
            starts - starts[0],
            self.rank[rows],
            self.label[rows],
            self.retrieved[begin:end],
            None if self.tie_first is None else self.tie_first[rows],
            None if self.tie_last is None else self.tie_last[rows],
        )


class Patterns:
    """Finds the patterns of rankings: all that some measures see of them, as bytes.

    Rankings with the same pattern have the same values. It can be used by several threads.

    Parameters
    ----------
    qrels
        Prepared judgments, which are hashed here, once.
    conventions
        How rankings are read; those for ``queries``, ``no_relevant`` and ties without an order are
        left to the caller.
    needs
        What the measures depend on.
    alike
        Whether queries whose ideal rankings have the same labels have the same values.
    parents
        The documents of the units in rankings, unless ``conventions.unit`` tells them.
    """

    def __init__(
        self,
        qrels: Qrels,
        conventions: Conventions,
        needs: Needs,
        *,
        alike: bool = True,
        parents: DocumentsOfUnits | None = None,
    ) -> None:
        refuse_no_subtopics(qrels, needs)
        self._numbered = qrels.subtopics is not None or qrels.groups is not None
        if self._numbered:  # the core has document numbers in place of labels
            needs = needs._replace(lowest=-math.inf, ideal=None)
        self._qrels = qrels
        self._subtopics = needs.subtopics
        self._condensed = conventions.judged_only
        self._ideal = qrels.ideal(needs)[:2]
        ranking = RankingOptions(
            *conventions.for_core, needs.lowest, limit(needs.deepest), ONE_THREAD.bytes_held
        )
        self._ranking = combined(ranking, conventions, None, has_parents=parents is not None)
        if parents is not None:
            self._ranking = self._ranking.of_units_in(parents.of_core)
        by_label = self._ideal if alike and not self._numbered else (None, None)
        self._core = RankingPatterns(qrels.judgments, self._ranking, *by_label)
        self._ideals = Cache()
        self.find: Callable[[Any, Any], Any] = self._core.find
        """Find the pattern of a query's ranking: bytes, empty if the query is not judged.

        The ranking is a list or tuple of ids, best first, or of pairs (id, score), or a dict
        ``{id: score}``; None is returned if it has anything but text and plain numbers. It raises
        RefusedUnits where a unit has no document, or units without scores have no sum.
        """

        self.find_scores: Callable[[Any, Any], Any] = self._core.find_scores
        """Find the same for a dict ``{id: score}`` of text that is not empty; None for all else."""

        self.tabulate: Callable[[Floats, int, list[tuple[float, Floats]]], None] = (
            self._core.tabulate
        )
        """Take the terms of measures that are sums; see ``scoring.term_tables``."""

        self.learn_divisors: Callable[[bytes, Floats], None] = self._core.learn_divisors
        """Learn the (M,) divisors of all rankings of a pattern's query with as many documents."""

        self.values: Callable[[Any, Any], Any] = self._core.values
        """Add up the M values of a query's ranking, a tuple, without a pattern.

        None if ``find`` finds no pattern, the divisors were not learned, or a term is not known.
        """

        self.values_of_scores: Callable[[Any, Any], Any] = self._core.values_of_scores
        """Do the same where ``find_scores`` finds a pattern."""

    def find_all(
        self, query_ids: list[Any], rankings: list[Any], threads: int
    ) -> tuple[Ranks, PatternColumns]:
        """Find the patterns of n rankings: (n,) numbers, and the distinct patterns.

        A number may be ``NOT_PLAIN``, or -1 where the query is not judged.
        """
        numbers, columns = self._core.find_all(query_ids, rankings, threads)
        return numbers, PatternColumns(*columns)

    @property
    def most_judged(self) -> int:
        """The highest number of a query's judged documents that are needed."""
        return int(np.diff(self._ideal[0]).max(initial=0))

    @property
    def labels(self) -> Floats | None:
        """The labels of all judged documents, (J,) float64; None with subtopics or groups."""
        return None if self._numbered else self._qrels.judgments.labels()

    def empty(self) -> PatternColumns:
        """Return the patterns of an empty ranking of each query."""
        queries = len(self._qrels.query_ids)
        none, rows = np.zeros(queries, dtype=np.int64), np.zeros(0)
        starts = np.zeros(queries + 1, dtype=np.int64)
        ranks = rows.astype(np.int32)
        return PatternColumns(np.arange(queries), starts, ranks, rows, none, None, None)

    @property
    def is_grouped(self) -> bool:
        """Whether judgments are in groups, so that patterns can only be aligned one by one."""
        return self._qrels.groups is not None

    def aligned(self, pattern: bytes) -> Alignment:
        """Align the ranking of one pattern."""
        return self._aligned_one(PatternColumns(*self._core.columns(pattern)))

    def aligned_all(self, columns: PatternColumns) -> list[Alignment]:
        """Align the rankings of patterns: together, unless they have to be aligned one by one."""
        if not self.is_grouped:
            return [self._aligned(columns)]
        return [
            self._aligned_one(columns.part(row, row + 1)) for row in range(len(columns.queries))
        ]

    def _aligned_one(self, columns: PatternColumns) -> Alignment:
        """Align one ranking, with what was computed of its query before."""
        query = int(columns.queries[0])
        ideal = self._ideals.get(query)
        if ideal is None:
            starts, label = self._ideal
            rows = slice(starts[query], starts[query + 1])
            held = np.array([0, rows.stop - rows.start])
            ideal = self._ideals.keep(query, (held, label[rows], rows, Cache()))
        starts, label, rows, known = ideal
        queries = (self._qrels.query_ids[query],)
        return self._with_labels(_alignment(queries, columns, starts, label, known), rows, query)

    def _aligned(self, columns: PatternColumns) -> Alignment:
        starts, label = self._ideal
        first = starts[columns.queries]
        counts = starts[columns.queries + 1] - first
        ends = np.append(0, np.cumsum(counts))
        rows = np.arange(ends[-1]) + np.repeat(first - ends[:-1], counts)
        ids = self._qrels.query_ids
        queries = [ids[query] for query in columns.queries.tolist()]
        return self._with_labels(_alignment(queries, columns, ends, label[rows], Cache()), rows, -1)

    def _with_labels(self, a: Alignment, rows: Any, query: int) -> Alignment:
        """Replace document numbers by the documents' highest labels, if the core has these."""
        if not self._numbered:
            return a
        groups, ideal = self._qrels.groups, self._qrels.ideal_documents[rows]
        if groups is not None:
            groups = groups.of_query(query, condensed=self._condensed)
        return with_labels(a, self._qrels, ideal, groups, subtopics=self._subtopics)


def _alignment(
    queries: Any, columns: PatternColumns, starts: Ints, label: Floats, known: Cache
) -> Alignment:
    # By position, as keywords cost time in small calls.
    return Alignment(
        queries,
        columns.starts,
        columns.rank,
        columns.label,
        columns.retrieved,
        starts,
        label,
        columns.tie_first,
        columns.tie_last,
        _ideal=known,
    )


def plain_ranking(query_id: str, ranking: Any) -> list[Any]:
    """Return a query's ranking in any form as a list of ids, or of pairs (id, score)."""
    if isinstance(ranking, (str, bytes)):
        raise SchemaError(f"found {shown(ranking)}", "need a list of ids", where=query_id)
    source = NestedMapping({query_id: ranking}, "run")
    judged = Qrels.of(NestedMapping({query_id: {"": 0.0}}, "qrels"))
    source.align_run(judged, _FIRST_ROWS, ONE_THREAD, by_rank=False)  # refuses what is wrong
    rows = source.rows(ONE_THREAD, lenient=False)
    ids = [rows.doc_ids(code) for code in np.asarray(rows.doc_codes).tolist()]
    return ids if rows.number is None else list(zip(ids, rows.number.tolist(), strict=True))


_FIRST_ROWS = RankingOptions("docid", limit(None), False, False, "first", False, 0.0, limit(None))  # noqa: FBT003
