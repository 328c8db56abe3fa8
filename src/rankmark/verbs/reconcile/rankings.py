"""A run under any conventions, read as rarely as possible, and one number of its scores."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from rankmark.array_types import Bools, Floats, Ints, exact_sum
from rankmark.conventions import Conventions
from rankmark.data.alignment import Alignment, Needs, query_of_rows
from rankmark.data.alignment.aligned_run import condensed
from rankmark.data.alignment.tie_probabilities import tie_columns
from rankmark.data.contract.reading_options import Reading
from rankmark.data.preparing.item_data import ItemData
from rankmark.data.preparing.matching import RunFacts
from rankmark.data.preparing.qrels import Qrels
from rankmark.data.preparing.run import Run
from rankmark.errors import InputError
from rankmark.measures import Measure
from rankmark.measures.base.tie_handling import ORDERS_TRIED
from rankmark.measures.of_runs.run_measure import RunMeasure
from rankmark.scoring.aggregates import LEAST_IN_GMEAN
from rankmark.scoring.list_scores import of_all, ranked_lists
from rankmark.scoring.query_scores import set_no_relevant
from rankmark.scoring.ranked import Ranked
from rankmark.scoring.ties import cut_unordered

Order = Literal["", "negated", "reversed"]
"""Orders that no convention of ``evaluate`` names: rising scores, and ties against the input."""

_FEW = 20_000  # judged documents retrieved
_FEW_TIED = 100  # of them


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """A run ranked under some conventions.

    Parameters
    ----------
    ranked
        With all judged documents that were retrieved.
    key
        The same for rankings that give the same scores.
    weights
        (Q,) float64, the weight of each judged query in means; None if all count alike.
    """

    ranked: Ranked
    key: bytes
    weights: Floats | None = None

    @property
    def alignment(self) -> Alignment:
        """All judged documents that were retrieved."""
        return self.ranked.alignment

    @property
    def facts(self) -> RunFacts:
        """Facts about the run."""
        return self.ranked.facts

    def scores(self, measure: Measure) -> Floats:
        """Score each judged query: (Q,) float64."""
        if isinstance(measure, RunMeasure):  # a number of the run stands for each query
            return np.full(len(self.alignment.retrieved), self.number(measure, None))
        values, _ = self.ranked.raw(measure)
        if not self.ranked.cases:
            self.alignment.clear_cache()
        return values

    def number(self, measure: RunMeasure, rows: Ints | None) -> float:
        """Return the number of the lists of some queries together; None for all."""
        return of_all(measure, self.ranked, rows).value

    def is_slow(self, measure: Measure) -> bool:
        """Return whether so many orders of ties must be tried that a search cannot wait."""
        handling, cases = measure.tie_handling, self.ranked.cases
        if not cases or (handling.together and len(cases) == 1):
            return False
        first, last = tie_columns(self.alignment)
        if len(first) <= _FEW and int((first != last).sum()) <= _FEW_TIED:
            return False
        if self.ranked.conventions.unordered == "mean":
            return handling.expected(measure, self.alignment) is None
        return handling is ORDERS_TRIED or not handling.best_is_sorted(measure)


class Rankings:
    """The rankings of one run under the conventions for documents.

    Depth and ``judged_only`` are applied to alignments that were read without them; only other
    orders of documents, and orders that are not fixed, need the run again.
    """

    def __init__(
        self,
        qrels: Qrels,
        run: Run,
        reading: Reading,
        *,
        subtopics: bool,
        weights: Floats | None = None,
        items: ItemData | None = None,
    ) -> None:
        self.qrels: Qrels = qrels
        self.run: Run = run
        self._needs = Needs(subtopics=subtopics)
        self._reading = reading
        self._weights = weights
        self._items = items
        self._read: dict[Conventions, Ranking | None] = {}
        self._made: dict[tuple[Conventions, Order], Ranking | None] = {}

    def under(self, conventions: Conventions, order: Order = "") -> Ranking | None:
        """Return the ranking under conventions; None if the run does not allow them."""
        conventions = replace(conventions, queries="judged", no_relevant="zero")
        if (conventions, order) not in self._made:
            found = self._ranking(conventions, order)
            if found is not None and self._weights is not None:
                found = replace(found, weights=self._weights)
            self._made[conventions, order] = found
        return self._made[conventions, order]

    def _ranking(self, conventions: Conventions, order: Order) -> Ranking | None:
        whole = replace(conventions, depth=None, judged_only=False)
        if conventions.unordered is not None:
            ordered = None if self._items is not None else self.under(whole.ordered(), order)
            if ordered is None or self.qrels.groups is not None or order == "reversed":
                return None
            if not _tied(ordered.alignment):
                return self.under(conventions.ordered(), order)
            return _unordered(ordered, conventions)
        plain = self._ordered(replace(whole, ties="input") if order == "reversed" else whole)
        if plain is not None and order:
            plain = _reordered(plain, order)
        if plain is None or conventions == whole:
            return plain
        if plain.alignment.views:  # documents of views cannot be left out here
            return self._ordered(conventions)
        cut = _cut(plain.alignment, conventions.depth)
        return _ranking(plain.ranked.over(condensed(cut) if conventions.judged_only else cut))

    def read(self, conventions: Conventions) -> Ranking:
        """Read the run with ties in order."""
        qrels, run, reading = self.qrels, self.run, self._reading
        if self._items is None:
            found = Ranked.of(qrels, run, conventions, needs=self._needs, reading=reading)
        else:
            found, _ = ranked_lists(qrels, run, conventions, self._items, None, reading)
        ranking = self._read[conventions] = _ranking(found)
        return ranking

    def _ordered(self, conventions: Conventions) -> Ranking | None:
        if conventions not in self._read:
            try:
                return self.read(conventions)
            except InputError:
                self._read[conventions] = None
        return self._read[conventions]


def _ranking(ranked: Ranked) -> Ranking:
    content, alignment = hashlib.blake2b(digest_size=16), ranked.alignment
    columns: list[np.ndarray[Any, Any]] = [
        alignment.starts,
        alignment.rank,
        alignment.label,
        alignment.retrieved,
        *tie_columns(alignment),
        *(view.document for view in alignment.views.values()),
    ]
    for column in columns:
        content.update(np.ascontiguousarray(column).data)
    return Ranking(ranked, content.digest())


def _unordered(ordered: Ranking, conventions: Conventions) -> Ranking:
    """Return the ranking in which the order of ties is not fixed, from the whole one."""
    a, depth = ordered.alignment, conventions.depth
    first, _ = tie_columns(a)
    if depth is not None and int(a.retrieved.max(initial=0)) > depth:
        reached = _rows(a, first <= depth)
        judged_only = conventions.judged_only
        a, _, cases = cut_unordered(reached, ordered.facts, depth, judged_only=judged_only)
        ranked = Ranked(a, ordered.facts, conventions, cases)
    else:
        alike = ordered.ranked._replace(conventions=conventions)
        ranked = alike.over(condensed(a) if conventions.judged_only else a)
    return Ranking(ranked, ordered.key + repr(conventions).encode("utf-8", "surrogatepass"))


def _tied(a: Alignment) -> bool:
    first, last = tie_columns(a)
    return bool((first != last).any())


def _reordered(plain: Ranking, order: Order) -> Ranking | None:
    """Return the ranking by rising scores, or with ties turned round; None if it is unknown."""
    a = plain.alignment
    if a.views:  # documents of views cannot be moved here
        return None
    first, last = tie_columns(a)
    if order == "reversed":
        rank = first + last - a.rank
    else:
        behind = a.retrieved[query_of_rows(a.starts)] + 1
        rank = behind - last + a.rank - first
        first, last = behind - last, behind - first
    rows = np.lexsort((rank, query_of_rows(a.starts)))
    columns = [column[rows].astype(np.int32) for column in (rank, first, last)]
    moved = a.with_columns(
        rank=columns[0],
        label=a.label[rows],
        tie_first=None if a.tie_first is None else columns[1],
        tie_last=None if a.tie_last is None else columns[2],
    )
    return _ranking(plain.ranked.over(moved))


def _cut(a: Alignment, depth: int | None) -> Alignment:
    """Leave out the documents beyond a depth."""
    if depth is None or int(a.retrieved.max(initial=0)) <= depth:
        return a
    within = a.rank <= depth
    return _rows(a, within, retrieved=np.minimum(a.retrieved, depth))


def _rows(a: Alignment, kept: Bools, **columns: object) -> Alignment:
    """Keep some rows, given as a mask."""
    before = np.append(0, np.cumsum(kept))
    return a.with_columns(
        starts=before[a.starts],
        rank=a.rank[kept],
        label=a.label[kept],
        tie_first=None if a.tie_first is None else a.tie_first[kept],
        tie_last=None if a.tie_last is None else a.tie_last[kept],
        **columns,
    )


_WITHOUT_WEIGHTS = {"pooled", "aggregate", "divisor"}
"""Other ways to make one number of scores, which nobody weighs."""


class Scores:
    """The scores of one measure on one ranking, and what is averaged of them.

    Parameters
    ----------
    ranking, measure
        What is scored.
    subset
        Whether each judged query is in the caller's subset: (Q,) bool; None without one.
    """

    def __init__(self, ranking: Ranking, measure: Measure, subset: Bools | None) -> None:
        self.measure = measure
        self.of_queries: Floats = ranking.scores(measure)
        self._ranking = ranking
        self._subset = subset
        self._sums: dict[tuple[Any, ...], tuple[float, float]] = {}

    def rows(self, average: Mapping[str, Any]) -> Ints:
        """Return the numbers of the queries that are averaged, in judgment order: (n,) int64.

        Parameters
        ----------
        average
            Choices for ``queries`` and ``no_relevant``, as far as they differ from the defaults.
        """
        values = self.by_query(average.get("no_relevant", "zero"))
        averaged = np.ones(len(values), dtype=bool)
        queries = average.get("queries", "judged")
        if queries == "both":
            averaged = np.asarray(self._ranking.facts.answered) != 0
        elif queries in {"subset", "listed"} and self._subset is not None:
            averaged = self._subset.copy()
        elif queries == "positive":
            averaged = values > 0
        if average.get("no_relevant") == "skip" or self.measure.may_lack_value:
            averaged &= ~np.isnan(values)
        return np.flatnonzero(averaged)

    def averaged(self, average: Mapping[str, Any]) -> Floats:
        """Return the scores of the queries that are averaged: (n,) float64; (1,) of a run."""
        values = self._of_rows(average)
        if "rounded_queries" in average:
            values = np.round(values, average["rounded_queries"])
        return values

    def of_averaged(self, average: Mapping[str, Any]) -> Floats:
        """Return the score of each judged query, NaN where it is not averaged: (Q,) float64."""
        values, rows = np.full(len(self.of_queries), math.nan), self.rows(average)
        values[rows] = self._of_rows(average)
        return values

    def _of_rows(self, average: Mapping[str, Any]) -> Floats:
        rows = self.rows(average)
        if isinstance(self.measure, RunMeasure):
            return np.array([self._ranking.number(self.measure, rows)])
        return self.by_query(average.get("no_relevant", "zero"))[rows]

    def by_query(self, no_relevant: str = "zero") -> Floats:
        """Return the score of each judged query, NaN for those left out: (Q,) float64."""
        if no_relevant == "zero":
            return self.of_queries
        values = self.of_queries.copy()
        conventions = Conventions(no_relevant=no_relevant)  # type: ignore[arg-type]
        set_no_relevant(self.measure, self._ranking.alignment, conventions, values)
        return values

    @property
    def found(self) -> Floats | None:
        """The relevant documents up to the cutoff: (Q,) float64; None if it does not count them."""
        if self.measure.name not in {"P", "R"} or self._ranking.ranked.cases:
            return None
        rel, k = self.measure.rel, self.measure.k  # type: ignore[attr-defined]
        return np.asarray(self._ranking.alignment.found(rel, k), dtype=np.float64)

    def _pooled(self, average: Mapping[str, Any]) -> float:
        """Return all relevant documents found, divided by the sum of what queries divide by."""
        found, a = self.found, self._ranking.alignment
        if found is None:
            return math.nan
        k, relevant = self.measure.k, a.num_relevant(self.measure.rel)  # type: ignore[attr-defined]
        counted = a.retrieved if average["pooled"] == "retrieved" else relevant
        if k is not None and average["pooled"] != "relevant":
            counted = np.minimum(counted, k)
        rows = self.rows(average)
        total = float(counted[rows].sum())
        return float(found[rows].sum()) / total if total else math.nan

    def value(self, average: Mapping[str, Any]) -> float:
        """Return the mean, or another aggregate, under some choices; NaN if there is none."""
        if self._ranking.weights is not None and average.keys() & _WITHOUT_WEIGHTS:
            return math.nan
        if "pooled" in average:
            return self._pooled(average)
        aggregate = average.get("aggregate", self.measure.aggregate)
        if aggregate == "median":
            values = self.averaged(average)
            return float(np.median(values)) if len(values) else math.nan
        total, count = self._sum(average, aggregate)
        divisor: float = count
        if average.get("divisor") == "run":
            facts = self._ranking.facts
            divisor = int(np.count_nonzero(facts.answered)) + facts.run_only
        else:
            divisor = count + average.get("divisor", 0)
        if aggregate == "sum" and self._ranking.weights is None:  # weighted counts are averaged
            return total
        if divisor <= 0:
            return math.nan
        return math.exp(total / divisor) if aggregate == "gmean" else total / divisor

    def _sum(self, average: Mapping[str, Any], aggregate: str) -> tuple[float, float]:
        """Return the weighted sum of scores, or of their logarithms, and the sum of weights."""
        names = ("queries", "no_relevant", "rounded_queries")
        what = (aggregate == "gmean", *(average.get(name) for name in names))
        if what not in self._sums:
            values = self.averaged(average)
            if aggregate == "gmean":
                values = np.log(np.maximum(values, LEAST_IN_GMEAN))
            weights, count = self._ranking.weights, float(len(values))
            if weights is not None and not isinstance(self.measure, RunMeasure):
                of_queries = weights[self.rows(average)]
                values, count = values * of_queries, exact_sum(of_queries)
            self._sums[what] = exact_sum(values), count
        return self._sums[what]
