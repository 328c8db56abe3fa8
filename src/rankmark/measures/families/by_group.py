"""Preferences where judgments are in groups: counted in each group, and averaged."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.alignment.alignment import ratio, segment_sum

if TYPE_CHECKING:
    from rankmark.alignment.alignment import Alignment
    from rankmark.alignment.judgment_groups import JudgmentGroups
    from rankmark.alignment.views import View
    from rankmark.array_types import Bools, Floats, Ints

NEVER = 2**62
"""The rank of a document that was not retrieved."""


class RankedGroups(NamedTuple):
    """Judgments in groups, and where a run has the documents.

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
        """Add up the groups of each query: (G,) to (Q,) float64."""
        return segment_sum(values, self.judged.starts)


class Tally(NamedTuple):
    """The preferences of groups.

    Parameters
    ----------
    fulfilled, possible
        (G,) float64, how many of each group's preferences are fulfilled, and how many count.
    by_pair
        (Q,) float64, the mean over pairs of documents of the share of the pair's preferences that
        is fulfilled.
    """

    fulfilled: Floats
    possible: Floats
    by_pair: Floats

    def share(self, average: str, groups: RankedGroups) -> Floats:
        """Give the share that is fulfilled over "preferences", "pairs" or "groups": (Q,)."""
        if average == "pairs":
            return self.by_pair
        if average == "groups":
            means = groups.add_up(ratio(self.fulfilled, self.possible))
            return means / np.diff(groups.judged.starts)
        return ratio(groups.add_up(self.fulfilled), groups.add_up(self.possible))


class _Outcome(NamedTuple):
    """Which preferences of a group count: a number that a pair shares; whether it is fulfilled."""

    pair: Ints
    fulfilled: Bools
    lacking_fulfilled: float = 0.0
    lacking: float = 0.0


def groups_of(a: Alignment) -> RankedGroups | None:
    """Give the groups that an alignment's judgments are in; None where they are in none."""
    view = a.views.get("preferences")
    return None if view is None else a.once("groups", lambda: _ranked(a, view))


def _ranked(a: Alignment, view: View[JudgmentGroups]) -> RankedGroups:
    rank = np.full(len(view.judged.highest), NEVER, dtype=np.int64)
    rank[view.document] = a.rank
    return RankedGroups(view.judged, rank)


def tally(a: Alignment, groups: RankedGroups, counted: str, nonrelevant: str) -> Tally:
    """Count the preferences of all groups; see Prefs for what counts."""
    what = "tally", counted, nonrelevant
    return a.once(what, lambda: _tally(groups, counted, nonrelevant))


def _tally(groups: RankedGroups, counted: str, nonrelevant: str) -> Tally:
    starts = groups.judged.starts.tolist()
    fulfilled, possible, by_pair = [], [], []
    for begin, end in pairwise(starts):
        outcomes = [_outcome(groups, group, counted, nonrelevant) for group in range(begin, end)]
        for outcome in outcomes:
            fulfilled.append(np.count_nonzero(outcome.fulfilled) + outcome.lacking_fulfilled)
            possible.append(len(outcome.pair) + outcome.lacking)
        by_pair.append(_by_pair(outcomes))
    return Tally(*(np.array(column, dtype=np.float64) for column in (fulfilled, possible, by_pair)))


def _by_pair(outcomes: list[_Outcome]) -> float:
    pair = np.concatenate([outcome.pair for outcome in outcomes])
    fulfilled = np.concatenate([outcome.fulfilled for outcome in outcomes])
    _, number, counts = np.unique(pair, return_inverse=True, return_counts=True)
    total = float((np.bincount(number, weights=fulfilled) / counts).sum()) if len(pair) else 0.0
    possible = len(counts) + sum(outcome.lacking for outcome in outcomes)
    total += sum(outcome.lacking_fulfilled for outcome in outcomes)
    return total / possible if possible else 0.0


def _outcome(groups: RankedGroups, group: int, counted: str, nonrelevant: str) -> _Outcome:
    better, worse = groups.judged.preferences(group)
    lacking_fulfilled = lacking = 0.0
    if nonrelevant == "balanced":
        relevant, kept, found, held, short = _kept(groups, group, counted)
        chosen = np.isin(better, relevant) & np.isin(worse, kept)
        better, worse = better[chosen], worse[chosen]
        lacking_fulfilled = float(found * short)
        lacking = float((found if counted == "implied" else held) * short)
    first, second = groups.rank[better], groups.rank[worse]
    if counted != "all":
        retrieved = (first < NEVER).astype(np.int64) + (second < NEVER)
        chosen = retrieved >= (1 if counted == "implied" else 2)
        better, worse, first, second = (x[chosen] for x in (better, worse, first, second))
    pair = np.minimum(better, worse) * len(groups.rank) + np.maximum(better, worse)
    return _Outcome(pair, first < second, lacking_fulfilled, lacking)


def _kept(groups: RankedGroups, group: int, counted: str) -> tuple[Ints, Ints, int, int, int]:
    """Choose as many non-relevant documents as relevant ones, in rank order, then by id.

    Gives the relevant documents, all that are kept, how many of the relevant ones were retrieved,
    how many there are, and how many non-relevant ones are lacking.
    """
    judged = groups.judged
    rows = slice(judged.rows[group], judged.rows[group + 1])
    document, is_relevant = judged.document[rows], judged.label[rows] > 0
    relevant, others = document[is_relevant], document[~is_relevant]
    found = int(np.count_nonzero(groups.rank[relevant] < NEVER))
    others = others[np.lexsort((others, groups.rank[others]))]
    wanted = len(relevant)
    if counted == "retrieved":
        wanted, others = found, others[groups.rank[others] < NEVER]
    kept = np.concatenate([relevant, others[:wanted]])
    return relevant, kept, found, len(relevant), max(wanted - len(others), 0)
