"""Lists of several runs matched with judgments once, to be fused in many ways."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from rankmark.array_types import Floats, Ints
from rankmark.conventions import Conventions, ListTies, order_of_equals
from rankmark.data.alignment import Alignment, query_of_rows
from rankmark.data.alignment.tie_probabilities import queries_of
from rankmark.data.alignment.united_lists import JudgedUnion, UnitedLists
from rankmark.data.preparing.qrels import Qrels
from rankmark.data.preparing.run import Run
from rankmark.data.preparing.united_runs import UnitedPart, UnitedRuns, fused_source
from rankmark.errors import InputError
from rankmark.measures import Measure
from rankmark.measures.base.requirements import ABOVE_ZERO, needs_of
from rankmark.scoring.ranked import Ranked
from rankmark.verbs.fuse.method import Ballots, Method

_ROWS = 1 << 18  # of all lists, matched with judgments at a time
_BATCH = 64  # ways to fuse that are ranked together, which bounds memory


class Way(NamedTuple):
    """A way to fuse: a method with its parameters, and the weight of each run, (m,) float64."""

    method: Method
    weights: Floats


class JudgedLists:
    """The lists of m runs for some judged queries, and the judged documents among them.

    Parameters
    ----------
    queries
        The numbers of the queries, from 0, in judgment order.
    lists
        Their lists, and the union of these.
    union
        The judged documents in it.
    ranked
        The union, ranked by the numbers of its documents, under the conventions.
    is_broken
        Whether ties in lists are broken, so that each document has a rank of its own.
    threads
        The number of threads; no result depends on it.
    """

    def __init__(
        self,
        queries: slice,
        lists: UnitedLists,
        union: JudgedUnion,
        ranked: Ranked,
        *,
        is_broken: bool,
        threads: int,
    ) -> None:
        self.queries = queries
        self.lists = lists
        self.union = union
        self.ranked = ranked
        self._is_broken = is_broken
        self._threads = threads

    def scores(self, measure: Measure, ways: Sequence[Way]) -> Floats:
        """Score the queries for each way to fuse: (n_ways, Q) float64."""
        scores = np.empty((len(ways), len(self.union.judged.queries)))
        for number, alignment in self._ranked(ways):
            scores[number] = self.ranked.over(alignment).score(measure)
        return scores

    def score(self, measure: Measure, alignment: Alignment) -> Floats:
        """Score the queries of one alignment: (Q,) float64."""
        return self.ranked.over(alignment).score(measure)

    def _ranked(self, ways: Sequence[Way]) -> Iterator[tuple[int, Alignment]]:
        """Yield the number and the ranks of each way, those of the same values together."""
        by_method: dict[Method, list[int]] = {}
        for number, way in enumerate(ways):
            by_method.setdefault(way.method, []).append(number)
        for method, numbers in by_method.items():
            weights = np.array([ways[number].weights for number in numbers])
            values = self._values(method)
            if values is None:
                for number in numbers:
                    yield number, self._by_formula(ways[number])
                continue
            for first in range(0, len(numbers), _BATCH):
                batch = slice(first, first + _BATCH)
                fused = self.union.fused(
                    values,
                    np.ascontiguousarray(weights[batch]),
                    divisors=method.name == "RRF",
                    threads=self._threads,
                )
                yield from zip(numbers[batch], fused, strict=True)

    def _values(self, method: Method) -> Floats | None:
        """Return what weights multiply, or divide, in a method: (m, U) float64; None in others."""
        parameters = method.parameters
        ones = np.ones(len(self.lists.lists))
        if method.name == "wsum":
            with np.errstate(over="ignore", invalid="ignore"):
                found = np.ascontiguousarray(method.contributions(Ballots(self.lists, ones)))
            return _finite(found, method)
        if method.name == "RRF" and parameters["weighting"] == "factor" and self._is_broken:
            shift = parameters["k"] - 1 + parameters["origin"]
            return np.where(self.lists.present, shift + self.lists.ranks, np.inf)
        return None

    def _by_formula(self, way: Way) -> Alignment:
        """Rank by scores that the method itself computes."""
        ballots = Ballots(self.lists, way.weights)
        with np.errstate(over="ignore", invalid="ignore"):
            scores = _finite(np.ascontiguousarray(way.method.scores(ballots)[None]), way.method)
        (alignment,) = self.union.fused(scores, np.ones((1, 1)), threads=self._threads)
        return alignment

    def single(self, run: int) -> Alignment:
        """Rank the judged documents as the list of one run does."""
        lists, at = self.lists.lists[run], self.lists.at[run, self.union.rows]
        query = query_of_rows(self.union.judged.starts)
        row = np.where(at >= 0, at + lists.starts[query], 0)
        found = at >= 0
        first, last = (
            np.where(found, columns[row] if len(columns) else 0, 0).astype(np.int32)
            for columns in (lists.first, lists.last)
        )
        rank = np.where(found, at + 1, 0).astype(np.int32)
        return self.union.ranked(rank, first, last, lists.sizes)

    def ideal(self) -> Alignment:
        """Rank the judged documents of the union by their labels, best first."""
        judged = self.union.judged
        query = query_of_rows(judged.starts)
        order = np.lexsort((-judged.label, query))
        rank = np.empty(len(query), dtype=np.int32)
        rank[order] = np.arange(len(query)) - judged.starts[query] + 1
        return self.union.ranked(rank, rank, rank, np.diff(self.union.starts))

    def shallowest(self) -> Alignment:
        """Rank each judged document by its best rank in any list; several may share one."""
        at = self.lists.at[:, self.union.rows]
        best = np.where(at < 0, np.iinfo(np.int32).max, at).min(axis=0) + 1
        rank = best.astype(np.int32)
        return self.union.ranked(rank, rank, rank, np.diff(self.union.starts))


def _finite(scores: Floats, method: Method) -> Floats:
    """Refuse scores that have no order."""
    if not np.isfinite(scores).all():
        raise InputError(
            f"{method} gives scores that are not finite",
            "normalise the scores, or choose another method",
        )
    return scores


def judged_lists(
    qrels: Qrels,
    united: UnitedRuns,
    measure: Measure,
    conventions: Conventions,
    *,
    ties: ListTies,
    others: Sequence[Measure] = (),
    threads: int = 1,
) -> Iterator[JudgedLists]:
    """Match the unions of the lists with judgments, some of the judged queries at a time.

    Parameters
    ----------
    united
        The lists of the judged queries, in their order.
    measure, others
        By which fused runs are scored, and others by which only lists are.
    conventions
        Under which fused runs are evaluated.
    ties
        The rule for ties in lists, as ``fuse`` takes it.
    """
    needs = needs_of([measure, *others])._replace(deepest=None)
    needs = needs._replace(lowest=min(needs.lowest, ABOVE_ZERO))  # as evaluate has it
    rule: ListTies = order_of_equals(conventions.ties, by_input=False)
    begin = 0
    for part in united.parts(_ROWS, threads):
        end = begin + len(part.queries)
        starts, documents = part.lists.starts, part.lists.at.shape[1]
        # Each document is recognised by its rank, which is its number within its query.
        table = part.documents.table(np.arange(documents), -np.arange(documents, dtype=np.float64))
        numbered = Run.of(fused_source([table], {}))
        found = Ranked.of(qrels, numbered, conventions, needs=needs, may_differ=True)
        aligned = queries_of(found.alignment, begin, end)
        rows = starts[query_of_rows(aligned.starts)] + aligned.rank - 1
        yield JudgedLists(
            slice(begin, end),
            part.lists,
            JudgedUnion(
                starts,
                partial(_places, part, rule, threads),
                rows,
                aligned,
                measure.needs().deepest,
            ),
            found.over(aligned),
            is_broken=ties != "mean",
            threads=threads,
        )
        begin = end


def _places(part: UnitedPart, rule: ListTies, threads: int) -> Ints:
    """Return the place of each document if all scores were equal: (U,) int64."""
    documents = part.lists.at.shape[1]
    places = np.empty(documents, dtype=np.int64)
    places[part.documents.order(np.zeros(documents), rule, threads)] = np.arange(documents)
    return places
