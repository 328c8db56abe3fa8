"""Gains that fall as a subtopic comes again, and the rankings by which they are normalised."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankmark.alignment.alignment import Alignment, positions, ratio
from rankmark.alignment.views import View
from rankmark.errors import MeasureError
from rankmark.explanations.contributions import Contributions
from rankmark.measures.base.parameters import share
from rankmark.measures.families.by_subtopic import (
    OverSubtopics,
    Pairs,
    documents_of,
    found,
    num_subtopics,
)
from rankmark.measures.families.gains import costs

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints

_MOST_RANKS = 10_000_000
_SAME = 1 - 1e-12  # gains that differ by less differ in how they were added up


class Novelty(OverSubtopics):
    """A measure over gains of (1 - alpha)^(documents above that are relevant to the subtopic)."""

    alpha: float = share("what share of a subtopic's worth is lost each time it is met", 0.5)

    def worth(self, rank: Ints) -> Floats:
        """Say what a gain of 1 counts at each 1-based rank: (n,) int64 to (n,) float64."""
        raise NotImplementedError

    def written(self) -> str:
        """Say how a document's gain at its rank is written by hand, as in Contributions."""
        raise NotImplementedError

    def earned(self, pairs: Pairs, a: Alignment) -> Floats:
        """Add up what the pairs of each query earn: (Q,) float64."""
        return pairs.sum(self._gains(pairs) * self.worth(pairs.rank), a)

    def earned_by_document(self, a: Alignment, k: int | None) -> Contributions:
        """Say what each of the first k documents earns, divided by nothing."""
        pairs = found(self, a, k)
        gains = self._gains(pairs)
        ones = np.ones(len(gains))
        return Contributions(
            pairs.by_document(gains * self.worth(pairs.rank), a),
            columns={
                "relevant_to": pairs.by_document(ones, a),
                "gain": pairs.by_document(gains, a),
                "weight": self.worth(a.rank.astype(np.int64)),
            },
            written=self.written(),
        )

    def ideal_ranking(self, a: Alignment) -> Alignment | None:
        """Rank greedily."""
        best = self._greedy(a, self.needs().deepest)
        return a.with_columns(
            starts=best.starts,
            rank=best.rank,
            label=best.label,
            retrieved=best.retrieved,
            tie_first=None,
            tie_last=None,
            views=best.views,
        )

    def against_perfect(self, a: Alignment, k: int | None) -> Floats:
        """Divide by what is earned where every document is relevant to every subtopic."""
        return ratio(self.earned(found(self, a, k), a), self._perfect(a, k))

    def contributions_against_perfect(self, a: Alignment, k: int | None) -> Contributions:
        """Say what each document adds where that is divided so."""
        subtopics = num_subtopics(self, a)
        perfect = self._perfect(a, k)
        return replace(
            self.earned_by_document(a, k),
            over=perfect,
            frame="{sum} / ({subtopics} * {most})",
            numbers={"subtopics": subtopics, "most": ratio(perfect, subtopics)},
        )

    def _perfect(self, a: Alignment, k: int | None) -> Floats:
        cutoff = a.cutoff(k).astype(np.int64)
        last = int(cutoff.max(initial=0))
        if last > _MOST_RANKS:
            raise MeasureError(f"{self}: adds up each rank; need a cutoff to {_MOST_RANKS:,}")
        ranks = np.arange(1, last + 1)
        earned = np.cumsum(np.power(1.0 - self.alpha, ranks - 1) * self.worth(ranks))
        perfect: Floats = num_subtopics(self, a) * np.append(0.0, earned)[cutoff]
        return perfect

    def against_greedy(self, a: Alignment, k: int | None) -> Floats:
        """Divide by what the greedy ranking of all judged documents earns."""
        return ratio(self.earned(found(self, a, k), a), self._of_greedy(a, k))

    def contributions_against_greedy(self, a: Alignment, k: int | None) -> Contributions:
        """Say what each document adds where that is divided so."""
        terms = self.earned_by_document(a, k)
        return replace(terms, over=self._of_greedy(a, k), frame="{sum} / {ideal}")

    def _gains(self, pairs: Pairs) -> Floats:
        gains: Floats = np.power(1.0 - self.alpha, pairs.seen)
        return gains

    def _of_greedy(self, a: Alignment, k: int | None) -> Floats:
        def earn() -> Floats:
            ranking = self._greedy(a, k)
            return self.earned(found(self, ranking, None), ranking)

        return a.of_ideal(("greedy", self, k), earn)

    def _greedy(self, a: Alignment, k: int | None) -> Alignment:
        what = "greedy", self.alpha, self.rel, k
        return a.of_ideal(what, lambda: greedy(self, a, k, self.alpha))


class DiscountedByLogarithm(Novelty):
    """A gain is worth 1 / log2(i + 1) at rank i."""

    def worth(self, rank: Ints) -> Floats:
        return 1.0 / costs(rank, "log2")

    def written(self) -> str:
        return "{gain}/log2({next})"


class DiscountedByRank(Novelty):
    """A gain is worth 1 / i at rank i."""

    def worth(self, rank: Ints) -> Floats:
        return 1.0 / rank

    def written(self) -> str:
        return "{gain}/{rank}"


class DiscountedByPersistence(Novelty):
    """A gain is worth beta^(i - 1) at rank i."""

    beta: float = share("the chance that a user looks at the next document", 0.5)

    def worth(self, rank: Ints) -> Floats:
        return np.power(self.beta, rank - 1)

    def written(self) -> str:
        return f"{{gain}} * {self.beta:g}^{{above}}"


def greedy(measure: OverSubtopics, a: Alignment, k: int | None, alpha: float) -> Alignment:
    """Rank the judged documents of each query, each next one being worth the most at its rank.

    A subtopic is worth (1 - alpha)^(documents above that are relevant to it); documents that would
    be worth nothing are left out.
    The best ranking would take exponential time to find; this one is at most a factor of 1 - 1/e
    worse. Among documents that are worth the same, the first by number is taken, which has the
    greatest id.
    """
    documents = documents_of(measure, a)
    place, subtopic = documents.judged.of(documents.ideal_document, measure.rel)
    document = documents.ideal_document[place]
    ends = np.searchsorted(place, a.ideal_starts)  # places rise
    ranked = [
        _ranked(document[begin:end], subtopic[begin:end], alpha, k)
        for begin, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)
    ]
    starts = np.append(0, np.cumsum([len(numbers) for numbers in ranked], dtype=np.int64))
    document = np.concatenate([np.empty(0, dtype=np.int64), *ranked])
    return Alignment(
        queries=a.queries,
        starts=starts,
        rank=positions(starts).astype(np.int32),
        label=documents.judged.highest[document],
        retrieved=np.diff(starts),
        ideal_starts=a.ideal_starts,
        ideal_label=a.ideal_label,
        views={"subtopics": View(documents.judged, document, documents.ideal_document)},
    )


def _ranked(document: Ints, subtopic: Ints, alpha: float, k: int | None) -> Ints:
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
