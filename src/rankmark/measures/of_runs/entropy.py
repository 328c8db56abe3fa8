"""Entropy: how evenly lists share out the items of the catalogue, in bits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import choice, cutoff
from rankmark.measures.of_runs.run_measure import Counts, LeftOut, RunMeasure, divided

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.preparing.list_facts import ListFacts, Lists


class EntropyOfRun(RunMeasure):
    """The entropy of how often items are in lists: high if lists are spread over many items.

    Formula: -sum of p log2 p over the items of the catalogue, where p is the share of an item among
    all recommendations. With ``norm="evenness"`` divided by log2 of the items of the catalogue, so
    that 1 is equality; with ``norm="recommended"`` by the number of items in some list. No lists:
    no value; a catalogue of one item has no evenness.
    Nothing relevant: no special case.
    Ties: matter only across rank k.
    Unjudged documents: count as all others.
    Elsewhere: recommenders ``distributional_coverage``; Elliot's ``SEntropy`` weights users
    equally, and agrees for lists of one length; RecBole's ``shannonentropy`` is
    ``base="e", norm="recommended"``; WarpRec's is in nats.
    Source: Shannon, A mathematical theory of communication, 1948.
    """

    k: int | None = cutoff()
    base: str = choice("of the logarithm", "2", "e")
    norm: str = choice("what it is divided by", "none", "evenness", "recommended")

    name = "Entropy"
    full_name = "entropy of exposure"
    aliases: Aliases = {"distributional_coverage": {}, "SEntropy": {}}
    formula = "-sum of p log2 p over the items of the catalogue"

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """The lowest and the highest value."""
        return (0.0, 1.0) if self.norm == "evenness" else (0.0, np.inf)

    def over(self, lists: Lists, facts: ListFacts) -> LeftOut:
        counts = Counts.of(lists, facts)
        times = counts.times
        before = np.maximum(times - 1, 0.0)
        of_items = _x_log_x(times)
        total, sizes = float(times.sum()), counts.sizes
        whole = float(of_items.sum())
        without = whole - counts.sums(of_items - _x_log_x(before))
        covered = float(np.count_nonzero(times))
        alone = counts.sums((times == 1).astype(np.float64))
        value = self._of_sums(np.array(whole), np.array(total), np.array(covered), len(times))
        left = self._of_sums(without, total - sizes, covered - alone, len(times))
        return LeftOut(float(value), left)

    def _of_sums(self, sums: Floats, total: Floats, covered: Floats, items: int) -> Floats:
        log = np.log2 if self.base == "2" else np.log
        with np.errstate(divide="ignore", invalid="ignore"):
            bits = np.where(total > 0, np.maximum(np.log2(total) - sums / total, 0.0), np.nan)
        found = bits if self.base == "2" else bits * np.log(2)
        if self.norm == "evenness":
            return divided(found, float(log(items)))
        return divided(found, covered) if self.norm == "recommended" else found


def _x_log_x(values: Floats) -> Floats:
    return values * np.log2(np.maximum(values, 1.0))


Entropy: Final = EntropyOfRun()
