"""An alignment with documents, as one whose queries are groups of judgments."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankmark.alignment.alignment import positions, query_of_rows
from rankmark.alignment.judgment_groups import NEVER, RankedGroups

if TYPE_CHECKING:
    from rankmark.alignment.alignment import Alignment
    from rankmark.alignment.judgment_groups import JudgmentGroups
    from rankmark.array_types import Ints, Ranks


def with_groups(a: Alignment, groups: JudgmentGroups, *, condensed: bool) -> Alignment:
    """Give documents their greatest label, and keep the labels of each group for all measures.

    Parameters
    ----------
    a
        The alignment, with the numbers of documents for labels.
    condensed
        Whether only judged documents are ranked: those that the group judged, then.
    """
    numbers = a.label.astype(np.int64)
    row_of = np.full(len(groups.highest), -1, dtype=np.int64)
    row_of[numbers] = np.arange(len(numbers))
    group = query_of_rows(groups.rows)
    retrieved = np.flatnonzero(row_of[groups.document] >= 0)
    # Rows of an alignment rise by query and rank, so that their numbers order documents.
    order = retrieved[np.lexsort((row_of[groups.document[retrieved]], group[retrieved]))]
    rows, label = row_of[groups.document[order]], groups.label[order]
    starts = np.append(0, np.cumsum(np.bincount(group[order], minlength=len(groups.rows) - 1)))
    rank, tie_first, tie_last = a.rank[rows], a.tie_first, a.tie_last
    owner = query_of_rows(groups.starts)
    if tie_first is not None and tie_last is not None:
        tie_first, tie_last = tie_first[rows], tie_last[rows]
    how_many = a.retrieved[owner]
    if condensed:
        rank, how_many = positions(starts).astype(np.int32), np.diff(starts)
        if tie_first is not None:
            tie_first, tie_last = _condensed(tie_first, starts)
    at = np.full(len(groups.highest), NEVER, dtype=np.int64)
    at[numbers] = a.rank
    by_group = replace(
        a,
        queries=[a.queries[query] for query in owner.tolist()],
        starts=starts,
        rank=rank,
        label=label,
        retrieved=how_many,
        ideal_starts=groups.rows,
        ideal_label=groups.label,
        tie_first=tie_first,
        tie_last=tie_last,
        groups=RankedGroups(groups, at),
        known={},
        ideal_known={},
    )
    return replace(a, label=groups.highest[numbers], known={}, by_group=by_group)


def _condensed(tie_first: Ranks, starts: Ints) -> tuple[Ranks, Ranks]:
    """Rank ties among the rows of each segment alone: first and last rank of each row's tie."""
    group = query_of_rows(starts)
    begins = np.flatnonzero(np.diff(tie_first, prepend=-1) | np.diff(group, prepend=-1))
    counts = np.diff(np.append(begins, len(tie_first)))
    first = np.repeat(positions(starts)[begins], counts)
    last = first + np.repeat(counts, counts) - 1
    return first.astype(np.int32), last.astype(np.int32)
