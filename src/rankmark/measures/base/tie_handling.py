"""How values over all orders of tied documents are found."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rankmark.named_tuples import NamedTuple

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.alignment import Alignment


def _no_formula(measure: Any, a: Alignment) -> None:
    """Return None: orders of tied documents are tried one by one."""


class TieHandling(NamedTuple):
    """How expected, best and worst values over all orders of tied documents are found.

    Parameters
    ----------
    expected
        ``expected(measure, a)``, the expected value of each query: (Q,) float64; None if there is
        no formula, so orders are tried one by one. Tied documents of ``a`` are in any order; those
        beyond ``a.retrieved`` count as not retrieved.
    adds_up
        Whether the value is a sum over documents, so ``contributions`` also applies to expected
        numbers of documents.
    sorted_is_best
        Whether sorting tied documents by merit is optimal, and its reverse worst. By default, if
        promoting a relevant document never hurts.
    together
        Whether the formula treats tied documents as a unit, so their order is irrelevant.
    at_midranks
        Whether the formula is also one of ranks between two, as the middle rank of a tie may be,
        and does not ask in which order documents are. By default, if the value adds up.
    """

    expected: Callable[[Any, Alignment], Floats | None] = _no_formula
    adds_up: bool = False
    sorted_is_best: bool | None = None
    together: bool = False
    at_midranks: bool | None = None

    @property
    def has_midranks(self) -> bool:
        """Whether the measure has a value if tied documents are at the middle of their ranks."""
        known = self.at_midranks
        return self.together or (self.adds_up if known is None else known)

    def best_is_sorted(self, measure: Any) -> bool:
        """Return True if sorting by merit is optimal, and its reverse worst; False if unknown."""
        known = self.sorted_is_best
        return bool(measure.promoting_helps) if known is None else known


def expected_sum(measure: Any, a: Alignment) -> Floats:
    """Score the expected number of documents at each rank; exact, since expectation is linear."""
    from rankmark.data.alignment.tie_probabilities import places  # noqa: PLC0415

    return measure.score(places(a, measure.needs().deepest))


ORDERS_TRIED = TieHandling()
"""Orders of tied documents are tried one by one, because no formula is known."""

ADDITIVE = TieHandling(expected_sum, adds_up=True, sorted_is_best=True)
"""Each document contributes by its label and rank; no order of ties changes the divisor."""

TOGETHER = TieHandling(sorted_is_best=False, together=True)
"""The formula treats tied documents as a unit."""
