"""Rank-biased overlap: how much two rankings agree over all depths, the top counting most."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from rankmark.arguments import share, whole
from rankmark.array_types import Floats, Ints
from rankmark.data.alignment import positions, query_of_rows, segment_sum
from rankmark.data.alignment.ranking_pairs import Pairing
from rankmark.errors import InputError
from rankmark.formulas import choice
from rankmark.similarity.agreement import Ties, agreement, only_in_longer
from rankmark.similarity.coefficient import Coefficient, quotient
from rankmark.similarity.given_rankings import Rankable, pair

Value = Literal["min", "residual", "extrapolated", "truncated", "normalized", "max"]
_VALUES: tuple[Value, ...] = get_args(Value)
_MOST_TERMS = 100_000
_MOST_RANKS = 10_000_000


@dataclass(frozen=True, slots=True)
class RankBiasedOverlap:
    """The RBO of two rankings of which only the first items are observed; ``float()`` extrapolates.

    Parameters
    ----------
    min
        RBO if the rest had nothing more in common.
    residual
        The maximum that can be added to ``min``.
    extrapolated
        RBO if the rankings continued to agree as they do at the end.
    truncated
        The sum over the observed depths; no bound, as observed items also count at greater depths.
    normalized
        ``truncated`` divided by that of two identical lists.
    """

    min: float
    residual: float
    extrapolated: float
    truncated: float
    normalized: float

    @property
    def max(self) -> float:
        """RBO if the rest had as much in common as possible."""
        return self.min + self.residual

    def __float__(self) -> float:
        return self.extrapolated


def rbo(
    a: Rankable, b: Rankable, *, p: float = 0.9, ties: Ties = "a", k: int | None = None
) -> RankBiasedOverlap:
    """Return the rank-biased overlap of two rankings.

    Formula: (1 - p) sum over d of p^(d - 1) A_d, where A_d = X_d / d is the fraction of the first d
    items that are in both lists. The sum is infinite and lists are not, so there are several
    values: ``min`` (equation 11), ``residual`` (30) and ``extrapolated`` (32), the one to report.
    Only in one list: the item may follow in the shorter list, which ``extrapolated`` and
    ``residual`` take into account. One list empty: ``extrapolated`` is 0. Both empty: NaN, with a
    residual of 1.
    Ties: a: the mean over all orders of tied items, for ties of unknown order; a list with ties has
    less than 1 with itself (``extrapolated`` and ``residual`` are that mean for lists of equal
    length). b: a, corrected for the information lost by ties; 1 for a list and itself. w: tied
    items share one rank, as in sports: A_d = 2 X_d / (|S_d| + |L_d|) (equation 28).
    Bounds: 0 to 1; symmetric.
    Elsewhere: dlukes ``rbo`` has min, res and ext, and ties almost as in w; PyPI's ``rbo``
    (changyaochen) returns ``truncated``, cut at the shorter list, and the same ``rbo_ext``; LensKit
    and repro_eval return ``normalized`` at their own depth (LensKit 10), reproduced by ``k`` if
    both lists are that long; Corsi and Urbano's rbo.py agrees, with a as the default.
    Source: Webber, Moffat, Zobel 2010, ACM TOIS 28(4); Corsi and Urbano 2024, SIGIR, The treatment
    of ties in rank-biased overlap.

    Parameters
    ----------
    a, b
        Rankings; see ``ranking``.
    p
        The probability that a user goes on to the next rank, between 0 and 1; with 0.9, the first
        ten ranks have 86% of the weight; see ``rbo_weight``.
    ties
        The treatment of ties.
    k
        Cutoff, applied to both rankings first.

    Returns
    -------
    RankBiasedOverlap
        ``.min``, ``.residual``, ``.extrapolated``, and the values that other tools compute.

    Examples
    --------
    >>> from rankmark.similarity import rbo
    >>> found = rbo("a b c d e".split(), "b c d a e".split(), p=0.9)
    >>> round(found.min, 4), round(found.residual, 4), round(found.extrapolated, 4)
    (0.5, 0.328, 0.828)
    """
    observed = _Observed(pair(a, b), p=p, ties=ties, k=k)
    return RankBiasedOverlap(*(float(observed.value(name)[0]) for name in _VALUES[:5]))


def rbo_weight(depth: int, *, p: float = 0.9) -> float:
    """Return the weight of the first ranks in RBO: how much of its value they decide.

    Formula: 1 - p^(d - 1) + (1 - p) / p * d * (ln(1 / (1 - p)) - sum over i < d of p^i / i), for
    d = ``depth``. A document at rank r counts in the agreement at all depths from r on, so the
    weight is greater than 1 - p^d, that of the first d terms.
    Bounds: 0 to 1.
    Source: Webber, Moffat, Zobel 2010, ACM TOIS 28(4), equation 21.

    Parameters
    ----------
    depth
        The number of first ranks, from 1.
    p
        As in ``rbo``.

    Raises
    ------
    InputError
        If depth is not a whole number from 1, p not between 0 and 1, or both are too large.

    Examples
    --------
    >>> from rankmark.similarity import rbo_weight
    >>> round(rbo_weight(10, p=0.9), 3), round(rbo_weight(50, p=0.98), 3)
    (0.856, 0.852)
    """
    depth, p = whole("depth", depth), share("p", p)
    # The weight of rank r is (1 - p) / p times the sum of p^d / d over the depths d from r on. Only
    # what is left beyond ``depth`` is summed, as the difference of the formula loses digits.
    count = math.ceil(60 * math.log(2) / -math.log(p))
    if count > _MOST_TERMS:
        if depth > _MOST_RANKS:
            raise InputError(
                f"depth is {depth:,}, and p is {p}, so close to 1 that there are too many terms",
                f"need a depth of at most {_MOST_RANKS:,}",
            )
        terms = np.arange(1, depth, dtype=np.float64)
        beyond = -math.log1p(-p) - float(np.sum(p**terms / terms))
        return float(1 - p ** (depth - 1) + (1 - p) / p * depth * beyond)
    d = depth + np.arange(1, count + 1, dtype=np.float64)
    return float(1 - (1 - p) / p * np.sum(p**d * (d - depth) / d))


def rbo_over(
    pairs: Pairing,
    *,
    p: float = 0.9,
    ties: Ties = "a",
    value: Value = "extrapolated",
    k: int | None = None,
) -> Floats:
    """Return one of the values of each pair: (Q,) float64; see ``rbo``."""
    choice("value", value, *_VALUES)
    return _Observed(pairs, p=p, ties=ties, k=k).value(value)


class _Observed:
    """Sums over the observed ranks of pairs of rankings, without the factor (1 - p) / p."""

    def __init__(self, pairs: Pairing, *, p: float, ties: Ties, k: int | None) -> None:
        self.p = p = share("p", p)
        choice("ties", ties, "a", "b", "w")
        self.ties: Ties = ties
        self.pairs = pairs = pairs.top(k)
        self.shorter = np.minimum(pairs.sizes_a, pairs.sizes_b)
        self.longer = np.maximum(pairs.sizes_a, pairs.sizes_b)
        self.agreement = agreement(pairs, self.longer, ties)
        self.depths = self.agreement.depths
        # p^d for all depths needed, down to the one at which both lists are exhausted.
        furthest = int((self.shorter + self.longer).max(initial=0)) + 2
        self.power = p ** np.arange(furthest)
        self.weights = self.power[self.depths.depth]

    def value(self, name: Value) -> Floats:
        """Return one value of each pair."""
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
        """Sum over the observed depths, with ``more`` items in common at each."""
        shares = (self.agreement.overlap + more) / self.agreement.size * self.weights
        return segment_sum(shares, self.depths.starts)

    def _lowest(self) -> Floats:
        # Beyond the longer list, the overlap stays the same while the depth grows.
        return self._sum() + self.agreement.common * self._beyond()[self.longer]

    def _beyond(self) -> Floats:
        """Sum p^d / d beyond each depth from 0 to that of the longest list."""
        longest = int(self.longer.max(initial=0))
        last = _last_rank(p=self.p)
        if last < _MOST_TERMS:  # term by term, as a difference would lose digits
            depth = np.arange(1, longest + last + 1)
            return np.cumsum((self.p**depth / depth)[::-1])[::-1]
        depth = np.arange(1, longest + 1)
        return -math.log1p(-self.p) - np.append(0.0, np.cumsum(self.p**depth / depth))

    def _highest(self) -> Floats:
        """Sum as if the shorter list continued with the items only in the longer, in its order."""
        only, unseen = only_in_longer(self.pairs, self.depths, self.ties), self._unseen()
        full = np.minimum(unseen, only.full)
        more = full + only.part * (np.minimum(unseen, only.begun) - full)
        # Then each continues with the rest of the other, until at depth f they have all in common.
        f = self.shorter + self.longer - self.agreement.common.astype(np.int64)
        starts = np.concatenate([[0], np.cumsum(f - self.longer)])
        pair = query_of_rows(starts)
        beyond = positions(starts) + self.longer[pair]
        rest = segment_sum((2 * beyond - f[pair]) / beyond * self.power[beyond], starts)
        return self._sum(more) + rest + self.power[f + 1] / (1 - self.p)

    def _extrapolated(self) -> Floats:
        """Sum as if both continued to agree as they do at the end of the shorter list."""
        overlap, size, common = self.agreement.overlap, self.agreement.size, self.agreement.common
        agreed = np.zeros(len(self.shorter))
        nonempty = self.shorter > 0
        ends = (self.depths.starts[:-1] + self.shorter - 1)[nonempty]
        agreed[nonempty] = overlap[ends] / size[ends]
        last = quotient(common + (self.longer - self.shorter) * agreed, self.longer)
        more: Floats | float = 0.0
        if (self.shorter < self.longer).any():
            # The shorter list continues with any of the items only in the longer, equally likely.
            only = only_in_longer(self.pairs, self.depths, self.ties)
            expected = only.full + only.part * (only.begun - only.full)
            of_rows = np.repeat(agreed, self.longer)
            more = of_rows * self._unseen() * expected / np.maximum(only.begun, 1)
        return self._sum(more) + last * self.power[self.longer + 1] / (1 - self.p)

    def _unseen(self) -> Ints:
        """Count the ranks down to each depth that are beyond the shorter list: (D,)."""
        return np.maximum(self.depths.depth - np.repeat(self.shorter, self.longer), 0)


def _last_rank(*, p: float, **_others: Any) -> int:
    """Return the rank beyond which all weights sum to less than 2^-54, less than a double shows."""
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
