"""What C/W/L measures of a user: gain and cost, per document and in total, and depth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.data.alignment import ratio
from rankmark.measures.base.parameters import choice, costs
from rankmark.measures.families.normalized_gain import BoundedGain

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.alignment import Alignment, Needs

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
        spent: Floats = total if self.value == "ETC" else ratio(total, seen)
        return spent
