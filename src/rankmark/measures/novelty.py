"""Gains that fall as a subtopic comes again, and the rankings by which they are normalised."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.alignment import query_of_rows, ratio
from rankmark.errors import MeasureError
from rankmark.measures.by_subtopic import (
    OverSubtopics,
    Pairs,
    found,
    num_subtopics,
    paired,
    subtopics_of,
)
from rankmark.measures.parameters import between

if TYPE_CHECKING:
    from rankmark.alignment import Alignment, Floats, Ints

_MOST_RANKS = 10_000_000
_SAME = 1 - 1e-12  # gains that differ by less differ in how they were added up


class Novelty(OverSubtopics):
    """A measure over gains of (1 - alpha)^(documents above that are relevant to the subtopic)."""

    alpha: float = between(
        "what share of a subtopic's worth is lost each time it is met", 0.5, 0, 1
    )

    def worth(self, rank: Ints) -> Floats:
        """Say what a gain of 1 counts at each 1-based rank: (n,) int64 to (n,) float64."""
        raise NotImplementedError

    def earned(self, pairs: Pairs, a: Alignment) -> Floats:
        """Add up what the pairs of each query earn: (Q,) float64."""
        gains = np.power(1.0 - self.alpha, pairs.seen)
        return pairs.sum(gains * self.worth(pairs.rank), a)

    def against_perfect(self, a: Alignment, k: int | None) -> Floats:
        """Divide by what is earned where every document is relevant to every subtopic."""
        cutoff = a.cutoff(k).astype(np.int64)
        last = int(cutoff.max(initial=0))
        if last > _MOST_RANKS:
            raise MeasureError(f"{self}: adds up each rank; need a cutoff to {_MOST_RANKS:,}")
        ranks = np.arange(1, last + 1)
        earned = np.cumsum(np.power(1.0 - self.alpha, ranks - 1) * self.worth(ranks))
        perfect = num_subtopics(self, a) * np.append(0.0, earned)[cutoff]
        return ratio(self.earned(found(self, a, k), a), perfect)

    def against_greedy(self, a: Alignment, k: int | None) -> Floats:
        """Divide by what the greedy ranking of all judged documents earns."""
        ideal = a.of_ideal(("greedy", self, k), lambda: self.earned(self._greedy(a, k), a))
        return ratio(self.earned(found(self, a, k), a), ideal)

    def _greedy(self, a: Alignment, k: int | None) -> Pairs:
        what = "greedy", self.alpha, self.rel, k
        return a.of_ideal(what, lambda: greedy(self, a, k))


def greedy(one: Novelty, a: Alignment, k: int | None) -> Pairs:
    """Rank the judged documents of each query, each next one being worth the most at its rank.

    The best ranking would take exponential time to find; this one is at most a factor of 1 - 1/e
    worse. Among documents that are worth the same, the first by number is taken, which has the
    greatest id.
    """
    subtopics = subtopics_of(one, a)
    place, subtopic = subtopics.of(a.ideal_label, one.rel)
    document = a.ideal_label[place]
    ends = np.searchsorted(place, a.ideal_starts)  # places rise
    ranked = [
        _ranked(document[begin:end], subtopic[begin:end], one.alpha, k)
        for begin, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)
    ]
    starts = np.append(0, np.cumsum([len(documents) for documents in ranked], dtype=np.int64))
    query = query_of_rows(starts)
    rank = np.arange(starts[-1]) - starts[query] + 1
    return paired(one, a, query, rank, np.concatenate([np.empty(0), *ranked]))


def _ranked(document: Floats, subtopic: Ints, alpha: float, k: int | None) -> Floats:
    """Rank the documents of one query: (n,) pairs of documents and subtopics to (d,) documents."""
    documents, rows = np.unique(document, return_inverse=True)
    kinds, columns = np.unique(subtopic, return_inverse=True)
    relevant = np.zeros((len(documents), len(kinds)))
    relevant[rows, columns] = 1.0
    left = np.ones(len(kinds))
    chosen: list[int] = []
    for _ in range(len(documents) if k is None else min(k, len(documents))):
        worth = relevant @ left
        best = worth.max()
        if best <= 0.0:
            break
        next_one = int(np.argmax(worth >= best * _SAME))
        chosen.append(next_one)
        left[relevant[next_one] > 0.0] *= 1.0 - alpha
        relevant[next_one] = 0.0
    return documents[chosen]
