"""How a measure handles tied documents, where no rule puts them in an order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankmark.alignment.tie_probabilities import places

if TYPE_CHECKING:
    from rankmark.alignment.alignment import Alignment
    from rankmark.array_types import Floats


def _no_formula(measure: Any, a: Alignment) -> None:
    """Give none: the orders of tied documents are tried one by one."""


@dataclass(frozen=True)
class TieHandling:
    """How a measure's expected, best and worst values over all orders of tied documents are found.

    Parameters
    ----------
    expected
        ``expected(measure, a)``, the expected value of each query: (Q,) float64; None where there
        is no formula, so that orders are tried one by one. Ties of ``a`` stand in any order, and
        may extend beyond ``a.retrieved``, where documents count as not retrieved.
    adds_up
        Whether the value is a sum over documents, so that ``contributions`` holds for expected
        numbers of documents as well.
    sorted_is_best
        Whether sorting tied documents by merit is optimal, and its reverse worst. By default, where
        promoting a relevant document never hurts.
    together
        Whether the formula itself takes tied documents together, whatever their order.
    """

    expected: Callable[[Any, Alignment], Floats | None] = _no_formula
    adds_up: bool = False
    sorted_is_best: bool | None = None
    together: bool = False

    def best_is_sorted(self, measure: Any) -> bool:
        """Say whether the best order of tied documents is the one by merit, the worst its reverse.

        Where this is not known, other orders are tried as well.
        """
        known = self.sorted_is_best
        return bool(measure.promoting_helps) if known is None else known


def expected_sum(measure: Any, a: Alignment) -> Floats:
    """Score the number of documents expected at each rank: exact, as expected values add up."""
    values: Floats = measure.score(places(a, measure.needs().deepest))
    return values


ORDERS_TRIED = TieHandling()
"""No formula is known: orders of tied documents are tried one by one."""

ADDITIVE = TieHandling(expected_sum, adds_up=True, sorted_is_best=True)
"""Each document adds what its label and rank are worth, over what no order of ties changes."""

TOGETHER = TieHandling(sorted_is_best=False, together=True)
"""The formula takes tied documents together."""
