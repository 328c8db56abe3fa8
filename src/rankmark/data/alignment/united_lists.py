"""The lists of several runs for the same queries, the union of each, and its fused rankings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankmark._core import fused_ranks, spread_rows
from rankmark.array_types import Bools, Floats, Ints, Ranks
from rankmark.data.alignment.aligned_run import Alignment, last_rank
from rankmark.data.alignment.segments import query_of_rows


class RunLists(NamedTuple):
    """One run's lists for Q queries, N documents in total, each list best first. Read-only.

    Parameters
    ----------
    starts
        (Q + 1,) int64: the list of query q is rows ``starts[q]`` to ``starts[q + 1]``; it is empty
        if the run does not answer the query.
    score
        (N,) float64, the scores, falling within a list.
    first, last
        (N,) int32, first and last rank, from 1, of the documents with the same score; both are the
        rank if ties are broken.
    """

    starts: Ints
    score: Floats
    first: NDArray[np.int32]
    last: NDArray[np.int32]

    @property
    def sizes(self) -> Ints:
        """The number of documents of each list: (Q,) int64."""
        return np.diff(self.starts)


class UnitedLists:
    """The lists of m runs for Q queries, and the union of their documents, U in total. Read-only.

    Parameters
    ----------
    starts
        (Q + 1,) int64: the documents of query q are numbers ``starts[q]`` to ``starts[q + 1]``,
        in the order in which the lists name them first.
    at
        (m, U) int32, the row of the document in the run's list of its query, from 0; -1 if the
        list does not contain it.
    lists
        The lists of each run.
    """

    def __init__(self, starts: Ints, at: NDArray[np.int32], lists: tuple[RunLists, ...]) -> None:
        self.starts = starts
        self.at = at
        self.lists = lists

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def query(self) -> Ints:
        """The number of the query of each document: (U,) int64."""
        return query_of_rows(self.starts)

    @cached_property
    def sizes(self) -> Ints:
        """The number of documents in the union of each query: (Q,) int64."""
        return np.diff(self.starts)

    @cached_property
    def present(self) -> Bools:
        """Which documents the list of each run contains: (m, U) bool."""
        return self.at >= 0

    @cached_property
    def count(self) -> Ints:
        """The number of lists that contain each document: (U,) int64, from 1."""
        count = np.zeros(self.at.shape[1], dtype=np.int64)
        for of_run in self.present:
            count += of_run
        return count

    @cached_property
    def ranks(self) -> Floats:
        """The rank of each document in each list, from 1, and 0 if it is absent: (m, U) float64.

        If ties are not broken, it is the mean rank of the tied documents.
        """
        means = ((lists.first + lists.last) / 2 for lists in self.lists)
        return np.stack([self.spread(run, mean) for run, mean in enumerate(means)])

    @cached_property
    def scores(self) -> Floats:
        """The score of each document in each list, NaN if it is absent: (m, U) float64."""
        given = (lists.score for lists in self.lists)
        return np.stack([self.spread(run, score, np.nan) for run, score in enumerate(given)])

    def spread(self, run: int, values: Floats, absent: float | Floats = 0.0) -> Floats:
        """Spread the values of a run's rows over the union.

        Parameters
        ----------
        run
            The number of the run.
        values
            (N,) float64, of the rows of its lists.
        absent
            The value of documents that a list does not contain: a number, or (Q,) float64.

        Returns
        -------
        (U,) float64.
        """
        if not isinstance(absent, np.ndarray):
            return self._spread(run, self.lists[run].starts, values, absent)
        spread = self._spread(run, self.lists[run].starts, values, 0.0)
        absentees = np.flatnonzero(self.at[run] < 0)
        spread[absentees] = absent[self.query[absentees]]
        return spread

    def by_row(self, run: int, values: Floats) -> Floats:
        """Spread values of rows, from 0, that are the same in all lists; 0 if it is absent."""
        return self._spread(run, np.zeros(len(self), dtype=np.int64), values, 0.0)

    def _spread(self, run: int, firsts: Ints, values: Floats, absent: float) -> Floats:
        spread = np.empty(self.at.shape[1])
        values = np.ascontiguousarray(values, dtype=np.float64)
        spread_rows(self.starts, self.at[run], firsts, values, absent, spread)
        return spread


@dataclass(slots=True, eq=False)
class JudgedUnion:
    """The documents of several lists, each once, and which of them are judged.

    Q judged queries with N documents in their lists, H of them judged.

    Parameters
    ----------
    starts
        (Q + 1,) int64, where the documents of each query begin.
    places
        Returns (N,) int64: of documents with equal scores, the one of the lower place comes first.
        It is called once, when a judged document ties.
    rows
        (H,) int64, the numbers of the judged documents from 0 to N, rising.
    judged
        The judged documents in any order of ranks, with the judgments of their queries.
    deepest
        The last rank that measures need; None for all.
    """

    starts: Ints
    places: Callable[[], Ints]
    rows: Ints
    judged: Alignment
    deepest: int | None = None
    _places: Ints | None = field(default=None, init=False, repr=False)

    def fused(
        self, values: Floats, weights: Floats, *, divisors: bool = False, threads: int = 1
    ) -> Iterator[Alignment]:
        """Rank the documents by fused scores, once for each row of weights.

        Parameters
        ----------
        values
            (m, N) float64, contiguous: what each list gives a document; 0 where it has none.
        weights
            (n, m) float64, contiguous. A score is the sum of weight * value over the lists, from
            the first to the last.
        divisors
            Whether it is the sum of weight / value, so that infinity gives nothing.
        threads
            The number of threads; no result depends on it.
        """
        if self._places is None and self.deepest is None:  # deep down, some are tied
            self._places = self.places()
        rank, first, last = self._counted(values, weights, divisors=divisors, threads=threads)
        if self._places is None and (first < last).any():
            self._places = self.places()
            rank, first, last = self._counted(values, weights, divisors=divisors, threads=threads)
        for row in range(len(weights)):
            yield self.ranked(rank[row], first[row], last[row], np.diff(self.starts))

    def _counted(
        self, values: Floats, weights: Floats, *, divisors: bool, threads: int
    ) -> tuple[Ranks, Ranks, Ranks]:
        """Return ranks, and the first and last rank of each score: (n, H) int32 each.

        Without the places of the documents, ranks are right if there are no ties.
        """
        shape = len(weights), len(self.rows)
        rank, first, last = (np.empty(shape, dtype=np.int32) for _ in range(3))
        places = self._places
        if places is None:
            places = np.zeros(self.starts[-1], dtype=np.int64)
        fused_ranks(
            self.starts,
            values.reshape(-1),
            weights.reshape(-1),
            divisors,
            places,
            self.judged.starts,
            self.rows,
            last_rank(self.deepest),
            rank.reshape(-1),
            first.reshape(-1),
            last.reshape(-1),
            threads,
        )
        return rank, first, last

    def ranked(self, rank: Ranks, first: Ranks, last: Ranks, retrieved: Ints) -> Alignment:
        """Align the judged documents at given ranks.

        Parameters
        ----------
        rank, first, last
            (H,) int32, in the order of ``rows``: the rank, and those of the documents with the same
            score; rank 0 for documents that are not retrieved.
        retrieved
            (Q,) int64, the number of documents retrieved.
        """
        query = query_of_rows(self.judged.starts)
        kept = np.flatnonzero(rank > 0)
        kept = kept[np.argsort(query[kept] << 32 | rank[kept], kind="stable")]
        counts = np.bincount(query[kept], minlength=len(self.starts) - 1)
        is_tied = bool((first[kept] < last[kept]).any())
        return self.judged.with_columns(
            starts=np.append(0, np.cumsum(counts)),
            rank=np.ascontiguousarray(rank[kept]),
            label=self.judged.label[kept],
            retrieved=retrieved,
            tie_first=np.ascontiguousarray(first[kept]) if is_tied else None,
            tie_last=np.ascontiguousarray(last[kept]) if is_tied else None,
            views=self.judged.views_at(kept),
        )
