"""GroupRates: whether groups of items are recommended equally often (REO, RSP)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rankmark.data.alignment import gathered
from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import choice, cutoff, threshold
from rankmark.measures.families.rank_weights import relevance
from rankmark.measures.of_lists.group_measure import without_group
from rankmark.measures.of_lists.tail_share import in_long_tail
from rankmark.measures.of_runs.run_measure import LeftOut, RunMeasure, by_group, divided, of_sums

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.preparing.list_facts import ListFacts, Lists


class SpreadOfGroupRates(RunMeasure):
    """The relative spread of the rates at which groups of items are recommended: 0 if equal.

    Formula: population standard deviation of the rates of groups / their mean. For opportunity the
    rate of a group is that of its relevant items which are among the first k of their users; for
    parity that of the items of the catalogue which users did not have before; in both, all users
    together. Groups are the head and the tail of popularity, as in TailShare, or those that are
    given. Users without a list do not count; a group without such items has no rate, and then there
    is no value.
    Nothing relevant: for opportunity no value.
    Ties: matter only across rank k.
    Unjudged documents: are not relevant.
    Elsewhere: Elliot ``PopREO`` and ``PopRSP``, ``REO`` and ``RSP``; WarpRec's ``PopREO`` counts
    recommendations in place of hits.
    Source: Zhu, Wang and Caverlee, Measuring and mitigating item under-recommendation bias in
    personalized ranking systems, SIGIR 2020.
    """

    k: int | None = cutoff()
    rate: str = choice("which rates are compared", "opportunity", "parity")
    groups: str = choice("the groups", "popularity", "given")
    rel: float = threshold()

    name = "GroupRates"
    full_name = "spread of the rates of groups"
    aliases: Aliases = {
        "PopREO": {},
        "PopRSP": {"rate": "parity"},
        "REO": {"groups": "given"},
        "RSP": {"rate": "parity", "groups": "given"},
    }
    formula = "standard deviation / mean of the rates of groups"
    bounds = (0.0, np.inf)
    more_is_better = False

    def over(self, lists: Lists, facts: ListFacts) -> LeftOut:
        # An item that only judgments name is -1: it is in the tail, and in no group that is given.
        if self.groups == "popularity":
            tail = np.append(in_long_tail(facts, "interactions", 0.8), np.True_)
            members = np.column_stack([~tail, tail]).astype(np.float64)
        else:
            members = facts.members.copy()
        ones = np.ones((len(lists.items), 1))
        if self.rate == "opportunity":
            ones = relevance(lists, facts, self.rel)[:, None]
            of_list, items = facts.relevant_items(lists, self.rel)
            whole = by_group(lists, of_list, members[items])
        else:
            starts, had = facts.history
            of_list, items = gathered(starts, had, lists.user)
            members[facts.catalogue :] = 0.0
            could = members.sum(axis=0)
            whole = could - by_group(lists, of_list, members[items])
        part = by_group(lists, lists.of_list, ones * members[lists.items])
        sums = np.hstack([part, whole * (lists.sizes > 0)[:, None]])

        def spread(sums: Floats) -> Floats:
            rates = divided(sums[:, : part.shape[1]], sums[:, part.shape[1] :])
            return divided(rates.std(axis=1), rates.mean(axis=1))

        return of_sums(spread, sums)

    def notes(self, lists: Lists, facts: ListFacts) -> list[str]:
        return without_group(lists, facts) if self.groups == "given" else []


GroupRates: Final = SpreadOfGroupRates()
