"""Unexpectedness: how much of a list is not in a list that could be expected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rankmark.array_types import are_among, distinct
from rankmark.data.alignment import query_of_rows
from rankmark.measures.base.parameters import choice, cutoff
from rankmark.measures.families.item_terms import Terms
from rankmark.measures.of_lists.list_measure import ListMeasure

if TYPE_CHECKING:
    from rankmark.array_types import Bools
    from rankmark.data.preparing.list_facts import ListFacts, Lists


class ShareOfUnexpected(ListMeasure):
    """The share of the items of a list that are not among those that could be expected.

    Formula: items among the first k that are not expected / items among the first k. Expected are
    the k most popular items that somebody had, equally popular ones in the order of ids, and
    without k as many as the list has; or what the user had before. All is unexpected for a user
    without a history. A user without a list has no value.
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

    def terms(self, lists: Lists, facts: ListFacts) -> Terms:
        expected = self._expected(lists, facts).astype(np.float64)
        divisor = lists.sizes
        if self.norm == "k" and self.k is not None:
            divisor = np.where(divisor > 0, float(self.k), 0.0)
        return Terms(
            lists,
            0.0 - expected,
            divisor,
            {"expected": expected},
            frame="1 - {sum} / {divisor}",
            rest=1.0,
            rest_is="if no item were expected",
        )

    def _expected(self, lists: Lists, facts: ListFacts) -> Bools:
        if self.base == "popular":
            place = np.empty(facts.n_items, dtype=np.int64)
            place[facts.by_popularity] = np.arange(facts.n_items)
            most = lists.sizes[lists.of_list] if self.k is None else self.k
            return (place[lists.items] < most) & (facts.popularity[lists.items] > 0)
        starts, items = facts.history
        had = distinct(query_of_rows(starts) * facts.n_items + items)
        return are_among(lists.user[lists.of_list] * facts.n_items + lists.items, had)


Unexpectedness: Final = ShareOfUnexpected()
