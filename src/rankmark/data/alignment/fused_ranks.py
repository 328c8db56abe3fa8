"""Ranks of judged documents in fused lists, for many weights, by counting in the core."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from rankmark._core import fused_ranks
from rankmark.data.alignment.aligned_run import Alignment, last_rank, query_of_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rankmark.array_types import Floats, Ints, Ranks


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
