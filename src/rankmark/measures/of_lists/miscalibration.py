"""Miscalibration: how far the categories of a list are from those of what the user had."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rankmark.data.alignment import gathered, segment_sum
from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import between, choice, cutoff
from rankmark.measures.families.category_masses import CategoryMasses, without_categories
from rankmark.measures.families.rank_weights import rank_weights, weights_of
from rankmark.measures.of_lists.list_measure import ListMeasure

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.preparing.list_facts import ListFacts, Lists


class DivergenceFromProfile(ListMeasure):
    """The divergence of the categories of a list from those of the user's history: 0 if the same.

    Formula: with p the shares of categories among the items that the user had, and q those in the
    list, where an item splits its weight over its categories, and the weights of ranks are 1 by
    default: kl: sum of p log(p / ((1 - alpha) q + alpha p)), at most -log(alpha); js: the
    Jensen-Shannon divergence, the mean of KL of p and of q from (p + q) / 2, not its square root;
    hellinger: sqrt(sum of (sqrt(p) - sqrt(q))^2 / 2); tv: sum of |p - q| / 2. A user without
    categories in the history or in the list has no value.
    Nothing relevant: no special case.
    Ties: matter only across rank k, or if ranks have weights.
    Unjudged documents: count as all others.
    Elsewhere: SciPy's ``jensenshannon`` is the square root of js.
    Source: Steck, Calibrated recommendations, RecSys 2018.
    """

    k: int | None = cutoff()
    divergence: str = choice("how the two are compared", "kl", "js", "hellinger", "tv")
    alpha: float = between("the share of the history that smooths the list, in kl", 0.01, 0, 1)
    base: str = choice("the base of logarithms, in kl and js", "e", "2")
    weights: str | float = rank_weights()

    name = "Miscalibration"
    full_name = "divergence from the user's profile"
    aliases: Aliases = {"Calibration": {}, "CalibrationKL": {}}
    formula = "divergence of the categories of the first k from those of the history"
    latex = r"\sum_g p_g \log \frac{p_g}{(1 - \alpha) q_g + \alpha p_g}"
    more_is_better = False
    no_terms = (
        "it is a divergence of the categories of all items together from those of the history"
    )

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """The lowest and the highest value."""
        if self.divergence == "kl":
            return 0.0, -np.log(self.alpha) / self._unit if self.alpha else np.inf
        return 0.0, np.log(2) / self._unit if self.divergence == "js" else 1.0

    @property
    def _unit(self) -> float:
        return float(np.log(2)) if self.base == "2" else 1.0

    def over(self, lists: Lists, facts: ListFacts) -> Floats:
        n = len(lists)
        weight = weights_of(self.weights, lists.rank)
        of_list = CategoryMasses.of(facts, lists.of_list, lists.items, weight, n)
        row, item = gathered(*facts.history, lists.user)
        profile = CategoryMasses.of(facts, row, item, np.ones(len(item)), n)
        keys = np.union1d(of_list.keys, profile.keys)
        p, q = np.zeros(len(keys)), np.zeros(len(keys))
        p[np.searchsorted(keys, profile.keys)] = profile.share
        q[np.searchsorted(keys, of_list.keys)] = of_list.share
        each = self._each(p, q)
        found = np.bincount(keys // len(facts.category_names), weights=each, minlength=n)
        if self.divergence == "hellinger":
            found = np.sqrt(found)
        has = (of_list.total > 0) & (profile.total > 0)
        return np.where(has, np.maximum(found, 0.0), np.nan)

    def _each(self, p: Floats, q: Floats) -> Floats:
        """Return what each category adds: (e,) float64."""
        if self.divergence == "tv":
            return np.abs(p - q) / 2
        if self.divergence == "hellinger":
            return (np.sqrt(p) - np.sqrt(q)) ** 2 / 2
        if self.divergence == "kl":
            return relative(p, (1 - self.alpha) * q + self.alpha * p) / self._unit
        middle = (p + q) / 2
        return (relative(p, middle) + relative(q, middle)) / 2 / self._unit

    def notes(self, lists: Lists, facts: ListFacts) -> list[str]:
        starts, had = facts.history
        known = segment_sum(np.diff(facts.categories[0])[had] > 0, starts)[lists.user]
        none, told = int(np.count_nonzero((known == 0) & (lists.sizes > 0))), []
        if none:
            told = [f"lists of users without categories in the history {none:,}: without a value"]
        return [*without_categories(lists, facts), *told]


def relative(p: Floats, q: Floats) -> Floats:
    """Return p log(p / q), 0 where p is 0 and infinite where q alone is: (e,) float64."""
    return np.where(p > 0, p * np.log(p / q), 0.0)


Miscalibration: Final = DivergenceFromProfile()
