"""INST: a user model whose patience depends on the gain still wanted."""

from __future__ import annotations

import numpy as np

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment
from rankmark.measures.base.parameters import between, horizon
from rankmark.measures.families.cwl import (
    UserValue,
    contributions_of,
    last,
    only,
    previous,
    with_gain,
)
from rankmark.results.explanations.contributions import Contributions


class InstMeasure(UserValue):
    """The expected gain per rank of a user who adapts to the gain so far.

    Formula: (sum of V_i g_i) / (sum of V_i) over ranks i <= k; V_1 = 1, and V_(i+1) is V_i times
    the probability (1 - 1 / (i + 2T - cg_i))^2 to continue, where the user wants the gain ``T``,
    and cg_i is gained by rank i.
    Gains are 1 from label ``rel`` up, or with ``max_rel`` (label - min_rel) / (max_rel - min_rel).
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: gain 0, as for ranks beyond the end of the ranking.
    Elsewhere: cwl_eval ``INST-T=1``, ir_measures ``INST``, both with k = 1000 as here, but they
    lower labels above max_rel to it; here such labels are refused.
    Source: Bailey, Moffat, Scholer and Thomas, SIGIR 2015; Moffat et al., ADCS 2015; cwl_eval
    cwl_inst.py.
    """

    k: int = horizon()
    # Below 0.5, the probability to continue could be a ratio of negative numbers.
    T: float = between("the gain that the user wants", 1.0, 0.5, 10**6)

    name = "INST"
    full_name = "INST, a user model that adapts to the gain so far"
    formula = (
        "(sum of V_i g_i) / (sum of V_i) over the ranks i <= k, with V_1 = 1, V_(i+1) = V_i "
        "(1 - 1 / (i + 2T - cg_i))^2"
    )
    latex = (
        r"\frac{\sum_{i \le k} V_i\, g_i}{\sum_{i \le k} V_i}, \quad V_1 = 1, \quad V_{i + 1} "
        r"= V_i \left(1 - \frac{1}{i + 2T - \mathrm{cg}_i}\right)^2"
    )

    def score(self, a: Alignment) -> Floats:
        if self.value != "EU":
            return self.of_user(a, *self._of_all(a))
        a, gain = with_gain(a, self.gains(a), self.k)
        reached, seen = self._walked(a, gain)
        return a.sum(reached * gain) / seen

    def contributions(self, a: Alignment) -> Contributions | None:
        return contributions_of(self, self.gains(a), *self._of_all(a))

    def _of_all(self, a: Alignment) -> tuple[Floats, Floats]:
        """Return the probability to reach each document, (H,), and the sum over ranks, (Q,)."""
        within, reached = a.within(self.k), np.zeros(len(a.rank))
        reached[within], seen = self._walked(only(a, within), self.gains(a)[within])
        return reached, seen

    def _walked(self, a: Alignment, gain: Floats) -> tuple[Floats, Floats]:
        """Return the probability to reach each document, (H,), and the sum over ranks, (Q,).

        ``a`` contains all documents of the first k with a ``gain``.
        """
        rank = a.rank.astype(np.float64)
        wanted = 2.0 * self.T - a.cumsum(gain)  # T + T_i
        # Between gains T_i is constant, and the product of probabilities telescopes to a square.
        before, still = previous(a, rank, start=0), previous(a, wanted, start=2.0 * self.T)
        begin = _begin(before, still)
        reach = a.cumprod((begin / (rank + still - 1.0)) ** 2)
        looks = a.sum(previous(a, reach, start=1.0) * begin**2 * _squares(before, rank, still))
        end, left = last(a, rank, absent=0.0), last(a, wanted, absent=2.0 * self.T)
        rest = _begin(end, left) ** 2 * _squares(end, np.float64(self.k), left)
        return reach, looks + last(a, reach, absent=1.0) * rest


def _begin(rank: Floats, wanted: Floats) -> Floats:
    """Return i + T + T_i - 1 after a gain at rank i; before any gain, 2T."""
    return np.where(rank > 0, rank + wanted - 1.0, wanted)


def _squares(after: Floats, to: Floats | np.float64, shift: Floats) -> Floats:
    """Return the sum of 1 / (i + shift - 1)^2 over the ranks after < i <= to."""
    return _trigamma(after + shift) - _trigamma(to + shift)


def _trigamma(x: Floats) -> Floats:
    """Return the sum of 1 / (x + j)^2 over j >= 0: sixteen terms, then Euler-Maclaurin."""
    total = np.zeros_like(x)
    for j in range(16):
        total += 1.0 / (x + j) ** 2
    y = x + 16.0
    square = 1.0 / y**2
    series = 1 / 6 - square * (1 / 30 - square * (1 / 42 - square / 30))
    rest: Floats = 1.0 / y + square / 2.0 + square * series / y
    return total + rest


INST = InstMeasure()
