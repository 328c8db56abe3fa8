"""Search the candidates for those that give some numbers, fewest changes first."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.reconciliation.subsets import subsets_of
from rankmark.reconciliation.targets import Means, Outcome, Target

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankmark.reconciliation.candidates import Candidates, Changes

_NEAREST = 5
_MOST_SUBSETS = 300_000
_TOO_LIKELY = 0.5
_MOST_LOG = 700.0  # math.exp overflows above 709


class Found(NamedTuple):
    """A candidate, and what it gives."""

    changes: Changes
    outcome: Outcome


class Tried(NamedTuple):
    """What was tried up to some number of changes.

    Parameters
    ----------
    changes
        The most changes of a candidate.
    candidates
        How many candidates have values.
    distinct
        How many different numbers they print.
    possible
        How many numbers with as many decimals lie between the lowest and the highest.
    """

    changes: int
    candidates: int
    distinct: int
    possible: float

    @property
    def chance(self) -> float:
        """The probability that a possible number drawn at random is given by a candidate."""
        return min(1.0, self.distinct / self.possible)


@dataclass
class Search:
    """A search and its results.

    Parameters
    ----------
    subsets
        Whether subsets of the queries were tried, too, as nothing else gave the numbers.
    found
        The candidates that give the numbers, but for those that add changes to another.
    nearest
        The candidates that come nearest, if none gives the numbers.
    tried
        What was tried with at most one more change at a time, and at last of subsets.
    """

    candidates: Candidates
    target: Target
    subsets: bool = False
    found: list[Found] = field(default_factory=list)
    nearest: list[Found] = field(default_factory=list)
    tried: list[Tried] = field(default_factory=list)
    _printed: set[object] = field(default_factory=set)
    _count: int = 0

    def go(self, *, most: int, goes_on: bool, tools: bool) -> None:
        """Try candidates with up to ``most`` changes.

        Parameters
        ----------
        goes_on
            Whether to go on with more changes after some gave the numbers.
        tools
            Whether a tool gives the numbers, which counts as one change.
        """
        for number in range(most + 1):
            self._try(number, self.candidates.of(number))
            # One change is always tried, as it shows which numbers were possible.
            if (self.found or tools) and number >= 1 and not goes_on:
                break
        if most and not (self.found or tools) and isinstance(self.target, Means):
            self.subsets = True
            for number in (0, 1):
                if not self.found:
                    self._try_subsets(self.target, self.candidates.of(number))
        self.found.sort(key=lambda found: self.candidates.order(found.changes))

    def _try(self, number: int, several: Iterable[Changes]) -> None:
        found: list[Found] = []
        known = [frozenset(each.changes) for each in self.found]
        for changes in several:
            outcome = self.target.outcome(self.candidates, changes)
            if outcome is None:
                continue
            self._count += 1
            self._printed.add(outcome.printed)
            if outcome.agrees:
                chosen = frozenset(changes)
                if not any(simpler <= chosen for simpler in known):
                    found.append(Found(changes, outcome))
            elif not self.found:
                self._keep(Found(changes, outcome))
        self.found += found
        self.tried.append(self._tried(number))

    def _try_subsets(self, target: Means, several: Iterable[Changes]) -> None:
        found: list[Found] = []
        for changes in several:
            tried = subsets_of(self.candidates, target, changes)
            if tried is None or self._count + len(tried.tried) > _MOST_SUBSETS:
                continue
            units = np.array([number.unit for number in target.numbers])
            self._count += len(tried.tried)
            self._printed.update(
                map(tuple, np.round(tried.tried / units).astype(np.int64).tolist())
            )
            for change, values in tried.found:
                outcome = Outcome(values, agrees=True, distance=0.0, printed=())
                found.append(Found((*changes, change), outcome))
        self.tried.append(self._tried(self.tried[-1].changes))
        # With so many subsets that they meet any number, what they meet means nothing.
        if self.tried[-1].chance <= _TOO_LIKELY:
            self.found += found

    def _keep(self, found: Found) -> None:
        """Keep the nearest candidates, one for each printed number, with the fewest changes."""
        if any(each.outcome.printed == found.outcome.printed for each in self.nearest):
            return
        self.nearest.append(found)
        self.nearest.sort(key=lambda each: (each.outcome.distance, len(each.changes)))
        del self.nearest[_NEAREST:]

    def _tried(self, most: int) -> Tried:
        possible = math.exp(min(self.target.possible(), _MOST_LOG))
        return Tried(most, self._count, len(self._printed), possible)
