"""PopularityLift: how much more popular recommendations are than what users had."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rankmark.data.alignment import segment_sum
from rankmark.measures.base.parameters import cutoff
from rankmark.measures.of_runs.run_measure import LeftOut, RunMeasure, divided, of_sums

if TYPE_CHECKING:
    from rankmark.data.preparing.list_facts import ListFacts, Lists


class LiftOfPopularity(RunMeasure):
    """The group average popularity of recommendations against that of the users' histories.

    Formula: (GAP of lists - GAP of histories) / GAP of histories, where GAP is the mean over users
    of the mean popularity of the items among the first k, or of the items that the user had. Users
    without a list or without a history count in neither.
    Nothing relevant: no special case.
    Ties: matter only across rank k.
    Unjudged documents: count as all others.
    Elsewhere: the paper's delta GAP of a group of users; evaluate that group alone for it.
    Source: Abdollahpouri et al., The unfairness of popularity bias in recommendation, RMSE at
    RecSys 2019.
    """

    k: int | None = cutoff()

    name = "PopularityLift"
    full_name = "lift of popularity over profiles"
    formula = "(GAP of lists - GAP of histories) / GAP of histories"
    bounds = (-1.0, np.inf)
    more_is_better = False

    def over(self, lists: Lists, facts: ListFacts) -> LeftOut:
        starts, had = facts.history
        sizes = np.diff(starts).astype(np.float64)
        profile = divided(segment_sum(facts.popularity[had], starts), sizes)[lists.user]
        parts = np.column_stack([lists.mean(facts.popularity[lists.items]), profile])
        parts[np.isnan(parts).any(axis=1)] = 0.0
        return of_sums(lambda sums: divided(sums[:, 0], sums[:, 1]) - 1, parts)


PopularityLift: Final = LiftOfPopularity()
