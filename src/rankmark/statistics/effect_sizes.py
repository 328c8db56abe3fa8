"""How large a difference is, apart from whether there is one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankmark.statistics.score_arrays import NO_QUERY, pair

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from rankmark.array_types import Floats


@dataclass(frozen=True, slots=True)
class EffectSize:
    """How far apart two systems are on the same queries.

    Parameters
    ----------
    n, left_out
        Queries with a score from both, and without.
    wins, ties, losses
        Queries for which the other system is better, the same, and worse.
    difference
        Mean difference, the other less the baseline, in units of the scores.
    relative
        ``difference`` over the baseline's mean; NaN where that is 0.
    d_z
        Standardised mean difference of pairs: the mean of the differences over their standard
        deviation (n - 1) [1]_. t is this times the square root of n.
    d_av
        The mean of the differences over the root of the mean of both systems' variances (n - 1),
        which does not grow when the systems agree on which queries are hard [1]_.
    hedges
        What d_z and d_av are multiplied with to be unbiased: 1 - 3 / (4 (n - 1) - 1).
    probability_of_superiority
        How likely the other system is better for a query, ties counting half [2]_.
    dominance
        (wins - losses) / n, from -1 to 1.
    cliffs_delta
        The same over all n^2 pairs of a score of the one and a score of the other, which does not
        ask for the same query [3]_.
    undefined
        Why standardised differences are NaN, or "".

    References
    ----------
    .. [1] Lakens 2013, Calculating and reporting effect sizes to facilitate cumulative science,
       Frontiers in Psychology 4:863, formulas 4, 6, 7 and 10.
    .. [2] Grissom and Kim 2012, Effect sizes for research, chapter 5.
    .. [3] Cliff 1993, Dominance statistics: ordinal analyses to answer ordinal questions,
       Psychological Bulletin 114(3), pages 494-509.
    """

    n: int
    left_out: int
    wins: int
    ties: int
    losses: int
    difference: float
    relative: float
    d_z: float
    d_av: float
    hedges: float
    probability_of_superiority: float
    dominance: float
    cliffs_delta: float
    undefined: str = ""


def effect_size(baseline: ArrayLike, other: ArrayLike) -> EffectSize:
    """Say how large the difference of two systems is, in several ways.

    Parameters
    ----------
    baseline, other
        (n,) float64, scores of the same queries in the same order, NaN where there is none.

    Returns
    -------
    EffectSize
        What each number is, and its formula, stands with it.

    Raises
    ------
    InputError
        If the arrays differ in length or hold infinite numbers.

    Examples
    --------
    >>> effect = effect_size([0.1, 0.2, 0.3, 0.4], [0.2, 0.2, 0.6, 0.3])
    >>> effect.wins, effect.ties, effect.losses, effect.probability_of_superiority
    (2, 1, 1, 0.625)
    >>> round(effect.difference, 3), round(effect.d_z, 3)
    (0.075, 0.439)
    """
    both = pair(baseline, other)
    a, b, differences = both.baseline, both.other, both.differences
    n = len(differences)
    if n == 0:
        return _without_queries(both.left_out)
    wins, losses = int(np.sum(differences > 0)), int(np.sum(differences < 0))
    difference = float(differences.mean())
    undefined, d_z, d_av = "1 query" if n == 1 else "", math.nan, math.nan
    if n > 1:
        spread = float(differences.std(ddof=1))
        average = math.sqrt(float(a.var(ddof=1) + b.var(ddof=1)) / 2)
        d_z = difference / spread if spread > both.rounding else math.nan
        d_av = difference / average if average > both.rounding else math.nan
        if math.isnan(d_z):
            undefined = f"all differences are {differences[0]:.6g}"
    mean = float(a.mean())
    return EffectSize(
        n=n,
        left_out=both.left_out,
        wins=wins,
        ties=n - wins - losses,
        losses=losses,
        difference=difference,
        relative=difference / mean if mean else math.nan,
        d_z=d_z,
        d_av=d_av,
        hedges=1 - 3 / (4 * (n - 1) - 1) if n > 1 else math.nan,
        probability_of_superiority=(wins + (n - wins - losses) / 2) / n,
        dominance=(wins - losses) / n,
        cliffs_delta=_cliffs_delta(a, b, both.rounding),
        undefined=undefined,
    )


def _without_queries(left_out: int) -> EffectSize:
    return EffectSize(
        n=0,
        left_out=left_out,
        wins=0,
        ties=0,
        losses=0,
        difference=math.nan,
        relative=math.nan,
        d_z=math.nan,
        d_av=math.nan,
        hedges=math.nan,
        probability_of_superiority=math.nan,
        dominance=math.nan,
        cliffs_delta=math.nan,
        undefined=NO_QUERY,
    )


def _cliffs_delta(a: Floats, b: Floats, rounding: float) -> float:
    ordered, others = np.sort(a), np.sort(b)  # which searches faster than in any order
    below = np.searchsorted(ordered, others - rounding, side="left")
    above = len(a) - np.searchsorted(ordered, others + rounding, side="right")
    return float(np.sum(below - above)) / len(a) ** 2
