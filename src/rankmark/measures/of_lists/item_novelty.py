"""The mean novelty of the items of a list, by how many had each before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.measures.base.parameters import choice, cutoff, flag, threshold
from rankmark.measures.families.item_terms import Terms, weighted_terms
from rankmark.measures.families.rank_weights import rank_weights, relevance
from rankmark.measures.of_lists.list_measure import ListMeasure

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.preparing.list_facts import ListFacts, Lists


class ItemNovelty(ListMeasure):
    """A mean over the items of a list; a subclass has ``novelty``."""

    k: int | None = cutoff()
    norm: str = choice("what the sum is divided by: the items that are there, or k", "present", "k")
    weights: str | float = rank_weights()
    relevant: bool = flag("whether items that are not relevant count as 0")
    rel: float = threshold()

    def novelty(self, facts: ListFacts) -> Floats:
        """Return the novelty of each item, NaN if it is left out: (n_items,) float64."""
        raise NotImplementedError

    def terms(self, lists: Lists, facts: ListFacts) -> Terms:
        values = self.novelty(facts)[lists.items]
        if np.isnan(values).any():
            lists, values = lists.only(~np.isnan(values)), values[~np.isnan(values)]
        columns = {"novelty": values}
        if self.relevant:
            values = values * relevance(lists, facts, self.rel)
        k = self.k if self.norm == "k" else None
        return weighted_terms(lists, values, self.weights, k, columns)
