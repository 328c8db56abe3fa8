"""What measures over subtopics have in common: which subtopics were found, where, and how often."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.alignment.alignment import positions, query_of_rows
from rankmark.errors import MeasureError
from rankmark.measures.base.measure import Measure
from rankmark.measures.base.parameters import threshold
from rankmark.measures.base.tie_handling import TieHandling
from rankmark.measures.families.one_diverse_ranking import align_diverse_ids, align_subtopics

if TYPE_CHECKING:
    from rankmark.alignment.alignment import Alignment, Needs
    from rankmark.alignment.subtopics import Subtopics
    from rankmark.alignment.views import View
    from rankmark.array_types import Bools, Floats, Ints


class Pairs(NamedTuple):
    """Documents and the subtopics to which they are relevant: (m,) each, by query, rank and seen.

    So ordered, whatever is added up is the same to the bit however subtopics are named.

    Parameters
    ----------
    query, rank
        The number of the query, from 0; the rank of the document, 1-based.
    subtopic
        A number that the pairs of one subtopic of one query share, and no others.
    seen
        How many documents above are relevant to the same subtopic.
    row
        The row of the document in the alignment.
    """

    query: Ints
    rank: Ints
    subtopic: Ints
    seen: Ints
    row: Ints

    def sum(self, values: Floats, a: Alignment) -> Floats:
        """Add up each query's pairs, first to last: (m,) to (Q,) float64."""
        totals = np.bincount(self.query, weights=values, minlength=len(a.retrieved))
        return totals.astype(np.float64)  # of nothing, they are whole numbers

    def by_document(self, values: Floats, a: Alignment) -> Floats:
        """Add up each document's pairs: (m,) to (H,) float64."""
        totals = np.bincount(self.row, weights=values, minlength=len(a.rank))
        return totals.astype(np.float64)


class OverSubtopics(Measure):
    """A measure that sees which subtopics documents are relevant to."""

    rel: float = threshold()

    depends_on = "subtopics"

    def has_relevant(self, a: Alignment) -> Bools:
        """Say in which queries some subtopic has a relevant document: (Q,) bool."""
        relevant: Bools = num_subtopics(self, a) > 0
        return relevant

    def is_relevant(self, a: Alignment, label: Floats) -> Bools:
        """Say which documents, by number, are relevant to some subtopic: (n,) bool."""
        place, _ = documents_of(self, a).judged.of(label.astype(np.int64), self.rel)
        return np.bincount(place, minlength=len(label)) > 0

    def needs(self) -> Needs:
        """Look at all: a low label for one subtopic says nothing of another."""
        return super().needs()._replace(lowest=float("-inf"))

    def merit(self, label: Floats) -> Floats:
        """Put judged documents before the others; which of them comes first depends on the rest."""
        return np.ones(len(label))

    # The best order of documents that tie depends on what stands above.
    tie_handling = TieHandling(sorted_is_best=False)
    align_labels = staticmethod(align_subtopics)
    align_ids = staticmethod(align_diverse_ids)


def found(measure: OverSubtopics, a: Alignment, k: int | None) -> Pairs:
    """Pair the documents retrieved among the first k with their subtopics."""
    return a.once(
        ("pairs", measure.rel, k), lambda: _found(measure, a, np.flatnonzero(a.within(k)))
    )


def _found(measure: OverSubtopics, a: Alignment, rows: Ints) -> Pairs:
    documents = documents_of(measure, a)
    place, subtopic = documents.judged.of(documents.document[rows], measure.rel)
    row = rows[place]
    query, rank = query_of_rows(a.starts)[row], a.rank[row].astype(np.int64)
    subtopic = query * _many(documents.judged) + subtopic
    order = np.argsort(subtopic, kind="stable")
    begins = np.flatnonzero(np.diff(subtopic[order], prepend=-1))
    seen = np.empty_like(subtopic)
    seen[order] = positions(np.append(begins, len(order))) - 1
    order = np.lexsort((seen, rank, query))
    return Pairs(query[order], rank[order], subtopic[order], seen[order], row[order])


def num_relevant_of(measure: OverSubtopics, a: Alignment) -> tuple[Ints, Ints]:
    """Count the documents relevant to each subtopic, retrieved or not.

    Gives the subtopics as pairs number them, low to high, and the counts.
    """

    def count() -> tuple[Ints, Ints]:
        documents = documents_of(measure, a)
        place, subtopic = documents.judged.of(documents.ideal_document, measure.rel)
        numbers = a.ideal_query()[place] * _many(documents.judged) + subtopic
        return np.unique(numbers, return_counts=True)

    return a.of_ideal(("num_relevant_of", measure.rel), count)


def num_subtopics(measure: OverSubtopics, a: Alignment) -> Floats:
    """Count the subtopics that some judged document is relevant to: (Q,) float64."""

    def count() -> Floats:
        numbers, _ = num_relevant_of(measure, a)
        query = numbers // _many(documents_of(measure, a).judged)
        return np.bincount(query, minlength=len(a.retrieved)).astype(np.float64)

    return a.of_ideal(("num_subtopics", measure.rel), count)


def documents_of(measure: OverSubtopics, a: Alignment) -> View[Subtopics]:
    """Give the documents of an alignment, and the subtopics that they were judged for.

    Raises
    ------
    MeasureError
        If it holds labels without subtopics.
    """
    if "subtopics" not in a.views:
        raise MeasureError(
            f"{measure} sees subtopics, and this alignment has labels without them; read the "
            "judgments by subtopic, as in rm.Qrels(..., subtopics=True)"
        )
    return a.views["subtopics"]


def _many(subtopics: Subtopics) -> int:
    return int(subtopics.subtopic.max(initial=0)) + 1
