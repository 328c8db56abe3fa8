"""Gains of labels and discounts of ranks, as CG, DCG, nDCG and others use them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from rankmark.data.alignment import query_of_rows
from rankmark.errors import MeasureError
from rankmark.measures.base.functions import MOST_RANKS, divisors_by, gains_by
from rankmark.measures.base.measure import Measure
from rankmark.measures.base.parameters import OTHERS_LINEAR, choice, cutoff, flag, gain
from rankmark.measures.base.requirements import ABOVE_ZERO

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankmark.array_types import Bools, Floats, Ints, Ranks
    from rankmark.data.alignment import Alignment, Needs
    from rankmark.measures.base.parameters import Parameter


_LOG2 = np.log2(np.arange(1001) + 1.0)
FIRST_LOG2 = _LOG2[1:]
"""The discounts of the first ranks."""
_ZERO = np.zeros(())  # of a small array, converting 0.0 takes longer than finding the maximum
_HIGHEST_LABEL = 1000.0  # sums of 2^label stay far below what a double can hold


def weighable(common: Mapping[str, Parameter]) -> Mapping[str, Parameter]:
    """Add ``weighted`` to the parameters that measures have in common."""
    return {"weighted": flag("whether gains are multiplied by the weights of documents"), **common}


class Gained:
    """What a measure with a parameter ``gain`` makes of labels."""

    gain: Any
    weighted: bool = False

    @property
    def rule(self) -> Any:
        """What makes gains of labels; the labels of weighted measures are gains already."""
        return "linear" if self.weighted else self.gain

    def gains(self, label: Floats) -> Floats:
        """Return the gain of each label: (n,) to (n,) float64, from 0."""
        if self.rule == "linear":
            return np.maximum(label, _ZERO)
        if self.rule == "binary":
            return (label > 0).astype(np.float64)
        if self.rule == "exp2":
            if label.max(initial=0.0) > _HIGHEST_LABEL:
                raise MeasureError(
                    f'label {label.max():g} is too high for gain="exp2"',
                    'choose gain="linear", or a map of labels to gains',
                    where=str(self),
                )
            return np.exp2(np.maximum(label, _ZERO)) - 1.0
        if callable(self.rule):
            return gains_by(str(self), self.rule, label)
        known, gains = (np.array(column) for column in zip(*self._mapped(), strict=True))
        at = np.minimum(np.searchsorted(known, label), len(known) - 1)
        mapped = known[at] == label
        if self._keeps_others:
            return np.where(mapped, gains[at], np.maximum(label, 0.0))
        if np.any(~mapped & (label > 0)):
            missing = label[~mapped & (label > 0)].min()
            raise MeasureError(
                f"label {missing:g} has no gain",
                'add it to the mapping, or "other": "linear" for all others',
                where=str(self),
            )
        return np.where(mapped, gains[at], 0.0)

    def _mapped(self) -> list[tuple[float, float]]:
        """Return the labels of a mapping, rising, with their gains."""
        return [pair for pair in self.rule if pair != OTHERS_LINEAR]

    @property
    def _keeps_others(self) -> bool:
        """Whether labels that are missing in a mapping are their own gains."""
        return OTHERS_LINEAR in self.rule


class Graded(Gained, Measure):
    """A measure over gains of labels, which are never below 0."""

    gain: Any = gain()

    def needs(self) -> Needs:
        """Use the labels with a gain: those above 0, or with a function any."""
        if callable(self.rule):
            return super().needs()
        # Positive labels that are missing in a mapping must be seen: refused, or their own gains.
        labels = [] if isinstance(self.rule, str) else [x for x, gain in self._mapped() if gain > 0]
        return super().needs()._replace(lowest=min([*labels, ABOVE_ZERO]))

    def ideal_gains(self, a: Alignment) -> Floats:
        """Return the gains of the judged documents of each query, high to low: (J,) float64."""
        gains = self.gains(a.ideal_label)
        if isinstance(self.rule, str):
            return gains
        return descending(gains, a.ideal_starts)  # a lower label may have a higher gain

    def merit(self, label: Floats) -> Floats:
        """Return the gain of each label."""
        return self.gains(label)

    def gains_to_weigh(self, label: Floats) -> Floats:
        """Return the gain of each label: (n,) to (n,) float64."""
        return self.with_parameters(weighted=False).gains(label)

    def is_relevant(self, a: Alignment, label: Floats) -> Bools:  # noqa: ARG002
        """Return which labels have a gain: (n,) bool."""
        if isinstance(self.rule, str) or callable(self.rule):
            return self.gains(label) > 0
        # Labels that are missing in the mapping are not refused here, as nothing is scored.
        mapped = self._mapped()
        gained = np.isin(label, [known for known, gain in mapped if gain > 0])
        if self._keeps_others:
            gained |= (label > 0) & ~np.isin(label, [known for known, _ in mapped])
        return gained

    def has_relevant(self, a: Alignment) -> Bools:
        """Return which queries have a judged document with a gain: (Q,) bool."""
        return a.of_ideal(("gained", self.rule), lambda: a.ideal_sum(self.gains(a.ideal_label)) > 0)


class Discounted(Protocol):
    """A measure with a parameter ``discount``."""

    discount: Any


class GainAtCutoff(Graded):
    """A measure over gains of the first k documents."""

    k: int | None = cutoff()

    def needs(self) -> Needs:
        """Use as many ideal labels as ranks, unless lower labels may have higher gains."""
        return super().needs()._replace(ideal=self.k if isinstance(self.rule, str) else None)


def losses() -> Any:
    """Declare ``negative``, what labels below 0 gain."""
    return choice("what labels below 0 gain", "zero", "keep")


class SignedGain(GainAtCutoff):
    """A sum of gains, to which labels below 0 may contribute losses; ``negative`` says so."""

    negative: str

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """The limits of values; losses may exceed gains."""
        return (-np.inf if self._keeps else 0.0, np.inf)

    def needs(self) -> Needs:
        """Use all labels where those below 0 count."""
        needs = super().needs()
        return needs._replace(lowest=-np.inf) if self._keeps else needs

    def gains(self, label: Floats) -> Floats:
        """Return the gain of each label: (n,) to (n,) float64, below 0 for a loss."""
        gains = super().gains(label)
        if not self._keeps:
            return gains
        below = np.minimum(label, 0.0)
        if self.rule == "linear":
            return gains + below
        return gains + (np.exp2(below) - 1.0 if self.rule == "exp2" else np.sign(below))

    def has_relevant(self, a: Alignment) -> Bools:
        """Return which queries have a judged document with a gain above 0: (Q,) bool."""
        if not self._keeps:
            return super().has_relevant(a)
        return a.of_ideal(
            ("gained", self.rule, "keep"),
            lambda: a.ideal_sum(np.maximum(self.gains(a.ideal_label), 0.0)) > 0,
        )

    @property
    def _keeps(self) -> bool:
        """Whether labels below 0 are losses; a mapping has the gains of all labels, from 0."""
        return self.negative == "keep" and isinstance(self.rule, str)


def discounts_of(measure: Discounted, rank: Ranks | Ints) -> Floats:
    """Return the divisor of each 1-based rank to a measure's cutoff: (n,) to (n,) float64."""
    if isinstance(measure.discount, (str, float)):
        return discounts(rank, measure.discount)
    return divisors_by(str(measure), measure.discount, rank, getattr(measure, "k", None))


def discounts(rank: Ranks | Ints, discount: str | float) -> Floats:
    """Return the divisor of each 1-based rank: (n,) to (n,) float64, from 1."""
    if discount == "log2":
        divisors: Floats = _log2(rank)
    elif discount == "rank":
        divisors = rank.astype(np.float64)
    else:  # Järvelin and Kekäläinen: ranks below the base are not discounted.
        divisors = np.maximum(np.log2(rank) / np.log2(float(discount)), 1.0)
    return divisors


def _log2(rank: Ranks | Ints) -> Floats:
    """Return log2(rank + 1), looked up where all ranks are low: faster than computing it."""
    try:
        known: Floats = _LOG2.take(rank)
    except (IndexError, TypeError):  # a high rank, or one between two
        pass
    else:
        return known
    return np.log2(rank + 1.0)


def ranks_to(measure: Measure, last: int) -> Ints:
    """Return the ranks from 1 to ``last``, for a sum over all of them: (last,) int64.

    Raises
    ------
    MeasureError
        If there are too many.
    """
    if last > MOST_RANKS:
        raise MeasureError(f"{measure} sums over every rank", f"need a cutoff to {MOST_RANKS:,}")
    return np.arange(1, last + 1)


def descending(values: Floats, starts: Ints) -> Floats:
    """Sort each query's values, high to low: (n,) to (n,) float64."""
    return values[np.lexsort((-values, query_of_rows(starts)))]
