"""Kendall's distance and tau: how many pairs of items two rankings order differently."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from rankmark.arguments import flag, part
from rankmark.array_types import Floats, Ints
from rankmark.data.alignment import earlier_lower, query_of_rows, segment_sum
from rankmark.data.alignment.ranking_pairs import Pairing
from rankmark.formulas import choice
from rankmark.similarity.coefficient import Coefficient, quotient
from rankmark.similarity.given_rankings import Rankable
from rankmark.similarity.item_orders import (
    Missing,
    Orders,
    in_order,
    keyed,
    of_two,
    orders,
    run_starts,
    width_of,
)

Form = Literal["full", "top-k"]
Variant = Literal["a", "b", "c"]


class Pairs(NamedTuple):
    """Numbers of unordered pairs of items, by how two orders rank them: (Q,) float64 each."""

    total: Floats
    discordant: Floats
    tied_x: Floats
    tied_y: Floats
    tied_both: Floats

    @property
    def concordant(self) -> Floats:
        """Pairs that both orders rank the same way, without ties."""
        tied = self.tied_x + self.tied_y - self.tied_both
        return self.total - self.discordant - tied


def kendall_distance(
    a: Rankable,
    b: Rankable,
    *,
    k: int | None = None,
    p: float = 0.5,
    form: Form = "full",
    normalized: bool = True,
    missing: Missing = "last",
) -> float:
    """Return the fraction of pairs of items that two rankings order differently.

    Formula: (D + p U) / max, with D the pairs in opposite order and U those whose order one ranking
    leaves open, because they tie there or it contains neither. ``form="full"``: max =
    n (n - 1) / 2, all pairs of the n items, so that a reversed ranking has distance 1.
    ``form="top-k"``: max = m m' + p (m (m - 1) + m' (m' - 1)) / 2, the value for lists of m and m'
    items without common items, so that these have distance 1. ``normalized=False``: D + p U.
    Only in one list: placed below all items of the other list, in unknown order, which gives Fagin,
    Kumar and Sivakumar's K^(p). NaN if there are no pairs, as in empty lists.
    Ties: as above; a pair tied in both rankings counts 0 (Fagin et al. 2004).
    Bounds: 0 to 1; symmetric. With p = 0, different lists can have distance 0: every list has
    distance 0 to an empty one.
    Elsewhere: the "Kendall tau distance"; (1 - tau) / 2 if nothing ties and both contain the same
    items. seqsim's kendall_tau_dissim is the same, with p. A. Checco's kendall_top_k divides by n^2
    and ignores pairs of which each list contains one item.
    Source: Kendall 1938, Biometrika 30; Fagin, Kumar, Sivakumar 2003, SIAM J. Discrete Math. 17(1),
    section 3.1; Fagin et al. 2004, PODS, Comparing and aggregating rankings with ties.

    Parameters
    ----------
    a, b
        Rankings; see ``ranking``.
    k
        Cutoff, applied to both rankings first.
    p
        How much a pair of unknown order counts, 0 to 1: 0 is optimistic; 1/2 is neutral, the mean
        over both orders.
    form
        The divisor.
    normalized
        Whether to divide.
    missing
        Items in only one ranking are placed ``"last"`` in the other, dropped after the cutoff
        (``"drop"``), or refused (``"error"``).

    Examples
    --------
    >>> from rankmark.similarity import kendall_distance
    >>> kendall_distance([1, 2, 3, 4, 5], [3, 1, 2, 5, 4])
    0.3
    >>> kendall_distance(["a", "b"], ["a", "c"], p=0, normalized=False)
    1.0
    """
    parameters = {"p": p, "form": form, "normalized": normalized}
    return of_two(distance_over, a, b, k=k, missing=missing, **parameters)


def distance_over(
    pairs: Pairing,
    *,
    p: float = 0.5,
    form: Form = "full",
    normalized: bool = True,
    missing: Missing = "last",
    k: int | None = None,
) -> Floats:
    """Return the distance of each pair: (Q,) float64; see ``kendall_distance``."""
    choice("form", form, "full", "top-k")
    flag("normalized", normalized)
    p = part("p", p)
    both = orders(pairs.top(k), missing)
    counts = count_pairs(both)
    differing = counts.discordant + p * (counts.tied_x + counts.tied_y - 2 * counts.tied_both)
    if not normalized:
        return differing
    maximum = counts.total
    if form == "top-k":
        m, n = both.list_sizes()
        maximum = m * n + p * (m * (m - 1) + n * (n - 1)) / 2
    return quotient(differing, maximum)


def kendall_tau(
    a: Rankable,
    b: Rankable,
    *,
    variant: Variant = "b",
    k: int | None = None,
    missing: Missing = "last",
) -> float:
    """Return Kendall's tau, the correlation of two rankings by pairs in the same order.

    Formula: a: (C - D) / n0; b: (C - D) / sqrt((n0 - ties of a) (n0 - ties of b)); c: 2 (C - D) /
    (n^2 (m - 1) / m), where n0 is n (n - 1) / 2, C the number of pairs in the same order, D that in
    opposite order, and m the smaller of the numbers of different positions in a and in b.
    Only in one list: placed below all items of the other list, tied; ``missing`` changes this.
    Ties: neither in C nor in D. With a, they pull the value towards 0; b leaves them out of the
    divisor; c is for rankings into groups, and can reach 1 if both have groups of the same size.
    Bounds: -1 to 1; symmetric. NaN for fewer than two items, and with b and c if a list is all
    ties.
    Elsewhere: scipy.stats.kendalltau is b, and has c; ircor has a and b. repro_eval's KTU computes
    tau of the positions of the ids in their sorted union, which is a different number.
    Source: Kendall 1938, Biometrika 30; Kendall 1945, Biometrika 33 (b); Stuart 1953, Biometrika 40
    (c).

    Parameters
    ----------
    a, b
        Rankings; see ``ranking``.
    variant
        The divisor.
    k
        Cutoff, applied to both rankings first.
    missing
        Items in only one ranking are placed ``"last"`` in the other, dropped after the cutoff
        (``"drop"``), or refused (``"error"``).

    Examples
    --------
    >>> from rankmark.similarity import kendall_tau
    >>> kendall_tau([1, 2, 3, 4, 5], [3, 1, 2, 5, 4])
    0.4
    """
    return of_two(tau_over, a, b, k=k, missing=missing, variant=variant)


def tau_over(
    pairs: Pairing,
    *,
    variant: Variant = "b",
    missing: Missing = "last",
    k: int | None = None,
) -> Floats:
    """Return tau of each pair: (Q,) float64; see ``kendall_tau``."""
    return tau_of(orders(pairs.top(k), missing), variant=variant)


def tau_of(both: Orders, *, variant: Variant = "b") -> Floats:
    """Return tau of each pair of orders: (Q,) float64."""
    choice("variant", variant, "a", "b", "c")
    pairs = count_pairs(both)
    if variant == "c":
        fewer = np.minimum(_positions(both.x, both.starts), _positions(both.y, both.starts))
        most = both.sizes**2 * quotient(fewer - 1.0, fewer)
        return quotient(2.0 * (pairs.concordant - pairs.discordant), most)
    square = pairs.total**2
    if variant == "b":
        square = (pairs.total - pairs.tied_x) * (pairs.total - pairs.tied_y)
    return quotient(pairs.concordant - pairs.discordant, np.sqrt(square))


def count_pairs(both: Orders) -> Pairs:
    """Count pairs of items by how two orders rank them, in O(n log n)."""
    pair, starts = query_of_rows(both.starts), both.starts
    width = width_of(both.y)
    by_x = in_order(keyed(pair, both.x, both.y))
    # Below an item in x, but above it in y; within a tie of x, y rises.
    swapped = earlier_lower(-(by_x % width), starts)
    sizes = both.sizes.astype(np.float64)
    return Pairs(
        total=sizes * (sizes - 1) / 2,
        discordant=segment_sum(swapped, starts),
        tied_x=_tied(by_x // width, pair, len(sizes)),
        tied_y=_tied(in_order(keyed(pair, both.y)), pair, len(sizes)),
        tied_both=_tied(by_x, pair, len(sizes)),
    )


def _positions(order: Ints, starts: Ints) -> Floats:
    """Count the different positions of each pair: (Q,) float64."""
    pair = query_of_rows(starts)
    keys = in_order(keyed(pair, order))
    begins = run_starts(keys)
    return np.bincount(pair[begins], minlength=len(starts) - 1).astype(np.float64)


def _tied(keys: Ints, pair: Ints, pairs: int) -> Floats:
    """Count the tied pairs of items from sorted keys, which are equal within a tie: (Q,)."""
    begins = run_starts(keys)
    sizes = np.diff(np.append(begins, len(keys)))
    counts = np.bincount(pair[begins], weights=sizes * (sizes - 1) / 2, minlength=pairs)
    return counts.astype(np.float64)


DISTANCE = Coefficient(
    "distance",
    kendall_distance,
    distance_over,
    bounds=(0.0, 1.0),
    same=0.0,
    aliases=("kendall_distance",),
)
TAU = Coefficient(
    "tau", kendall_tau, tau_over, bounds=(-1.0, 1.0), same=1.0, aliases=("kendall", "kendall_tau")
)
