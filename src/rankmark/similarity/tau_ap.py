"""AP correlation: Kendall's tau by the reasoning of average precision, top-heavy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from rankmark.alignment.alignment import earlier_lower, positions, query_of_rows, segment_sum
from rankmark.similarity.coefficient import Coefficient, quotient
from rankmark.similarity.coefficient_parameters import choice, flag
from rankmark.similarity.item_orders import (
    Missing,
    Orders,
    keyed,
    of_two,
    orders,
    run_starts,
    width_of,
)

if TYPE_CHECKING:
    from rankmark.alignment.ranking_pairs import Pairing
    from rankmark.array_types import Floats, Ints
    from rankmark.similarity.given_rankings import Rankable

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
    """Say how well b orders items by a's truth, a mistake near the top of b weighing more.

    Formula: 2 / (n - 1) * sum over the ranks i = 2 to n of b of C_i / (i - 1), minus 1, C_i being
    how many of the items above rank i a has above that item, too. ``symmetric``: the mean of this
    and of the same with a and b changed.
    Only in one list: behind all that the other holds, tied there; ``missing`` says otherwise.
    Ties: a: the mean over all orders of what ties (tau_AP,a, accuracy; the paper has ties in b
    alone). b: a tie is what the list says (tau_AP,b, agreement): an item is compared to those above
    its tie, the top tie to none, and a pair that ties in the other list is no agreement; always
    symmetric. Without ties b is the symmetric form.
    Bounds: -1 to 1. NaN below two items, and under b where all items of one tie.
    Elsewhere: ircor tauAP, tauAP_a and tauAP_b, of scores; trectools has it, too. The truth comes
    first, as there, and as qrels come before the run.
    Source: Yilmaz, Aslam, Robertson 2008, SIGIR, section 4; Urbano and Marrero 2017, ICTIR, The
    treatment of ties in AP correlation.

    Parameters
    ----------
    a
        The truth, as ``ranking`` takes it.
    b
        What is judged by it.
    variant
        What ties mean.
    symmetric
        Whether neither of the two is the truth.
    k
        Both are cut behind this rank first.
    missing
        Items that only one holds: behind the ``"last"`` of the other; ``"drop"`` them after the
        cut; ``"error"``.

    Raises
    ------
    InputError
        If a parameter is none of these, or a ranking cannot be taken.

    Examples
    --------
    >>> from rankmark.similarity import tau_ap
    >>> tau_ap([1, 2, 3, 4, 5], [2, 1, 3, 4, 5])
    0.5
    >>> tau_ap([1, 2, 3, 4, 5], [1, 2, 3, 5, 4])
    0.875
    """
    given = {"variant": variant, "symmetric": symmetric}
    return of_two(tau_ap_over, a, b, k=k, missing=missing, **given)


def tau_ap_over(
    pairs: Pairing,
    *,
    variant: Variant = "a",
    symmetric: bool = False,
    missing: Missing = "last",
    k: int | None = None,
) -> Floats:
    """Give tau_AP of each pair: (Q,) float64; see ``tau_ap``."""
    return tau_ap_of(orders(pairs.top(k), missing), variant=variant, symmetric=symmetric)


def tau_ap_of(both: Orders, *, variant: Variant = "a", symmetric: bool = False) -> Floats:
    """Give tau_AP of each pair of orders: (Q,) float64; x is the truth."""
    choice("variant", variant, "a", "b")
    flag("symmetric", symmetric)
    one_way = _mean_over_orders if variant == "a" else _as_tied
    if symmetric or variant == "b":
        return (one_way(both) + one_way(both.turned())) / 2
    return one_way(both)


class _Above(NamedTuple):
    """Items, (n,), in the order of y, and what stands above the tie that each is in.

    ``agreeing`` and ``tied`` count those that x has above the item, too, and those that tie with
    it there; ``rank`` is the item's place from 1, ``begins`` the rows where ties of y begin.
    """

    agreeing: Ints
    tied: Ints
    rank: Ints
    begins: Ints


def _above(both: Orders) -> _Above:
    pair, starts = query_of_rows(both.starts), both.starts
    worst = both.x.max(initial=0)
    width = width_of(worst - both.x)
    # In a tie of y the best of x last, so that none of x is above.
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
    # A rank is as likely held by any item of its tie, and a tie of x is agreed upon half the time.
    sizes = np.diff(np.append(above.begins, len(weights)))
    mean_weight = np.repeat(_sums(weights, above.begins) / sizes, sizes)
    top = np.repeat(above.rank[above.begins], sizes)
    of_rows = (above.agreeing + above.tied / 2) * mean_weight + (above.rank - top) / 2 * weights
    n = both.sizes.astype(np.float64)
    return quotient(2 * segment_sum(of_rows, both.starts), np.where(n > 1, n - 1, 0)) - 1


def _sums(values: Floats, begins: Ints) -> Floats:
    """Add up each run of values; NumPy's reduceat knows no empty array."""
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
