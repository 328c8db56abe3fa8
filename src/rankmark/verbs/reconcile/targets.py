"""Printed numbers to be explained, how far a candidate is from them, and how likely by chance."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from rankmark.array_types import Bools, Floats
from rankmark.data.ids.numeric import written_number
from rankmark.errors import InputError, shown
from rankmark.verbs.reconcile.certainty import chance_near, chance_of_divisors, orders_met, shares

if TYPE_CHECKING:
    from rankmark.array_types import Ints
    from rankmark.measures import Measure
    from rankmark.verbs.reconcile.candidates import Candidates, Changes

Printing = Literal["rounded", "truncated"]
MOST_DECIMALS = 12
"""More decimals are not compared: sums in another order already differ there."""
_SLACK = 1e-9  # of the last decimal: two programs may round a half up or down


@dataclass(frozen=True, slots=True)
class PrintedNumber:
    """A number with the decimals that were printed of it.

    Parameters
    ----------
    text
        As given.
    value
        Its value.
    decimals
        Digits after the point.
    """

    text: str
    value: float
    decimals: int

    @property
    def unit(self) -> float:
        """The value of one in the last decimal."""
        return float(10.0**-self.decimals)

    def agrees(self, values: Floats | float, how: Printing = "rounded") -> Bools:
        """Whether each value would be printed as this number: bool of the same shape."""
        units = (np.asarray(values, dtype=np.float64) - self.value) / self.unit
        slack = _SLACK + 1e-15 * abs(self.value) / self.unit
        if how == "rounded":
            agreeing: Bools = np.abs(units) <= 0.5 + slack
        else:
            toward_zero = units if self.value >= 0 else -units
            agreeing = (toward_zero >= -slack) & (toward_zero < 1.0 - slack)
        return agreeing

    def in_percent(self) -> PrintedNumber:
        """Return the fraction that this number is in percent."""
        return PrintedNumber(self.text, self.value / 100, self.decimals + 2)


def printed_number(given: Any, digits: int | None = None) -> PrintedNumber:
    """Read a number with its decimals.

    Parameters
    ----------
    given
        Text such as ``"0.4310"`` or ``"43.1%"``, with the decimals that were printed, or a number,
        which has those that ``str`` shows.
    digits
        Decimals that were printed, if ``given`` shows fewer or more.
    """
    try:
        text = str(given).strip()
        shift = 2 * text.endswith("%")
        digits_alone = text.removesuffix("%").strip()
        is_number = written_number(digits_alone) is not None  # Decimal reads more: 1_0
        number = Decimal(digits_alone if is_number else "NaN").scaleb(-shift)
    except (InvalidOperation, ValueError):  # no number, or one with too many digits
        text, shift, number = "", 0, Decimal("NaN")
    if isinstance(given, bool) or not number.is_finite() or not math.isfinite(float(number)):
        raise InputError(f"value is {shown(given)}", "need a number such as 0.4312")
    exponent = number.as_tuple().exponent
    decimals = max(0, -exponent) if isinstance(exponent, int) else 0
    decimals = decimals if digits is None else digits + shift
    return PrintedNumber(text, float(number), min(decimals, MOST_DECIMALS))


Printed = tuple[float, ...] | bytes

_LEAST_LOG = -700.0  # of what math.exp does not round to 0


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
        The numbers as the candidate prints them, in units of the last decimal; of queries a digest.
        Different candidates may print the same.
    """

    values: tuple[float, ...]
    agrees: bool
    distance: float
    printed: Printed


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
        self.numbers: tuple[PrintedNumber, ...] = tuple(
            number.in_percent() if percent else number for number in numbers
        )

    def printings(self, changes: Changes) -> tuple[Printing, Sequence[PrintedNumber]]:
        """Return how a candidate prints numbers, and the numbers as they are then."""
        how, percent = printing_of(changes)
        return how, [one.in_percent() for one in self.numbers] if percent else self.numbers

    def outcome(self, candidates: Candidates, changes: Changes) -> Outcome | None:
        """Compare the means of a candidate with the numbers."""
        values = candidates.values(changes)
        if values is None or not all(map(math.isfinite, values)):
            return None
        how, numbers = self.printings(changes)
        pairs = list(zip(numbers, values, strict=True))
        scaled = np.array([value / number.unit for number, value in pairs])
        printed = tuple(_in_units(scaled, how).tolist())
        distance = max(abs(value - number.value) / number.unit for number, value in pairs)
        near = distance <= 1.0 and all(bool(number.agrees(value, how)) for number, value in pairs)
        return Outcome(values, near, distance, printed)

    def printed(self, values: Floats, changes: Changes) -> set[Printed]:
        """Return the different numbers that means are printed as.

        Parameters
        ----------
        values
            (n, n_measures) float64.
        """
        how, numbers = self.printings(changes)
        scaled = values / np.array([number.unit for number in numbers])
        return set(map(tuple, _in_units(scaled, how).tolist()))

    def chance(self, candidates: Candidates, printed: Collection[Printed], most: int) -> float:
        """Return the share of numbers near these that candidates give."""
        scores = candidates.scores(())
        if scores is None:
            return 1.0
        average = candidates.start.average(())
        steps = [
            lattice_step(one.measure, len(one.rows(average))) / number.unit
            for one, number in zip(scores, self.numbers, strict=True)
        ]
        given = [float(round(number.value / number.unit)) for number in self.numbers]
        reached = np.array(list(printed), dtype=np.float64).reshape(len(printed), len(given))
        chance = chance_near(reached, np.array(given), np.array(steps), most=most)
        found = scores[0].found
        if len(given) > 1 or found is None or most == 0:
            return chance
        hits = float(found[scores[0].rows(average)].sum())
        return max(chance, chance_of_divisors(hits, reached[:, 0], given[0], self.numbers[0].unit))

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
        self.decimals: tuple[int, ...] = tuple(decimals)
        self._missing = np.isnan(numbers)
        self._units = np.array([number.unit for number in self._printed])

    def outcome(self, candidates: Candidates, changes: Changes) -> Outcome | None:
        """Compare the values of queries; ways of averaging them do not matter."""
        values = self.by_query(candidates, changes)
        if values is None:
            return None
        differing = self.differing(values, changes)
        (printed,) = self.printed(values, changes)
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

    def printed(self, values: Floats, changes: Changes) -> set[Printed]:
        """Return the digest of the numbers that values of the queries are printed as.

        Parameters
        ----------
        values
            (n, n_measures) float64.
        """
        how, percent = printing_of(changes)
        scaled = values * (100 if percent else 1) / self._units
        return {self._digest(_in_units(scaled, how))}

    def _digest(self, rounded: Floats) -> bytes:
        """Return a digest of the per-query numbers in units of the last decimal."""
        numbers = np.where(self._missing, 0.0, rounded) + 0.0  # -0 is 0
        return hashlib.blake2b(numbers.tobytes(), digest_size=16).digest()

    def chance(self, candidates: Candidates, printed: Collection[Printed], most: int) -> float:
        """Return at least how likely candidates are to give unrelated numbers of as many queries.

        The share of the run's own queries that have a number stands for its probability, as if
        queries were independent; and other orders of the numbers are tried.
        """
        scores = candidates.scores(())
        if scores is None:
            return 1.0
        likely = np.ones(self.numbers.shape)
        given = np.rint(np.nan_to_num(self.numbers) / self._units)
        for at, one in enumerate(scores):
            numbers = np.rint(np.nan_to_num(one.of_queries) / self._units[at])
            has = ~self._missing[:, at]
            likely[has, at] = shares(numbers, self.rows[has], given[has, at])
        # Measures of one query go together: only the rarest of its numbers counts.
        logarithm = float(np.log(likely.min(axis=1)).sum())
        logarithm += math.log(max(1, len(printed))) if most else 0.0
        known = set(printed)
        whole = self.rows[~self._missing.any(axis=1)]
        ordered = 0.0
        if most and len(whole) == len(self.rows):
            ordered = orders_met(given, lambda other: self._digest(other) in known)
        likely_all = math.exp(max(logarithm, _LEAST_LOG))
        return float(min(1.0, max(likely_all, ordered)))


Target = Means | PerQuery


def lattice_step(measure: Measure, queries: int) -> float:
    """Return the distance of possible means over some queries; 0 if they form no lattice."""
    if measure.aggregate == "sum":
        return 1.0
    k = getattr(measure, "k", None)
    many = float(max(queries, 1))
    if measure.name == "Success":
        return 1 / many
    if measure.name == "P" and k is not None and getattr(measure, "norm", "") == "k":
        return 1 / (int(k) * many)
    return 0.0


def _in_units(scaled: Floats, how: Printing) -> Floats:
    """Return values in units of the last decimal as they are printed: whole numbers."""
    if how == "truncated":
        return np.trunc(scaled + np.copysign(_SLACK, scaled))
    return np.rint(scaled)


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
