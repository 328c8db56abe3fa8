"""Gains that shrink each time a subtopic is repeated, and what they are normalised by."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from rankmark.array_types import Floats, Ints
from rankmark.data.alignment import Alignment, positions, ratio
from rankmark.data.alignment.views import View
from rankmark.measures.base.parameters import between, cutoff
from rankmark.measures.families.by_subtopic import (
    OverSubtopics,
    Pairs,
    documents_of,
    found,
    num_subtopics,
)
from rankmark.measures.families.gains import discounts, ranks_to
from rankmark.results.explanations.contributions import Contributions

GREEDY_BOUNDS = (0.0, math.e / (math.e - 1.0))
"""The bounds of a sum divided by that of the greedy ranking, which may not be optimal."""

_SAME = 1 - 1e-12  # gains that differ by less differ only by rounding


class Novelty(OverSubtopics):
    """A measure over gains of (1 - alpha)^s per subtopic, after s documents relevant to it.

    By default it is normalised by the highest conceivable value, that of a ranking in which every
    document is relevant to every subtopic; with ``against_greedy`` by the greedy ranking of all
    judged documents.
    """

    alpha: float = between(
        "the fraction of a subtopic's gain that is lost with each relevant document", 0.5, 0, 1
    )

    k: int | None = None
    against_greedy: ClassVar[bool] = False

    def weight(self, rank: Ints) -> Floats:
        """Return the weight of a gain at each 1-based rank: (n,) int64 to (n,) float64."""
        raise NotImplementedError

    def written(self) -> str:
        """Return how a document's weighted gain is written, as in Contributions."""
        raise NotImplementedError

    def score(self, a: Alignment) -> Floats:
        return ratio(self.earned(a), self._ideal(a) if self.against_greedy else self._most(a))

    def contributions(self, a: Alignment) -> Contributions:
        earned = self.earned_by_document(a)
        if self.against_greedy:
            return earned._replace(divisor=self._ideal(a), frame="{sum} / {ideal}")
        most, subtopics = self._most(a), num_subtopics(self, a)
        numbers = {"subtopics": subtopics, "most": ratio(most, subtopics)}
        return earned._replace(
            divisor=most, frame="{sum} / ({subtopics} * {most})", numbers=numbers
        )

    def earned(self, a: Alignment) -> Floats:
        """Return the sum of the weighted gains of each query: (Q,) float64."""
        pairs = found(self, a, self.k)
        return pairs.sum(self._gains(pairs) * self.weight(pairs.rank), a)

    def earned_by_document(self, a: Alignment) -> Contributions:
        """Return the weighted gain of each document, divided by nothing."""
        pairs = found(self, a, self.k)
        gains = self._gains(pairs)
        return Contributions(
            pairs.by_document(gains * self.weight(pairs.rank), a),
            columns={
                "relevant_to": pairs.by_document(np.ones(len(gains)), a),
                "gain": pairs.by_document(gains, a),
                "weight": self.weight(a.rank.astype(np.int64)),
            },
            written=self.written(),
        )

    def ideal_ranking(self, a: Alignment) -> Alignment | None:
        """Return the greedy ranking."""
        best = self._greedy(a)
        return a.with_columns(
            starts=best.starts,
            rank=best.rank,
            label=best.label,
            retrieved=best.retrieved,
            tie_first=None,
            tie_last=None,
            views=best.views,
        )

    def _most(self, a: Alignment) -> Floats:
        """Return the highest conceivable sum: (Q,) float64."""
        k = a.cutoff(self.k).astype(np.int64)
        ranks = ranks_to(self, k.max(initial=0))
        of_subtopic = np.cumsum(np.power(1.0 - self.alpha, ranks - 1) * self.weight(ranks))
        return num_subtopics(self, a) * np.append(0.0, of_subtopic)[k]

    def _ideal(self, a: Alignment) -> Floats:
        """Return the sum of the greedy ranking: (Q,) float64."""
        return a.of_ideal(("greedy", self), lambda: self.earned(self._greedy(a)))

    def _greedy(self, a: Alignment) -> Alignment:
        what = "greedy", self.alpha, self.rel, self.k
        return a.of_ideal(what, lambda: greedy(self, a, self.k, self.alpha))

    def _gains(self, pairs: Pairs) -> Floats:
        return np.power(1.0 - self.alpha, pairs.seen)


class DiscountedByLogarithm(Novelty):
    """A measure with the weight 1 / log2(i + 1) at rank i."""

    k: int | None = cutoff()

    def weight(self, rank: Ints) -> Floats:
        return 1.0 / discounts(rank, "log2")

    def written(self) -> str:
        return "{gain}/log2({next})"


class DiscountedByRank(Novelty):
    """A measure with the weight 1 / i at rank i."""

    k: int | None = cutoff()

    def weight(self, rank: Ints) -> Floats:
        return 1.0 / rank

    def written(self) -> str:
        return "{gain}/{rank}"


class DiscountedByPersistence(Novelty):
    """A measure with the weight beta^(i - 1) at rank i."""

    beta: float = between("the probability that a user continues to the next document", 0.5, 0, 1)

    def weight(self, rank: Ints) -> Floats:
        return np.power(self.beta, rank - 1)

    def written(self) -> str:
        return f"{{gain}} * {self.beta:g}^{{above}}"


def greedy(measure: OverSubtopics, a: Alignment, k: int | None, alpha: float) -> Alignment:
    """Rank the judged documents of each query greedily, the highest gain first at each rank.

    The gain of a document is the sum of (1 - alpha)^s over its subtopics, after s documents
    relevant to the subtopic; documents with a gain of 0 are left out. Finding the best ranking
    would take exponential time; the greedy one is worse by a factor of 1 - 1/e at most. Of
    documents with the same gain, the first by number is taken, which has the greatest id.
    """
    documents = documents_of(measure, a)
    place, subtopic = documents.judged.of(documents.ideal_document, measure.rel)
    query = np.searchsorted(a.ideal_starts, place, side="right") - 1
    owner, document = _ranked(query, documents.ideal_document[place], subtopic, alpha, k)
    starts = np.searchsorted(owner, np.arange(len(a.ideal_starts)))
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


def _ranked(
    query: Ints, document: Ints, subtopic: Ints, alpha: float, k: int | None
) -> tuple[Ints, Ints]:
    """Rank the documents of all queries, at each rank in all of them at once.

    Parameters
    ----------
    query, document, subtopic
        (n,) int64, pairs of a document with a subtopic; queries rise.

    Returns
    -------
    tuple of (d,) int64 and (d,) int64
        The queries, which rise, and their documents in order.
    """
    pair = query * (int(document.max(initial=0)) + 1) + document
    _, first, doc = np.unique(pair, return_index=True, return_inverse=True)
    owner, number = query[first], document[first]
    pair = query * (int(subtopic.max(initial=0)) + 1) + subtopic
    topics, topic = np.unique(pair, return_inverse=True)
    gain = np.ones(len(topics))
    owners, numbers = [owner[:0]], [number[:0]]
    while len(owner) and (k is None or len(owners) <= k):
        gains = np.bincount(doc, gain[topic], len(owner))
        begins = np.append(True, owner[1:] != owner[:-1])
        best = np.maximum.reduceat(gains, np.flatnonzero(begins))[np.cumsum(begins) - 1]
        among = np.flatnonzero((gains >= best * _SAME) & (best > 0.0))
        chosen = among[np.diff(owner[among], prepend=-1) > 0]
        owners.append(owner[chosen])
        numbers.append(number[chosen])
        is_chosen = np.zeros(len(owner), dtype=np.bool_)
        is_chosen[chosen] = True
        gain[topic[is_chosen[doc]]] *= 1.0 - alpha
        left = ~is_chosen & (best > 0.0)
        kept = left[doc]
        doc, topic = (np.cumsum(left) - 1)[doc[kept]], topic[kept]
        owner, number = owner[left], number[left]
    owner, number = np.concatenate(owners), np.concatenate(numbers)
    order = np.argsort(owner, kind="stable")
    return owner[order], number[order]
