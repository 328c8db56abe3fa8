"""How sure an explanation of a number is, and how many numbers a search could explain.

Candidates crowd around the truth, so that what counts is how many numbers they give near the given
one, not how many they give in all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from typing import NamedTuple

import numpy as np

from rankmark.array_types import Bools, Floats, Ints
from rankmark.errors import counted


class Coincidence(NamedTuple):
    """How likely it is that conventions give numbers by chance.

    Parameters
    ----------
    changes
        The most changes of a candidate among those counted.
    candidates
        How many candidates were tried.
    distinct
        How many different numbers they give, as printed.
    probability
        The share of unrelated numbers near the given ones that some candidate gives; of numbers of
        queries at least that share.
    near
        The numbers in words, such as "numbers near 0.4312".
    decimals
        The decimals of each measure's numbers.
    of_queries
        Whether per-query numbers are explained.
    subsets
        Whether subsets of the queries are among the candidates.
    """

    changes: int
    candidates: int
    distinct: int
    probability: float
    near: str
    decimals: tuple[int, ...]
    of_queries: bool = False
    subsets: bool = False

    def __str__(self) -> str:
        """Say how many of some unrelated numbers would be explained."""
        many, met = _of_many(self.probability)
        if self.of_queries and met:
            how_many = f"at least {met}"
        elif self.of_queries:
            how_many = "hardly one"
        else:
            how_many = f"about {met}" if met else "fewer than 1"
        most = "no change" if self.changes == 0 else counted(self.changes, "change")
        most += " and subsets of the queries" if self.subsets else ""
        low, high = min(self.decimals), max(self.decimals)
        decimals = counted(high, "decimal") if low == high else f"{low} to {high} decimals"
        return (
            f"Of {many} unrelated {self.near}, {how_many} would get such an answer "
            f"({most}, {decimals})."
        )


class Separation(NamedTuple):
    """A number that would tell answers with as many changes apart.

    Parameters
    ----------
    changes
        How many changes the answers have.
    measure
        The measure, by its name without any change.
    query
        The query whose value it is; None for the mean.
    expected
        The number under each of the answers, in their order; None where the query is not averaged.
    """

    changes: int
    measure: str
    query: str | None
    expected: tuple[float | None, ...]

    def words(self, first: int, decimals: int) -> str:
        """Say what to look for; ``first`` is the number at which the answers begin."""
        under: dict[str, list[str]] = {}
        for number, value in enumerate(self.expected, first):
            shown = "not averaged" if value is None else f"{value:.{decimals}f}"
            under.setdefault(shown, []).append(str(number))
        told = [f"{shown} under {_and(numbers)}" for shown, numbers in under.items()]
        of = self.measure if self.query is None else f"{self.measure} of query {self.query!r}"
        which = "tell them apart" if len(under) == len(self.expected) else "tell some of them apart"
        return f"{of} would {which}: {', '.join(told)}."


def _of_many(probability: float) -> tuple[str, str]:
    """Return a round number, and how many of as many these are; empty if fewer than 1."""
    many = 100
    while many < 1_000_000 and probability * many < 1:
        many *= 10
    shown = "a million" if many == 1_000_000 else f"{many:,}"
    met = round(probability * many)
    return shown, f"{met:,}" if met else ""


def _and(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


_FEWEST, _MOST = 5, 30  # neighbours
_HALF = 0.5
_MOST_LOG = 700.0  # math.exp overflows above 709
_USUALLY = 0.2  # of a number: how far others are near, if candidates give no other
_ORDERS = 720  # of all lists of up to six numbers
_MOST_ORDERED = 100  # numbers; of more, no other order is met in practice


def chance_near(reached: Floats, given: Floats, steps: Floats, *, most: int) -> float:
    """Return the share of numbers near the given ones that candidates give.

    The given numbers themselves are left out, as they may be given for a reason. Of several
    measures, the numbers are counted together: those in a box around the given ones.

    Parameters
    ----------
    reached
        (n, n_measures) float64, the different numbers that candidates give, in units of the last
        decimal: whole numbers.
    given
        (n_measures,) float64, the given numbers in the same units.
    steps
        (n_measures,) float64, the distance of possible means of each measure in the same units, if
        they form a lattice, as those of precision do; 1 or less otherwise.
    most
        The most changes of these candidates; 0 for the start alone.
    """
    lattice = np.maximum(steps, 1.0)
    lattice = np.where(_on_lattice(given, lattice), lattice, 1.0)
    # A number of the lattice competes with others of the lattice, which are few.
    possible = _on_lattice(reached, lattice) | (lattice == 1)
    near = np.abs(reached[possible.all(axis=1)] - given)
    far = np.sort((near / lattice).max(axis=1, initial=0.0))
    far = far[far > _HALF]
    widest = (np.abs(given) * _USUALLY / lattice).max()
    if len(far):
        # Their square root: of few numbers, many neighbours would not be near.
        neighbours = min(_MOST, max(_FEWEST, round(math.sqrt(len(far)))), len(far))
        widest = far[neighbours - 1]
    logarithm = len(given) * math.log(2 * round(float(widest)) + 1)
    cells = math.exp(min(logarithm, _MOST_LOG))
    if most == 0:
        return 1 / cells
    inside = np.count_nonzero(far <= widest)
    return float(min(1.0, (inside + _HALF) / cells))


def _on_lattice(numbers: Floats, steps: Floats) -> Bools:
    """Return which numbers are printed means of a lattice: bool of the same shape."""
    return np.abs(numbers - np.rint(numbers / steps) * steps) <= _HALF + 1e-6


def chance_of_divisors(hits: float, reached: Floats, given: float, unit: float) -> float:
    """Return the share of numbers with the hits of the run in them that candidates give.

    A number of another measure may be the same hits divided by something else. It competes with
    these hits divided by other whole numbers, which are far fewer than all numbers. 0 if it is not
    the hits divided by a whole number, or has too few decimals to tell.

    Parameters
    ----------
    hits
        The relevant documents found.
    reached
        (n,) float64, the numbers that candidates give, in units of the last decimal.
    given, unit
        The given number in these units, and the unit.
    """
    every = np.append(given, reached)
    every = hits / (every[every > 0] * unit)
    slack = every**2 * unit / max(hits, 1) / 2 + 1e-9  # by rounding of the number
    whole = (np.abs(every - np.rint(every)) <= slack) & (slack < _HALF / 2)
    if given <= 0 or not len(every) or not whole[0]:
        return 0.0
    divisors = np.unique(np.rint(every[whole]))[:, None]
    return chance_near(divisors, np.rint(every[:1]), np.ones(1), most=1)


def shares(values: Floats, rows: Ints, given: Floats) -> Floats:
    """Return the share of a run's queries that have a number like that given for another.

    Parameters
    ----------
    values
        (Q,) float64, the numbers of all judged queries in units of the last decimal.
    rows
        (n,) int64, the queries with given numbers.
    given
        (n,) float64, their numbers.

    Returns
    -------
    Floats
        (n,) float64: the share of the other queries with this very number; if there is none, the
        share that is expected from how many numbers are near.
    """
    found = np.ones(len(rows))
    others = len(values) - 1
    if others < 1:
        return found
    close = max(1, round(math.sqrt(others)))
    for at, (row, number) in enumerate(zip(rows.tolist(), given.tolist(), strict=True)):
        far = np.abs(values - number)
        far[row] = math.inf  # its own number may be the given one for a reason
        same = int(np.count_nonzero(far == 0))
        cells = 2 * int(np.partition(far, close - 1)[close - 1]) + 1
        found[at] = (same or min(1.0, close / cells)) / others
    return found


def orders_met(given: Floats, met: Callable[[Floats], bool]) -> float:
    """Return the share of other orders of given numbers among their queries that candidates give.

    Parameters
    ----------
    given
        (n, n_measures) float64, the numbers of each query.
    met
        Whether some candidate gives these numbers.
    """
    if len(given) > _MOST_ORDERED:
        return 0.0
    tried = [met(given[list(order)]) for order in _orders(len(given))]
    return sum(tried) / len(tried) if tried else 0.0


def _orders(number: int) -> Iterator[Sequence[int]]:
    """Yield orders other than the first: all of them, or some at random."""
    if math.factorial(min(number, 10)) <= _ORDERS:
        every = permutations(range(number))
        next(every)
        yield from every
        return
    random = np.random.default_rng(0)
    for _ in range(_ORDERS):
        yield random.permutation(number).tolist()


def right(chances: Sequence[float]) -> float:
    """Return how likely an explanation is to be the right one.

    It is assumed that half of all numbers are unrelated, and that 60, 30 and 10% of the others need
    one, two and three changes.

    Parameters
    ----------
    chances
        The share of unrelated numbers that are met with at most 1, 2, ... changes; the last is that
        of the explanation.
    """
    before = chances[-2] if len(chances) > 1 else 0.0
    by_chance = max(0.0, chances[-1] - before)
    expected = [_PRIOR[min(at, len(_PRIOR) - 1)] for at in range(len(chances))]
    others = 1.0 - sum(expected)
    meant = expected[-1] * (1.0 - before)
    return meant / (meant + others * by_chance) if meant else 0.0


_PRIOR = (0.30, 0.15, 0.05, 0.02, 0.01)
