"""INST: what a user gains who wants so much, and goes on less likely with each find."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.measures.base.parameters import between, horizon
from rankmark.measures.families.cwl import contributions_of, last, only, previous, with_gain
from rankmark.measures.families.normalized_gain import BoundedGain

if TYPE_CHECKING:
    from rankmark.alignment.alignment import Alignment
    from rankmark.array_types import Floats
    from rankmark.explanations.contributions import Contributions


class InstMeasure(BoundedGain):
    """The gain expected at one look of a user who adapts to what was found so far.

    Formula: sum of V_i g_i over sum of V_i, over ranks i <= k; V_1 = 1, and V_(i+1) is V_i times
    the chance ((i + T + T_i - 1) / (i + T + T_i))^2 to go on, where T_i = T - (g_1 + ... + g_i) is
    what is still wanted of the gain ``T``.
    Gains are 1 from label ``rel`` on, or with ``max_rel`` (label - min_rel) / (max_rel - min_rel).
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: worth 0. So are the ranks that the ranking does not have.
    Elsewhere: cwl_eval ``INST-T=1``, ir_measures ``INST``, both with k = 1000 as here, and labels
    above max_rel cut down to it; here they are refused.
    Source: Bailey, Moffat, Scholer and Thomas, SIGIR 2015; Moffat et al., ADCS 2015; cwl_eval
    cwl_inst.py.
    """

    k: int = horizon()
    # Below 0.5 a first find would make the chance to go on a ratio of negative numbers.
    T: float = between("how much gain the user wants", 1.0, 0.5, 10**6)

    name = "INST"
    formula = "sum of V_i g_i / sum of V_i, V_(i+1) = V_i (1 - 1 / (i + T + T_i))^2"

    def score(self, a: Alignment) -> Floats:
        a, gain = with_gain(a, self.gains(a), self.k)
        reached, seen = self._walked(a, gain)
        return a.sum(reached * gain) / seen

    def contributions(self, a: Alignment) -> Contributions:
        gains, within = self.gains(a), a.within(self.k)
        reached = np.zeros(len(a.rank))
        reached[within], seen = self._walked(only(a, within), gains[within])
        return contributions_of(gains, reached, seen)

    def _walked(self, a: Alignment, gain: Floats) -> tuple[Floats, Floats]:
        """Give the chance to reach each document, (H,), and the sum of all ranks' chances, (Q,).

        ``a`` holds all documents of the first k that have a ``gain``.
        """
        rank = a.rank.astype(np.float64)
        wanted = 2.0 * self.T - a.cumsum(gain)  # T + T_i
        # Between finds T_i stands still, and the product of chances telescopes to a square.
        before, still = previous(a, rank, start=0), previous(a, wanted, start=2.0 * self.T)
        begin = _begin(before, still)
        reach = a.cumprod((begin / (rank + still - 1.0)) ** 2)
        looks = a.sum(previous(a, reach, start=1.0) * begin**2 * _squares(before, rank, still))
        end, left = last(a, rank, absent=0.0), last(a, wanted, absent=2.0 * self.T)
        rest = _begin(end, left) ** 2 * _squares(end, np.float64(self.k), left)
        return reach, looks + last(a, reach, absent=1.0) * rest


def _begin(rank: Floats, wanted: Floats) -> Floats:
    """Give i + T + T_i - 1 at the find of rank i; at rank 1, before any find, it is 2T."""
    return np.where(rank > 0, rank + wanted - 1.0, wanted)


def _squares(after: Floats, to: Floats | np.float64, shift: Floats) -> Floats:
    """Add up 1 / (i + shift - 1)^2 over the ranks after < i <= to."""
    return _trigamma(after + shift) - _trigamma(to + shift)


def _trigamma(x: Floats) -> Floats:
    """Add up 1 / (x + j)^2 over j >= 0: sixteen terms, then Euler and Maclaurin's series."""
    total = np.zeros_like(x)
    for j in range(16):
        total += 1.0 / (x + j) ** 2
    y = x + 16.0
    square = 1.0 / y**2
    series = 1 / 6 - square * (1 / 30 - square * (1 / 42 - square / 30))
    rest: Floats = 1.0 / y + square / 2.0 + square * series / y
    return total + rest


INST = InstMeasure()
