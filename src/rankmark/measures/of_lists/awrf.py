"""Attention-weighted rank fairness: whether groups of items get the attention they should."""

from __future__ import annotations

from typing import Final

import numpy as np

from rankmark.array_types import Floats
from rankmark.measures.base.parameters import choice, cutoff
from rankmark.measures.families.rank_weights import rank_weights, weights_of
from rankmark.measures.of_lists.group_measure import (
    GroupedLists,
    GroupMeasure,
    Target,
    target_shares,
)
from rankmark.measures.of_lists.miscalibration import relative


class AttentionWeightedRankFairness(GroupMeasure):
    """1 - the distance between the attention that groups of items get and that they should get.

    Formula: 1 - distance(e, target), where e is the share of the weights of ranks among the first k
    that each group has, and the distance sum of |e - target| / 2 ("tv", for two groups the
    difference of one share) or the Jensen-Shannon divergence in nats ("js", at most log(2)). Items
    without a group are left out; a list without items has no value.
    Nothing relevant: no special case.
    Ties: matter.
    Unjudged documents: count as all others.
    Elsewhere: the distance itself in Raj and Ekstrand's code; in the TREC Fair Ranking Track 2022
    distance="js" with a discount of 1 / log2(max(rank, 2)), weights=2; FairRankTune's ``AWRF`` is
    the attention of each group, not compared with anything.
    Source: Sapiezynski et al., Quantifying the impact of user attention on fair group
    representation in ranked lists, WWW 2019.
    """

    k: int | None = cutoff()
    target: Target = target_shares()
    distance: str = choice("the distance of two distributions", "tv", "js")
    weights: str | float = rank_weights("log2")

    name = "AWRF"
    full_name = "attention-weighted rank fairness"
    formula = "1 - distance of the attention that groups get from target"

    def of_groups(self, grouped: GroupedLists) -> Floats:
        sums = grouped.sums(weights_of(self.weights, grouped.lists.rank))
        e, target = sums / sums.sum(axis=1, keepdims=True), grouped.targets(self.target)
        if self.distance == "tv":
            apart = np.abs(e - target).sum(axis=1) / 2
        else:
            middle = (e + target) / 2
            apart = (relative(e, middle) + relative(target, middle)).sum(axis=1) / 2
        found: Floats = 1 - apart
        return np.maximum(found, 0.0)


AWRF: Final = AttentionWeightedRankFairness()
