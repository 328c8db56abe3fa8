"""Values that trec_eval computes in its own ways: of given gains, and balanced preferences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cmp_to_key
from itertools import pairwise

import numpy as np

from rankmark.array_types import Bools, Floats, Ints
from rankmark.data.alignment import Alignment, ratio
from rankmark.data.alignment.cache import Cache
from rankmark.measures.families.by_group import NEVER, RankedGroups, groups_of, tally
from rankmark.measures.families.gains import descending

Gain = tuple[int, float]
_HIGHEST_TRIED = 10_000


def with_gains(a: Alignment, given: Mapping[int, float]) -> Alignment:
    """Replace labels by gains: those given, otherwise the label itself, and 0 below 0."""
    ideal = descending(_gains(a.ideal_label, given), a.ideal_starts)
    return replace(a, label=_gains(a.label, given), ideal_label=ideal, _ideal=Cache())


def with_unsorted_gains(a: Alignment, given: Mapping[int, float]) -> Alignment:
    """Do the same, but order the ideal ranking as trec_eval does."""
    labels = a.ideal_label.astype(np.int64)
    starts, ideal = [0], []
    for begin, end in zip(a.ideal_starts[:-1].tolist(), a.ideal_starts[1:].tolist(), strict=True):
        counts = np.bincount(labels[begin:end][labels[begin:end] >= 0]).tolist()
        ideal += _ideal_of(counts, given)
        starts.append(len(ideal))
    return replace(
        a,
        label=_gains(a.label, given),
        ideal_starts=np.array(starts, dtype=np.int64),
        ideal_label=np.array(ideal, dtype=np.float64),
        _ideal=Cache(),
    )


def are_sorted(highest: int, given: Mapping[int, float]) -> bool:
    """Return True if trec_eval sorts the gains of all labels up to the highest one.

    Labels that are higher than anyone judges are not tried.
    """
    if highest > _HIGHEST_TRIED:
        return True
    order = _as_trec_eval(_levels(highest, given))
    return all(one[1] <= other[1] for one, other in pairwise(order))


def with_scaled_gains(a: Alignment, given: Mapping[int, float]) -> Alignment:
    """Do the same, and divide the gains of a query by the highest, if it is above 1, for rbp."""
    gained = with_gains(a, given)
    judged = np.diff(a.ideal_starts) > 0
    highest = np.ones(len(judged))
    highest[judged] = np.maximum(gained.ideal_label[a.ideal_starts[:-1][judged]], 1.0)
    return replace(
        gained,
        label=gained.label / gained.spread(highest),
        ideal_label=gained.ideal_label / np.repeat(highest, np.diff(a.ideal_starts)),
        _ideal=Cache(),
    )


def without_unjudged(a: Alignment, *, condensed: bool) -> Alignment:
    """Remove documents with labels below 0 from the ranking; ``condensed`` closes the gaps."""
    removed = a.label < 0
    if not removed.any():
        return a
    earlier = a.cumsum(removed.astype(np.float64)).astype(a.rank.dtype)
    rank = a.rank - earlier if condensed else a.rank
    retrieved = a.retrieved - a.count(removed).astype(np.int64) if condensed else a.retrieved
    return replace(
        a,
        starts=_starts(a.starts, ~removed),
        rank=rank[~removed],
        label=a.label[~removed],
        retrieved=retrieved,
        tie_first=None,
        tie_last=None,
    )


def _starts(starts: Ints, kept: Bools) -> Ints:
    return np.append(0, np.cumsum(kept))[starts]


def _gains(labels: Floats, given: Mapping[int, float]) -> Floats:
    levels, number = np.unique(labels, return_inverse=True)
    gains = [given.get(int(level), level) if level >= 0 else 0.0 for level in levels.tolist()]
    return np.array(gains, dtype=np.float64)[number]


def _levels(highest: int, given: Mapping[int, float]) -> list[Gain]:
    """List labels and gains in the order in which trec_eval collects them."""
    others = (level for level in range(highest + 1) if level not in given)
    return [*given.items(), *((level, float(level)) for level in others)]


def _as_trec_eval(levels: list[Gain]) -> list[Gain]:
    """Sort by gains, ascending, comparing the whole part of their difference."""
    return _merged(levels, cmp_to_key(lambda one, other: int(one[1] - other[1])))


def _merged(items: list[Gain], key: Callable[[Gain], object]) -> list[Gain]:
    """Sort by merging halves, as glibc's qsort does: the comparison is not consistent."""
    if len(items) < 2:
        return items
    half = len(items) // 2
    left, right = _merged(items[:half], key), _merged(items[half:], key)
    merged = []
    while left and right:
        first = left if not key(right[0]) < key(left[0]) else right  # type: ignore[operator]
        merged.append(first.pop(0))
    return merged + left + right


def _ideal_of(counts: list[int], given: Mapping[int, float]) -> list[float]:
    """List the gains of the ideal ranking of one query, from the number of documents by label."""
    levels = _as_trec_eval(_levels(len(counts) - 1, given)) if counts else []
    if not levels or levels[-1][1] <= 0:
        return []
    ideal: list[float] = []
    for level, gain in reversed(levels):
        number = counts[level] if level < len(counts) else 0
        if number and gain <= 0:
            break
        ideal += [gain] * number
    return ideal


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
