"""Gains of labels given on the command line: alignments whose labels are gains."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cmp_to_key
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from rankmark.data.alignment.cache import Cache
from rankmark.measures.families.gains import descending

if TYPE_CHECKING:
    from rankmark.array_types import Bools, Floats, Ints
    from rankmark.data.alignment import Alignment

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
