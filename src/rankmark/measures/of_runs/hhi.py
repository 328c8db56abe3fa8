"""HHI: the chance that two recommendations are of the same item."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import cutoff, flag
from rankmark.measures.of_runs.run_measure import Counts, LeftOut, RunMeasure, divided

if TYPE_CHECKING:
    from rankmark.data.preparing.list_facts import ListFacts, Lists


class HerfindahlHirschmanIndex(RunMeasure):
    """The concentration of recommendations: 1 if all are of one item.

    Formula: the sum of p^2 over the items of the catalogue, where p is the share of an item among
    all recommendations; with ``effective=True`` 1 / that, the effective number of items. No lists:
    no value.
    Nothing relevant: no special case.
    Ties: matter only across rank k.
    Unjudged documents: count as all others.
    Elsewhere: no recommender tool has it; the index is that of markets.
    Source: Hirschman, The paternity of an index, American Economic Review 1964.
    """

    k: int | None = cutoff()
    effective: bool = flag("whether it is the effective number of items, 1 / HHI")

    name = "HHI"
    full_name = "Herfindahl-Hirschman index of exposure"
    aliases: Aliases = {"Herfindahl": {}, "effective_items": {"effective": True}}
    formula = "sum of p^2 over the items of the catalogue"

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """The lowest and the highest value."""
        return (1.0, np.inf) if self.effective else (0.0, 1.0)

    @property
    def more_is_better(self) -> bool:  # type: ignore[override]
        """Whether a higher value is better."""
        return self.effective

    def over(self, lists: Lists, facts: ListFacts) -> LeftOut:
        counts = Counts.of(lists, facts)
        times = counts.times
        total, squares = float(times.sum()), float((times * times).sum())
        without = divided(squares - counts.sums(2 * times - 1), (total - counts.sizes) ** 2)
        value = squares / total**2 if total else np.nan
        if self.effective:
            return LeftOut(1 / value, divided(np.ones(len(without)), without))
        return LeftOut(value, without)


HHI: Final = HerfindahlHirschmanIndex()
