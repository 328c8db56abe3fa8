"""Kendall's distance and tau: how many pairs of items two rankings order in opposite ways."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from rankmark.similarity.coefficient import Coefficient
from rankmark.similarity.pairing import Missing, earlier_and_lower, in_order, orders
from rankmark.similarity.parameters import choice, share

if TYPE_CHECKING:
    from rankmark.similarity.pairing import Bools
    from rankmark.similarity.rankings import Ints, Rankable

Form = Literal["full", "top-k"]


class Pairs(NamedTuple):
    """How many unordered pairs there are, and how two orders have them."""

    total: int
    discordant: int
    tied_x: int
    tied_y: int
    tied_both: int

    @property
    def concordant(self) -> int:
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
    choice("form", form, "full", "top-k")
    p = share("p", p)
    both = orders(a, b, k, missing)
    pairs = count_pairs(both.x, both.y)
    differing = pairs.discordant + p * (pairs.tied_x + pairs.tied_y - 2 * pairs.tied_both)
    if not normalized:
        return float(differing)
    most: float = pairs.total
    if form == "top-k":
        m, n = int(both.in_a.sum()), int(both.in_b.sum())
        most = m * n + p * (m * (m - 1) + n * (n - 1)) / 2
    return differing / most if most else math.nan


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
    both = orders(a, b, k, missing)
    return tau_of(both.x, both.y, variant=variant)


def tau_of(x: Ints, y: Ints, *, variant: Literal["a", "b"] = "b") -> float:
    """Give tau of two orders, each (n,), the lower the better."""
    choice("variant", variant, "a", "b")
    pairs = count_pairs(x, y)
    square = pairs.total**2
    if variant == "b":
        square = (pairs.total - pairs.tied_x) * (pairs.total - pairs.tied_y)
    return (pairs.concordant - pairs.discordant) / math.sqrt(square) if square else math.nan


def count_pairs(x: Ints, y: Ints) -> Pairs:
    """Count pairs by what two orders make of them, in O(n log n)."""
    total = len(x) * (len(x) - 1) // 2
    by_y = np.lexsort((x, y))
    x, y = x[by_y], y[by_y]
    in_x = np.sort(x)
    lower = earlier_and_lower(in_order(x))  # of equal ones the first counts as the lower
    differ = y[1:] != y[:-1]
    return Pairs(
        total=total,
        discordant=total - int(lower.sum()),
        tied_x=_tied(in_x[1:] != in_x[:-1]),
        tied_y=_tied(differ),
        tied_both=_tied(differ | (x[1:] != x[:-1])),
    )


def _tied(differ: Bools) -> int:
    """Count the pairs that tie, from which of the sorted items differs from the one before it."""
    ends = np.append(np.flatnonzero(differ), len(differ))
    sizes = np.diff(ends, prepend=-1)
    return int((sizes * (sizes - 1) // 2).sum())


DISTANCE = Coefficient(kendall_distance, bounds=(0.0, 1.0), same=0.0)
TAU = Coefficient(kendall_tau, bounds=(-1.0, 1.0), same=1.0)
