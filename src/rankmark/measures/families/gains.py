"""What labels are worth and what ranks cost: the conventions that CG, DCG and nDCG share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from rankmark.alignment.alignment import query_of_rows
from rankmark.errors import MeasureError
from rankmark.measures.base.functions import MOST_RANKS, divisors_by, gains_by
from rankmark.measures.base.measure import Measure
from rankmark.measures.base.parameters import cutoff, gain
from rankmark.measures.base.requirements import ABOVE_ZERO

if TYPE_CHECKING:
    from rankmark.alignment.alignment import Alignment, Needs
    from rankmark.array_types import Bools, Floats, Ints, Ranks


_HIGHEST_LABEL = 1000.0  # sums of 2^label stay far below what a double can hold


class Graded(Measure):
    """A measure over gains: label in, gain out, and nothing below a gain of 0."""

    gain: Any = gain()

    def needs(self) -> Needs:
        """Look at the labels with a gain: by rule those above 0, by a function perhaps any."""
        if callable(self.gain):
            return super().needs()
        # A positive label that the map does not hold must be seen, to be refused.
        gained = [] if isinstance(self.gain, str) else [x for x, worth in self.gain if worth > 0]
        return super().needs()._replace(lowest=min([*gained, ABOVE_ZERO]))

    def ideal_gains(self, a: Alignment) -> Floats:
        """Give the gains of the judged documents of each query, high to low: (J,) float64."""
        gains = self.gains(a.ideal_label)
        if isinstance(self.gain, str):
            return gains
        return descending(gains, a.ideal_starts)  # a map may give a lower label a higher gain

    def gains(self, label: Floats) -> Floats:
        """Give the gain of each label: (n,) to (n,) float64, from 0."""
        if self.gain == "linear":
            return np.maximum(label, 0.0)
        if self.gain == "exp2":
            if label.max(initial=0.0) > _HIGHEST_LABEL:
                raise MeasureError(f'{self}: label {label.max():g} is too high for gain="exp2"')
            return np.exp2(np.maximum(label, 0.0)) - 1.0
        if callable(self.gain):
            return gains_by(str(self), self.gain, label)
        known = np.array([pair[0] for pair in self.gain])
        worth = np.array([pair[1] for pair in self.gain])
        at = np.minimum(np.searchsorted(known, label), len(known) - 1)
        mapped = known[at] == label
        if np.any(~mapped & (label > 0)):
            lacking = sorted(set(label[~mapped & (label > 0)].tolist()))
            raise MeasureError(f"{self}: label {lacking[0]:g} has no gain; add it to the map")
        gained: Floats = np.where(mapped, worth[at], 0.0)
        return gained

    def merit(self, label: Floats) -> Floats:
        """Order tied documents by their gains."""
        return self.gains(label)

    def is_relevant(self, a: Alignment, label: Floats) -> Bools:  # noqa: ARG002
        """Say which labels have a gain: (n,) bool."""
        if isinstance(self.gain, str) or callable(self.gain):
            gained: Bools = self.gains(label) > 0
            return gained
        # A label that the map lacks may stand where nothing is scored.
        return np.isin(label, [known for known, gain in self.gain if gain > 0])

    def has_relevant(self, a: Alignment) -> Bools:
        """Say in which queries some judged document has a gain: (Q,) bool."""
        return a.of_ideal(("gained", self.gain), lambda: a.ideal_sum(self.gains(a.ideal_label)) > 0)


class Discounted(Protocol):
    """What has a parameter ``discount``."""

    discount: Any


class GainAtCutoff(Graded):
    """A measure over gains of the first k documents."""

    k: int | None = cutoff()

    def needs(self) -> Needs:
        """Look at as many ideal labels as ranks, unless lower labels may have higher gains."""
        return super().needs()._replace(ideal=self.k if isinstance(self.gain, str) else None)


def costs_under(measure: Discounted, rank: Ranks | Ints) -> Floats:
    """Give the divisor of each 1-based rank to a measure's cutoff: (n,) to (n,) float64."""
    if isinstance(measure.discount, (str, float)):
        return costs(rank, measure.discount)
    return divisors_by(str(measure), measure.discount, rank, getattr(measure, "k", None))


def costs(rank: Ranks | Ints, discount: str | float) -> Floats:
    """Give the divisor of each 1-based rank: (n,) to (n,) float64, from 1."""
    if discount == "log2":
        cost: Floats = np.log2(rank + 1.0)
    else:  # Järvelin and Kekäläinen: ranks below the base are not discounted.
        cost = np.maximum(np.log2(rank) / np.log2(float(discount)), 1.0)
    return cost


def ranks_to(measure: Measure, last: int) -> Ints:
    """Return the ranks from 1 to ``last``, for a sum over all of them: (last,) int64.

    Raises
    ------
    MeasureError
        If there are too many.
    """
    if last > MOST_RANKS:
        raise MeasureError(f"{measure} sums over every rank; need a cutoff to {MOST_RANKS:,}")
    return np.arange(1, last + 1)


def descending(values: Floats, starts: Ints) -> Floats:
    """Sort each query's values, high to low: (n,) to (n,) float64."""
    return values[np.lexsort((-values, query_of_rows(starts)))]
