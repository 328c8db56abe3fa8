"""Norms: how the scores of different runs are made comparable, list by list.

Each is computed from one list of one query alone, after ``depth`` has cut it, except for ``borda``,
which also needs the number of documents in the union. n is the length of the list; sd is the
population standard deviation unless it says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from rankmark.alignment import query_of_rows, segment_sum

if TYPE_CHECKING:
    from rankmark.alignment.united_lists import RunLists, UnitedLists
    from rankmark.array_types import Bools, Floats

Norm = Literal[
    "none", "min-max", "max", "sum", "z", "rank", "borda", "l2", "3-sigma", "3-sigma-sample",
    "arctan",
]  # fmt: skip
NORMS: tuple[Norm, ...] = get_args(Norm)
Constant = Literal["raw"] | float
"""What a list becomes if all its scores are equal, where a norm would divide 0 by 0."""


def normalised(
    lists: UnitedLists, run: int, norm: Norm, constant: Constant = 1, absent: float = 0.0
) -> Floats:
    """Normalise the scores of one run: (U,) float64; see ``Ballots.normalised``."""
    of_run = lists.lists[run]
    if norm == "none":
        return lists.spread(run, of_run.score, absent)
    if norm == "borda":
        size = of_run.sizes
        union = np.maximum(lists.sizes, 1)
        points = 1 - (_mean_rank(of_run) - 1) / union[query_of_rows(of_run.starts)]
        return lists.spread(run, points, 0.5 - (size - 1) / (2 * union))
    if norm == "rank":
        sizes = of_run.sizes[query_of_rows(of_run.starts)]
        return lists.spread(run, 1 - (_mean_rank(of_run) - 1) / sizes, absent)
    return lists.spread(run, _BY_LIST[norm](of_run, constant), absent)


def _mean_rank(lists: RunLists) -> Floats:
    means: Floats = (lists.first + lists.last) / 2
    return means


def _min_max(lists: RunLists, constant: Constant) -> Floats:
    """Return (s - min) / (max - min)."""
    low, high = _extremes(lists)
    return _scaled(lists, low, high - low, constant)


def _max(lists: RunLists, constant: Constant) -> Floats:
    """Return s / max; a list without a score above 0 is left as it is."""
    del constant
    _, high = _extremes(lists)
    return _divided(lists, np.where(high > 0, high, 1.0))


def _sum(lists: RunLists, constant: Constant) -> Floats:
    """Return (s - min) / sum of (s - min): Montague and Aslam's norm."""
    low, _ = _extremes(lists)
    shifted = lists.score - low[query_of_rows(lists.starts)]
    return _scaled(lists, low, segment_sum(shifted, lists.starts), constant)


def _z(lists: RunLists, constant: Constant) -> Floats:
    """Return (s - mean) / sd; 0 in a list of equal scores."""
    del constant
    mean, variance = _moments(lists)
    return _scaled(lists, mean, np.sqrt(variance), 0.0)


def _l2(lists: RunLists, constant: Constant) -> Floats:
    """Return s / sqrt(sum of s^2); a list of zeros is left as it is."""
    del constant
    length = np.sqrt(segment_sum(lists.score**2, lists.starts))
    return _divided(lists, np.where(length > 0, length, 1.0))


def _three_sigma(lists: RunLists, constant: Constant) -> Floats:
    """Return (s - mean + 3 sd) / (6 sd), with the population's sd."""
    return _by_deviations(lists, constant, freedom=0)


def _three_sigma_sample(lists: RunLists, constant: Constant) -> Floats:
    """Return (s - mean + 3 sd) / (6 sd), with the sample's sd, divided by n - 1."""
    return _by_deviations(lists, constant, freedom=1)


def _arctan(lists: RunLists, constant: Constant) -> Floats:
    """Return 2 arctan(s) / pi, whatever the other scores are."""
    del constant
    return 2 * np.arctan(lists.score) / np.pi


_BY_LIST: dict[str, Callable[[RunLists, Constant], Floats]] = {
    "min-max": _min_max,
    "max": _max,
    "sum": _sum,
    "z": _z,
    "l2": _l2,
    "3-sigma": _three_sigma,
    "3-sigma-sample": _three_sigma_sample,
    "arctan": _arctan,
}


def constant_lists(lists: RunLists) -> Bools:
    """Return which lists have documents, and the same score for all: (Q,) bool."""
    low, high = _extremes(lists)
    flat: Bools = (lists.sizes > 0) & (low == high)
    return flat


def _by_deviations(lists: RunLists, constant: Constant, freedom: int) -> Floats:
    mean, variance = _moments(lists, freedom)
    sd = np.sqrt(variance)
    return _scaled(lists, mean - 3 * sd, 6 * sd, constant)


def _extremes(lists: RunLists) -> tuple[Floats, Floats]:
    """Return the lowest and the highest score of each list, 0 of an empty one: (Q,) float64."""
    filled = lists.sizes > 0
    low, high = np.zeros(len(filled)), np.zeros(len(filled))
    low[filled] = lists.score[lists.starts[1:][filled] - 1]  # lists are best first
    high[filled] = lists.score[lists.starts[:-1][filled]]
    return low, high


def _moments(lists: RunLists, freedom: int = 0) -> tuple[Floats, Floats]:
    """Return the mean and the variance of each list; the latter is 0 of equal scores."""
    sizes = lists.sizes
    mean = segment_sum(lists.score, lists.starts) / np.maximum(sizes, 1)
    squares = (lists.score - mean[query_of_rows(lists.starts)]) ** 2
    variance = segment_sum(squares, lists.starts) / np.maximum(sizes - freedom, 1)
    return mean, np.where(constant_lists(lists), 0.0, variance)


def _scaled(lists: RunLists, shift: Floats, scale: Floats, constant: Constant) -> Floats:
    """Return (s - shift) / scale, and the constant in lists whose scores are all equal."""
    query = query_of_rows(lists.starts)
    flat = constant_lists(lists)
    scaled = (lists.score - shift[query]) / np.where(flat | (scale == 0), 1.0, scale)[query]
    flat_rows = flat[query]
    scaled[flat_rows] = lists.score[flat_rows] if constant == "raw" else float(constant)
    return scaled


def _divided(lists: RunLists, divisor: Floats) -> Floats:
    divided: Floats = lists.score / divisor[query_of_rows(lists.starts)]
    return divided
