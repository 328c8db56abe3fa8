"""trec_eval's preferences with as many non-relevant documents as relevant ones (Rnonrel).

Where a judge has more non-relevant documents than relevant ones, R, trec_eval also counts every
pair of a non-relevant document and one of the first R of them, itself included, as a preference.
Where the judge's preferences are in parts, it does not, but keeps as many retrieved non-relevant
documents as there are relevant ones, retrieved or not. One judge without any preference makes a
query's value 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.data.alignment import ratio
from rankmark.measures.families.by_group import NEVER, groups_of, tally

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.alignment import Alignment
    from rankmark.measures.families.by_group import RankedGroups


def balanced_share(a: Alignment, counted: str) -> Floats:
    """Return the fulfilled fraction, averaged over judges: (Q,) float64.

    Parameters
    ----------
    a
        An alignment with judgments in groups.
    counted
        ``"all"`` or ``"retrieved"``.
    """
    groups = groups_of(a)
    assert groups is not None  # noqa: S101
    counts = tally(a, groups, counted, "balanced")
    fulfilled, possible = counts.fulfilled.copy(), counts.possible.copy()
    for group in range(len(fulfilled)):
        more = _in_parts if group in groups.judged.partial else _in_one
        fulfilled[group], possible[group] = more(
            groups, group, counted, (fulfilled[group], possible[group])
        )
    means = groups.add_up(ratio(fulfilled, possible)) / np.diff(groups.judged.starts)
    return np.where(groups.add_up((possible == 0).astype(np.float64)) > 0, 0.0, means)


def _in_one(
    groups: RankedGroups, group: int, counted: str, so_far: tuple[float, float]
) -> tuple[float, float]:
    """Add the pairs of non-relevant documents."""
    relevant, others = _retrieved(groups, group)
    first, all_others, others_found = len(relevant), len(others), int(others.sum())
    if counted == "retrieved":
        first, all_others = int(relevant.sum()), others_found
    if first >= all_others:
        return so_far
    fulfilled = sum(min(place, others_found) for place in range(first))
    return so_far[0] + fulfilled, so_far[1] + all_others * first


def _in_parts(
    groups: RankedGroups, group: int, counted: str, so_far: tuple[float, float]
) -> tuple[float, float]:
    """Count again, with more of the non-relevant documents retrieved."""
    relevant, others = _retrieved(groups, group)
    if counted != "retrieved" or int(relevant.sum()) >= int(others.sum()):
        return so_far
    judged = groups.judged
    rows = slice(judged.rows[group], judged.rows[group + 1])
    document, is_relevant = judged.document[rows], judged.label[rows] > 0
    rank = groups.rank[document]
    found = document[~is_relevant & (rank < NEVER)]
    found = found[np.argsort(groups.rank[found])][: len(relevant)]
    kept = np.concatenate([document[is_relevant & (rank < NEVER)], found])
    better, worse = judged.preferences(group)
    chosen = np.isin(better, kept) & np.isin(worse, kept)
    first, second = groups.rank[better[chosen]], groups.rank[worse[chosen]]
    return float(np.count_nonzero(first < second)), float(len(first))


def _retrieved(groups: RankedGroups, group: int) -> tuple[np.ndarray, np.ndarray]:
    """Return whether each relevant document, and each other one, was retrieved."""
    judged = groups.judged
    rows = slice(judged.rows[group], judged.rows[group + 1])
    is_relevant = judged.label[rows] > 0
    retrieved = groups.rank[judged.document[rows]] < NEVER
    return retrieved[is_relevant], retrieved[~is_relevant]
