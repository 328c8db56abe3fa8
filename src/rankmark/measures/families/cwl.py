"""What C/W/L measures of a user: gain and cost, per document and in total, and depth."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from rankmark.array_types import Bools, Floats
from rankmark.data.alignment import Alignment, Needs, ratio
from rankmark.measures.base.parameters import choice, costs, horizon
from rankmark.measures.base.tie_handling import ADDITIVE, ORDERS_TRIED, TieHandling
from rankmark.measures.families.gains import ranks_to
from rankmark.measures.families.normalized_gain import BoundedGain
from rankmark.results.explanations.contributions import Contributions

_USUAL_COST = 1.0  # of documents without a cost of their own, as in cwl_eval


class UserValue(BoundedGain):
    """A measure of users, V_i being the probability that rank i is reached.

    ``value`` is "EU", the expected gain per document: sum V_i g_i / sum V_i; "ETU", in total: sum
    V_i g_i; "EC" and "ETC", the same of costs c_i; or "ED", the expected depth: sum V_i. A document
    costs ``cost``, or what a mapping gives for its label; all others cost 1.
    """

    value: str = choice("what is measured of the user", "EU", "ETU", "EC", "ETC", "ED")
    cost: Any = costs("the cost of a document, or that of each label")

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """The limits of values; only the gain per document is at most 1."""
        return (0.0, 1.0 if self.value == "EU" else float("inf"))

    @property
    def more_is_better(self) -> bool:  # type: ignore[override]
        """True for gains, False for costs and depth."""
        return self.value in {"EU", "ETU"}

    @property
    def nothing_relevant(self) -> float | None:  # type: ignore[override]
        """Gains are 0; costs and depth are no special case."""
        return 0.0 if self.value in {"EU", "ETU"} else None

    def needs(self) -> Needs:
        """Use all judged documents if labels have costs."""
        needs = super().needs()
        return needs._replace(lowest=-np.inf) if self.costs_vary() else needs

    def costs_vary(self) -> bool:
        """Return True if the value depends on costs that depend on labels."""
        return self.value in {"EC", "ETC"} and isinstance(self.cost, tuple)

    def of_user(self, a: Alignment, reached: Floats, seen: Floats) -> Floats:
        """Return the value of each query: (Q,) float64.

        ``reached`` is the probability to reach each document, (H,); ``seen`` the depth, (Q,).
        """
        if self.value == "ED":
            return seen
        if self.value in {"EU", "ETU"}:
            gained = a.sum(reached * self.gains(a))
            return gained if self.value == "ETU" else ratio(gained, seen)
        if isinstance(self.cost, tuple):
            labels, given = (np.array(column) for column in zip(*self.cost, strict=True))
            at = np.minimum(np.searchsorted(labels, a.label), len(labels) - 1)
            more = np.where(labels[at] == a.label, given[at] - _USUAL_COST, 0.0)
            total = _USUAL_COST * seen + a.sum(reached * more)
        else:
            total = self.cost * seen
        return total if self.value == "ETC" else ratio(total, seen)


def per_rank(reach: str, latex: str) -> tuple[str, str]:
    """Return the formula of a user model in text and LaTeX, given those of V_i."""
    return (
        f"(sum of V_i g_i) / (sum of V_i) over the ranks i <= k, with V_i = {reach}",
        rf"\frac{{\sum_{{i \le k}} V_i\, g_i}}{{\sum_{{i \le k}} V_i}}, \quad V_i = {latex}",
    )


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
        # Who reaches a rank is only known of whole ones.
        return ADDITIVE._replace(sorted_is_best=not self.costs_vary(), at_midranks=False)

    def score(self, a: Alignment) -> Floats:
        if self.value != "EU":
            return self.of_user(a, *self._walked(a))
        reach = self._reach()
        if not self.gain_stops:
            return a.sum(self._reached(a, reach) * self.gains(a)) / _upto(reach)[-1]
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
        return reach[np.minimum(a.rank, self.k) - 1] * a.within(self.k)


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
