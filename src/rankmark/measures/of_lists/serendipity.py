"""Serendipity: how surprising the relevant items of a list are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rankmark.data.alignment import gathered
from rankmark.measures.base.parameters import choice, cutoff, threshold
from rankmark.measures.families.item_distances import (
    MOST,
    ItemDistances,
    distance_of_items,
)
from rankmark.measures.families.item_terms import Terms
from rankmark.measures.families.rank_weights import relevance
from rankmark.measures.of_lists.list_measure import ListMeasure

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.preparing.list_facts import ListFacts, Lists


class SurpriseOfRelevant(ListMeasure):
    """The mean surprise of the items of a list, of which those that are not relevant have none.

    Formula: the mean over the items among the first k of surprise times relevance, which is 0 or 1.
    By popularity, the surprise of the item at rank r is max(0, (n + 1 - r) / n - (n + 1 - p) / n),
    where n is the size of the catalogue and p the place of the item's popularity among all
    different ones, the highest being 1; the second term is 0 for items that nobody had. By the
    history it is the mean distance of the item from those that the user had. Items without what
    the distance needs are left out. A user without a list, or by the history without one, has no
    value.
    Nothing relevant: 0; with relevance="all" no special case.
    Ties: matter only across rank k, and by popularity also before.
    Unjudged documents: are not relevant.
    Elsewhere: RecTools ``Serendipity``; recommenders' ``serendipity`` is by="history", with
    relevance="all" unless it is given; evidently leaves users without a relevant item out, and does
    not divide by the items of a list.
    Source: Ge, Delgado-Battenfeld and Jannach, Beyond accuracy, RecSys 2010; Zhang et al.,
    Auralist, WSDM 2012.
    """

    k: int | None = cutoff()
    by: str = choice("what surprise is against", "popularity", "history")
    distance: str = distance_of_items("cooccurrence")
    relevance: str = choice("which items count", "judged", "all")
    rel: float = threshold()

    name = "Serendipity"
    full_name = "serendipity"
    formula = "mean of surprise times relevance over the first k"
    bounds = (0.0, np.inf)

    def terms(self, lists: Lists, facts: ListFacts) -> Terms:
        lists, surprise = (_unpopular if self.by == "popularity" else self._unlike)(lists, facts)
        columns = {"surprise": surprise}
        if self.relevance == "judged":
            surprise = surprise * relevance(lists, facts, self.rel)
        return Terms(lists, surprise, lists.sizes, columns, "{surprise}")

    def _unlike(self, lists: Lists, facts: ListFacts) -> tuple[Lists, Floats]:
        """Return the mean distance of each item from the user's history."""
        starts, had = facts.history
        distances = ItemDistances(facts, self.distance)
        before = np.append(0, np.cumsum(distances.known[had]))
        starts, had = before[starts], had[distances.known[had]]
        sizes = np.diff(starts)
        lists = lists.only(distances.known[lists.items] & (sizes[lists.user[lists.of_list]] > 0))
        user = lists.user[lists.of_list]
        found = np.zeros(len(user))
        ends = np.cumsum(sizes[user])
        at = 0
        while at < len(user):
            done = int(ends[at - 1]) if at else 0
            end = max(int(np.searchsorted(ends, done + MOST, side="right")), at + 1)
            row, item = gathered(starts, had, user[at:end])
            far = distances.between(lists.items[at:end][row], item)
            found[at:end] = np.bincount(row, weights=far, minlength=end - at) / sizes[user[at:end]]
            at = end
        return lists, found

    def notes(self, lists: Lists, facts: ListFacts) -> list[str]:
        if self.by == "popularity":
            return []
        starts, _ = facts.history
        none = int(np.count_nonzero((np.diff(starts)[lists.user] == 0) & (lists.sizes > 0)))
        told = [f"lists of users without a history {none:,}: without a value"] if none else []
        return [*told, *ItemDistances(facts, self.distance).notes(lists)]


def _unpopular(lists: Lists, facts: ListFacts) -> tuple[Lists, Floats]:
    popular, n = facts.popularity, facts.catalogue
    _, level = np.unique(-popular, return_inverse=True)
    expected = np.where(popular > 0, (n - level.reshape(-1)) / n, 0.0)
    return lists, np.maximum((n + 1 - lists.rank) / n - expected[lists.items], 0.0)


Serendipity: Final = SurpriseOfRelevant()
