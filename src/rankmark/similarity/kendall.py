"""Kendall's distance and tau: how many pairs of items two rankings order in opposite ways."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from rankmark.alignment.alignment import earlier_lower, query_of_rows, segment_sum
from rankmark.similarity.coefficient import Coefficient, quotient
from rankmark.similarity.coefficient_parameters import choice, flag, share
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

if TYPE_CHECKING:
    from rankmark.alignment.ranking_pairs import Pairing
    from rankmark.array_types import Floats, Ints
    from rankmark.similarity.given_rankings import Rankable

Form = Literal["full", "top-k"]


class Pairs(NamedTuple):
    """How many unordered pairs of items there are, and how two orders have them: (Q,) float64."""

    total: Floats
    discordant: Floats
    tied_x: Floats
    tied_y: Floats
    tied_both: Floats

    @property
    def concordant(self) -> Floats:
        """Pairs without a tie that both have the same way round."""
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
    """Count the pairs of items that two rankings order differently, as a share.

    Formula: (D + p U) / most, with D the pairs in opposite order and U those that one of the two
    leaves in doubt: they tie there, or it holds neither. ``form="full"``: most = n (n - 1) / 2, all
    pairs of the n items, so that D is the share of pairs whose order differs, and 1 is a reversal.
    ``form="top-k"``: most = m m' + p (m (m - 1) + m' (m' - 1)) / 2, what two lists of m and m'
    items come to that have nothing in common, which is 1 then. ``normalized=False``: D + p U.
    Only in one list: behind all that the other holds, in no known order among themselves; so this
    is Fagin, Kumar and Sivakumar's K^(p). NaN where there is no pair, as in empty lists.
    Ties: as above, and 0 for a pair that ties in both (Fagin et al. 2004).
    Bounds: 0 to 1; symmetric. With p = 0 two lists may be at 0 that are not the same: any list is
    at 0 from an empty one.
    Elsewhere: the "Kendall tau distance"; (1 - tau) / 2 where nothing ties and both hold the same.
    seqsim's kendall_tau_dissim is as here, p included. A. Checco's kendall_top_k divides by n^2 and
    counts no pair of which each list holds one.
    Source: Kendall 1938, Biometrika 30; Fagin, Kumar, Sivakumar 2003, SIAM J. Discrete Math. 17(1),
    section 3.1; Fagin et al. 2004, PODS, Comparing and aggregating rankings with ties.

    Parameters
    ----------
    a, b
        Rankings, as ``ranking`` takes them.
    k
        Both are cut behind this rank first; what lies below is as if it were not there.
    p
        What a pair in doubt counts, 0 to 1: 0 is optimistic, 1/2 neutral: what it comes to on
        average if either order is as likely.
    form
        What it is divided by.
    normalized
        False for the count.
    missing
        Items that only one holds: behind the ``"last"`` of the other; ``"drop"`` them after the
        cut; ``"error"``.

    Raises
    ------
    InputError
        If a parameter is none of these, or a ranking cannot be taken.

    Examples
    --------
    >>> from rankmark.similarity import kendall_distance
    >>> kendall_distance([1, 2, 3, 4, 5], [3, 1, 2, 5, 4])
    0.3
    >>> kendall_distance(["a", "b"], ["a", "c"], p=0, normalized=False)
    1.0
    """
    given = {"p": p, "form": form, "normalized": normalized}
    return of_two(distance_over, a, b, k=k, missing=missing, **given)


def distance_over(
    pairs: Pairing,
    *,
    p: float = 0.5,
    form: Form = "full",
    normalized: bool = True,
    missing: Missing = "last",
    k: int | None = None,
) -> Floats:
    """Give the distance of each pair: (Q,) float64; see ``kendall_distance``."""
    choice("form", form, "full", "top-k")
    flag("normalized", normalized)
    p = share("p", p)
    both = orders(pairs.top(k), missing)
    counts = count_pairs(both)
    differing = counts.discordant + p * (counts.tied_x + counts.tied_y - 2 * counts.tied_both)
    if not normalized:
        return differing
    most = counts.total
    if form == "top-k":
        m, n = both.held()
        most = m * n + p * (m * (m - 1) + n * (n - 1)) / 2
    return quotient(differing, most)


def kendall_tau(
    a: Rankable,
    b: Rankable,
    *,
    variant: Literal["a", "b"] = "b",
    k: int | None = None,
    missing: Missing = "last",
) -> float:
    """Say by how much two rankings order pairs alike more often than not: Kendall's tau.

    Formula: a: (C - D) / (n (n - 1) / 2); b: (C - D) / sqrt((n0 - ties of a) (n0 - ties of b)), n0
    being n (n - 1) / 2, C the pairs in the same order and D those in opposite order.
    Only in one list: behind all that the other holds, tied there; ``missing`` says otherwise.
    Ties: neither in C nor in D. Under a they draw towards 0; b leaves them out of the divisor.
    Bounds: -1 to 1; symmetric. NaN below two items, and under b where all items of one tie.
    Elsewhere: scipy.stats.kendalltau is b; ircor has both. repro_eval's KTU takes tau of the places
    that the ids of either list have in their sorted union, which is another number.
    Source: Kendall 1938, Biometrika 30; Kendall 1945, Biometrika 33 (b).

    Parameters
    ----------
    a, b
        Rankings, as ``ranking`` takes them.
    variant
        Of the divisor.
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
    >>> from rankmark.similarity import kendall_tau
    >>> kendall_tau([1, 2, 3, 4, 5], [3, 1, 2, 5, 4])
    0.4
    """
    return of_two(tau_over, a, b, k=k, missing=missing, variant=variant)


def tau_over(
    pairs: Pairing,
    *,
    variant: Literal["a", "b"] = "b",
    missing: Missing = "last",
    k: int | None = None,
) -> Floats:
    """Give tau of each pair: (Q,) float64; see ``kendall_tau``."""
    return tau_of(orders(pairs.top(k), missing), variant=variant)


def tau_of(both: Orders, *, variant: Literal["a", "b"] = "b") -> Floats:
    """Give tau of each pair of orders: (Q,) float64."""
    choice("variant", variant, "a", "b")
    pairs = count_pairs(both)
    square = pairs.total**2
    if variant == "b":
        square = (pairs.total - pairs.tied_x) * (pairs.total - pairs.tied_y)
    return quotient(pairs.concordant - pairs.discordant, np.sqrt(square))


def count_pairs(both: Orders) -> Pairs:
    """Count the pairs of items by what two orders make of them, in O(n log n)."""
    pair, starts = query_of_rows(both.starts), both.starts
    width = width_of(both.y)
    by_x = in_order(keyed(pair, both.x, both.y))
    # Behind what stands lower in x, and before it in y; in a tie of x, y rises.
    swapped = earlier_lower(-(by_x % width), starts)
    sizes = both.sizes.astype(np.float64)
    return Pairs(
        total=sizes * (sizes - 1) / 2,
        discordant=segment_sum(swapped, starts),
        tied_x=_tied(by_x // width, pair, len(sizes)),
        tied_y=_tied(in_order(keyed(pair, both.y)), pair, len(sizes)),
        tied_both=_tied(by_x, pair, len(sizes)),
    )


def _tied(keys: Ints, pair: Ints, pairs: int) -> Floats:
    """Count the pairs of items that tie, from sorted keys, which are equal in a tie: (Q,)."""
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
