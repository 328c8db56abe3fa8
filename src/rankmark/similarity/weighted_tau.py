"""Weighted tau: Kendall's tau in which swaps near the top count more."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from rankmark.arguments import flag
from rankmark.array_types import Floats, Ints
from rankmark.data.alignment.ranking_pairs import Pairing
from rankmark.errors import InputError, MismatchError, listed
from rankmark.formulas import choice
from rankmark.similarity.coefficient import Coefficient
from rankmark.similarity.given_rankings import Rankable, read
from rankmark.similarity.item_orders import (
    Missing,
    Orders,
    items_of_two,
    of_two,
    orders,
    orders_of_two,
)
from rankmark.statistics.scipy_functions import stats

Rank = Literal["both", "a", "b"]


def weighted_tau(
    a: Rankable,
    b: Rankable,
    *,
    weigher: Callable[[int], float] | None = None,
    additive: bool = True,
    rank: Rank | Rankable | bool | None = "both",
    k: int | None = None,
    missing: Missing = "last",
) -> float:
    """Return weighted tau, in which pairs near the top count more: by default, Vigna's tau_h.

    Formula: <a, b> / sqrt(<a, a> <b, b>), where <r, s> is the sum over all pairs of items i, j of
    sgn(r_i - r_j) sgn(s_i - s_j) w(i, j), and w(i, j) = f(i) + f(j), or f(i) f(j) unless
    ``additive``; f(i) = 1 / rank of i. With ``rank="a"`` these are the ranks of a, ties in the
    order of b; with "b" those of b, ties in the order of a; with "both" the value is the mean of
    the two; with another ranking, they are its ranks.
    Only in one list: placed below all items of the other list, tied; ``missing`` changes this.
    Ties: as in Kendall's tau-b: a pair tied in one ranking is neither concordant nor discordant.
    Bounds: -1 to 1; symmetric, unless rank is "a" or "b". NaN for fewer than two items, and if a
    list is all ties.
    Elsewhere: scipy.stats.weightedtau of scores; there, ``rank`` is True for "both", None for "a",
    an array of ranks, or False for the positions in the arrays, which are all accepted here.
    Source: Vigna 2015, WWW, A weighted correlation index for rankings with ties, sections 3 and 4.

    Parameters
    ----------
    a, b
        Rankings; see ``ranking``.
    weigher
        f, a function of ranks from 0; None for the hyperbolic 1 / (rank + 1).
    additive
        Whether the weights of a pair are added or multiplied.
    rank
        The ranks that weigh: "both", "a", "b", or a ranking of all items without ties.
    k
        Cutoff, applied to both rankings first.
    missing
        Items in only one ranking are placed ``"last"`` in the other, dropped after the cutoff
        (``"drop"``), or refused (``"error"``).

    Examples
    --------
    >>> from rankmark.similarity import weighted_tau
    >>> round(weighted_tau([1, 2, 3, 4, 5], [2, 1, 3, 4, 5]), 4)
    0.6715
    >>> round(weighted_tau([1, 2, 3, 4, 5], [1, 2, 3, 5, 4]), 4)
    0.9015
    """
    if rank is None or rank is True:
        rank = "a" if rank is None else "both"
    if isinstance(rank, str):
        parameters = {"weigher": weigher, "additive": additive, "rank": rank}
        return of_two(weighted_tau_over, a, b, k=k, missing=missing, **parameters)
    both = orders_of_two(a, b, k=k, missing=missing)
    given = _given_ranks(items_of_two(a, b, k=k, missing=missing), rank)
    (value,) = _weighted(both, weigher=weigher, additive=additive, given=given)
    return float(value)


def weighted_tau_over(
    pairs: Pairing,
    *,
    weigher: Callable[[int], float] | None = None,
    additive: bool = True,
    rank: Rank = "both",
    missing: Missing = "last",
    k: int | None = None,
) -> Floats:
    """Return weighted tau of each pair: (Q,) float64; see ``weighted_tau``."""
    both = orders(pairs.top(k), missing)
    return weighted_tau_of(both, weigher=weigher, additive=additive, rank=rank)


def weighted_tau_of(
    both: Orders,
    *,
    weigher: Callable[[int], float] | None = None,
    additive: bool = True,
    rank: Rank = "both",
) -> Floats:
    """Return weighted tau of each pair of orders: (Q,) float64."""
    choice("rank", rank, "both", "a", "b")
    both = both.exchanged() if rank == "b" else both
    given = True if rank == "both" else None
    return _weighted(both, weigher=weigher, additive=additive, given=given)


def _weighted(
    both: Orders,
    *,
    weigher: Callable[[int], float] | None,
    additive: bool,
    given: Ints | bool | None,
) -> Floats:
    """Return weighted tau of each pair of orders, by scipy; ``given`` is its rank."""
    flag("additive", additive)
    if weigher is not None and not callable(weigher):
        raise InputError(f"weigher is {weigher!r}", "need a function of ranks from 0, or None")
    values = np.full(len(both.sizes), np.nan)
    for q, (begin, end) in enumerate(itertools.pairwise(both.starts.tolist())):
        x, y = both.x[begin:end], both.y[begin:end]
        if len(x) > 1 and (x != x[0]).any() and (y != y[0]).any():
            # scipy takes scores, the highest best.
            values[q] = stats.weightedtau(
                -x, -y, rank=given, weigher=weigher, additive=additive
            ).statistic
    return values


def _given_ranks(items: Sequence[str], rank: Any) -> Ints:
    """Return the rank of each item, from 0, in a third ranking: (n,) int64."""
    if rank is False:
        if not all(item.isdecimal() for item in items):
            raise InputError("rank is False", "need rankings by position, which are arrays")
        return np.array([int(item) for item in items], dtype=np.int64)
    third = read(rank, "rank")
    if (third.first != third.last).any():
        raise InputError("rank has ties", "order its items, as each needs a weight of its own")
    place = {item: at for at, item in enumerate(third.ids)}
    absent = [item for item in items if item not in place]
    if absent:
        raise MismatchError(f"items that rank lacks: {listed(absent)}", "rank all items")
    return np.array([place[item] for item in items], dtype=np.int64)


WEIGHTED_TAU = Coefficient(
    "weighted_tau",
    weighted_tau,
    weighted_tau_over,
    bounds=(-1.0, 1.0),
    same=1.0,
    aliases=("weightedtau",),
)
