"""The numbers to be explained, and how far a candidate is from them."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from rankmark.reconciliation.printed_numbers import PrintedNumber, Printing

if TYPE_CHECKING:
    from rankmark.array_types import Bools, Floats, Ints
    from rankmark.reconciliation.candidates import Candidates, Changes


class Outcome(NamedTuple):
    """What a candidate gives.

    Parameters
    ----------
    values
        The number of each measure.
    agrees
        Whether it gives all numbers.
    distance
        How far it is from them: in units of the last decimal, or the number of queries that differ.
    printed
        The numbers as they are printed; different candidates may print the same.
    """

    values: tuple[float, ...]
    agrees: bool
    distance: float
    printed: tuple[int, ...] | bytes


class Target(Protocol):
    """Numbers to be explained."""

    @property
    def decimals(self) -> tuple[int, ...]:
        """The decimals of the numbers of each measure."""
        ...

    def outcome(self, candidates: Candidates, changes: Changes) -> Outcome | None:
        """Compare a candidate with the numbers; None if it has no values."""
        ...

    def possible(self) -> float:
        """Return the logarithm of how many different numbers the candidates could have given."""
        ...


class Means:
    """One number for each measure.

    Parameters
    ----------
    numbers
        The numbers, in the order of the measures.
    percent
        Whether they are in percent.
    """

    def __init__(self, numbers: Sequence[PrintedNumber], *, percent: bool) -> None:
        self.numbers = tuple(number.in_percent() if percent else number for number in numbers)
        self._lowest = [math.inf] * len(self.numbers)
        self._highest = [-math.inf] * len(self.numbers)

    def outcome(self, candidates: Candidates, changes: Changes) -> Outcome | None:
        """Compare the means of a candidate with the numbers."""
        values = candidates.values(changes)
        if values is None or not all(map(math.isfinite, values)):
            return None
        how, percent = printing_of(changes)
        numbers = [n.in_percent() for n in self.numbers] if percent else self.numbers
        pairs = list(zip(numbers, values, strict=True))
        printed = tuple([round(value / number.unit) for number, value in pairs])
        if not percent:
            for at, value in enumerate(values):
                self._lowest[at] = min(self._lowest[at], value)
                self._highest[at] = max(self._highest[at], value)
        distance = max(abs(value - number.value) / number.unit for number, value in pairs)
        near = distance <= 1.0 and all(bool(number.agrees(value, how)) for number, value in pairs)
        return Outcome(values, near, distance, printed)

    def possible(self) -> float:
        """Count the numbers with as many decimals between the lowest and the highest value."""
        spans = zip(self.numbers, self._lowest, self._highest, strict=True)
        return sum(math.log(1 + max(0.0, high - low) / number.unit) for number, low, high in spans)

    @property
    def decimals(self) -> tuple[int, ...]:
        """The decimals of each number."""
        return tuple(number.decimals for number in self.numbers)


class PerQuery:
    """A number for each of some queries, by measure.

    Parameters
    ----------
    rows
        (n,) int64, the judged queries for which there are numbers.
    numbers
        (n, n_measures) float64, NaN where there is none.
    decimals
        The decimals of each measure's numbers.
    """

    def __init__(self, rows: Ints, numbers: Floats, decimals: Sequence[int]) -> None:
        self.rows = rows
        self.numbers = numbers
        self._printed = [PrintedNumber("", 0.0, number) for number in decimals]
        self.decimals = tuple(decimals)
        self._lowest = np.full(numbers.shape, np.inf)
        self._highest = np.full(numbers.shape, -np.inf)

    def outcome(self, candidates: Candidates, changes: Changes) -> Outcome | None:
        """Compare the values of queries; ways of averaging them do not matter."""
        values = self.by_query(candidates, changes)
        if values is None:
            return None
        differing = self.differing(values, changes)
        np.fmin(self._lowest, values, out=self._lowest)
        np.fmax(self._highest, values, out=self._highest)
        units = np.array([number.unit for number in self._printed])
        printed = hashlib.blake2b(np.round(values / units), digest_size=16).digest()
        means = tuple(np.nanmean(values, axis=0).tolist())
        return Outcome(means, not len(differing), float(len(differing)), printed)

    def by_query(self, candidates: Candidates, changes: Changes) -> Floats | None:
        """Return the values of the queries, (n, n_measures) float64; None if there are none."""
        scores = candidates.scores(changes)
        if scores is None:
            return None
        no_relevant = candidates.start.average(changes)["no_relevant"]
        columns = [of_measure.by_query(no_relevant)[self.rows] for of_measure in scores]
        return np.nan_to_num(np.stack(columns, axis=1), nan=0.0, copy=False)

    def differing(self, values: Floats, changes: Changes) -> Ints:
        """Return which rows differ from the numbers: indices into ``rows``."""
        how, percent = printing_of(changes)
        agrees = np.isnan(self.numbers)
        for at, printed in enumerate(self._printed):
            number = PrintedNumber("", 0.0, printed.decimals + (2 if percent else 0))
            given = self.numbers[:, at] / (100 if percent else 1)
            agrees[:, at] |= _agree(number, values[:, at], given, how)
        return np.flatnonzero(~agrees.all(axis=1))

    def possible(self) -> float:
        """Count the numbers of all queries between the lowest and the highest of each."""
        units = np.array([number.unit for number in self._printed])
        spans = np.maximum(self._highest - self._lowest, 0.0)
        given = ~np.isnan(self.numbers)
        return float(np.log1p(np.where(given, spans / units, 0.0)).sum())


def _agree(number: PrintedNumber, values: Floats, given: Floats, how: Printing) -> Bools:
    """Compare values with numbers that have as many decimals as one number."""
    if how == "rounded":
        return number.agrees(values - given)
    signs = np.where(given < 0, -1.0, 1.0)
    return number.agrees((values - given) * signs, how)


def printing_of(changes: Changes) -> tuple[Printing, bool]:
    """Return how numbers are printed, and whether in percent."""
    chosen = {choice.value for convention, choice in changes if convention.name == "printing"}
    return ("truncated" if "truncated" in chosen else "rounded"), "percent" in chosen
