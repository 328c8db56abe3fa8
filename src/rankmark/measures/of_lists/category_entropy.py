"""CategoryEntropy: how evenly a list is spread over categories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import between, choice, cutoff
from rankmark.measures.families.category_masses import CategoryMasses, without_categories
from rankmark.measures.families.rank_weights import rank_weights, weights_of
from rankmark.measures.of_lists.list_measure import ListMeasure

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.preparing.list_facts import ListFacts, Lists


class EntropyOfCategories(ListMeasure):
    """The entropy of the categories of the items of a list.

    Formula: -sum of p log2(p), where p is the share of a category among the first k: an item splits
    the weight of its rank, 1 by default, over its categories. Items without categories are left
    out, and a list without categories has no value. ``smoothing`` is added to every category.
    Nothing relevant: no special case.
    Ties: matter only across rank k, or if ranks have weights.
    Unjudged documents: count as all others.
    Elsewhere: LensKit ``Entropy``, with smoothing=1e-6, and ``RankBiasedEntropy``, with that and
    weights=0.85.
    Source: Shannon, A mathematical theory of communication, 1948.
    """

    k: int | None = cutoff()
    base: str = choice("the base of the logarithm", "2", "e")
    weights: str | float = rank_weights()
    smoothing: float = between("what is added to the mass of every category", 0.0, 0, 1)

    name = "CategoryEntropy"
    full_name = "entropy of categories"
    aliases: Aliases = {"RankBiasedEntropy": {"weights": 0.85, "smoothing": 1e-6}}
    formula = "-sum of p log2(p) over the categories of the first k"
    latex = r"-\sum_g p_g \log_2 p_g"
    bounds = (0.0, np.inf)
    no_terms = "it is the entropy of the categories of all items together"

    def over(self, lists: Lists, facts: ListFacts) -> Floats:
        n, many = len(lists), len(facts.category_names)
        weight = weights_of(self.weights, lists.rank)
        found = CategoryMasses.of(facts, lists.of_list, lists.items, weight, n)
        of_list = found.keys // many
        extra = self.smoothing
        whole = found.total + many * extra
        p = (found.share * found.total[of_list] + extra) / whole[of_list]
        entropy = np.bincount(of_list, weights=-p * np.log2(p), minlength=n).astype(np.float64)
        if extra:
            empty = many - np.bincount(of_list, minlength=n)
            entropy -= empty * extra / whole * np.log2(extra / whole)
        entropy = np.maximum(entropy, 0.0) * (1.0 if self.base == "2" else np.log(2))
        return np.where(found.total > 0, entropy, np.nan)

    def notes(self, lists: Lists, facts: ListFacts) -> list[str]:
        return without_categories(lists, facts)


CategoryEntropy: Final = EntropyOfCategories()
