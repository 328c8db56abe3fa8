"""Sums of gains, each divided by the discount of its rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankmark.errors import MeasureError
from rankmark.measures.base.parameters import discount
from rankmark.measures.families.gains import GainAtCutoff, discounts_of
from rankmark.results.explanations.contributions import Contributions

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints, Ranks
    from rankmark.data.alignment import Alignment


class DiscountedGain(GainAtCutoff):
    """The sum of the gains of the first k documents, each divided by the discount of its rank."""

    discount: Any = discount()

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        if isinstance(self.discount, tuple) and (self.k or 0) > len(self.discount):
            raise MeasureError(
                f"the discount has {len(self.discount):,} ranks",
                "give more, or a lower cutoff",
                where=str(self),
            )

    def score(self, a: Alignment) -> Floats:
        return a.sum_to(self.k, self.gains(a.label) / discounts_of(self, a.rank))

    def contributions(self, a: Alignment) -> Contributions:
        gains = self.gains(a.label)
        return Contributions(
            self.discounted(gains, a.rank),
            columns={"gain": gains, "discount": discounts_of(self, a.rank)},
            written="{gain}/log2({next})" if self.discount == "log2" else "{gain}/{discount}",
        )

    def discounted(self, gains: Floats, rank: Ranks | Ints) -> Floats:
        """Return each gain discounted at its 1-based rank, 0 beyond k: (n,) to (n,) float64."""
        discounted = gains / discounts_of(self, rank)
        return discounted if self.k is None else discounted * (rank <= self.k)
