"""Skew: how much more of a group of items is in a list than should be."""

from __future__ import annotations

from typing import Final

import numpy as np

from rankmark.array_types import Floats
from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import between, choice, cutoff
from rankmark.measures.of_lists.group_measure import (
    GroupedLists,
    GroupMeasure,
    Target,
    group_name,
    target_shares,
)


class SkewOfGroup(GroupMeasure):
    """The logarithm of the share of a group in a list over the share that it should have.

    Formula: log((share of the group among the first k + smoothing) / (target + smoothing)); without
    ``group`` the lowest, or with extreme="max" the highest, of all groups that should have a share.
    Without smoothing it is -infinity for a group of which there is nothing. Items without a group
    are left out; a list without items has no value.
    Nothing relevant: no special case.
    Ties: matter only across rank k.
    Unjudged documents: count as all others.
    Elsewhere: LinkedIn's Skew@k, MinSkew@k and MaxSkew@k.
    Source: Geyik, Ambler and Kenthapadi, Fairness-aware ranking in search and recommendation
    systems, KDD 2019.
    """

    k: int | None = cutoff()
    group: str | None = group_name("the group whose share is compared")
    extreme: str = choice("which group it is, if none is named", "min", "max")
    target: Target = target_shares()
    smoothing: float = between("what is added to both shares", 0.0, 0, 1)

    name = "Skew"
    full_name = "skew of a group"
    aliases: Aliases = {"MinSkew": {}, "MaxSkew": {"extreme": "max"}}
    formula = "log(share of the group among the first k / target)"
    bounds = (-np.inf, np.inf)

    def of_groups(self, grouped: GroupedLists) -> Floats:
        target, share = grouped.targets(self.target), grouped.targets("list")
        each: Floats = np.log((share + self.smoothing) / (target + self.smoothing))
        each[target == 0] = np.nan
        if self.group is not None:
            return each[:, grouped.number(self.group)]
        return (np.fmin if self.extreme == "min" else np.fmax).reduce(each, axis=1)


Skew: Final = SkewOfGroup()
