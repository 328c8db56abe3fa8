"""AP correlation: a top-heavy Kendall's tau, built like average precision."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from rankmark.arguments import flag
from rankmark.array_types import Floats, Ints
from rankmark.data.alignment import earlier_lower, positions, query_of_rows, segment_sum
from rankmark.data.alignment.ranking_pairs import Pairing
from rankmark.formulas import choice
from rankmark.similarity.coefficient import Coefficient, quotient
from rankmark.similarity.given_rankings import Rankable
from rankmark.similarity.item_orders import (
    Missing,
    Orders,
    keyed,
    of_two,
    orders,
    run_starts,
    width_of,
)

Variant = Literal["a", "b"]


def tau_ap(
    a: Rankable,
    b: Rankable,
    *,
    variant: Variant = "a",
    symmetric: bool = False,
    k: int | None = None,
    missing: Missing = "last",
) -> float:
    """Return the AP correlation of ranking b with the true ranking a.

    Errors near the top of b count more.

    Formula: 2 / (n - 1) * sum over the ranks i = 2 to n of b of C_i / (i - 1), minus 1, where C_i
    is how many of the items above rank i are also above that item in a. ``symmetric``: the mean of
    this and of the value with a and b exchanged.
    Only in one list: placed below all items of the other list, tied; ``missing`` changes this.
    Ties: a: the mean over all orders of tied items (tau_AP,a, accuracy; in the paper, only b has
    ties). b: tied items have equal rank (tau_AP,b, agreement): each item is compared with those
    above its tie, and a pair tied in the other list does not agree; always symmetric. Without ties,
    b is the symmetric form.
    Bounds: -1 to 1. NaN for fewer than two items, and with b if a list is all ties.
    Elsewhere: ircor's tauAP, tauAP_a and tauAP_b, of scores; trectools. The truth comes first, as
    there, and as qrels come before the run.
    Source: Yilmaz, Aslam, Robertson 2008, SIGIR, section 4; Urbano and Marrero 2017, ICTIR, The
    treatment of ties in AP correlation.

    Parameters
    ----------
    a
        The true ranking; see ``ranking``.
    b
        The ranking to compare with it.
    variant
        The treatment of ties.
    symmetric
        True if neither ranking is the truth.
    k
        Cutoff, applied to both rankings first.
    missing
        Items in only one ranking are placed ``"last"`` in the other, dropped after the cutoff
        (``"drop"``), or refused (``"error"``).

    Examples
    --------
    >>> from rankmark.similarity import tau_ap
    >>> tau_ap([1, 2, 3, 4, 5], [2, 1, 3, 4, 5])
    0.5
    >>> tau_ap([1, 2, 3, 4, 5], [1, 2, 3, 5, 4])
    0.875
    """
    parameters = {"variant": variant, "symmetric": symmetric}
    return of_two(tau_ap_over, a, b, k=k, missing=missing, **parameters)


def tau_ap_over(
    pairs: Pairing,
    *,
    variant: Variant = "a",
    symmetric: bool = False,
    missing: Missing = "last",
    k: int | None = None,
) -> Floats:
    """Return tau_AP of each pair: (Q,) float64; see ``tau_ap``."""
    return tau_ap_of(orders(pairs.top(k), missing), variant=variant, symmetric=symmetric)


def tau_ap_of(both: Orders, *, variant: Variant = "a", symmetric: bool = False) -> Floats:
    """Return tau_AP of each pair of orders, of which x is the truth: (Q,) float64."""
    choice("variant", variant, "a", "b")
    flag("symmetric", symmetric)
    one_way = _mean_over_orders if variant == "a" else _as_tied
    if symmetric or variant == "b":
        return (one_way(both) + one_way(both.exchanged())) / 2
    return one_way(both)


class _Above(NamedTuple):
    """For each item, in the order of y, the items above its tie: (n,).

    ``agreeing`` counts those also above it in x, ``tied`` those tied with it in x; ``rank`` is its
    position from 1, and ``begins`` are the rows at which the ties of y begin.
    """

    agreeing: Ints
    tied: Ints
    rank: Ints
    begins: Ints


def _above(both: Orders) -> _Above:
    pair, starts = query_of_rows(both.starts), both.starts
    worst = both.x.max(initial=0)
    width = width_of(worst - both.x)
    # Within a tie of y, the best by x comes last, so that none counts as above.
    by_y = np.sort(keyed(pair, both.y, worst - both.x))
    x, of_y = worst - by_y % width, by_y // width
    agreeing = earlier_lower(x, starts)
    begins = run_starts(of_y)
    tie = np.repeat(np.arange(len(begins)), np.diff(np.append(begins, len(x))))
    no_worse = earlier_lower(keyed(x, tie), starts)
    return _Above(agreeing, no_worse - agreeing, positions(starts), begins)


def _mean_over_orders(both: Orders) -> Floats:
    above = _above(both)
    weights = np.divide(1.0, above.rank - 1, out=np.zeros(len(above.rank)), where=above.rank > 1)
    # Each rank of a tie has each of its items equally often; a tie of x agrees half the time.
    sizes = np.diff(np.append(above.begins, len(weights)))
    mean_weight = np.repeat(_sums(weights, above.begins) / sizes, sizes)
    top = np.repeat(above.rank[above.begins], sizes)
    of_rows = (above.agreeing + above.tied / 2) * mean_weight + (above.rank - top) / 2 * weights
    n = both.sizes.astype(np.float64)
    return quotient(2 * segment_sum(of_rows, both.starts), np.where(n > 1, n - 1, 0)) - 1


def _sums(values: Floats, begins: Ints) -> Floats:
    """Add up each stretch of values; NumPy's reduceat fails on empty arrays."""
    return np.add.reduceat(values, begins) if len(begins) else np.empty(0)


def _as_tied(both: Orders) -> Floats:
    above = _above(both)
    sizes = np.diff(np.append(above.begins, len(above.rank)))
    higher = np.repeat(above.rank[above.begins], sizes) - 1
    below = higher > 0
    shares = np.divide(above.agreeing, higher, out=np.zeros(len(higher)), where=below)
    counted = segment_sum(below, both.starts)
    return 2 * quotient(segment_sum(shares, both.starts), counted) - 1


TAU_AP = Coefficient(
    "tauAP",
    tau_ap,
    tau_ap_over,
    bounds=(-1.0, 1.0),
    same=1.0,
    symmetric=False,
    aliases=("tau_ap",),
)
