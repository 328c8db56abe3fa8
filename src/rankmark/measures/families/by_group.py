"""How measures see judgments in groups: each group on its own, and a query as their mean."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.alignment.alignment import ratio, segment_sum
from rankmark.alignment.judgment_groups import NEVER
from rankmark.errors import MeasureError
from rankmark.measures.families.by_subtopic import seen_by

if TYPE_CHECKING:
    from rankmark.alignment.alignment import Alignment
    from rankmark.alignment.judgment_groups import RankedGroups
    from rankmark.array_types import Bools, Floats, Ints
    from rankmark.measures.base.measure import Measure


def score_of(one: Measure, a: Alignment) -> Floats:
    """Score each query: (Q,) float64; over groups, the mean of what they give each.

    Raises
    ------
    MeasureError
        If judgments are preferences, and the measure sees something else.
    """
    by_group = a.by_group
    if by_group is None or by_group.groups is None:
        return one.score(seen_by(one, a))
    if one.depends_on == "preferences":
        return one.score(by_group)
    if by_group.groups.judged.only_preferences:
        raise MeasureError(
            f"{one} sees labels, and these judgments are preferences; ask for Prefs or NumPrefs, "
            "or give qrels"
        )
    return _mean(one.score(by_group), by_group.groups)


def has_relevant(one: Measure, a: Alignment) -> Bools:
    """Say in which queries something is relevant, in some group at least: (Q,) bool."""
    if a.by_group is None or a.by_group.groups is None:
        return one.has_relevant(seen_by(one, a))
    if one.depends_on == "preferences":
        return one.has_relevant(a.by_group)
    return _mean(one.has_relevant(a.by_group).astype(np.float64), a.by_group.groups) > 0


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
            return _mean(ratio(self.fulfilled, self.possible), groups)
        starts = groups.judged.starts
        return ratio(segment_sum(self.fulfilled, starts), segment_sum(self.possible, starts))


class _Outcome(NamedTuple):
    """Which preferences of a group count: a number that a pair shares; whether it is fulfilled."""

    pair: Ints
    fulfilled: Bools
    lacking_fulfilled: float = 0.0
    lacking: float = 0.0


def tally(a: Alignment, counted: str, nonrelevant: str) -> Tally:
    """Count the preferences of all groups; see Prefs for what counts."""
    what = "tally", counted, nonrelevant
    if what not in a.known:
        assert a.groups is not None  # noqa: S101
        a.known[what] = _tally(a.groups, counted, nonrelevant)
    counts: Tally = a.known[what]
    return counts


def _tally(groups: RankedGroups, counted: str, nonrelevant: str) -> Tally:
    starts = groups.judged.starts.tolist()
    fulfilled, possible, by_pair = [], [], []
    for begin, end in pairwise(starts):
        outcomes = [_outcome(groups, group, counted, nonrelevant) for group in range(begin, end)]
        for one in outcomes:
            fulfilled.append(np.count_nonzero(one.fulfilled) + one.lacking_fulfilled)
            possible.append(len(one.pair) + one.lacking)
        by_pair.append(_by_pair(outcomes))
    return Tally(*(np.array(column, dtype=np.float64) for column in (fulfilled, possible, by_pair)))


def _by_pair(outcomes: list[_Outcome]) -> float:
    pair = np.concatenate([one.pair for one in outcomes])
    fulfilled = np.concatenate([one.fulfilled for one in outcomes])
    _, number, counts = np.unique(pair, return_inverse=True, return_counts=True)
    total = float((np.bincount(number, weights=fulfilled) / counts).sum()) if len(pair) else 0.0
    possible = len(counts) + sum(one.lacking for one in outcomes)
    total += sum(one.lacking_fulfilled for one in outcomes)
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


def _mean(values: Floats, groups: RankedGroups) -> Floats:
    """Average over the groups of each query: (G,) to (Q,) float64."""
    starts = groups.judged.starts
    return segment_sum(values, starts) / np.diff(starts)
