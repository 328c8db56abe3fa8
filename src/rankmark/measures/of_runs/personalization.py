"""Personalization: how much the lists of two users differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rankmark.array_types import distinct
from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import choice, cutoff
from rankmark.measures.of_runs.run_measure import LeftOut, RunMeasure, divided

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.preparing.list_facts import ListFacts, Lists


class InterListDistance(RunMeasure):
    """The mean distance between the lists of two users: 0 if all get the same items.

    Formula: 1 - the mean over pairs of users of (items that both get among the first k) / k; users
    without a list are in no pair. With ``norm="shorter"`` divided by the length of the shorter of
    the two lists. Computed from how often each item is in lists, not by pairs. One list: no value.
    Nothing relevant: no special case.
    Ties: matter only across rank k.
    Unjudged documents: count as all others, inside the catalogue or not.
    Elsewhere: evidently ``Personalization``, which takes lists of k items for granted; jurity's
    inter-list diversity.
    Source: Zhou et al., Solving the apparent diversity-accuracy dilemma, PNAS 2010.
    """

    k: int | None = cutoff()
    norm: str = choice(
        "what the overlap of two lists is divided by: k, or the longest list without a cutoff; or "
        "the shorter list",
        "k",
        "shorter",
    )

    name = "Personalization"
    full_name = "distance between lists"
    aliases: Aliases = {
        "Personalisation": {},
        "InterListDistance": {},
        "inter_list_diversity": {},
    }
    formula = "1 - mean over pairs of users of (items of both / k)"

    def over(self, lists: Lists, facts: ListFacts) -> LeftOut:
        sizes = lists.sizes
        has = sizes > 0
        users = float(np.count_nonzero(has))
        # What each row shares with all other lists, and what all pairs share together.
        shared = lists.sum(self._shared(lists, facts.n_items, sizes))
        pairs, without = users * (users - 1) / 2, np.where(has, users - 1, users)
        whole = float(shared.sum()) / 2
        value = float(divided(np.array(whole), pairs))
        left = divided(whole - shared, without * (without - 1) / 2)
        return LeftOut(1 - value, 1 - left)

    def _shared(self, lists: Lists, n_items: int, sizes: Floats) -> Floats:
        """Return in how many other lists the item of each row is, divided: (m,) float64."""
        if self.norm == "k":
            k = self.k or float(sizes.max(initial=1.0))
            times = np.bincount(lists.items, minlength=n_items).astype(np.float64)
            return (times[lists.items] - 1) / k
        size = sizes[lists.of_list]
        found = -1 / size
        for one in distinct(sizes[sizes > 0]).tolist():
            of_size = lists.items[size == one]
            times = np.bincount(of_size, minlength=n_items).astype(np.float64)
            found += times[lists.items] / np.minimum(size, one)
        return found


Personalization: Final = InterListDistance()
