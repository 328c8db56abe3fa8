"""Rank-biased overlap: how far two rankings agree, depth by depth, the top weighing most."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankmark.similarity.agreement import Ties, agreement
from rankmark.similarity.coefficient import Coefficient
from rankmark.similarity.pairing import both
from rankmark.similarity.parameters import choice, within

if TYPE_CHECKING:
    from rankmark.similarity.agreement import Agreement
    from rankmark.similarity.rankings import Floats, Rankable


@dataclass(frozen=True, slots=True)
class RankBiasedOverlap:
    """What can be said of the RBO of two rankings that go on unseen; ``float()`` extrapolates.

    Parameters
    ----------
    min
        RBO if they had nothing more in common below what is seen.
    residual
        How much more it could be.
    extrapolated
        RBO if they went on to agree as far as they do.
    truncated
        The sum over the depths seen, which is no bound: it lacks what seen items bring below.
    normalized
        The sum over the depths seen over what it is for a list and itself.
    """

    min: float
    residual: float
    extrapolated: float
    truncated: float
    normalized: float

    @property
    def max(self) -> float:
        """RBO if all went on as much in common as it can."""
        return self.min + self.residual

    def __float__(self) -> float:
        return self.extrapolated


def rbo(
    a: Rankable, b: Rankable, *, p: float = 0.9, ties: Ties = "a", k: int | None = None
) -> RankBiasedOverlap:
    """Compare two rankings by rank-biased overlap.

    Formula: (1 - p) sum over d of p^(d - 1) A_d, A_d = X_d / d being the share of the first d items
    that both have in common. Lists end and the sum does not, so there are several values: ``min``
    (equation 11), ``residual`` (30) and ``extrapolated`` (32), which is the one to report.
    Only in one list: the shorter may go on with it, which ``extrapolated`` and ``residual``
    reckon with. One list empty: agreement is 0 at every depth, so is the extrapolated value. Both
    empty: NaN, and a residual of 1.
    Ties: a: the mean over all orders of what ties, for ties whose order nobody knows, so that a
    list with ties is below 1 against itself (``extrapolated`` and ``residual`` are that mean where
    both are as long). b: a, corrected for what ties hide: 1 against itself. w: tied items stand at
    one rank and come all at once, as in sports: A_d = 2 X_d / (|S_d| + |L_d|) (equation 28).
    Without ties they are one.
    Bounds: 0 to 1; symmetric.
    Elsewhere: dlukes ``rbo`` has min, res and ext, and ties nearly as w; PyPI's ``rbo``
    (changyaochen) gives ``truncated`` cut at the shorter list, and ``rbo_ext`` as here; LensKit and
    repro_eval give ``normalized`` at a depth of their own (LensKit 10), which is ``k`` here if both
    lists reach it; Corsi and Urbano's rbo.py is as here, a by default.
    Source: Webber, Moffat, Zobel 2010, ACM TOIS 28(4); Corsi and Urbano 2024, SIGIR, The treatment
    of ties in rank-biased overlap.

    Parameters
    ----------
    a, b
        Rankings, as ``ranking`` takes them.
    p
        How likely it is to look at the next rank as well, between 0 and 1: at 0.9 the first ten
        ranks have 86% of the weight.
    ties
        What ties mean.
    k
        Both are cut behind this rank first.

    Returns
    -------
    RankBiasedOverlap
        ``.min``, ``.residual``, ``.extrapolated``, and what others compute.

    Raises
    ------
    InputError
        If a parameter is none of these, or a ranking cannot be taken.

    Examples
    --------
    >>> from rankmark.similarity import rbo
    >>> found = rbo("a b c d e".split(), "b c d a e".split(), p=0.9)
    >>> round(found.min, 4), round(found.residual, 4), round(found.extrapolated, 4)
    (0.5, 0.328, 0.828)
    """
    p = within("p", p)
    choice("ties", ties, "a", "b", "w")
    short, long = sorted(both(a, b, k), key=len)
    if not len(long):
        return RankBiasedOverlap(0.0, 1.0, math.nan, 0.0, math.nan)
    seen = agreement(short, long, len(long), ties)
    depth = np.arange(1, len(long) + 1)
    weights = p**depth
    scale = (1 - p) / p

    truncated = float((seen.overlap / seen.size * weights).sum())
    # Beyond the longer list, the overlap stays, and the depth goes on.
    tail = -math.log1p(-p) - float((weights / depth).sum())
    lowest = truncated + seen.common * tail
    highest = _highest(seen, len(short), len(long), p)
    extrapolated = _extrapolated(seen, len(short), len(long), p)
    return RankBiasedOverlap(
        min=scale * lowest,
        residual=scale * (highest - lowest),
        extrapolated=scale * extrapolated,
        truncated=scale * truncated,
        normalized=truncated / float(weights.sum()),
    )


def _highest(seen: Agreement, s: int, n: int, p: float) -> float:
    """Sum up if the shorter list went on with what only the longer has, in its order."""
    unseen = np.maximum(np.arange(1, n + 1) - s, 0)
    full = np.minimum(unseen, seen.alone_full)
    more = full + seen.part * (np.minimum(unseen, seen.alone) - full)
    # Then both go on with what is left of the other's, until at depth f all is in common.
    f = s + n - seen.common
    beyond = np.arange(n + 1, f + 1)
    left = float(((2 * beyond - f) / beyond * p**beyond).sum())
    return _sum(seen, more, p) + left + p ** (f + 1) / (1 - p)


def _extrapolated(seen: Agreement, s: int, n: int, p: float) -> float:
    """Sum up if both went on to agree as far as they do where the shorter ends."""
    agreed = float(seen.overlap[s - 1] / seen.size[s - 1]) if s else 0.0
    unseen = np.maximum(np.arange(1, n + 1) - s, 0)
    # What the shorter goes on with is as likely any of the items that only the longer has by then.
    come = seen.alone_full + seen.part * (seen.alone - seen.alone_full)
    more = agreed * unseen * come / np.maximum(seen.alone, 1)
    last = (seen.common + (n - s) * agreed) / n
    return _sum(seen, more, p) + last * p ** (n + 1) / (1 - p)


def _sum(seen: Agreement, more: Floats, p: float) -> float:
    weights = p ** np.arange(1, len(more) + 1)
    return float(((seen.overlap + more) / seen.size * weights).sum())


RBO = Coefficient(rbo, bounds=(0.0, 1.0), same=1.0)
