"""C/W/L user models: measures defined by the probability that a user continues."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rankmark.data.alignment import Alignment, ratio
from rankmark.measures.base.parameters import horizon
from rankmark.measures.base.tie_handling import ADDITIVE, ORDERS_TRIED, TieHandling
from rankmark.measures.families.gains import ranks_to
from rankmark.measures.families.user_values import UserValue
from rankmark.results.explanations.contributions import Contributions

if TYPE_CHECKING:
    from rankmark.array_types import Bools, Floats


class UserModel(UserValue):
    """The expected gain per rank reached by a user who continues with some probability.

    V_i is the probability to reach rank i: the product of the probabilities to continue from the
    ranks j < i. The value is sum V_i g_i / sum V_i over the ranks i <= k. Nothing is gained at
    ranks beyond the end of the ranking, so a short ranking scores lower.
    """

    k: int = horizon()

    gain_stops: ClassVar[bool] = False  # whether a user stops at a gain of g with probability g

    def reach(self, rank: Floats) -> Floats:
        """Return the probability to reach each rank if nothing is gained: (k,) to (k,) float64."""
        raise NotImplementedError

    @property
    def tie_handling(self) -> TieHandling:
        """Add up documents, unless what is gained at one changes who reaches the next."""
        if self.gain_stops:
            return ORDERS_TRIED
        return ADDITIVE._replace(sorted_is_best=False) if self.costs_vary() else ADDITIVE

    def score(self, a: Alignment) -> Floats:
        if self.value != "EU":
            return self.of_user(a, *self._walked(a))
        reach = self._reach()
        if not self.gain_stops:
            gained: Floats = a.sum(self._reached(a, reach) * self.gains(a)) / _upto(reach)[-1]
            return gained
        a, gain = with_gain(a, self.gains(a), self.k)
        reached, seen = _stopped(a, gain, reach)
        return ratio(a.sum(reached * gain), seen)

    def contributions(self, a: Alignment) -> Contributions | None:
        return contributions_of(self, self.gains(a), *self._walked(a))

    def _walked(self, a: Alignment) -> tuple[Floats, Floats]:
        """Return the probability to reach each document, (H,), and the expected depth, (Q,)."""
        reach = self._reach()
        if not self.gain_stops:
            return self._reached(a, reach), np.full(len(a.retrieved), _upto(reach)[-1])
        within, reached = a.within(self.k), np.zeros(len(a.rank))
        reached[within], seen = _stopped(only(a, within), self.gains(a)[within], reach)
        return reached, seen

    def _reach(self) -> Floats:
        """Return ``reach`` at the ranks 1 to k: (k,) float64."""
        return self.reach(ranks_to(self, self.k).astype(np.float64))

    def _reached(self, a: Alignment, reach: Floats) -> Floats:
        at_rank: Floats = reach[np.minimum(a.rank, self.k) - 1] * a.within(self.k)
        return at_rank


def contributions_of(
    measure: UserValue, gains: Floats, reached: Floats, seen: Floats
) -> Contributions | None:
    """Return the contributions of documents with these gains; None for costs and depth.

    ``gains`` and ``reached``, the probability to reach each document, are (H,) float64; ``seen``,
    the expected number of ranks reached, is (Q,) float64.
    """
    if measure.value not in {"EU", "ETU"}:
        return None
    return Contributions(
        reached * gains,
        divisor=seen if measure.value == "EU" else None,
        columns={"gain": gains, "reached": reached},
        written="{reached}" if np.isin(gains, (0.0, 1.0)).all() else "{gain} * {reached}",
    )


def _upto(reach: Floats) -> Floats:
    """Return the expected number of ranks reached among the first 0, 1, ..., k: (k + 1,)."""
    return np.append(0.0, np.cumsum(reach))


def _stopped(a: Alignment, gain: Floats, reach: Floats) -> tuple[Floats, Floats]:
    """Return the probability to reach each document, (H,), and the expected ranks reached, (Q,).

    ``a`` contains all documents with a ``gain``; ``reach`` holds if nothing is gained.
    """
    looks = _upto(reach)
    staying = a.cumprod(1.0 - gain)
    before = previous(a, staying, start=1.0)
    seen = a.sum(before * (looks[a.rank] - looks[previous(a, a.rank, start=0)]))
    seen += last(a, staying, absent=1.0) * (looks[-1] - looks[last(a, a.rank, absent=0)])
    return before * reach[a.rank - 1], seen


def with_gain(a: Alignment, gain: Floats, k: int) -> tuple[Alignment, Floats]:
    """Select the documents of the first k that have a gain, and their gains.

    Which others are aligned depends on the other measures, and must not change the last bit.
    """
    kept = (gain > 0) & a.within(k)
    return only(a, kept), gain[kept]


def only(a: Alignment, kept: Bools) -> Alignment:
    """Select some documents: (H,) bool."""
    starts = np.append(0, np.cumsum(a.count(kept), dtype=np.int64))
    return Alignment(
        queries=a.queries,
        starts=starts,
        rank=a.rank[kept],
        label=a.label[kept],
        retrieved=a.retrieved,
        ideal_starts=a.ideal_starts,
        ideal_label=a.ideal_label,
    )


def previous(a: Alignment, values: np.ndarray, *, start: float) -> np.ndarray:
    """Return the value of the row before each row, ``start`` for the first: (H,) to (H,)."""
    out = np.empty_like(values)
    out[1:] = values[:-1]
    out[a.starts[:-1][np.diff(a.starts) > 0]] = start
    return out


def last(a: Alignment, values: np.ndarray, *, absent: float) -> np.ndarray:
    """Return the value of each query's last row, or ``absent``: (H,) to (Q,)."""
    out = np.full(len(a.starts) - 1, absent, dtype=values.dtype)
    has_rows = np.diff(a.starts) > 0
    out[has_rows] = values[a.starts[1:][has_rows] - 1]
    return out
