"""Unexpectedness: how much of a list is not in a list that could be expected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rankmark.array_types import are_among, distinct
from rankmark.data.alignment import query_of_rows
from rankmark.measures.base.parameters import choice, cutoff
from rankmark.measures.families.rank_weights import weighted_mean
from rankmark.measures.of_lists.list_measure import ListMeasure

if TYPE_CHECKING:
    from rankmark.array_types import Bools, Floats
    from rankmark.data.preparing.list_facts import ListFacts, Lists


class ShareOfUnexpected(ListMeasure):
    """The share of the items of a list that are not among those that could be expected.

    Formula: items among the first k that are not expected / items among the first k. Expected are
    the k most popular items, equally popular ones in the order of ids, and without k as many as the
    list has; or what the user had before. All is unexpected for a user without a history. A user
    without a list has no value.
    Nothing relevant: no special case.
    Ties: matter only across rank k.
    Unjudged documents: count as all others.
    Elsewhere: RePlay ``Unexpectedness``, which is given the expected lists and divides the expected
    items by k, norm="k": a short list seems the more unexpected; its ``Novelty`` is
    base="history". RecTools' ``Intersection`` with the most popular items is 1 minus that with
    norm="k".
    Source: Adamopoulos and Tuzhilin, On unexpectedness in recommender systems, TIST 2014.
    """

    k: int | None = cutoff()
    base: str = choice("the items that could be expected", "popular", "history")
    norm: str = choice(
        "what expected items are divided by: the items that are there, or k", "present", "k"
    )

    name = "Unexpectedness"
    full_name = "share of unexpected items"
    formula = "items that are not expected among the first k / items among the first k"

    def over(self, lists: Lists, facts: ListFacts) -> Floats:
        expected = self._expected(lists, facts).astype(np.float64)
        return 1 - weighted_mean(lists, expected, "equal", self.k if self.norm == "k" else None)

    def _expected(self, lists: Lists, facts: ListFacts) -> Bools:
        if self.base == "popular":
            place = np.empty(facts.n_items, dtype=np.int64)
            place[facts.by_popularity] = np.arange(facts.n_items)
            most = lists.sizes[lists.of_list] if self.k is None else self.k
            found: Bools = place[lists.items] < most
            return found
        starts, items = facts.history
        had = distinct(query_of_rows(starts) * facts.n_items + items)
        return are_among(lists.user[lists.of_list] * facts.n_items + lists.items, had)


Unexpectedness: Final = ShareOfUnexpected()
