"""ItemCoverage: the share of the catalogue that is in some list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import choice, cutoff
from rankmark.measures.of_runs.run_measure import Counts, LeftOut, RunMeasure

if TYPE_CHECKING:
    from rankmark.data.preparing.list_facts import ListFacts, Lists


class ItemCoverageOfRun(RunMeasure):
    """The share of the items of the catalogue that are in some list.

    Formula: items of the catalogue among the first k of some list / items of the catalogue. Items
    outside the catalogue count nowhere, so that the share is at most 1.
    Nothing relevant: no special case.
    Ties: matter only across rank k.
    Unjudged documents: count as all others.
    Elsewhere: RecBole ``itemcoverage@k``, recpack ``CoverageK``, RecTools
    ``CatalogCoverage(normalize=True)``; by default RecTools' and Elliot's ``ItemCoverage`` are the
    number of items, ``norm="count"``. RecTools and recommenders also count items outside the
    catalogue, and exceed 1; RePlay's ``Coverage`` takes the items of the history for the catalogue.
    Source: Ge, Delgado-Battenfeld and Jannach, Beyond accuracy, RecSys 2010.
    """

    k: int | None = cutoff()
    norm: str = choice("whether it is a share, or the number of items", "catalogue", "count")

    name = "ItemCoverage"
    full_name = "coverage of the catalogue"
    aliases: Aliases = {"CatalogCoverage": {}, "item_coverage": {}}
    formula = "items of the catalogue in some list / items of the catalogue"

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """The lowest and the highest value."""
        return (0.0, 1.0) if self.norm == "catalogue" else (0.0, np.inf)

    def over(self, lists: Lists, facts: ListFacts) -> LeftOut:
        counts = Counts.of(lists, facts)
        covered = float(np.count_nonzero(counts.times))
        without = covered - counts.sums((counts.times == 1).astype(np.float64))
        whole = facts.catalogue if self.norm == "catalogue" else 1
        return LeftOut(covered / whole, without / whole)


ItemCoverage: Final = ItemCoverageOfRun()
