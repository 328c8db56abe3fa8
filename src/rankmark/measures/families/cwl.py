"""From the chance that a user goes on to what a ranking is worth: the C/W/L user models."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from rankmark.alignment.alignment import Alignment, ratio
from rankmark.errors import MeasureError
from rankmark.explanations.contributions import Contributions
from rankmark.measures.base.parameters import horizon
from rankmark.measures.families.normalized_gain import BoundedGain

if TYPE_CHECKING:
    from rankmark.array_types import Bools, Floats

_MOST_RANKS = 10_000_000


class UserModel(BoundedGain):
    """The gain expected at one look of a user who goes on from rank to rank with some chance.

    V_i is the chance that the user reaches rank i: the product of the chances C_j to go on from
    ranks j < i. The value is sum V_i g_i / sum V_i over the ranks i <= k. Ranks that the ranking
    does not have are looked at in vain, so that a short ranking is worth less.
    """

    k: int = horizon()

    content_stops: ClassVar[bool] = False  # whether a gain g leaves only 1 - g of the users
    promoting_helps = False
    reaches_bound = False

    def reach(self, rank: Floats) -> Floats:
        """Give the chance to reach each rank past worthless documents: (k,) to (k,) float64."""
        raise NotImplementedError

    def score(self, a: Alignment) -> Floats:
        reach = self.reach(self.ranks())
        looks = np.append(0.0, np.cumsum(reach))
        if not self.content_stops:
            found: Floats = a.sum(self._looked_at(a, reach) * self.gains(a)) / looks[-1]
            return found
        a, gain = finds(a, self.gains(a), self.k)
        reached, seen = _walked(a, gain, reach, looks)
        return ratio(a.sum(reached * gain), seen)

    def contributions(self, a: Alignment) -> Contributions:
        reach = self.reach(self.ranks())
        looks = np.append(0.0, np.cumsum(reach))
        gains = self.gains(a)
        if not self.content_stops:
            reached, seen = self._looked_at(a, reach), np.full(len(a.retrieved), looks[-1])
        else:
            within = a.within(self.k)
            reached = np.zeros(len(a.rank))
            reached[within], seen = _walked(only(a, within), gains[within], reach, looks)
        return looked(gains, reached, seen)

    def _looked_at(self, a: Alignment, reach: Floats) -> Floats:
        at_rank: Floats = reach[np.minimum(a.rank, self.k) - 1] * a.within(self.k)
        return at_rank

    def ranks(self) -> Floats:
        """List the ranks to the last that the user may look at: (k,) float64, from 1."""
        if self.k > _MOST_RANKS:
            raise MeasureError(f"{self}: every rank adds up; need a cutoff to {_MOST_RANKS:,}")
        return np.arange(1.0, self.k + 1.0)


def looked(gains: Floats, reached: Floats, seen: Floats) -> Contributions:
    """Tell of looks at documents what each adds: its gain, as likely as it is reached.

    ``gains`` and ``reached`` are (H,) float64, and ``seen`` (Q,) adds up all ranks' chances.
    """
    return Contributions(
        reached * gains,
        over=seen,
        columns={"gain": gains, "reached": reached},
        written="{reached}" if np.isin(gains, (0.0, 1.0)).all() else "{gain} * {reached}",
    )


def _walked(a: Alignment, gain: Floats, reach: Floats, looks: Floats) -> tuple[Floats, Floats]:
    """Give the chance to reach each document, (H,), and the sum of all ranks' chances, (Q,).

    ``a`` holds all documents that have a ``gain``. ``reach`` is the chance to reach each rank past
    worthless documents, and ``looks`` adds it up.
    """
    staying = a.cumprod(1.0 - gain)
    before = previous(a, staying, start=1.0)
    seen = a.sum(before * (looks[a.rank] - looks[previous(a, a.rank, start=0)]))
    seen += last(a, staying, absent=1.0) * (looks[-1] - looks[last(a, a.rank, absent=0)])
    return before * reach[a.rank - 1], seen


def finds(a: Alignment, gain: Floats, k: int) -> tuple[Alignment, Floats]:
    """Keep the documents of the first k that have a gain, and their gains.

    Which others are aligned depends on what else is measured, and must not move the last bit.
    """
    kept = (gain > 0) & a.within(k)
    return only(a, kept), gain[kept]


def only(a: Alignment, kept: Bools) -> Alignment:
    """Keep some documents: (H,) bool."""
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
    """Give each row the value of the row before it in its query: (H,) to (H,)."""
    out = np.empty_like(values)
    out[1:] = values[:-1]
    out[a.starts[:-1][np.diff(a.starts) > 0]] = start
    return out


def last(a: Alignment, values: np.ndarray, *, absent: float) -> np.ndarray:
    """Take the value of each query's last row, or ``absent``: (H,) to (Q,)."""
    out = np.full(len(a.starts) - 1, absent, dtype=values.dtype)
    there = np.diff(a.starts) > 0
    out[there] = values[a.starts[1:][there] - 1]
    return out
