"""Ranks of judged documents in fused lists, for many weights, by counting in the core."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark._core import fused_ranks
from rankmark.alignment.aligned_run import Alignment, last_rank, query_of_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankmark.array_types import Floats, Ints, Ranks


class JudgedUnion(NamedTuple):
    """The documents of several lists, each once, and which of them are judged.

    Q judged queries with N documents in their lists, H of them judged.

    Parameters
    ----------
    starts
        (Q + 1,) int64, where the documents of each query begin.
    places
        (N,) int64: of documents with equal scores, the one of the lower place comes first.
    rows
        (H,) int64, the numbers of the judged documents from 0 to N, rising.
    judged
        The judged documents in any order of ranks, with the judgments of their queries.
    deepest
        The last rank that measures need; None for all.
    """

    starts: Ints
    places: Ints
    rows: Ints
    judged: Alignment
    deepest: int | None = None

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
        shape = len(weights), len(self.rows)
        rank, first, last = (np.empty(shape[0] * shape[1], dtype=np.int32) for _ in range(3))
        fused_ranks(
            self.starts,
            values.reshape(-1),
            weights.reshape(-1),
            divisors,
            self.places,
            self.judged.starts,
            self.rows,
            last_rank(self.deepest),
            rank,
            first,
            last,
            threads,
        )
        for row in range(shape[0]):
            cells = slice(row * shape[1], (row + 1) * shape[1])
            yield self.ranked(rank[cells], first[cells], last[cells], np.diff(self.starts))

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
