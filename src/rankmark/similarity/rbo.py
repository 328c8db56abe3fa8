"""Rank-biased overlap: how far two rankings agree, depth by depth, the top weighing most."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from rankmark.alignment.alignment import positions, query_of_rows, segment_sum
from rankmark.similarity.agreement import Ties, agreement, alone
from rankmark.similarity.coefficient import Coefficient, quotient
from rankmark.similarity.coefficient_parameters import choice, within
from rankmark.similarity.given_rankings import pair

if TYPE_CHECKING:
    from rankmark.alignment.ranking_pairs import Pairing
    from rankmark.array_types import Floats, Ints
    from rankmark.similarity.given_rankings import Rankable

Value = Literal["min", "residual", "extrapolated", "truncated", "normalized", "max"]
_VALUES: tuple[Value, ...] = get_args(Value)
_MANY = 100_000


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
    seen = _Seen(pair(a, b), p=p, ties=ties, k=k)
    return RankBiasedOverlap(*(float(seen.value(name)[0]) for name in _VALUES[:5]))


def rbo_over(
    pairs: Pairing,
    *,
    p: float = 0.9,
    ties: Ties = "a",
    value: Value = "extrapolated",
    k: int | None = None,
) -> Floats:
    """Give one of the values of each pair: (Q,) float64; see ``rbo``."""
    choice("value", value, *_VALUES)
    return _Seen(pairs, p=p, ties=ties, k=k).value(value)


class _Seen:
    """What is seen of pairs of rankings, summed up; without the factor (1 - p) / p."""

    def __init__(self, pairs: Pairing, *, p: float, ties: Ties, k: int | None) -> None:
        self.p = p = within("p", p)
        choice("ties", ties, "a", "b", "w")
        self.ties: Ties = ties
        self.pairs = pairs = pairs.top(k)
        self.shorter = np.minimum(pairs.sizes_a, pairs.sizes_b)
        self.longer = np.maximum(pairs.sizes_a, pairs.sizes_b)
        self.seen = agreement(pairs, self.longer, ties)
        self.depths = self.seen.depths
        # p^d for all depths that are asked for, those at which all of both has come among them.
        furthest = int((self.shorter + self.longer).max(initial=0)) + 2
        self.power = p ** np.arange(furthest)
        self.weights = self.power[self.depths.depth]

    def value(self, name: Value) -> Floats:
        """Give one value of each pair; of two empty rankings nothing is known."""
        p, scale = self.p, (1 - self.p) / self.p
        empty = self.longer == 0
        if name == "min":
            return np.where(empty, 0.0, scale * self._lowest())
        if name == "max":
            return np.where(empty, 1.0, scale * self._highest())
        if name == "residual":
            return np.where(empty, 1.0, scale * (self._highest() - self._lowest()))
        if name == "truncated":
            return scale * self._sum()
        if name == "normalized":
            return quotient(self._sum(), p * (1 - self.power[self.longer]) / (1 - p))
        return np.where(empty, np.nan, scale * self._extrapolated())

    def _sum(self, more: Floats | float = 0.0) -> Floats:
        """Sum up over the depths seen, with more in common than is seen."""
        shares = (self.seen.overlap + more) / self.seen.size * self.weights
        return segment_sum(shares, self.depths.starts)

    def _lowest(self) -> Floats:
        # Beyond the longer list, the overlap stays, and the depth goes on.
        lowest: Floats = self._sum() + self.seen.common * self._beyond()[self.longer]
        return lowest

    def _beyond(self) -> Floats:
        """Sum up p^d / d behind each depth from 0 to that of the longest list."""
        longest = int(self.longer.max(initial=0))
        last = _last_rank(p=self.p)
        if last < _MANY:  # term by term, until nothing is left: a difference would lose digits
            depth = np.arange(1, longest + last + 1)
            return np.cumsum((self.p**depth / depth)[::-1])[::-1]
        depth = np.arange(1, longest + 1)
        return -math.log1p(-self.p) - np.append(0.0, np.cumsum(self.p**depth / depth))

    def _highest(self) -> Floats:
        """Sum up if the shorter list went on with what only the longer has, in its order."""
        only, unseen = alone(self.pairs, self.depths, self.ties), self._unseen()
        full = np.minimum(unseen, only.full)
        more = full + only.part * (np.minimum(unseen, only.begun) - full)
        # Then both go on with what is left of the other's, until at depth f all is in common.
        f = self.shorter + self.longer - self.seen.common.astype(np.int64)
        starts = np.concatenate([[0], np.cumsum(f - self.longer)])
        pair = query_of_rows(starts)
        beyond = positions(starts) + self.longer[pair]
        left = segment_sum((2 * beyond - f[pair]) / beyond * self.power[beyond], starts)
        highest: Floats = self._sum(more) + left + self.power[f + 1] / (1 - self.p)
        return highest

    def _extrapolated(self) -> Floats:
        """Sum up if both went on to agree as far as they do where the shorter ends."""
        seen = self.seen
        agreed = np.zeros(len(self.shorter))
        some = self.shorter > 0
        ends = (self.depths.starts[:-1] + self.shorter - 1)[some]
        agreed[some] = seen.overlap[ends] / seen.size[ends]
        last = quotient(seen.common + (self.longer - self.shorter) * agreed, self.longer)
        more: Floats | float = 0.0
        if (self.shorter < self.longer).any():
            # What the shorter goes on with is as likely any item that only the longer has by then.
            only = alone(self.pairs, self.depths, self.ties)
            come = only.full + only.part * (only.begun - only.full)
            of_rows = np.repeat(agreed, self.longer)
            more = of_rows * self._unseen() * come / np.maximum(only.begun, 1)
        value: Floats = self._sum(more) + last * self.power[self.longer + 1] / (1 - self.p)
        return value

    def _unseen(self) -> Ints:
        """Count the ranks up to each depth at which the shorter list has ended: (D,)."""
        unseen: Ints = np.maximum(self.depths.depth - np.repeat(self.shorter, self.longer), 0)
        return unseen


def _last_rank(*, p: float, **_others: Any) -> int:
    """Give the rank behind which all weights together are below 2^-54: no digit of a double."""
    return math.ceil(54 * math.log(2) / -math.log(p))


RBO = Coefficient(
    "RBO",
    rbo,
    rbo_over,
    bounds=(0.0, 1.0),
    same=1.0,
    aliases=("rank_biased_overlap",),
    deepest=_last_rank,
    shown=("p",),
)
