"""CategoryCoverage: how many categories a list has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rankmark.data.alignment import gathered
from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import choice, cutoff, flag, threshold
from rankmark.measures.families.category_masses import CategoryMasses, without_categories
from rankmark.measures.families.item_terms import Terms
from rankmark.measures.families.rank_weights import relevance
from rankmark.measures.of_lists.list_measure import ListMeasure

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.preparing.list_facts import ListFacts, Lists


class CoverageOfCategories(ListMeasure):
    """The share of all categories that the items of a list have.

    Formula: categories of the items among the first k / all categories; with norm="k" or "present"
    divided by k, or by the number of items with categories. A user without a list has no value.
    Nothing relevant: with ``relevant=True`` 0; else no special case.
    Ties: matter only across rank k.
    Unjudged documents: count as all others; with ``relevant=True`` not at all.
    Elsewhere: RePlay ``CategoricalDiversity`` is norm="k", for items of one category each; Elliot's
    ``SRecall`` is that of the relevant items.
    Source: Zhai, Cohen and Lafferty, Beyond independent relevance, SIGIR 2003.
    """

    k: int | None = cutoff()
    norm: str = choice("what the number is divided by", "categories", "k", "present")
    relevant: bool = flag("whether only relevant items count")
    rel: float = threshold()

    name = "CategoryCoverage"
    full_name = "coverage of categories"
    aliases: Aliases = {"CategoricalDiversity": {"norm": "k"}}
    formula = "categories of the items among the first k / all categories"

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """The lowest and the highest value."""
        return 0.0, 1.0 if self.norm == "categories" else np.inf

    def terms(self, lists: Lists, facts: ListFacts) -> Terms:
        values = self.over(lists, facts)
        if self.relevant:
            lists = lists.only(relevance(lists, facts, self.rel) > 0)
        row, category = gathered(*facts.categories, lists.items)
        keys = lists.of_list[row] * len(facts.category_names) + category
        first = row[np.unique(keys, return_index=True)[1]]  # items are in the order of ranks
        new = np.bincount(first, minlength=len(lists.items)).astype(np.float64)
        number = lists.sum(new)
        divisor = np.where(number > 0, number / values, 1.0)
        return Terms(lists, new, divisor, {"new_categories": new}, "{new_categories}")

    def over(self, lists: Lists, facts: ListFacts) -> Floats:
        has = lists.sizes > 0
        if self.relevant:
            lists = lists.only(relevance(lists, facts, self.rel) > 0)
        n, ones = len(lists), np.ones(len(lists.items))
        masses = CategoryMasses.of(facts, lists.of_list, lists.items, ones, n)
        many = len(facts.category_names)
        number = np.bincount(masses.keys // many, minlength=n).astype(np.float64)
        if self.norm == "categories":
            return np.where(has, number / many, np.nan)
        by = masses.total if self.norm == "present" or self.k is None else self.k
        return np.where(has & (number > 0), number / by, np.where(has, 0.0, np.nan))

    def notes(self, lists: Lists, facts: ListFacts) -> list[str]:
        return without_categories(lists, facts)


CategoryCoverage: Final = CoverageOfCategories()
