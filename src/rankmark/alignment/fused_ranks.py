"""Where judged documents come out when lists are fused, for many weights, by counting in the core."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark._core import fused_ranks
from rankmark.alignment.aligned_run import Alignment, last_rank, query_of_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankmark.array_types import Floats, Ints


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
    top
        The last rank that is kept; None for all.
    """

    starts: Ints
    places: Ints
    rows: Ints
    judged: Alignment
    deepest: int | None = None
    top: int | None = None

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
        deepest = min(last_rank(self.deepest), last_rank(self.top))
        fused_ranks(
            self.starts,
            values.reshape(-1),
            weights.reshape(-1),
            divisors,
            self.places,
            self.judged.starts,
            self.rows,
            deepest,
            rank,
            first,
            last,
            threads,
        )
        query = query_of_rows(self.judged.starts)
        retrieved = np.diff(self.starts)
        if self.top is not None:
            retrieved = np.minimum(retrieved, self.top)
        for row in range(shape[0]):
            cells = slice(row * shape[1], (row + 1) * shape[1])
            yield self._ranked(rank[cells], first[cells], last[cells], query, retrieved)

    def _ranked(
        self, rank: Ints, first: Ints, last: Ints, query: Ints, retrieved: Ints
    ) -> Alignment:
        """Put the judged documents of one fused run in the order of their ranks."""
        kept = np.flatnonzero((rank > 0) & (rank <= last_rank(self.top)))
        last = np.minimum(last, last_rank(self.top))
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
