"""Weighted tau: Kendall's tau in which swaps near the top count more."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from rankmark.errors import InputError
from rankmark.similarity.coefficient import Coefficient
from rankmark.similarity.coefficient_parameters import flag
from rankmark.similarity.item_orders import Missing, Orders, of_two, orders

if TYPE_CHECKING:
    from rankmark.alignment.ranking_pairs import Pairing
    from rankmark.array_types import Floats
    from rankmark.similarity.given_rankings import Rankable


def weighted_tau(
    a: Rankable,
    b: Rankable,
    *,
    weigher: Callable[[int], float] | None = None,
    additive: bool = True,
    k: int | None = None,
    missing: Missing = "last",
) -> float:
    """Return weighted tau, in which pairs near the top count more: by default, Vigna's tau_h.

    Formula: <a, b> / sqrt(<a, a> <b, b>), where <r, s> is the sum over all pairs of items i, j of
    sgn(r_i - r_j) sgn(s_i - s_j) w(i, j), and w(i, j) = f(i) + f(j), or f(i) f(j) unless
    ``additive``; f(i) = 1 / rank of i. The value is the mean of that with the ranks of a, ties in
    the order of b, and that with the ranks of b, ties in the order of a.
    Only in one list: placed below all items of the other list, tied; ``missing`` changes this.
    Ties: as in Kendall's tau-b: a pair tied in one ranking is neither concordant nor discordant.
    Bounds: -1 to 1; symmetric. NaN for fewer than two items, and if a list is all ties.
    Elsewhere: scipy.stats.weightedtau of scores, with its defaults.
    Source: Vigna 2015, WWW, A weighted correlation index for rankings with ties, sections 3 and 4.

    Parameters
    ----------
    a, b
        Rankings; see ``ranking``.
    weigher
        f, a function of ranks from 0; None for the hyperbolic 1 / (rank + 1).
    additive
        Whether the weights of a pair are added or multiplied.
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
    parameters = {"weigher": weigher, "additive": additive}
    return of_two(weighted_tau_over, a, b, k=k, missing=missing, **parameters)


def weighted_tau_over(
    pairs: Pairing,
    *,
    weigher: Callable[[int], float] | None = None,
    additive: bool = True,
    missing: Missing = "last",
    k: int | None = None,
) -> Floats:
    """Return weighted tau of each pair: (Q,) float64; see ``weighted_tau``."""
    return weighted_tau_of(orders(pairs.top(k), missing), weigher=weigher, additive=additive)


def weighted_tau_of(
    both: Orders, *, weigher: Callable[[int], float] | None = None, additive: bool = True
) -> Floats:
    """Return weighted tau of each pair of orders: (Q,) float64, by scipy."""
    flag("additive", additive)
    if weigher is not None and not callable(weigher):
        raise InputError(f"weigher is {weigher!r}", "need a function of ranks from 0, or None")
    from scipy.stats import weightedtau  # noqa: PLC0415

    values = np.full(len(both.sizes), np.nan)
    for q, (begin, end) in enumerate(itertools.pairwise(both.starts.tolist())):
        x, y = both.x[begin:end], both.y[begin:end]
        if len(x) > 1 and (x != x[0]).any() and (y != y[0]).any():
            # scipy takes scores, the highest best.
            values[q] = weightedtau(-x, -y, weigher=weigher, additive=additive).statistic
    return values


WEIGHTED_TAU = Coefficient(
    "weighted_tau",
    weighted_tau,
    weighted_tau_over,
    bounds=(-1.0, 1.0),
    same=1.0,
    aliases=("weightedtau",),
)
