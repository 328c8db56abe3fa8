"""Preferences of judgments in groups, such as those of several assessors."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.data.alignment import ratio, segment_sum

if TYPE_CHECKING:
    from rankmark.array_types import Bools, Floats, Ints
    from rankmark.data.alignment import Alignment
    from rankmark.data.alignment.views import JudgmentGroups, View

NEVER = 2**62
"""The rank of a document that was not retrieved."""


class RankedGroups(NamedTuple):
    """Judgments in groups, and the ranks of the documents in a run.

    Parameters
    ----------
    judged
        The judgments.
    rank
        (D,) int64, 1-based, or NEVER.
    """

    judged: JudgmentGroups
    rank: Ints

    def add_up(self, values: Floats) -> Floats:
        """Sum over the groups of each query: (G,) to (Q,) float64."""
        return segment_sum(values, self.judged.starts)


class Tally(NamedTuple):
    """The numbers of preferences of groups.

    Parameters
    ----------
    fulfilled, possible
        (G,) float64, the preferences of each group that are fulfilled, and all that count.
    by_pair
        (Q,) float64, the fraction of a pair's preferences that is fulfilled, averaged over pairs of
        documents.
    """

    fulfilled: Floats
    possible: Floats
    by_pair: Floats

    def share(self, average: str, groups: RankedGroups) -> Floats:
        """Return the fulfilled fraction over "preferences", "pairs" or "groups": (Q,)."""
        if average == "pairs":
            return self.by_pair
        if average == "groups":
            means = groups.add_up(ratio(self.fulfilled, self.possible))
            return means / np.diff(groups.judged.starts)
        return ratio(groups.add_up(self.fulfilled), groups.add_up(self.possible))


class _Outcome(NamedTuple):
    """The preferences of a group that count: the number of the pair, and whether it is fulfilled.

    Those over documents missing in a balanced group are only counted.
    """

    pair: Ints
    fulfilled: Bools
    missing_fulfilled: float = 0.0
    missing: float = 0.0


def groups_of(a: Alignment) -> RankedGroups | None:
    """Return the groups of an alignment's judgments; None if it has none."""
    view = a.views.get("preferences")
    return None if view is None else a.once("groups", lambda: _ranked(a, view))


def _ranked(a: Alignment, view: View[JudgmentGroups]) -> RankedGroups:
    rank = np.full(len(view.judged.highest), NEVER, dtype=np.int64)
    rank[view.document] = a.rank
    return RankedGroups(view.judged, rank)


def tally(a: Alignment, groups: RankedGroups, counted: str, nonrelevant: str) -> Tally:
    """Count the preferences of all groups, as Prefs defines."""
    return a.once(("tally", counted, nonrelevant), lambda: _tally(groups, counted, nonrelevant))


def _tally(groups: RankedGroups, counted: str, nonrelevant: str) -> Tally:
    starts = groups.judged.starts.tolist()
    fulfilled, possible, by_pair = [], [], []
    for begin, end in pairwise(starts):
        outcomes = [_outcome(groups, group, counted, nonrelevant) for group in range(begin, end)]
        for outcome in outcomes:
            fulfilled.append(np.count_nonzero(outcome.fulfilled) + outcome.missing_fulfilled)
            possible.append(len(outcome.pair) + outcome.missing)
        by_pair.append(_by_pair(outcomes))
    return Tally(*(np.array(column, dtype=np.float64) for column in (fulfilled, possible, by_pair)))


def _by_pair(outcomes: list[_Outcome]) -> float:
    pair = np.concatenate([outcome.pair for outcome in outcomes])
    fulfilled = np.concatenate([outcome.fulfilled for outcome in outcomes])
    _, number, counts = np.unique(pair, return_inverse=True, return_counts=True)
    total = float((np.bincount(number, weights=fulfilled) / counts).sum()) if len(pair) else 0.0
    possible = len(counts) + sum(outcome.missing for outcome in outcomes)
    total += sum(outcome.missing_fulfilled for outcome in outcomes)
    return total / possible if possible else 0.0


def _outcome(groups: RankedGroups, group: int, counted: str, nonrelevant: str) -> _Outcome:
    better, worse = groups.judged.preferences(group)
    missing_fulfilled = missing = 0.0
    if nonrelevant == "balanced":
        relevant, selected, found, all_relevant, short = _balanced(groups, group, counted)
        chosen = np.isin(better, relevant) & np.isin(worse, selected)
        better, worse = better[chosen], worse[chosen]
        missing_fulfilled = float(found * short)
        missing = float((found if counted == "implied" else all_relevant) * short)
    first, second = groups.rank[better], groups.rank[worse]
    if counted != "all":
        retrieved = (first < NEVER).astype(np.int64) + (second < NEVER)
        chosen = retrieved >= (1 if counted == "implied" else 2)
        better, worse, first, second = (x[chosen] for x in (better, worse, first, second))
    pair = np.minimum(better, worse) * len(groups.rank) + np.maximum(better, worse)
    return _Outcome(pair, first < second, missing_fulfilled, missing)


def _balanced(groups: RankedGroups, group: int, counted: str) -> tuple[Ints, Ints, int, int, int]:
    """Select as many non-relevant documents as relevant ones, in rank order, then by id.

    Returns the relevant documents, all selected ones, the number of relevant documents retrieved,
    the number of relevant documents, and the number of non-relevant ones that are missing.
    """
    judged = groups.judged
    rows = slice(judged.rows[group], judged.rows[group + 1])
    document, is_relevant = judged.document[rows], judged.label[rows] > 0
    relevant, others = document[is_relevant], document[~is_relevant]
    found = int(np.count_nonzero(groups.rank[relevant] < NEVER))
    others = others[np.lexsort((others, groups.rank[others]))]
    size = len(relevant)
    if counted == "retrieved":
        size, others = found, others[groups.rank[others] < NEVER]
    selected = np.concatenate([relevant, others[:size]])
    return relevant, selected, found, len(relevant), max(size - len(others), 0)
