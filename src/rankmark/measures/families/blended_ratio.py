"""The blended ratio of Sakai: precision, blended with the fraction of the ideal gain so far."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankmark.array_types import Bools, Floats
from rankmark.data.alignment import Alignment, Needs
from rankmark.measures.base.measure import DependsOn
from rankmark.measures.base.parameters import between
from rankmark.measures.families.gains import GainAtCutoff, descending


class Blended(NamedTuple):
    """The blended ratio of each document, and the numbers that it is made of: (H,) each.

    ``hit`` is whether the document counts, ``gain`` its gain; ``found`` counts the hits by its
    rank, ``gained`` and ``ideal_gained`` are the gains by then, of the ranking and of an ideal one.
    """

    hit: Bools
    gain: Floats
    found: Floats
    gained: Floats
    ideal_gained: Floats
    ratio: Floats

    def columns(self) -> dict[str, Floats]:
        """Return the columns to show in an explanation."""
        return {"found": self.found, "gained": self.gained, "ideal_gained": self.ideal_gained}


class BlendedRatio(GainAtCutoff):
    """A measure over (h_i + beta cg_i) / (i + beta icg_i) at the ranks i of documents with a gain.

    cg_i is the gain to rank i, icg_i that of the ideal ranking; h_i counts documents with a gain.
    """

    beta: float = between("the weight of gain relative to precision", 1.0, 0, 10**6)

    depends_on: DependsOn = "grades"
    promoting_helps = False  # it may pass one with a higher gain, which counts at all ranks below

    def needs(self) -> Needs:
        """Use all ideal labels: each with a gain counts in R."""
        return super().needs()._replace(ideal=None)

    def blended(self, a: Alignment) -> Blended:
        """Return the blended ratio of each document, 0 for those that do not count."""
        gains = self.gains(a.label)
        hit = (gains > 0) & a.within(self.k)
        found, gained = a.cumsum(hit.astype(np.float64)), a.cumsum(gains)
        ideal = self._ideal_gain(a)
        ratio = (found + self.beta * gained) / (a.rank + self.beta * ideal)
        return Blended(hit, gains, found, gained, ideal, np.where(hit, ratio, 0.0))

    def written(self) -> str:
        """Return the format of a ratio in an explanation."""
        beta = "" if self.beta == 1 else f"{self.beta:g} * "
        return f"({{found}} + {beta}{{gained}})/({{rank}} + {beta}{{ideal_gained}})"

    def num_gained(self, a: Alignment) -> Floats:
        """Count the judged documents with a gain: (Q,) float64."""
        return a.of_ideal(
            ("gained count", self.gain),
            lambda: a.ideal_sum(np.where(self.gains(a.ideal_label) > 0, 1.0, 0.0)),
        )

    def _ideal_gain(self, a: Alignment) -> Floats:
        """Return the gain of the ideal ranking up to the rank of each document: (H,) float64."""
        gained = a.of_ideal(("ideal gain", self.gain), lambda: self._accumulated(a))
        rows = np.diff(a.starts)
        begin, end = np.repeat(a.ideal_starts[:-1], rows), np.repeat(a.ideal_starts[1:], rows)
        at = np.minimum(begin + a.rank, end) - 1  # no gain after the last judged document
        return gained[at]

    def _accumulated(self, a: Alignment) -> Floats:
        gains = descending(self.gains(a.ideal_label), a.ideal_starts)
        return a.perfect().cumsum(gains)


def until_preferred(a: Alignment, blended: Blended) -> Bools:
    """Return which documents are at or above the first with the highest gain: (H,) bool."""
    gain = np.where(blended.hit, blended.gain, 0.0)
    highest = np.zeros(len(a.retrieved))
    query = np.repeat(np.arange(len(highest)), np.diff(a.starts))
    np.maximum.at(highest, query, gain)
    preferred = blended.hit & (gain == a.spread(highest))
    rank = a.first(preferred, a.rank.astype(np.float64))
    return a.rank <= a.spread(rank)
