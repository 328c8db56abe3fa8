"""Spearman's rho and footrule: how far items stand from their rank in the other ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.alignment.alignment import segment_sum
from rankmark.similarity.coefficient import Coefficient, quotient
from rankmark.similarity.coefficient_parameters import choice, flag
from rankmark.similarity.item_orders import Missing, Orders, mean_ranks, of_two, orders

if TYPE_CHECKING:
    from rankmark.alignment.ranking_pairs import Pairing
    from rankmark.array_types import Floats
    from rankmark.similarity.given_rankings import Rankable
    from rankmark.similarity.kendall import Form


def spearman_rho(
    a: Rankable, b: Rankable, *, k: int | None = None, missing: Missing = "last"
) -> float:
    """Correlate the ranks of two rankings.

    Formula: the covariance of the ranks over the product of their deviations; where nothing ties,
    1 - 6 sum of squared differences / (n (n^2 - 1)).
    Only in one list: behind all that the other holds, tied there; ``missing`` says otherwise.
    Ties: at the mean of their ranks.
    Bounds: -1 to 1; symmetric. NaN below two items, and where all items of one tie.
    Elsewhere: scipy.stats.spearmanr, torchmetrics and trectools, of which trectools' "spearmanr"
    gives Pearson's correlation of the scores instead. Formulas with 1 - 6 ... differ under ties.
    Source: Spearman 1904, American Journal of Psychology 15.

    Parameters
    ----------
    a, b
        Rankings, as ``ranking`` takes them.
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
    >>> from rankmark.similarity import spearman_rho
    >>> spearman_rho([1, 2, 3, 4, 5], [3, 1, 2, 5, 4])
    0.6
    """
    return of_two(rho_over, a, b, k=k, missing=missing)


def rho_over(pairs: Pairing, *, missing: Missing = "last", k: int | None = None) -> Floats:
    """Give rho of each pair: (Q,) float64; see ``spearman_rho``."""
    return rho_of(orders(pairs.top(k), missing))


def rho_of(both: Orders) -> Floats:
    """Give rho of each pair of orders: (Q,) float64."""
    middle = np.repeat((both.sizes + 1) / 2, both.sizes)
    x, y = (mean_ranks(one, both.starts) - middle for one in (both.x, both.y))
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
    """Add up how far each item stands from its rank in the other ranking, as a share.

    Formula: sum of |rank in a - rank in b| / most. ``form="full"``: most = floor(n^2 / 2) for the n
    items of both, which a reversal comes to. ``form="top-k"``, Fagin, Kumar and Sivakumar's
    F^(k+1): most is what two lists of these lengths come to that have nothing in common, which is
    k (k + 1) where both hold k. ``normalized=False``: the sum.
    Only in one list: under "full" behind all that the other holds, tied there; under "top-k" at
    rank k + 1, k being what the longer of the two holds. NaN where nothing could differ: below two
    items, and under "top-k" in empty lists.
    Ties: at the mean of their ranks (Fagin et al. 2004).
    Bounds: 0 to 1; symmetric.
    Elsewhere: pyrankagg divides by n^2 / 2, which differs from floor(n^2 / 2) where n is odd.
    Source: Diaconis and Graham 1977, J. R. Statist. Soc. B 39(2); Fagin, Kumar, Sivakumar 2003,
    SIAM J. Discrete Math. 17(1), section 3.2; Fagin et al. 2004, PODS.

    Parameters
    ----------
    a, b
        Rankings, as ``ranking`` takes them.
    k
        Both are cut behind this rank first.
    form
        Where missing items stand, and what the sum is divided by.
    normalized
        False for the sum.
    missing
        Items that only one holds: behind the ``"last"`` of the other; ``"drop"`` them after the
        cut; ``"error"``.

    Raises
    ------
    InputError
        If a parameter is none of these, or a ranking cannot be taken.

    Examples
    --------
    >>> from rankmark.similarity import spearman_footrule
    >>> spearman_footrule([1, 2, 3, 4], [4, 3, 2, 1])
    1.0
    >>> spearman_footrule(["a", "b"], ["a", "c"], form="top-k", normalized=False)
    2.0
    """
    given = {"form": form, "normalized": normalized}
    return of_two(footrule_over, a, b, k=k, missing=missing, **given)


def footrule_over(
    pairs: Pairing,
    *,
    form: Form = "full",
    normalized: bool = True,
    missing: Missing = "last",
    k: int | None = None,
) -> Floats:
    """Give the footrule of each pair: (Q,) float64; see ``spearman_footrule``."""
    choice("form", form, "full", "top-k")
    flag("normalized", normalized)
    both = orders(pairs.top(k), missing)
    x, y = mean_ranks(both.x, both.starts), mean_ranks(both.y, both.starts)
    most = both.sizes**2 // 2
    if form == "top-k":
        held_a, held_b = both.held()
        behind = np.maximum(held_a, held_b) + 1
        of_rows = np.repeat(behind, both.sizes)
        x, y = np.where(both.in_a, x, of_rows), np.where(both.in_b, y, of_rows)
        # Each item of either list, from its rank there to the place of the missing.
        most = sum(held * behind - held * (held + 1) / 2 for held in (held_a, held_b))
    total = segment_sum(np.abs(x - y), both.starts)
    return quotient(total, most) if normalized else total


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
