"""AP correlation: Kendall's tau by the reasoning of average precision, top-heavy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from rankmark.similarity.coefficient import Coefficient
from rankmark.similarity.pairing import Missing, earlier_and_lower, in_order, orders
from rankmark.similarity.parameters import choice

if TYPE_CHECKING:
    from rankmark.similarity.rankings import Ints, Rankable

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
    both = orders(a, b, k, missing)
    return tau_ap_of(both.x, both.y, variant=variant, symmetric=symmetric)


def tau_ap_of(x: Ints, y: Ints, *, variant: Variant = "a", symmetric: bool = False) -> float:
    """Give tau_AP of two orders, each (n,), the lower the better; x is the truth."""
    choice("variant", variant, "a", "b")
    one_way = _mean_over_orders if variant == "a" else _as_tied
    if symmetric or variant == "b":
        return (one_way(x, y) + one_way(y, x)) / 2
    return one_way(x, y)


def _mean_over_orders(x: Ints, y: Ints) -> float:
    n = len(x)
    if n < 2:
        return math.nan
    agreeing, tied, top = _above(x, y)
    rank = np.arange(1, n + 1)
    weights = np.append(0.0, 1 / rank[:-1])  # by rank; the first has nothing above it
    # A rank is as likely held by any item of its tie, and a tie of x is agreed upon half the time.
    ties, sizes = np.unique(top, return_counts=True)
    mean_weight = np.repeat(np.add.reduceat(weights, ties - 1) / sizes, sizes)
    above = (agreeing + tied / 2) * mean_weight
    within = (rank - top) / 2 * weights
    return 2 * float((above + within).sum()) / (n - 1) - 1


def _as_tied(x: Ints, y: Ints) -> float:
    agreeing, _, top = _above(x, y)
    below = top > 1
    if not below.any():
        return math.nan
    return 2 * float((agreeing[below] / (top[below] - 1)).mean()) - 1


def _above(x: Ints, y: Ints) -> tuple[Ints, Ints, Ints]:
    """Compare each item with those above its tie in y, items taken in the order of y.

    Gives how many of these x has above it, and how many tie with it in x; and the first rank of
    its tie in y.
    """
    down = -np.arange(len(x))
    order = np.lexsort((-x, y))  # in a tie of y the best of x last, so that none of x is above
    x, y = x[order], y[order]
    agreeing = earlier_and_lower(in_order(x, down))
    no_worse = earlier_and_lower(in_order(x, y, down))
    return agreeing, no_worse - agreeing, np.searchsorted(y, y) + 1


TAU_AP = Coefficient(tau_ap, bounds=(-1.0, 1.0), same=1.0, symmetric=False)
