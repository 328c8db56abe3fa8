"""Scores by query; where judgments are in groups, a query has the mean of what its groups give."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.alignment.alignment import Alignment, positions, query_of_rows, segment_sum
from rankmark.errors import MeasureError

if TYPE_CHECKING:
    from rankmark.alignment.judgment_groups import JudgmentGroups
    from rankmark.alignment.views import View
    from rankmark.array_types import Bools, Floats, Ints, Ranks
    from rankmark.measures import Measure

_GROUPS = "preferences"


def in_groups(a: Alignment) -> bool:
    """Say whether judgments are in groups."""
    return _GROUPS in a.views


def score(one: Measure, a: Alignment) -> Floats:
    """Score each query: (Q,) float64.

    Raises
    ------
    MeasureError
        If judgments are preferences, and the measure sees something else.
    """
    if _GROUPS not in a.views or one.depends_on == _GROUPS:
        return one.score(a)
    groups = a.views[_GROUPS].judged
    if groups.only_preferences:
        raise MeasureError(
            f"{one} sees labels, and these judgments are preferences; ask for Prefs or NumPrefs, "
            "or give qrels"
        )
    return _mean(one.score(by_group(a)), groups)


def has_relevant(one: Measure, a: Alignment) -> Bools:
    """Say in which queries something is relevant, in some group at least: (Q,) bool."""
    if _GROUPS not in a.views or one.depends_on == _GROUPS:
        return one.has_relevant(a)
    return _mean(one.has_relevant(by_group(a)).astype(np.float64), a.views[_GROUPS].judged) > 0


def by_group(a: Alignment) -> Alignment:
    """Give the alignment in which each group is a query, and has labels of its own."""
    return a.once("by group", lambda: _by_group(a, a.views[_GROUPS]))


def _by_group(a: Alignment, view: View[JudgmentGroups]) -> Alignment:
    groups = view.judged
    row_of = np.full(len(groups.highest), -1, dtype=np.int64)
    row_of[view.document] = np.arange(len(view.document))
    group = query_of_rows(groups.rows)
    retrieved = np.flatnonzero(row_of[groups.document] >= 0)
    # Rows of an alignment rise by query and rank, so that their numbers order documents.
    order = retrieved[np.lexsort((row_of[groups.document[retrieved]], group[retrieved]))]
    rows = row_of[groups.document[order]]
    starts = np.append(0, np.cumsum(np.bincount(group[order], minlength=len(groups.rows) - 1)))
    rank, tie_first, tie_last = a.rank[rows], a.tie_first, a.tie_last
    owner = query_of_rows(groups.starts)
    if tie_first is not None and tie_last is not None:
        tie_first, tie_last = tie_first[rows], tie_last[rows]
    how_many = a.retrieved[owner]
    if groups.condensed:
        rank, how_many = positions(starts).astype(np.int32), np.diff(starts)
        if tie_first is not None:
            tie_first, tie_last = _condensed(tie_first, starts)
    return Alignment(
        [a.queries[query] for query in owner.tolist()],
        starts,
        rank,
        groups.label[order],
        how_many,
        groups.rows,
        groups.label,
        tie_first,
        tie_last,
    )


def _condensed(tie_first: Ranks, starts: Ints) -> tuple[Ranks, Ranks]:
    """Rank ties among the rows of each segment alone: first and last rank of each row's tie."""
    group = query_of_rows(starts)
    begins = np.flatnonzero(np.diff(tie_first, prepend=-1) | np.diff(group, prepend=-1))
    counts = np.diff(np.append(begins, len(tie_first)))
    first = np.repeat(positions(starts)[begins], counts)
    last = first + np.repeat(counts, counts) - 1
    return first.astype(np.int32), last.astype(np.int32)


def _mean(values: Floats, groups: JudgmentGroups) -> Floats:
    """Average over the groups of each query: (G,) to (Q,) float64."""
    return segment_sum(values, groups.starts) / np.diff(groups.starts)
