"""Expected popularity complement: how many users did not have the items of a list before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rankmark.measures.base.parameters import choice
from rankmark.measures.of_lists.item_novelty import ItemNovelty

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.preparing.list_facts import ListFacts


class ExpectedPopularityComplement(ItemNovelty):
    """The mean over the items of a list of the share of users who did not have the item.

    Formula: the weighted mean over the items among the first k of 1 - users who had the item /
    users; an item that nobody had counts as 1. A user without a list has no value.
    Nothing relevant: with ``relevant=True`` 0; else no special case.
    Ties: matter only across rank k, or if ranks have weights.
    Unjudged documents: count as all others; with ``relevant=True`` as 0.
    Elsewhere: Elliot's ``EPC`` is that with weights="log2" and ``relevant=True``, averaged over
    users with a relevant item.
    Source: Vargas and Castells, Rank and relevance in novelty and diversity metrics, RecSys 2011.
    """

    of: str = choice("what the share of an item is of", "users", "interactions")

    name = "EPC"
    full_name = "expected popularity complement"
    formula = "mean of 1 - users who had the item / users over the first k"
    latex = r"\frac{1}{\min(k, n)} \sum_{i=1}^{\min(k, n)} \left(1 - \frac{U_i}{U}\right)"

    def novelty(self, facts: ListFacts) -> Floats:
        times, total = facts.shares_of(self.of)
        return 1 - times / total


EPC: Final = ExpectedPopularityComplement()
