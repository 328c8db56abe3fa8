"""NDKL: how far the groups of items at the top of a list are from the shares they should have."""

from __future__ import annotations

from typing import Final

import numpy as np

from rankmark.array_types import Floats
from rankmark.measures.base.parameters import between, choice, cutoff
from rankmark.measures.of_lists.group_measure import (
    GroupedLists,
    GroupMeasure,
    Target,
    target_shares,
)
from rankmark.measures.of_lists.miscalibration import relative


class DiscountedDivergence(GroupMeasure):
    """The mean divergence of the groups of the first i items from the target, over all i.

    Formula: sum of KL(D_i || target) / log2(i + 1) / sum of 1 / log2(i + 1), for i from 1 to k,
    where D_i are the shares of groups among the first i items. ``smoothing`` is added to all
    shares. Items without a group are left out; a list without items has no value.
    Nothing relevant: no special case.
    Ties: matter.
    Unjudged documents: count as all others.
    Elsewhere: FairRankTune ``NDKL`` has target="list" and smoothing=1e-7, so that a list of one
    group only is fair.
    Source: Geyik, Ambler and Kenthapadi, Fairness-aware ranking in search and recommendation
    systems, KDD 2019.
    """

    k: int | None = cutoff()
    target: Target = target_shares()
    base: str = choice("the base of the logarithm of KL", "e", "2")
    smoothing: float = between("what is added to shares", 0.0, 0, 1)

    name = "NDKL"
    full_name = "normalised discounted KL divergence of groups"
    formula = "mean of KL(D_i || target) weighted by 1 / log2(i + 1)"
    latex = r"\frac{1}{Z} \sum_i \frac{KL(D_i \| D)}{\log_2(i + 1)}"
    bounds = (0.0, np.inf)
    more_is_better = False

    def of_groups(self, grouped: GroupedLists) -> Floats:
        lists = grouped.lists
        place, counts = grouped.prefixes()
        target = grouped.targets(self.target)[lists.of_list] + self.smoothing
        shares = counts / counts.sum(axis=1, keepdims=True) + self.smoothing
        each = relative(shares, target).sum(axis=1) / (np.log(2) if self.base == "2" else 1.0)
        weight = 1 / np.log2(place + 1)
        return np.maximum(lists.sum(weight * each) / lists.sum(weight), 0.0)


NDKL: Final = DiscountedDivergence()
