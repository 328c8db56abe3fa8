"""Segments of rows, such as those of queries, by where they start: (Q + 1,) int64, rising."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.array_types import Bools, Floats, Ints, Ranks
    from rankmark.formulas import Budget

Number = TypeVar("Number", bound="np.number[Any]")


def lengths(starts: Ints) -> Ints:
    """Return the number of rows of each segment: (Q + 1,) to (Q,) int64."""
    return starts[1:] - starts[:-1]  # of few segments, np.diff takes five times as long


def query_of_rows(starts: Ints) -> Ints:
    """Return the number of each row's segment: (Q + 1,) to (n,) int64, 0-based."""
    return np.repeat(np.arange(len(starts) - 1), lengths(starts))


def positions(starts: Ints) -> Ints:
    """Return the number of each row in its segment: (n,) int64, 1-based."""
    counts = lengths(starts)
    return np.arange(1, starts[-1] + 1) - np.repeat(starts[:-1], counts)


def gathered(starts: Ints, values: NDArray[Number], at: Ints) -> tuple[Ints, NDArray[Number]]:
    """Return the values of some segments: the place in ``at`` of each, and the value."""
    counts = starts[at + 1] - starts[at]
    ends = np.cumsum(counts)
    rows = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts[at] - ends + counts, counts)
    return np.repeat(np.arange(len(at)), counts), values[rows]


def fitting(cost: Floats, starts: Ints, budget: Budget) -> Bools:
    """Return which rows, in rank order, fit into the budget of their segment: (n,) bool."""
    found = np.zeros(len(cost), dtype=np.bool_)
    sizes = lengths(starts)
    spent = np.zeros(len(sizes))
    going_on = np.flatnonzero(sizes)
    rank = 0
    while len(going_on):  # all segments at once, a rank at a time
        at = starts[going_on] + rank
        total = spent[going_on] + cost[at]
        fits = budget.fits(total)
        found[at] = fits
        spent[going_on[fits]] = total[fits]
        rank += 1
        more = sizes[going_on] > rank
        going_on = going_on[more if budget.rule == "skip" else more & fits]
    return found


def parted(cost: Floats, starts: Ints, first: Ranks, last: Ranks, budget: Budget) -> Bools:
    """Return which rows tie with others of which the order decides what fits: (n,) bool.

    Parameters
    ----------
    cost, starts, budget
        As for ``fitting``.
    first, last
        (n,) int32, the ranks of the first and of the last row with the score of each.
    """
    fits = fitting(cost, starts, budget)
    found = np.zeros(len(cost), dtype=np.bool_)
    of_segment = np.repeat(starts[:-1], lengths(starts))
    for at in np.unique((of_segment + first - 1)[first < last]).tolist():
        tied, before = slice(at, of_segment[at] + last[at]), slice(of_segment[at], at)
        has_ended = budget.rule == "stop" and not fits[before].all()
        spent = cost[before][fits[before]].sum()
        if not (has_ended or fits[tied].all()) and budget.fits(spent + cost[tied].min()):
            found[tied] = True
    return found
