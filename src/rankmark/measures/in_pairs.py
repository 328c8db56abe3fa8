"""Pairs of documents, one preferred: how many there are, and how many a ranking keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.alignment import earlier_lower, query_of_rows, segment_sum

if TYPE_CHECKING:
    from rankmark.alignment import Alignment, Bools, Floats, Ints


class Preferences(NamedTuple):
    """Counts of preferences, (Q,) float64 each: possible ones, and fulfilled ones among them.

    A preference is fulfilled where the preferred document stands first, or it alone was retrieved.

    Parameters
    ----------
    fulfilled_both, both
        Of those with both documents retrieved.
    fulfilled_one, one
        Of those with one of them retrieved.
    neither
        With none retrieved; fulfilled they cannot be.
    """

    fulfilled_both: Floats
    both: Floats
    fulfilled_one: Floats
    one: Floats
    neither: Floats

    def fulfilled(self, counted: str) -> Floats:
        """Count the fulfilled ones among those that count."""
        return self.fulfilled_both + (0.0 if counted == "retrieved" else self.fulfilled_one)

    def possible(self, counted: str) -> Floats:
        """Count those that count: "all", "implied" (one retrieved at least), "retrieved" (both)."""
        if counted == "retrieved":
            return self.both
        return self.both + self.one + (self.neither if counted == "all" else 0.0)


def of_labels(a: Alignment) -> Preferences:
    """Count preferences of each higher label over each lower one, query by query."""
    if "preferences" not in a.known:
        a.known["preferences"] = _counted(a.starts, a.label, a.ideal_starts, a.ideal_label)
    counts: Preferences = a.known["preferences"]
    return counts


def balanced(a: Alignment, counted: str) -> Preferences:
    """Count them as if there were as many non-relevant documents as relevant ones.

    Labels above 0 are relevant, all others one level. Of too many non-relevant documents, those
    retrieved first stay; those lacking count as documents that were not retrieved.
    """
    relevant, ideal_relevant = a.label > 0, a.ideal_label > 0
    found = a.count(relevant)
    held = segment_sum(ideal_relevant, a.ideal_starts)
    if counted == "retrieved":
        wanted, present = found, np.diff(a.starts) - found
    else:
        wanted, present = held, np.diff(a.ideal_starts) - held
    kept = relevant | (a.cumsum((~relevant).astype(np.float64)) <= a.spread(wanted))
    # Relevant documents stand first among the ideal labels.
    ideal_kept = a.ideal_rank() <= np.repeat(held + wanted, np.diff(a.ideal_starts))
    starts, label = _only(kept, a.starts, np.maximum(a.label, 0.0))
    ideal_starts, ideal_label = _only(ideal_kept, a.ideal_starts, np.maximum(a.ideal_label, 0.0))
    counts = _counted(starts, label, ideal_starts, ideal_label)
    lacking = np.maximum(wanted - present, 0.0)
    return with_lacking(counts, found, held, lacking, counted)


def with_lacking(
    counts: Preferences, found: Floats, held: Floats, lacking: Floats, counted: str
) -> Preferences:
    """Add preferences of each relevant document over documents that nobody retrieved.

    trec_eval adds those of relevant documents that were not retrieved also where it counts no
    preference but between retrieved documents.
    """
    if counted == "retrieved":
        return counts._replace(
            fulfilled_both=counts.fulfilled_both + found * lacking,
            both=counts.both + held * lacking,
        )
    return counts._replace(
        fulfilled_one=counts.fulfilled_one + found * lacking,
        one=counts.one + found * lacking,
        neither=counts.neither + (held - found) * lacking,
    )


def _only(kept: Bools, starts: Ints, label: Floats) -> tuple[Ints, Floats]:
    return np.append(0, np.cumsum(kept))[starts], label[kept]


def _counted(starts: Ints, label: Floats, ideal_starts: Ints, ideal_label: Floats) -> Preferences:
    """Count preferences between labels in rank order, and between all judged ones."""
    levels = np.unique(ideal_label)
    many = len(levels) + 1
    level, ideal_level = np.searchsorted(levels, label), np.searchsorted(levels, ideal_label)
    query, ideal_query = query_of_rows(starts), query_of_rows(ideal_starts)
    key, ideal_key = query * many + level, ideal_query * many + ideal_level
    in_order, ideal_in_order = np.sort(key), np.sort(ideal_key)

    both = segment_sum(np.searchsorted(in_order, key) - starts[query], starts)
    lower = np.searchsorted(ideal_in_order, key)
    higher = ideal_starts[query + 1] - np.searchsorted(ideal_in_order, key, side="right")
    over = segment_sum(lower - ideal_starts[query], starts)  # both retrieved, or it alone
    under = segment_sum(higher, starts)
    every = segment_sum(
        np.searchsorted(ideal_in_order, ideal_key) - ideal_starts[ideal_query], ideal_starts
    )
    one = over + under - 2 * both
    return Preferences(
        fulfilled_both=segment_sum(earlier_lower(-level, starts), starts),
        both=both,
        fulfilled_one=over - both,
        one=one,
        neither=every - both - one,
    )
