"""Mean inverse user frequency: how few users had the items of a list before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import choice, flag
from rankmark.measures.of_lists.item_novelty import ItemNovelty

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.preparing.list_facts import ListFacts, Lists

_COUNTED = {"one": "counted as one user", "zero": "counted as 0", "skip": "left out"}


class MeanInverseUserFrequency(ItemNovelty):
    """The mean of -log2 of the share of users who had each item, as in the history.

    Formula: the mean over the items among the first k of log2(users / users who had the item); an
    item that nobody had counts as one that one user had. With ``of="interactions"`` it is the
    self-information of an item among all interactions, and with weights and relevance the expected
    free discovery (EFD). A user without a list has no value.
    Nothing relevant: with ``relevant=True`` 0; else no special case.
    Ties: matter only across rank k, or if ranks have weights.
    Unjudged documents: count as all others; with ``relevant=True`` as 0.
    Elsewhere: RecTools ``MeanInvUserFreq``; evidently's ``NoveltyMetric`` leaves cold items out,
    ``cold="skip"``; RePlay's ``Surprisal`` divides by log2(users) and by k, ``scaled=True,
    norm="k"``; recommenders' ``novelty`` takes shares of interactions, gives cold items 0, and
    pools all lists; Elliot's ``EFD`` is that of interactions with weights="log2" of the relevant
    items, and gives cold items the value of the rarest one.
    Source: Zhou et al., Solving the apparent diversity-accuracy dilemma, PNAS 2010; Vargas and
    Castells, Rank and relevance in novelty and diversity metrics, RecSys 2011.
    """

    of: str = choice("what the share of an item is of", "users", "interactions")
    cold: str = choice(
        "how an item that nobody had counts: as if one had it, as 0, not at all, or with one more "
        "for every item of the catalogue",
        "one",
        "zero",
        "skip",
        "laplace",
    )
    scaled: bool = flag("whether it is divided by log2(users), its highest value")

    name = "MIUF"
    full_name = "mean inverse user frequency"
    aliases: Aliases = {
        "MeanInvUserFreq": {},
        "Surprisal": {"scaled": True, "norm": "k"},
        "EFD": {"of": "interactions", "weights": "log2", "relevant": True},
    }
    formula = "mean of log2(users / users who had the item) over the first k"
    latex = r"\frac{1}{\min(k, n)} \sum_{i=1}^{\min(k, n)} \log_2 \frac{U}{U_i}"
    bounds = (0.0, np.inf)

    def novelty(self, facts: ListFacts) -> Floats:
        times, total = facts.shares_of(self.of)
        if total < 2:
            return np.full(len(times), np.nan)
        if self.cold == "laplace":
            times, total = times + 1, total + facts.catalogue
        values: Floats = np.log2(total / np.maximum(times, 1.0))
        if self.scaled:
            values /= np.log2(total)
        if self.cold in {"zero", "skip"}:
            values[times == 0] = 0.0 if self.cold == "zero" else np.nan
        return values

    def notes(self, lists: Lists, facts: ListFacts) -> list[str]:
        times, total = facts.shares_of(self.of)
        if total < 2:
            one = self.of.removesuffix("s")
            return [f"the history has one {one}, so that no item is rarer than another"]
        cold = int(np.count_nonzero(times[lists.items] == 0))
        if not cold or self.cold == "laplace":
            return []
        share = cold / len(lists.items)
        counted = _COUNTED[self.cold].replace("user", self.of.removesuffix("s"))
        return [f"cold items {cold:,} of {len(lists.items):,} ({share:.0%}): {counted}"]


MIUF: Final = MeanInverseUserFrequency()
