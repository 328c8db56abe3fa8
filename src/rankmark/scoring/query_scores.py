"""Scores by query: means over groups of judgments, and queries without relevant documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.data.alignment import Alignment, positions, query_of_rows, segment_sum
from rankmark.data.alignment.aligned_run import condensed, condensed_ties
from rankmark.errors import MeasureError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.array_types import Bools, Floats
    from rankmark.conventions import Conventions
    from rankmark.data.alignment.views import JudgmentGroups, View
    from rankmark.measures import Measure

_GROUPS = "preferences"


def in_groups(a: Alignment) -> bool:
    """Return True if judgments are in groups."""
    return _GROUPS in a.views


def score(measure: Measure, a: Alignment) -> Floats:
    """Score each query: (Q,) float64."""
    if measure.judged_only:
        a = condensed(a)
    if _GROUPS not in a.views or measure.depends_on == _GROUPS:
        return measure.score(a)
    groups = a.views[_GROUPS].judged
    # Preferences have no labels, and counts of queries and of documents need none.
    if groups.only_preferences and not np.isposinf(measure.needs().lowest):
        raise MeasureError(
            f"{measure} needs labels, and these judgments are preferences",
            "ask for Prefs or NumPrefs, or give qrels",
        )
    if groups.only_preferences:
        return measure.score(a)
    return _mean(measure.score(by_group(a)), groups)


def has_relevant(measure: Measure, a: Alignment) -> Bools:
    """Whether each query has a relevant document, in at least one group: (Q,) bool."""
    if _GROUPS not in a.views or measure.depends_on == _GROUPS:
        return measure.has_relevant(a)
    return _mean(measure.has_relevant(by_group(a)).astype(np.float64), a.views[_GROUPS].judged) > 0


def by_group(a: Alignment) -> Alignment:
    """Return an alignment in which each group is a query, with its own labels."""
    return a.once("by group", lambda: _by_group(a, a.views[_GROUPS]))


def _by_group(a: Alignment, view: View[JudgmentGroups]) -> Alignment:
    groups = view.judged
    row_of = np.full(len(groups.highest), -1, dtype=np.int64)
    row_of[view.document] = np.arange(len(view.document))
    group = query_of_rows(groups.rows)
    found = np.flatnonzero(row_of[groups.document] >= 0)
    # The rows of an alignment are in order of query and rank.
    order = found[np.lexsort((row_of[groups.document[found]], group[found]))]
    rows = row_of[groups.document[order]]
    starts = np.append(0, np.cumsum(np.bincount(group[order], minlength=len(groups.rows) - 1)))
    rank, tie_first, tie_last = a.rank[rows], a.tie_first, a.tie_last
    owner = query_of_rows(groups.starts)
    if tie_first is not None and tie_last is not None:
        tie_first, tie_last = tie_first[rows], tie_last[rows]
    retrieved = a.retrieved[owner]
    if groups.condensed:
        rank, retrieved = positions(starts).astype(np.int32), np.diff(starts)
        if tie_first is not None:
            tie_first, tie_last = condensed_ties(tie_first, starts)
    return Alignment(
        [a.queries[query] for query in owner.tolist()],
        starts,
        rank,
        groups.label[order],
        retrieved,
        groups.rows,
        groups.label,
        tie_first,
        tie_last,
    )


def _mean(values: Floats, groups: JudgmentGroups) -> Floats:
    """Average over the groups of each query: (G,) to (Q,) float64."""
    return segment_sum(values, groups.starts) / np.diff(groups.starts)


def set_no_relevant(
    measure: Measure, alignment: Alignment, conventions: Conventions, scores: Floats
) -> None:
    """Set the scores, (Q,), of queries without relevant documents, in place."""
    value = measure.without_relevant(conventions.no_relevant)
    if value is not None:
        scores[~has_relevant(measure, alignment)] = value


def clear_no_relevant(
    measures: Sequence[Measure], alignment: Alignment, conventions: Conventions, scores: Floats
) -> None:
    """Set the scores, (Q, M), of queries without relevant documents to NaN unless they count 0."""
    for column, measure in enumerate(measures):
        counts = conventions.of(measure).no_relevant
        if measure.nothing_relevant is not None and counts != "zero":
            scores[~measure.has_relevant(alignment), column] = np.nan
