"""What measures over subtopics share: which subtopics were found, at which ranks, how often."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, NamedTuple

import numpy as np

from rankmark.array_types import Bools, Floats, Ints
from rankmark.data.alignment import Alignment, Needs, positions, query_of_rows
from rankmark.data.alignment.tie_probabilities import last_ranks, tie_columns
from rankmark.data.alignment.views import Subtopics, View
from rankmark.errors import MeasureError
from rankmark.measures.base.measure import DependsOn, Measure
from rankmark.measures.base.parameters import threshold
from rankmark.measures.base.tie_handling import TieHandling
from rankmark.measures.families.one_diverse_ranking import align_diverse_ids, align_subtopics


class Pairs(NamedTuple):
    """Pairs of a document and a subtopic to which it is relevant: (m,) each.

    Ordered by query, rank and seen, so sums do not depend on the names of subtopics.

    Parameters
    ----------
    query, rank
        The number of the query, 0-based; the rank of the document, 1-based.
    subtopic
        A number, the same for all pairs with one subtopic of one query.
    seen
        The number of documents above that are relevant to the same subtopic.
    row
        The row of the document in the alignment.
    """

    query: Ints
    rank: Ints
    subtopic: Ints
    seen: Ints
    row: Ints

    def sum(self, values: Floats, a: Alignment) -> Floats:
        """Sum over the pairs of each query, first to last: (m,) to (Q,) float64."""
        totals = np.bincount(self.query, weights=values, minlength=len(a.retrieved))
        return totals.astype(np.float64)  # bincount of nothing returns integers

    def by_document(self, values: Floats, a: Alignment) -> Floats:
        """Sum over the pairs of each document: (m,) to (H,) float64."""
        totals = np.bincount(self.row, weights=values, minlength=len(a.rank))
        return totals.astype(np.float64)


class OverSubtopics(Measure):
    """A measure that depends on the subtopics to which documents are relevant."""

    rel: float = threshold()

    depends_on: DependsOn = "subtopics"

    def has_relevant(self, a: Alignment) -> Bools:
        """Return which queries have a subtopic with a relevant document: (Q,) bool."""
        return num_subtopics(self, a) > 0

    def is_relevant(self, a: Alignment, label: Floats) -> Bools:
        """Return which documents, by number, are relevant to some subtopic: (n,) bool."""
        place, _ = documents_of(self, a).judged.of(label.astype(np.int64), self.rel)
        return np.bincount(place, minlength=len(label)) > 0

    def needs(self) -> Needs:
        """Use all labels: one that is low for one subtopic may be high for another."""
        return super().needs()._replace(lowest=float("-inf"))

    def merit(self, label: Floats) -> Floats:
        """Return the same merit for all judged documents, since it depends on the others."""
        return np.ones(len(label))

    # The best order of tied documents depends on the documents above.
    tie_handling: TieHandling = TieHandling(sorted_is_best=False)
    align_labels: ClassVar[Callable[..., Alignment]] = staticmethod(align_subtopics)
    align_ids: ClassVar[Callable[..., Alignment]] = staticmethod(align_diverse_ids)


def found(measure: OverSubtopics, a: Alignment, k: int | None) -> Pairs:
    """Return the documents among the first k, paired with their subtopics."""
    return a.once(
        ("pairs", measure.rel, k), lambda: _found(measure, a, np.flatnonzero(a.within(k)))
    )


def _found(measure: OverSubtopics, a: Alignment, rows: Ints) -> Pairs:
    documents = documents_of(measure, a)
    place, subtopic = documents.judged.of(documents.document[rows], measure.rel)
    row = rows[place]
    query, rank = query_of_rows(a.starts)[row], a.rank[row].astype(np.int64)
    subtopic = query * _num_codes(documents.judged) + subtopic
    order = np.argsort(subtopic, kind="stable")
    begins = np.flatnonzero(np.diff(subtopic[order], prepend=-1))
    seen = np.empty_like(subtopic)
    seen[order] = positions(np.append(begins, len(order))) - 1
    order = np.lexsort((seen, rank, query))
    return Pairs(query[order], rank[order], subtopic[order], seen[order], row[order])


def is_new(pairs: Pairs) -> Floats:
    """Return 1 for the first document of each subtopic, 0 for the others: (m,) float64."""
    return (pairs.seen == 0).astype(np.float64)


def chance_of_cover(measure: OverSubtopics, a: Alignment, k: int | None) -> Floats:
    """Return the number of subtopics that the first k documents are expected to cover: (Q,).

    Tied documents of ``a`` are in any order, and only ties across rank k leave a choice: j of s
    tied documents are relevant to a subtopic, and m are among the first k, so none of the j is
    among them with the probability (s-m)/s * (s-m-1)/(s-1) * ..., with j factors.
    """
    pairs = found(measure, a, None)
    first, last = tie_columns(a)
    order = np.lexsort((pairs.rank, pairs.subtopic))
    row, subtopic = pairs.row[order], pairs.subtopic[order]
    begins = np.flatnonzero(np.diff(subtopic, prepend=-1))
    tie = np.flatnonzero(
        (np.diff(subtopic, prepend=-1) != 0) | (np.diff(first[row], prepend=-1) != 0)
    )
    place = positions(np.append(tie, len(row))) - 1
    size = (last - first + 1)[row].astype(np.float64)
    limit = last_ranks(a, k)[pairs.query[order]]
    taken = np.clip(limit - first[row] + 1.0, 0.0, size)
    missed = np.maximum(size - taken - place, 0.0) / (size - place)
    none = np.multiply.reduceat(missed, begins) if len(begins) else missed
    covered = np.bincount(
        pairs.query[order[begins]], weights=1.0 - none, minlength=len(a.retrieved)
    )
    return covered.astype(np.float64)


def num_relevant_of(measure: OverSubtopics, a: Alignment) -> tuple[Ints, Ints]:
    """Count the documents relevant to each subtopic, retrieved or not.

    Returns the subtopics, by increasing number as in Pairs, and the counts.
    """

    def count() -> tuple[Ints, Ints]:
        documents = documents_of(measure, a)
        place, subtopic = documents.judged.of(documents.ideal_document, measure.rel)
        numbers = a.ideal_query()[place] * _num_codes(documents.judged) + subtopic
        return np.unique(numbers, return_counts=True)

    return a.of_ideal(("num_relevant_of", measure.rel), count)


def num_subtopics(measure: OverSubtopics, a: Alignment) -> Floats:
    """Count the subtopics with a relevant document, retrieved or not: (Q,) float64."""

    def count() -> Floats:
        numbers, _ = num_relevant_of(measure, a)
        query = numbers // _num_codes(documents_of(measure, a).judged)
        return np.bincount(query, minlength=len(a.retrieved)).astype(np.float64)

    return a.of_ideal(("num_subtopics", measure.rel), count)


def documents_of(measure: OverSubtopics, a: Alignment) -> View[Subtopics]:
    """Return the documents of an alignment, with their judgments by subtopic.

    Raises
    ------
    MeasureError
        If the alignment has labels without subtopics.
    """
    if "subtopics" not in a.views:
        raise MeasureError(
            f"{measure} depends on subtopics, and these labels have none",
            "read the judgments by subtopic, as in rm.Qrels(..., subtopics=True)",
        )
    return a.views["subtopics"]


def _num_codes(subtopics: Subtopics) -> int:
    return int(subtopics.subtopic.max(initial=0)) + 1
