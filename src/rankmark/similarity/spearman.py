"""Spearman's rho and footrule: how far items are from their rank in the other ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.arguments import flag
from rankmark.data.alignment import segment_sum
from rankmark.formulas import choice
from rankmark.similarity.coefficient import Coefficient, quotient
from rankmark.similarity.item_orders import Missing, Orders, mean_ranks, of_two, orders

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.alignment.ranking_pairs import Pairing
    from rankmark.similarity.given_rankings import Rankable
    from rankmark.similarity.kendall import Form


def spearman_rho(
    a: Rankable, b: Rankable, *, k: int | None = None, missing: Missing = "last"
) -> float:
    """Return Spearman's rho, the correlation of the ranks of two rankings.

    Formula: the covariance of the ranks over the product of their standard deviations; without
    ties, 1 - 6 sum of squared differences / (n (n^2 - 1)).
    Only in one list: placed below all items of the other list, tied; ``missing`` changes this.
    Ties: tied items have the mean of their ranks.
    Bounds: -1 to 1; symmetric. NaN for fewer than two items, and if a list is all ties.
    Elsewhere: scipy.stats.spearmanr and torchmetrics. trectools' "spearmanr" is Pearson's
    correlation of the scores. With ties, the formula with 1 - 6 ... gives other values.
    Source: Spearman 1904, American Journal of Psychology 15.

    Parameters
    ----------
    a, b
        Rankings; see ``ranking``.
    k
        Cutoff, applied to both rankings first.
    missing
        Items in only one ranking are placed ``"last"`` in the other, dropped after the cutoff
        (``"drop"``), or refused (``"error"``).

    Examples
    --------
    >>> from rankmark.similarity import spearman_rho
    >>> spearman_rho([1, 2, 3, 4, 5], [3, 1, 2, 5, 4])
    0.6
    """
    return of_two(rho_over, a, b, k=k, missing=missing)


def rho_over(pairs: Pairing, *, missing: Missing = "last", k: int | None = None) -> Floats:
    """Return rho of each pair: (Q,) float64; see ``spearman_rho``."""
    return rho_of(orders(pairs.top(k), missing))


def rho_of(both: Orders) -> Floats:
    """Return rho of each pair of orders: (Q,) float64."""
    middle = np.repeat((both.sizes + 1) / 2, both.sizes)
    x, y = (mean_ranks(order, both.starts) - middle for order in (both.x, both.y))
    square = segment_sum(x * x, both.starts) * segment_sum(y * y, both.starts)
    return quotient(segment_sum(x * y, both.starts), np.sqrt(square))


def spearman_footrule(
    a: Rankable,
    b: Rankable,
    *,
    k: int | None = None,
    form: Form = "full",
    normalized: bool = True,
    missing: Missing = "last",
) -> float:
    """Return Spearman's footrule, the sum of the rank differences of two rankings, normalized.

    Formula: sum of |rank in a - rank in b| / max. ``form="full"``: max = floor(n^2 / 2) for n
    items in all, the sum for a reversed ranking. ``form="top-k"``, Fagin, Kumar and Sivakumar's
    F^(k+1): max is the sum for lists of these lengths without common items: k (k + 1) if both
    contain k. ``normalized=False``: the sum.
    Only in one list: with "full", placed below all items of the other list, tied; with "top-k", at
    rank k + 1, where k is the length of the longer list. NaN if nothing can differ: for fewer than
    two items, and with "top-k" for empty lists.
    Ties: tied items have the mean of their ranks (Fagin et al. 2004).
    Bounds: 0 to 1; symmetric.
    Elsewhere: pyrankagg divides by n^2 / 2, which differs from floor(n^2 / 2) for odd n.
    Source: Diaconis and Graham 1977, J. R. Statist. Soc. B 39(2); Fagin, Kumar, Sivakumar 2003,
    SIAM J. Discrete Math. 17(1), section 3.2; Fagin et al. 2004, PODS.

    Parameters
    ----------
    a, b
        Rankings; see ``ranking``.
    k
        Cutoff, applied to both rankings first.
    form
        The ranks of missing items, and the divisor.
    normalized
        Whether to divide.
    missing
        Items in only one ranking are placed ``"last"`` in the other, dropped after the cutoff
        (``"drop"``), or refused (``"error"``).

    Examples
    --------
    >>> from rankmark.similarity import spearman_footrule
    >>> spearman_footrule([1, 2, 3, 4], [4, 3, 2, 1])
    1.0
    >>> spearman_footrule(["a", "b"], ["a", "c"], form="top-k", normalized=False)
    2.0
    """
    parameters = {"form": form, "normalized": normalized}
    return of_two(footrule_over, a, b, k=k, missing=missing, **parameters)


def footrule_over(
    pairs: Pairing,
    *,
    form: Form = "full",
    normalized: bool = True,
    missing: Missing = "last",
    k: int | None = None,
) -> Floats:
    """Return the footrule of each pair: (Q,) float64; see ``spearman_footrule``."""
    choice("form", form, "full", "top-k")
    flag("normalized", normalized)
    both = orders(pairs.top(k), missing)
    x, y = mean_ranks(both.x, both.starts), mean_ranks(both.y, both.starts)
    maximum = both.sizes**2 // 2
    if form == "top-k":
        size_a, size_b = both.list_sizes()
        missing_rank = np.maximum(size_a, size_b) + 1
        of_rows = np.repeat(missing_rank, both.sizes)
        x, y = np.where(both.in_a, x, of_rows), np.where(both.in_b, y, of_rows)
        # Each item of either list, from its rank to that of missing items.
        maximum = sum(size * missing_rank - size * (size + 1) / 2 for size in (size_a, size_b))
    total = segment_sum(np.abs(x - y), both.starts)
    return quotient(total, maximum) if normalized else total


RHO = Coefficient(
    "rho",
    spearman_rho,
    rho_over,
    bounds=(-1.0, 1.0),
    same=1.0,
    aliases=("spearman", "spearman_rho"),
)
FOOTRULE = Coefficient(
    "footrule",
    spearman_footrule,
    footrule_over,
    bounds=(0.0, 1.0),
    same=0.0,
    aliases=("spearman_footrule",),
)
