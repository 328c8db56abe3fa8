"""Judgments in groups: the labels or preferences of several assessors for each query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints


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
