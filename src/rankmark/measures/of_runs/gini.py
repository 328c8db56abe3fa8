"""Gini: how unequally lists share out the items of the catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import choice, cutoff, flag
from rankmark.measures.of_runs.run_measure import Counts, LeftOut, RunMeasure, counted, divided

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.preparing.list_facts import ListFacts, Lists


class GiniOfRun(RunMeasure):
    """The Gini coefficient of how often items are in lists: 0 if all are equally often.

    Formula: with the counts of the n items of the catalogue in ascending order, x_1 to x_n,
    the sum of (2j - n - 1) x_j / (n times the sum of the counts). With ``norm="n-1"``, one item
    in all lists gives 1, and a catalogue of one item 0. No lists: no value.
    Nothing relevant: no special case.
    Ties: matter only across rank k.
    Unjudged documents: count as all others.
    Elsewhere: LensKit ``ListGini``; RecBole ``giniindex``, which counts its padding item 0 as one
    of the catalogue; evidently divides by n - 1, over recommended items only; Elliot's ``Gini`` is
    1 minus that over the items of the training data, ``norm="n-1", equality=True``.
    Source: Fleder and Hosanagar, Blockbuster culture's next rise or fall, Management Science 2009.
    """

    k: int | None = cutoff()
    norm: str = choice("what is divided by", "n", "n-1")
    items: str = choice("the items that count", "catalogue", "recommended")
    equality: bool = flag("whether it is 1 minus the coefficient, so that higher is more equal")

    name = "Gini"
    full_name = "Gini coefficient of exposure"
    aliases: Aliases = {"ListGini": {}, "gini_index": {}, "giniindex": {}}
    formula = "sum of (2j - n - 1) x_j / (n times the sum of x)"

    @property
    def more_is_better(self) -> bool:  # type: ignore[override]
        """Whether a higher value is better."""
        return self.equality

    def over(self, lists: Lists, facts: ListFacts) -> LeftOut:
        counts = Counts.of(lists, facts)
        times, n = counts.times, float(len(counts.times))
        ordered = np.sort(times)
        total = float(ordered.sum())
        # The sum of all differences of two items.
        spread = float(((2 * np.arange(1, n + 1) - n - 1) * ordered).sum())
        # One less of an item takes 1 from its difference to each item that is rarer, and adds 1 to
        # that to each other; of two items of the list, both lose one.
        rarer = np.searchsorted(ordered, times).astype(np.float64)
        spreads = spread + counts.sums(n - 1 - 2 * rarer) - 2 * _equal_pairs(counts)
        totals = total - counts.sizes
        if self.items == "recommended":
            zeros = float(np.count_nonzero(times == 0))
            fewer = zeros + counts.sums((times == 1).astype(np.float64))
            spread, spreads = spread - zeros * total, spreads - fewer * totals
            return LeftOut(
                float(self._of_sums(np.array(spread), np.array(total), np.array(n - zeros))),
                self._of_sums(spreads, totals, n - fewer),
            )
        value = float(self._of_sums(np.array(spread), np.array(total), np.array(n)))
        return LeftOut(value, self._of_sums(spreads, totals, np.full(len(totals), n)))

    def _of_sums(self, spread: Floats, total: Floats, n: Floats) -> Floats:
        by = n if self.norm == "n" else n - 1
        found = np.where((by == 0) & (total > 0), 0.0, divided(spread, by * total))
        return 1 - found if self.equality else found


def _equal_pairs(counts: Counts) -> Floats:
    """Count the pairs of items of each list that are in equally many lists: (lists,) float64."""
    levels, level = np.unique(counts.times, return_inverse=True)
    many = len(levels)
    keys, sizes = np.unique(counts.of_list * many + level[counts.items], return_counts=True)
    pairs = (sizes * (sizes - 1) // 2).astype(np.float64)
    return counted(keys // many, counts.lists, pairs)


Gini: Final = GiniOfRun()
