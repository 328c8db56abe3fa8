"""GroupExposure: how much attention groups of items get in a list, against each other."""

from __future__ import annotations

from typing import Final

import numpy as np

from rankmark.array_types import Floats
from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import between, choice, cutoff, threshold
from rankmark.measures.families.rank_weights import rank_weights, relevance, weights_of
from rankmark.measures.of_lists.group_measure import GroupedLists, GroupMeasure, group_name


class ExposureOfGroups(GroupMeasure):
    """The exposure of a group of items against that of the others: 1 if both get as much.

    Formula: exposure is the mean weight of the ranks of a group's items among the first k, 0 for a
    group without items. ``group`` / all others; without ``group`` the lowest / the highest.
    With parity="treatment" exposure is divided by the mean relevance of the group's items, with
    parity="impact" it is the mean of weight times relevance, divided likewise; 0 / 0 has no value.
    A difference is ``group`` - others, or highest - lowest; "log" is the difference of logarithms
    of exposure + smoothing. Items without a group are left out; a list without items has no value.
    Nothing relevant: no value unless parity is demographic; else no special case.
    Ties: matter.
    Unjudged documents: count as all others, and are not relevant.
    Elsewhere: demographic parity, DTR and DIR of Singh and Joachims; ``logDP`` of Raj and Ekstrand,
    with smoothing=1e-6;
    FairRankTune ``EXP`` is per="catalogue", which halves the exposure of a group of which a list
    has one half.
    Source: Singh and Joachims, Fairness of exposure in rankings, KDD 2018.
    """

    k: int | None = cutoff()
    compare: str = choice("how two exposures are compared", "ratio", "difference", "log")
    group: str | None = group_name("the group that is compared with all others")
    parity: str = choice(
        "what is compared: exposure, exposure for relevance, or exposure of relevant items for "
        "relevance",
        "demographic",
        "treatment",
        "impact",
    )
    per: str = choice("whose items exposure is a mean of", "list", "catalogue")
    weights: str | float = rank_weights("log2")
    smoothing: float = between("what is added before logarithms are taken", 0.0, 0, 1)
    rel: float = threshold()

    name = "GroupExposure"
    full_name = "exposure of groups of items"
    aliases: Aliases = {
        "logDP": {"compare": "log"},
        "DTR": {"parity": "treatment"},
        "DIR": {"parity": "impact"},
    }
    formula = "mean weight of the ranks of a group / that of the others"

    bounds = (-np.inf, np.inf)

    @property
    def more_is_better(self) -> bool:  # type: ignore[override]
        """Whether a higher value is better."""
        return self.compare != "difference"

    def of_groups(self, grouped: GroupedLists) -> Floats:
        lists, facts = grouped.lists, grouped.facts
        exposure = weights_of(self.weights, lists.rank)
        relevant = np.ones(len(exposure))
        if self.parity != "demographic":
            relevant = relevance(lists, facts, self.rel)
        if self.parity == "impact":
            exposure = exposure * relevant
        sums = [grouped.sums(exposure), grouped.sums(relevant), grouped.sums(), grouped.sums()]
        if self.per == "catalogue":
            sums[3] = np.broadcast_to(grouped.in_catalogue, sums[2].shape)
        if self.group is not None:
            one = grouped.number(self.group)
            sums = [np.column_stack([of[:, one], of.sum(axis=1) - of[:, one]]) for of in sums]
        exposed, merits, there, counts = sums
        each = np.where(counts > 0, exposed / counts, 0.0)
        if self.parity != "demographic":
            each /= np.where(merits > 0, merits / there, np.nan)
        a, b = (each.min(axis=1), each.max(axis=1)) if self.group is None else each.T
        found: Floats = np.where(b > 0, a / b, np.nan)
        if self.compare == "difference":
            found = b - a if self.group is None else a - b
        elif self.compare == "log":
            found = np.log(a + self.smoothing) - np.log(b + self.smoothing)
        return found


GroupExposure: Final = ExposureOfGroups()
