"""ExpectedExposure: how the exposure of groups over all lists differs from what they merit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import choice, cutoff, threshold
from rankmark.measures.families.rank_weights import rank_weights, relevance, weights_of
from rankmark.measures.of_lists.group_measure import without_group
from rankmark.measures.of_runs.run_measure import LeftOut, RunMeasure, by_group, counted, of_sums

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.preparing.list_facts import ListFacts, Lists


class ExposureOfAllLists(RunMeasure):
    """The squared distance of the exposure of groups from the exposure that they merit.

    Formula: with e the mean over lists of the weights of the ranks of each group's items, and t
    that of the target: loss |e - t|^2 (EEL), disparity e.e (EED), relevance 2 e.t (EER). In the
    target the m relevant items of a query share the weights of ranks 1 to m equally, and the others
    of its list the weights of the ranks that follow; with target="relevant" these get nothing.
    Items without a group are in no sum, and if no item has one, there is no value.
    Nothing relevant: all items of the list share its weights; with target="relevant" nothing.
    Ties: matter.
    Unjudged documents: are not relevant.
    Elsewhere: Raj and Ekstrand's code has target="relevant"; the TREC Fair Ranking Track's EER is
    e.t, half of this.
    Source: Diaz et al., Evaluating stochastic rankings with expected exposure, CIKM 2020.
    """

    k: int | None = cutoff()
    part: str = choice("which of the three it is", "loss", "disparity", "relevance")
    target: str = choice("which items the target exposes", "all", "relevant")
    weights: str | float = rank_weights("log2")
    rel: float = threshold()

    name = "ExpectedExposure"
    full_name = "expected exposure of groups"
    aliases: Aliases = {
        "EEL": {},
        "EED": {"part": "disparity"},
        "EER": {"part": "relevance"},
    }
    formula = "|e - t|^2, where e is the mean exposure of groups, and t that of the target"
    bounds = (0.0, np.inf)

    @property
    def more_is_better(self) -> bool:  # type: ignore[override]
        """Whether a higher value is better."""
        return self.part == "relevance"

    def over(self, lists: Lists, facts: ListFacts) -> LeftOut:
        members, n = facts.members, len(lists)
        of_merited, merited = facts.relevant_items(lists, self.rel)
        other = 1 - relevance(lists, facts, self.rel)
        m, rest = counted(of_merited, n), lists.sum(other)
        most = int((m + rest).max(initial=0))
        until = np.append(0, np.cumsum(weights_of(self.weights, np.arange(1, most + 1))))
        first = until[m.astype(np.int64)]
        share = first / np.maximum(m, 1)
        share_of_rest = (until[(m + rest).astype(np.int64)] - first) / np.maximum(rest, 1)
        if self.target == "relevant":
            share_of_rest[:] = 0.0
        of_list, own = lists.of_list, members[lists.items]
        weight = weights_of(self.weights, lists.rank)
        e = by_group(lists, of_list, weight[:, None] * own)
        t = by_group(lists, of_merited, share[of_merited, None] * members[merited])
        t += by_group(lists, of_list, (other * share_of_rest[of_list])[:, None] * own)
        return of_sums(self._part, np.hstack([e, t, np.ones((n, 1))]))

    def _part(self, sums: Floats) -> Floats:
        g = sums.shape[1] // 2
        e, t = sums[:, :g] / sums[:, -1:], sums[:, g:-1] / sums[:, -1:]
        each = {"loss": (e - t) ** 2, "disparity": e * e, "relevance": 2 * e * t}[self.part]
        found: Floats = each.sum(axis=1)
        return np.where(sums[:, :-1].any(axis=1), found, np.nan)

    def notes(self, lists: Lists, facts: ListFacts) -> list[str]:
        return without_group(lists, facts)


ExpectedExposure: Final = ExposureOfAllLists()
