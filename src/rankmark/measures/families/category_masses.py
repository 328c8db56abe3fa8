"""How much of each category is in lists: an item splits its weight over its categories."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.data.alignment import gathered

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints
    from rankmark.data.preparing.list_facts import ListFacts, Lists


class CategoryMasses(NamedTuple):
    """The shares of the categories that each list has, in the order of lists and categories.

    Parameters
    ----------
    keys
        (e,) int64, the number of the list times the number of categories, plus the category.
    share
        (e,) float64, which add up to 1 in each list.
    total
        (n,) float64, the weights of the items with categories in each list.
    """

    keys: Ints
    share: Floats
    total: Floats

    @classmethod
    def of(
        cls, facts: ListFacts, of_list: Ints, items: Ints, weight: Floats, n: int
    ) -> CategoryMasses:
        """Add up the weights of the items of n lists by category."""
        starts, codes = facts.categories
        many = len(facts.category_names)
        row, code = gathered(starts, codes, items)
        mass = weight[row] / np.diff(starts)[items[row]]
        keys, place = np.unique(of_list[row] * many + code, return_inverse=True)
        summed = np.bincount(place.reshape(-1), weights=mass, minlength=len(keys))
        total = np.bincount(of_list[row], weights=mass, minlength=n).astype(np.float64)
        return cls(keys, summed / total[keys // many], total)


def without_categories(lists: Lists, facts: ListFacts) -> list[str]:
    """Say how many items of the lists have no category, if there are some."""
    none = int(np.count_nonzero(np.diff(facts.categories[0])[lists.items] == 0))
    return [f"items without categories {none:,} of {len(lists.items):,}"] if none else []
