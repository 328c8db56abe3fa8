"""Condensed lists: rankings without their unjudged documents."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankmark.data.alignment.aligned_run import positions, query_of_rows

if TYPE_CHECKING:
    from rankmark.array_types import Ints, Ranks
    from rankmark.data.alignment.aligned_run import Alignment

_GROUPS = "preferences"


def condensed(a: Alignment) -> Alignment:
    """Leave unjudged documents out of the rankings; the judged ones move up.

    The alignment must contain all judged documents that were retrieved.
    """
    return a.once("condensed", lambda: _condensed(a))


def _condensed(a: Alignment) -> Alignment:
    tie_first, tie_last = a.tie_first, a.tie_last
    if tie_first is not None:
        tie_first, tie_last = condensed_ties(tie_first, a.starts)
    views = dict(a.views)
    if _GROUPS in views:  # each group leaves out what it did not judge
        view = views[_GROUPS]
        views[_GROUPS] = replace(view, judged=replace(view.judged, condensed=True))
    return a.with_columns(
        rank=positions(a.starts).astype(np.int32),
        retrieved=np.diff(a.starts),
        tie_first=tie_first,
        tie_last=tie_last,
        views=views,
    )


def condensed_ties(tie_first: Ranks, starts: Ints) -> tuple[Ranks, Ranks]:
    """Rank only the rows of each segment: the first and last rank of each row's tie."""
    segment = query_of_rows(starts)
    begins = np.flatnonzero(np.diff(tie_first, prepend=-1) | np.diff(segment, prepend=-1))
    counts = np.diff(np.append(begins, len(tie_first)))
    first = np.repeat(positions(starts)[begins], counts)
    last = first + np.repeat(counts, counts) - 1
    return first.astype(np.int32), last.astype(np.int32)
