"""Mean inverse user frequency: how few users had the items of a list before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import choice, cutoff
from rankmark.measures.of_lists.list_measure import ListMeasure

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.preparing.list_facts import ListFacts, Lists


class MeanInverseUserFrequency(ListMeasure):
    """The mean of -log2 of the share of users who had each item, as in the history.

    Formula: the mean over the items among the first k of log2(users / users who had the item); an
    item that nobody had counts as one that one user had. A user without a list has no value.
    Nothing relevant: no special case.
    Ties: matter only across rank k.
    Unjudged documents: count as all others.
    Elsewhere: RecTools ``MeanInvUserFreq``; evidently's ``NoveltyMetric`` leaves cold items out;
    RePlay's ``Surprisal`` divides by log2(users) and by k; recommenders' ``novelty`` takes shares
    of interactions, and pools all lists.
    Source: Zhou et al., Solving the apparent diversity-accuracy dilemma, PNAS 2010.
    """

    k: int | None = cutoff()
    norm: str = choice("what the sum is divided by: the items that are there, or k", "present", "k")

    name = "MIUF"
    full_name = "mean inverse user frequency"
    aliases: Aliases = {"MeanInvUserFreq": {}}
    formula = "mean of log2(users / users who had the item) over the first k"
    latex = r"\frac{1}{\min(k, n)} \sum_{i=1}^{\min(k, n)} \log_2 \frac{U}{U_i}"
    bounds = (0.0, np.inf)

    def over(self, lists: Lists, facts: ListFacts) -> Floats:
        if facts.users < 2:
            return np.full(len(lists), np.nan)
        values = np.log2(facts.users / np.maximum(facts.users_of, 1.0))[lists.items]
        if self.norm == "k" and self.k is not None:
            return np.where(lists.sizes > 0, lists.sum(values) / self.k, np.nan)
        return lists.mean(values)

    def notes(self, lists: Lists, facts: ListFacts) -> list[str]:
        cold = int(np.count_nonzero(facts.users_of[lists.items] == 0))
        if facts.users < 2:
            return ["the history has one user, so that no item is rarer than another"]
        if not cold:
            return []
        share = cold / len(lists.items)
        return [f"cold items {cold:,} of {len(lists.items):,} ({share:.0%}): counted as one user"]


MIUF: Final = MeanInverseUserFrequency()
