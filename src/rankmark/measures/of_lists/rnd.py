"""rND, rKL and rRD: how unevenly a protected group is spread over the ranks of a list."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rankmark.array_types import Floats
from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import Parameter, choice, cutoff
from rankmark.measures.of_lists.group_measure import GroupedLists, GroupMeasure, group_name
from rankmark.measures.of_lists.miscalibration import relative


def _step(value: Any) -> int:
    if isinstance(value, bool) or int(value) != value or value < 2:
        raise ValueError
    return int(value)


class DiscountedDifference(GroupMeasure):
    """How far the share of a protected group at the top of a list is from that in the whole list.

    Formula: sum of d(i) / log2(i) for i = step, 2 step, ..., divided by the same for the worse of
    the two lists that have all protected items first or last. d(i) compares the first i items with
    the list: the difference of the group's share; "kl" the divergence of its share and the rest, in
    bits; "ratio" the difference of its number / that of the others, 0 if there are no others. Items
    without a group are left out. A list of one group, or shorter than a step, has no value.
    Nothing relevant: no special case.
    Ties: matter.
    Unjudged documents: count as all others.
    Elsewhere: rND, rKL and rRD of the paper, with a step of 10.
    Source: Yang and Stoyanovich, Measuring fairness in ranked outputs, SSDBM 2017.
    """

    k: int | None = cutoff()
    group: str | None = group_name("the protected group, which must be named")
    d: str = choice("how the top is compared with the list", "difference", "kl", "ratio")
    step: int = Parameter("how many ranks apart the tops end", 10, "a whole number from 2", _step)  # type: ignore[assignment]

    name = "rND"
    full_name = "normalised discounted difference of a group"
    aliases: Aliases = {"rKL": {"d": "kl"}, "rRD": {"d": "ratio"}}
    formula = "sum of d / log2(i) at i = step, 2 step, ... / the highest possible"
    more_is_better = False

    def of_groups(self, grouped: GroupedLists) -> Floats:
        one = grouped.number(self.group)
        lists = grouped.lists
        place, counts = grouped.prefixes()
        of_list, protected = lists.of_list, counts[:, one]
        size = lists.sizes[of_list]
        whole = lists.sum(grouped.members[:, one])[of_list]
        weight = np.where(place % self.step == 0, 1 / np.log2(np.maximum(place, 2)), 0.0)
        worst = np.minimum(place, whole), np.maximum(0.0, place - (size - whole))
        found, first, last = (
            lists.sum(weight * self._d(top, place, whole, size)) for top in (protected, *worst)
        )
        most = np.maximum(first, last)
        return np.where(most > 0, found / most, np.nan)

    def _d(self, top: Floats, place: Floats, whole: Floats, size: Floats) -> Floats:
        if self.d == "ratio":
            return np.abs(_ratio(top, place - top) - _ratio(whole, size - whole))
        p, q = top / place, whole / size
        if self.d == "difference":
            return np.abs(p - q)
        return (relative(p, q) + relative(1 - p, 1 - q)) / np.log(2)


def _ratio(a: Floats, b: Floats) -> Floats:
    return np.where(b > 0, a / b, 0.0)


rND: Final = DiscountedDifference()
