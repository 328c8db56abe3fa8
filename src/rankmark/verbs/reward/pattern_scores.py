"""The values of rankings by their patterns, or one by one where no pattern tells them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankmark.array_types import Bools, Floats
from rankmark.conventions import Conventions
from rankmark.data.alignment import LAST_RANK, Alignment
from rankmark.data.contract.resources import cores
from rankmark.data.contract.source import COUNTS
from rankmark.data.preparing.matching import RunFacts
from rankmark.data.preparing.parents import DocumentsOfUnits
from rankmark.data.preparing.qrels import Qrels
from rankmark.data.preparing.ranking_patterns import (
    NOT_PLAIN,
    PatternColumns,
    Patterns,
    RefusedUnits,
)
from rankmark.data.preparing.units import document_of
from rankmark.measures import Measure
from rankmark.measures.base.requirements import needs_of
from rankmark.measures.names import is_built_in
from rankmark.scoring.ranked import Ranked
from rankmark.scoring.term_tables import divisors, tabulated

# What large batches take in memory stays bounded.
_RANKINGS_AT_A_TIME = 1 << 18
_ROWS_AT_A_TIME = 1 << 20  # of alignments


class PatternScores:
    """Scores rankings of single queries by their patterns.

    Parameters
    ----------
    qrels
        Prepared judgments.
    conventions
        Those of all measures; ties may be left without an order.
    measures
        At least one.
    parents
        The documents of the units in rankings; None if conventions tell them, or there are none.
    """

    def __init__(
        self,
        qrels: Qrels,
        conventions: Conventions,
        measures: Sequence[Measure],
        parents: DocumentsOfUnits | None = None,
    ) -> None:
        self._conventions = conventions
        self._measures = tuple(measures)
        needs = needs_of(self._measures)
        ordered = conventions.ordered()
        self._cut = None
        if conventions.unordered is not None and conventions.depth is not None:
            # The core would also cut ties; see match_unordered.
            self._cut = min(conventions.depth, LAST_RANK)
            ordered = replace(ordered, depth=None, judged_only=False)
            needs = needs._replace(lowest=-math.inf, deepest=self._cut)
        alike = all(map(is_built_in, measures))  # others may look at the query's id
        if not alike:  # or count what lies deeper
            needs = needs._replace(deepest=None)
        self._patterns = Patterns(qrels, ordered, needs, alike=alike, parents=parents)
        self.find: Callable[[Any, Any], bytes | None] = self._patterns.find
        """Find a ranking's pattern; see ``Patterns``."""
        is_sum = tabulated(self._patterns, self._measures, conventions)
        self.values: Callable[[Any, Any], Any] | None = self._patterns.values if is_sum else None
        """Add up values without a pattern, if all measures are sums; see ``Patterns``."""
        self._step = max(1, _ROWS_AT_A_TIME // (1 + self._patterns.most_judged))

    def has(self, query: str) -> bool:
        """Return whether a query is judged."""
        return bool(self.find(query, []))

    def score_plain(self, query: str, ranking: list[Any]) -> Floats:
        """Score a ranking of a judged query, a list of ids or of pairs: (M,) float64."""
        return self.score(self.find(query, ranking) or b"")

    def try_all(self) -> None:
        """Score an empty ranking of each query, which raises MeasureError if that is impossible."""
        self._scored_all(self._patterns.empty())

    def score(self, pattern: bytes) -> Floats:
        """Score the rankings of a pattern: (M,) float64."""
        a = self._patterns.aligned(pattern)
        if self.values is not None:  # for the next ranking of the query, or one like it
            what = "divisors", int(a.retrieved[0])
            known = a.of_ideal(what, lambda: divisors(self._measures, a))
            self._patterns.learn_divisors(pattern, known)
        return self._scored(a)[0]

    def score_all(self, query_ids: list[Any], rankings: list[Any]) -> tuple[Floats, Bools]:
        """Score n rankings: (n, M) float64, and (n,) bool, whether ``find`` finds their patterns.

        The scores of all others, and of queries that are not judged, are NaN.
        """
        scores = np.full((len(rankings), len(self._measures)), np.nan)
        plain = np.ones(len(rankings), dtype=np.bool_)
        for begin in range(0, len(rankings), _RANKINGS_AT_A_TIME):
            some = slice(begin, begin + _RANKINGS_AT_A_TIME)
            try:
                numbers, columns = self._patterns.find_all(query_ids[some], rankings[some], cores())
            except RefusedUnits:  # of a ranking with a unit that has no document
                self._score_each(query_ids[some], rankings[some], scores[some], plain[some])
                continue
            found = numbers >= 0
            scores[some][found] = self._scored_all(columns)[numbers[found]]
            plain[some] = numbers != NOT_PLAIN
        return scores, plain

    def _score_each(
        self, query_ids: list[Any], rankings: list[Any], scores: Floats, plain: Bools
    ) -> None:
        """Score rankings one by one into ``scores``; those that are refused are not ``plain``."""
        known: dict[bytes, Floats] = {}
        for row, (query_id, ranking) in enumerate(zip(query_ids, rankings, strict=True)):
            try:
                pattern = self.find(query_id, ranking)
            except RefusedUnits:
                pattern = None
            plain[row] = pattern is not None
            if pattern:
                if pattern not in known:
                    known[pattern] = self.score(pattern)
                scores[row] = known[pattern]

    def _scored_all(self, columns: PatternColumns) -> Floats:
        """Score the rankings of patterns, a part of them at a time: (P, M) float64."""
        count = len(columns.queries)
        parts = [
            self._scored(alignment)
            for begin in range(0, count, self._step)
            for alignment in self._patterns.aligned_all(
                columns.part(begin, min(begin + self._step, count))
            )
        ]
        return np.concatenate([np.zeros((0, len(self._measures))), *parts])

    def _scored(self, alignment: Alignment) -> Floats:
        """Score each ranking: (P, M) float64."""
        ranked = self._ranked(alignment)
        scores = np.empty((len(alignment.retrieved), len(self._measures)))
        for column, measure in enumerate(self._measures):
            scores[:, column] = ranked.score(measure)
        return scores

    def _ranked(self, alignment: Alignment) -> Ranked:
        if self._conventions.unordered is None:
            return Ranked(alignment, _NO_FACTS, self._conventions)
        from rankmark.scoring.ties import Case, cut_unordered  # noqa: PLC0415  (rarely used)

        if self._cut is None:
            cases = [Case.certain(alignment)]
            return Ranked(alignment, _NO_FACTS, self._conventions, cases)
        counts = np.zeros((COUNTS, len(alignment.retrieved)), dtype=np.int64)
        facts, condensed = _NO_FACTS._replace(counts=counts), self._conventions.judged_only
        cut = cut_unordered(alignment, facts, self._cut, judged_only=condensed)
        return Ranked(cut[0], cut[1], self._conventions, cut[2])


_NO_FACTS = RunFacts(np.zeros((COUNTS, 0), dtype=np.int64), False, 0, [], 0, 0, 0, False)  # noqa: FBT003


class JudgedElsewhere:
    """Scores rankings of single queries, in which documents judged for other queries have label 0.

    Parameters
    ----------
    qrels, conventions, measures, parents
        As for ``PatternScores``.
    """

    values = None

    def __init__(
        self,
        qrels: Qrels,
        conventions: Conventions,
        measures: Sequence[Measure],
        parents: DocumentsOfUnits | None = None,
    ) -> None:
        self._conventions = conventions
        self._measures = measures
        self._parents = parents
        self._judged = qrels.by_query()
        self._anywhere = frozenset(qrels.doc_ids)

    def find(self, query_id: Any, ranking: Any) -> bytes | None:  # noqa: ARG002
        """Find no pattern: the judgments of one query do not tell the values."""
        return None

    def score(self, pattern: bytes) -> Floats:
        """Refuse, as there are no patterns."""
        raise NotImplementedError(pattern)

    def score_all(self, query_ids: list[Any], rankings: list[Any]) -> tuple[Floats, Bools]:  # noqa: ARG002
        """Find no pattern for any of n rankings: (n, M) NaN, and (n,) False."""
        scores = np.full((len(rankings), len(self._measures)), np.nan)
        return scores, np.zeros(len(rankings), dtype=np.bool_)

    def has(self, query: str) -> bool:
        """Return whether a query is judged."""
        return query in self._judged

    def score_plain(self, query: str, ranking: list[Any]) -> Floats:
        """Score a ranking of a judged query, a list of ids or of pairs: (M,) float64."""
        ids = [one if isinstance(one, str) else one[0] for one in ranking]
        ids = [self._document_of(one) for one in ids]
        elsewhere = {doc_id: 0.0 for doc_id in ids if doc_id in self._anywhere}
        qrels = Qrels({query: elsewhere | self._judged[query]}, contents="labels")
        scores = PatternScores(qrels, self._conventions, self._measures, self._parents)
        return scores.score_plain(query, ranking)

    def _document_of(self, doc_id: str) -> str:
        """Return the document of a unit; an id of another kind as it is."""
        if self._parents is not None:
            return self._parents.documents.get(doc_id, doc_id)
        separator = self._conventions.unit
        return doc_id if separator is None else document_of(doc_id, separator)

    def try_all(self) -> None:
        """Do nothing: such measures can be computed from any judgments."""
