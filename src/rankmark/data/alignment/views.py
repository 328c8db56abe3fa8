"""What a few measures use besides labels: each row's document, and its subtopics or groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

import numpy as np

from rankmark.array_types import Floats, Ints
from rankmark.data.alignment.cache import Cache
from rankmark.data.alignment.segments import gathered

JudgedT = TypeVar("JudgedT")


@dataclass(frozen=True, slots=True, eq=False)
class View(Generic[JudgedT]):
    """The documents of an alignment, by number. Read-only.

    Parameters
    ----------
    judged
        The judgments: ``Subtopics`` or ``JudgmentGroups``.
    document
        (H,) int64, the number of each row's document.
    ideal_document
        (J,) int64, the number of each ideal row's document.
    """

    judged: JudgedT
    document: Ints
    ideal_document: Ints

    def at(self, rows: Ints | slice, ideal_rows: Ints | slice) -> View[JudgedT]:
        """Keep some rows and some ideal rows, in this order."""
        return View(self.judged, self.document[rows], self.ideal_document[ideal_rows])


@dataclass(frozen=True, slots=True, eq=False)
class Subtopics:
    """P judgments of D documents for the subtopics of their queries. Read-only.

    Documents are numbered from 0, query by query, and within a query by id in descending byte
    order, the order in which ndeval prefers them if all else is equal. A document judged for two
    queries has two numbers.

    Parameters
    ----------
    starts
        (D + 1,) int64, non-decreasing from 0 to P: document d owns rows starts[d] to starts[d + 1].
    subtopic
        (P,) int64, the number of the subtopic, from 0; queries may share numbers.
    label
        (P,) float64.
    highest
        (D,) float64, each document's highest label, for measures that do not use subtopics.
    names
        The ids of the subtopics by number; empty if not needed.
    """

    starts: Ints
    subtopic: Ints
    label: Floats
    highest: Floats
    names: tuple[str, ...] = ()
    _cache: Cache = field(default_factory=Cache, repr=False, init=False)

    def relevant(self, rel: float) -> tuple[Ints, Ints]:
        """Keep the judgments with a label of at least ``rel``: (D + 1,) starts, and subtopics."""
        cached: tuple[Ints, Ints] | None = self._cache.get(rel)
        if cached is not None:
            return cached
        kept = self.label >= rel
        counts = np.append(0, np.cumsum(kept))
        return self._cache.keep(rel, (counts[self.starts], self.subtopic[kept]))

    def of(self, documents: Ints, rel: float) -> tuple[Ints, Ints]:
        """List the subtopics to which documents are relevant.

        Parameters
        ----------
        documents
            (n,) int64, numbers of documents.

        Returns
        -------
        tuple of (m,) int64
            The position of a document in ``documents``, and the number of a subtopic.
        """
        return gathered(*self.relevant(rel), documents)


def numbered(query: Any, places: Any, subtopic: Any, label: Any) -> tuple[Ints, Ints, Subtopics]:
    """Assign numbers to documents, and collect the judgments of each.

    Parameters
    ----------
    query
        (n,) whole numbers from 0, the query of each judgment.
    places
        (n,) whole numbers from 0, its document, in order of preference.
    subtopic, label
        (n,) whole numbers from 0; (n,) float64.

    Returns
    -------
    tuple of (D,) int64, (D,) int64 and Subtopics
        The query and the ``places`` of each numbered document.
    """
    subtopic, label = np.asarray(subtopic, dtype=np.int64), np.asarray(label, dtype=np.float64)
    width = int(np.max(places, initial=0)) + 1
    keys, document = np.unique(
        np.asarray(query, dtype=np.int64) * width + np.asarray(places, dtype=np.int64),
        return_inverse=True,
    )
    many = int(subtopic.max(initial=0)) + 1
    order = np.argsort(document * many + subtopic, kind="stable")
    starts = np.append(0, np.cumsum(np.bincount(document, minlength=len(keys))))
    label = label[order]
    highest = np.maximum.reduceat(label, starts[:-1]) if len(keys) else label
    return keys // width, keys % width, Subtopics(starts, subtopic[order], label, highest)


@dataclass(frozen=True, slots=True, eq=False)
class JudgmentGroups:
    """M judgments of D documents in G groups. Read-only.

    Documents are numbered from 0, query by query, and within a query in the byte order of their
    ids; groups are numbered query by query.

    Parameters
    ----------
    starts
        (Q + 1,) int64, non-decreasing from 0 to G: query q owns groups starts[q] to starts[q + 1].
    rows
        (G + 1,) int64, non-decreasing from 0 to M: group g owns judgments rows[g] to rows[g + 1].
    document
        (M,) int64, the number of the document.
    label
        (M,) float64, high to low within a group; the highest if a document has several.
    highest
        (D,) float64, each document's highest label in any group.
    partial
        For each group with subgroups, all preferences that follow from these, as ``preferences``.
    only_preferences
        Whether labels express only preferences.
    condensed
        Whether each group ranks only the documents that it judged.
    """

    starts: Ints
    rows: Ints
    document: Ints
    label: Floats
    highest: Floats
    partial: Mapping[int, tuple[Ints, Ints]]
    only_preferences: bool
    condensed: bool = False

    def preferences(self, group: int) -> tuple[Ints, Ints]:
        """List the preferences of a group: (n,) documents, (n,) documents they are preferred to."""
        if group in self.partial:
            return self.partial[group]
        rows = slice(self.rows[group], self.rows[group + 1])
        document, label = self.document[rows], self.label[rows]
        lower = np.searchsorted(-label, -label, side="right")  # the first row with a lower label
        counts = len(label) - lower
        ends = np.cumsum(counts)
        worse = np.arange(int(counts.sum())) + np.repeat(lower - (ends - counts), counts)
        return np.repeat(document, counts), document[worse]

    def of_query(self, query: int, *, condensed: bool) -> JudgmentGroups:
        """Keep the groups of one query, by its number; documents keep their numbers."""
        first, end = self.starts[query], self.starts[query + 1]
        judgments = slice(self.rows[first], self.rows[end])
        return replace(
            self,
            starts=np.array([0, end - first]),
            rows=self.rows[first : end + 1] - self.rows[first],
            document=self.document[judgments],
            label=self.label[judgments],
            partial={
                group - int(first): pairs
                for group, pairs in self.partial.items()
                if first <= group < end
            },
            condensed=condensed,
        )
