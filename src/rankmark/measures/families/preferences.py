"""Preferences: pairs of documents with different labels, and how many a ranking fulfils."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankmark.array_types import Bools, Floats, Ints
from rankmark.data.alignment import Alignment, earlier_lower, query_of_rows, segment_sum
from rankmark.measures.base.measure import Measure


class OverPreferences(Measure):
    """A measure that compares the labels of two documents; none is relevant by itself."""

    promoting_helps = False  # a document that is moved up may pass one with a higher label

    def merit(self, label: Floats) -> Floats:
        """Return merits in the order of labels, also of those below 0."""
        return label - np.min(label, initial=0.0) + 1.0

    def is_relevant(self, a: Alignment, label: Floats) -> Bools:  # noqa: ARG002
        """Count labels above 0 as relevant where documents are counted."""
        return label > 0

    def ideal_ranking(self, a: Alignment) -> Alignment | None:
        """Return all judged documents by label; None if each group has labels of its own."""
        return None if "preferences" in a.views else a.perfect()


class Preferences(NamedTuple):
    """The numbers of preferences.

    A preference is fulfilled if the preferred document was retrieved, and the other one is ranked
    lower or was not retrieved.

    Parameters
    ----------
    over_both, over_one
        (H,) float64, those of each retrieved document over retrieved ones, and over ones that were
        not retrieved; the latter are fulfilled.
    fulfilled_both
        (H,) float64, those in ``over_both`` that are fulfilled.
    both, one, neither
        (Q,) float64, those of each query with both documents retrieved, with one of them, and with
        neither; the last cannot be fulfilled.
    """

    over_both: Floats
    over_one: Floats
    fulfilled_both: Floats
    both: Floats
    one: Floats
    neither: Floats

    def fulfilled(self, counted: str) -> Floats:
        """Count the fulfilled preferences of each document over others: (H,) float64."""
        return self.fulfilled_both + (0.0 if counted == "retrieved" else self.over_one)

    def over(self, counted: str) -> Floats:
        """Count the preferences of each document over others: (H,) float64."""
        return self.over_both + (0.0 if counted == "retrieved" else self.over_one)

    def possible(self, counted: str) -> Floats:
        """Count the preferences of each query: (Q,) float64.

        ``counted`` is "all", "implied" (at least one document retrieved) or "retrieved" (both).
        """
        if counted == "retrieved":
            return self.both
        return self.both + self.one + (self.neither if counted == "all" else 0.0)


def of_labels(a: Alignment) -> Preferences:
    """Count the preferences for higher labels over lower ones."""
    return a.once("preferences", lambda: _counted(a.starts, a.label, a.ideal_starts, a.ideal_label))


def balanced(a: Alignment, counted: str) -> Preferences:
    """Count preferences with as many non-relevant documents as relevant ones.

    Labels above 0 are relevant; all others are one level. If there are too many non-relevant
    documents, the first in the ranking count; if there are too few, documents that were not
    retrieved take the place of the missing ones.
    """
    relevant, ideal_relevant = a.label > 0, a.ideal_label > 0
    found = a.count(relevant)
    num_relevant = segment_sum(ideal_relevant, a.ideal_starts)
    if counted == "retrieved":
        wanted, present = found, np.diff(a.starts) - found
    else:
        wanted, present = num_relevant, np.diff(a.ideal_starts) - num_relevant
    kept = relevant | (a.cumsum((~relevant).astype(np.float64)) <= a.spread(wanted))
    # Relevant documents come first among the ideal labels.
    ideal_kept = a.ideal_rank() <= np.repeat(num_relevant + wanted, np.diff(a.ideal_starts))
    starts, label = _only(kept, a.starts, np.maximum(a.label, 0.0))
    ideal_starts, ideal_label = _only(ideal_kept, a.ideal_starts, np.maximum(a.ideal_label, 0.0))
    counts = _counted(starts, label, ideal_starts, ideal_label)
    missing = np.maximum(wanted - present, 0.0)
    over_missing = relevant * a.spread(missing)
    counts = counts._replace(
        over_both=_put_back(counts.over_both, kept),
        over_one=_put_back(counts.over_one, kept),
        fulfilled_both=_put_back(counts.fulfilled_both, kept),
    )
    if counted == "retrieved":
        # trec_eval counts them also for relevant documents that were not retrieved.
        return counts._replace(
            over_both=counts.over_both + over_missing,
            fulfilled_both=counts.fulfilled_both + over_missing,
            both=counts.both + num_relevant * missing,
        )
    return counts._replace(
        over_one=counts.over_one + over_missing,
        one=counts.one + found * missing,
        neither=counts.neither + (num_relevant - found) * missing,
    )


def lower_than(query: Ints, label: Floats, starts: Ints, among: Floats) -> Floats:
    """Count the labels of a query lower than a label, for m of both: (m,) and (m,) to (m,) float64.

    The labels of query q are ``among[starts[q]:starts[q + 1]]``.
    """
    levels = np.unique(among)
    stride = len(levels) + 1
    in_order = np.sort(query_of_rows(starts) * stride + np.searchsorted(levels, among))
    key = query * stride + np.searchsorted(levels, label)
    return (np.searchsorted(in_order, key) - starts[query]).astype(np.float64)


def _put_back(values: Floats, kept: Bools) -> Floats:
    """Restore the rows that were left out, with 0: (kept rows,) to (H,) float64."""
    all_rows = np.zeros(len(kept))
    all_rows[kept] = values
    return all_rows


def _only(kept: Bools, starts: Ints, label: Floats) -> tuple[Ints, Floats]:
    return np.append(0, np.cumsum(kept))[starts], label[kept]


def _counted(starts: Ints, label: Floats, ideal_starts: Ints, ideal_label: Floats) -> Preferences:
    """Count the preferences between labels in rank order, and between all judged ones."""
    levels = np.unique(ideal_label)
    stride = len(levels) + 1
    level, ideal_level = np.searchsorted(levels, label), np.searchsorted(levels, ideal_label)
    query, ideal_query = query_of_rows(starts), query_of_rows(ideal_starts)
    key, ideal_key = query * stride + level, ideal_query * stride + ideal_level
    in_order, ideal_in_order = np.sort(key), np.sort(ideal_key)

    over_both = np.searchsorted(in_order, key) - starts[query]
    both = segment_sum(over_both, starts)
    lower = np.searchsorted(ideal_in_order, key) - ideal_starts[query]  # both retrieved, or one
    higher = ideal_starts[query + 1] - np.searchsorted(ideal_in_order, key, side="right")
    over = segment_sum(lower, starts)
    under = segment_sum(higher, starts)
    every = segment_sum(
        np.searchsorted(ideal_in_order, ideal_key) - ideal_starts[ideal_query], ideal_starts
    )
    one = over + under - 2 * both
    return Preferences(
        over_both=over_both.astype(np.float64),
        over_one=(lower - over_both).astype(np.float64),
        fulfilled_both=_later_lower(level, starts).astype(np.float64),
        both=both,
        one=one,
        neither=every - both - one,
    )


def _later_lower(values: Ints, starts: Ints) -> Ints:
    """Count, for each row, the later rows of its segment with a lower value: (n,) int64."""
    return earlier_lower(values[::-1], starts[-1] - starts[::-1])[::-1]
