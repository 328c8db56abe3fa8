"""Average recommendation popularity: how popular the items of a list are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import choice, cutoff
from rankmark.measures.families.item_terms import Terms, weighted_terms
from rankmark.measures.of_lists.list_measure import ListMeasure

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.preparing.list_facts import ListFacts, Lists


class AverageRecommendationPopularity(ListMeasure):
    """The mean popularity of the items of a list, as in the history or as given.

    Formula: the mean over the items among the first k of how many users had the item; an item that
    nobody had counts as 0. With ``scale`` the popularity is divided by that of all items together
    ("share") or by the highest ("max"), or is a percentile rank among the items that somebody had:
    1 for the most popular, and equally popular items share the mean of theirs ("rank"). A user
    without a list has no value.
    Nothing relevant: no special case.
    Ties: matter only across rank k.
    Unjudged documents: count as all others.
    Elsewhere: RecTools ``AvgRecPopularity`` (of interactions; ``normalize=True`` is
    scale="share"), RecBole ``averagepopularity``, Elliot ``ARP``, which fails on cold items;
    LensKit ``MeanPopRank`` is scale="rank"; evidently leaves cold items out, and its
    ``normalize_arp=True`` is scale="max"; reclist divides by the length of the list before the
    cutoff.
    Source: Yin et al., Challenging the long tail recommendation, VLDB 2012.
    """

    k: int | None = cutoff()
    scale: str = choice("what popularity is", "count", "share", "max", "rank")
    cold: str = choice("how an item that nobody had counts: as 0, or not at all", "zero", "skip")

    name = "ARP"
    full_name = "average recommendation popularity"
    aliases: Aliases = {
        "AvgRecPopularity": {},
        "averagepopularity": {},
        "MeanPopRank": {"scale": "rank"},
    }
    formula = "mean of users who had the item over the first k"
    latex = r"\frac{1}{\min(k, n)} \sum_{i=1}^{\min(k, n)} U_i"
    bounds = (0.0, np.inf)
    more_is_better = False

    def terms(self, lists: Lists, facts: ListFacts) -> Terms:
        popular = facts.popularity
        if self.cold == "skip":
            lists = lists.only(popular[lists.items] > 0)
        values = _scaled(popular, self.scale)[lists.items]
        return weighted_terms(lists, values, "equal", None, {"popularity": values})

    def notes(self, lists: Lists, facts: ListFacts) -> list[str]:
        cold = int(np.count_nonzero(facts.popularity[lists.items] == 0))
        if not cold:
            return []
        counted = "counted as 0" if self.cold == "zero" else "left out"
        return [f"items without popularity {cold:,} of {len(lists.items):,}: {counted}"]


def _scaled(popular: Floats, scale: str) -> Floats:
    if scale == "count" or not popular.any():
        return popular
    if scale == "rank":
        warm = popular > 0
        _, level, times = np.unique(popular[warm], return_inverse=True, return_counts=True)
        middle = np.cumsum(times) - (times - 1) / 2
        found = np.zeros(len(popular))
        found[warm] = middle[level] / np.count_nonzero(warm)
        return found
    return popular / (popular.sum() if scale == "share" else popular.max())


ARP: Final = AverageRecommendationPopularity()
