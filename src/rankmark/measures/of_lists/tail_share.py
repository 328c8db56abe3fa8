"""TailShare: how much of a list is from the long tail of items that few users had."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import choice, cutoff, positive
from rankmark.measures.families.item_terms import Terms, weighted_terms
from rankmark.measures.of_lists.list_measure import ListMeasure

if TYPE_CHECKING:
    from rankmark.array_types import Bools
    from rankmark.data.preparing.list_facts import ListFacts, Lists


class ShareOfTail(ListMeasure):
    """The share of the items of a list that are in the long tail of popularity.

    Formula: items of the tail among the first k / items among the first k. The head are the most
    popular items that have ``cut`` of all interactions together, and the one with which they reach
    it; with tail="items" the tail are ``cut`` of the items that somebody had, the least popular
    ones and at least one; with tail="count" all items with a popularity of at most ``cut``.
    Equally popular items are in the order of their ids; those that nobody had are in the tail.
    With norm="none" it is the number of items (ACLT). A user without a list has no value.
    Nothing relevant: no special case.
    Ties: matter only across rank k.
    Unjudged documents: count as all others.
    Elsewhere: Elliot ``APLT``, and ``ACLT``, the number; WarpRec's ``APLT`` has norm="k"; RecBole's
    ``tailpercentage`` is tail="items" with 0.1, or tail="count" for numbers above 1, and in both
    cold="head": items that nobody had are in no tail.
    Source: Abdollahpouri, Burke and Mobasher, Managing popularity bias in recommender systems with
    personalized re-ranking, FLAIRS 2019.
    """

    k: int | None = cutoff()
    tail: str = choice("how the tail is found", "interactions", "items", "count")
    cut: float = positive(
        "the share of all interactions that the head has, or the share of items or the popularity "
        "that the tail has",
        0.8,
    )
    cold: str = choice("where items that nobody had are", "tail", "head")
    norm: str = choice(
        "what the number is divided by: the items that are there, k, or nothing",
        "present",
        "k",
        "none",
    )

    name = "TailShare"
    full_name = "share of the long tail"
    aliases: Aliases = {
        "APLT": {},
        "ACLT": {"norm": "none"},
        "tailpercentage": {"tail": "items", "cut": 0.1, "cold": "head"},
    }
    formula = "items of the tail among the first k / items among the first k"

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """The lowest and the highest value."""
        return 0.0, np.inf if self.norm == "none" else 1.0

    def terms(self, lists: Lists, facts: ListFacts) -> Terms:
        in_tail = in_long_tail(facts, self.tail, self.cut, self.cold)[lists.items]
        values = in_tail.astype(np.float64)
        columns = {"popularity": facts.popularity[lists.items]}
        if self.norm == "none":
            return Terms(lists, values, np.minimum(lists.sizes, 1.0), columns)
        k = self.k if self.norm == "k" else None
        return weighted_terms(lists, values, "equal", k, columns)._replace(written="1")

    def notes(self, lists: Lists, facts: ListFacts) -> list[str]:  # noqa: ARG002
        in_tail = in_long_tail(facts, self.tail, self.cut, self.cold)
        cold = int(np.count_nonzero(in_tail & (facts.popularity == 0)))
        how = f"tail by {self.tail}, {self.cut:g}"
        told = f"{how}: {np.count_nonzero(in_tail):,} of {len(in_tail):,} items"
        return [f"{told}, {cold:,} of which nobody had" if cold else told]


def in_long_tail(facts: ListFacts, tail: str, cut: float, cold: str = "tail") -> Bools:
    """Return which items are in the tail: (n_items,) bool."""
    popular = facts.popularity
    order = facts.by_popularity
    order = order[popular[order] > 0]
    found = np.full(len(popular), cold == "tail")
    if tail == "count":
        found[order] = popular[order] <= cut
    elif tail == "items":
        n = max(int(cut * len(order) + 1e-9), 1)
        found[order] = np.arange(len(order)) >= len(order) - n
    else:
        before = np.cumsum(popular[order]) - popular[order]
        total = popular.sum()
        found[order] = before >= total * cut * (1 - 1e-12)
    return found


TailShare: Final = ShareOfTail()
