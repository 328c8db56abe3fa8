"""Search the candidates for those that give some numbers, fewest changes first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.errors import listed
from rankmark.verbs.reconcile.alternatives import Choice, Convention
from rankmark.verbs.reconcile.candidates import Change
from rankmark.verbs.reconcile.targets import Means, Outcome, Target

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rankmark.array_types import Bools, Floats, Ints
    from rankmark.verbs.reconcile.candidates import Candidates, Changes
    from rankmark.verbs.reconcile.targets import Printed
    from rankmark.verbs.reconcile.tools import ToolStart, ToolsTried

_LEFT_OUT = Convention("left_out", "average", ())
_FIRST = Convention("first_queries", "average", ())
_DIVISOR = Convention("divisor", "average", ())
SUBSETS = (_LEFT_OUT, _FIRST, _DIVISOR)
"""The conventions of this module."""


class Subset(NamedTuple):
    """What was tried for one candidate, and what gave the numbers.

    Parameters
    ----------
    tried
        (n, n_measures) float64, all values that were tried.
    found
        The changes that gave the numbers, with the values of the measures.
    """

    tried: Floats
    found: tuple[tuple[Change, tuple[float, ...]], ...]


def subsets_of(candidates: Candidates, target: Means, changes: Changes) -> Subset | None:
    """Try subsets of the queries, and other divisors, for a candidate; None if it has no mean."""
    scores = candidates.scores(changes)
    average = candidates.start.average(changes)
    if scores is None or not average.keys().isdisjoint({"aggregate", "divisor", "pooled"}):
        return None
    measures = [of_measure.measure for of_measure in scores]
    if any(one.aggregate != "mean" or one.depends_on == "run" for one in measures):
        return None
    rows = [of_measure.rows(average) for of_measure in scores]
    if len(rows[0]) < 2 or any(not np.array_equal(rows[0], other) for other in rows):
        return None
    values = np.stack([of_measure.averaged(average) for of_measure in scores], axis=1)
    tried, found = [], []
    for convention, means in _means(values):
        agrees = _agreeing(target, means, changes)
        tried.append(means)
        if agrees.any():
            at = np.flatnonzero(agrees)
            shown = int(at[0])
            if convention is _DIVISOR:
                shown = int(at[np.argmin(np.abs(_divisors(len(values))[at] - len(values)))])
            choice = _choice(convention, at, shown, rows[0], candidates.rankings.qrels.query_ids)
            found.append((Change(convention, choice), tuple(means[shown].tolist())))
    return Subset(np.concatenate(tried), tuple(found))


def _means(values: Floats) -> Iterator[tuple[Convention, Floats]]:
    """Yield the means without each query, of the first queries, and by other divisors."""
    number, total = len(values), values.sum(axis=0)
    yield _DIVISOR, total / _divisors(number)[:, None]
    yield _LEFT_OUT, (total - values) / (number - 1)
    yield _FIRST, np.cumsum(values, axis=0)[:-1] / np.arange(1, number)[:, None]


def _divisors(number: int) -> Ints:
    """Return the divisors near the number of queries."""
    off = max(10, number // 20)
    return np.arange(max(1, number - off), number + off + 1)


def _agreeing(target: Means, means: Floats, changes: Changes) -> Bools:
    how, numbers = target.printings(changes)
    agrees = np.ones(len(means), dtype=bool)
    for at, number in enumerate(numbers):
        agrees &= number.agrees(means[:, at], how)
    return agrees


def _choice(
    convention: Convention, at: Ints, shown: int, rows: Ints, queries: tuple[str, ...]
) -> Choice:
    """Describe which of the means agree, by their places."""
    if convention is _LEFT_OUT:
        ids = [queries[row] for row in rows[at].tolist()]
        which = f"query {ids[0]!r}" if len(ids) == 1 else f"one of {listed(ids[:3], len(ids))}"
        return Choice(tuple(ids), f"without {which}")
    if convention is _FIRST:
        return Choice(shown + 1, f"only the first {shown + 1:,} of {len(rows):,} queries")
    number = int(_divisors(len(rows))[shown])
    words = f"the sum divided by {number:,} queries rather than {len(rows):,}"
    return Choice(number - len(rows), words)


_NEAREST = 5
_MOST_SUBSETS = 300_000
_TOO_LIKELY = 0.5
_MOST_WITH_TOOLS = 2
"""Changes up to which those of a tool are tried with others: three would be several thousands."""


class Found(NamedTuple):
    """A candidate, and what it gives.

    Parameters
    ----------
    changes
        The changes to the start, or to the tool's conventions.
    outcome
        What they give.
    tool
        The tool from whose conventions changes are counted; None for the start.
    """

    changes: Changes
    outcome: Outcome
    tool: ToolStart | None = None

    @property
    def number(self) -> int:
        """How many changes there are; a tool counts as one."""
        return len(self.changes) + (self.tool is not None)


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
    chance
        How likely they are to give unrelated numbers near those given.
    subsets
        Whether subsets of the queries were tried, too.
    """

    changes: int
    candidates: int
    distinct: int
    chance: float
    subsets: bool = False


@dataclass
class Search:
    """A search and its results.

    Parameters
    ----------
    candidates, target
        What is searched, and what for.
    tools
        Tools whose conventions are tried with others.
    found
        The candidates that give the numbers, fewest changes first; those that only add another
        change to one of these are left out.
    subsets
        Subsets of queries that give the numbers if nothing else does.
    nearest
        The candidates that come nearest, if none gives the numbers.
    tried
        What was tried with at most one more change at a time, and at last of subsets.
    """

    candidates: Candidates
    target: Target
    tools: Sequence[ToolStart] = ()
    found: list[Found] = field(default_factory=list)
    subsets: list[Found] = field(default_factory=list)
    nearest: list[Found] = field(default_factory=list)
    tried: list[Tried] = field(default_factory=list)
    _printed: set[Printed] = field(default_factory=set)
    _count: int = 0

    def go(self, *, most: int, goes_on: bool, tools: ToolsTried) -> None:
        """Try candidates with up to ``most`` changes.

        Parameters
        ----------
        goes_on
            Whether to go on with more changes after some gave the numbers.
        tools
            What tools give, each of which counts as one change.
        """
        known = {tool.profile.name for tool in tools.found}
        for number in range(most + 1):
            if number == 1:
                self._printed |= tools.printed
                self._count += tools.tried
            self._try(number, self._of(number, known))
            # One change is always tried, as it shows which numbers are near.
            if (self.found or known) and number >= 1 and not goes_on:
                break
        if most and not (self.found or known) and isinstance(self.target, Means):
            for number in (0, 1):
                if not self.subsets:
                    self._try_subsets(self.target, self.candidates.of(number))
        self.found.sort(key=self._order)

    def _of(
        self, number: int, known: set[str]
    ) -> Iterator[tuple[Candidates, Changes, ToolStart | None]]:
        """Yield the candidates with a number of changes."""
        for changes in self.candidates.of(number):
            yield self.candidates, changes, None
        if 2 <= number <= _MOST_WITH_TOOLS:
            for tool in self.tools:
                if known.isdisjoint(tool.names):
                    for changes in tool.candidates.of(number - 1):
                        yield tool.candidates, changes, tool

    def _order(self, found: Found) -> tuple[int, ...]:
        """Return a key that sorts: fewest changes first, single ones before those of tools."""
        of = self.candidates if found.tool is None else found.tool.candidates
        return found.number, found.tool is not None, *of.order(found.changes)[1:]

    def _try(
        self, number: int, several: Iterable[tuple[Candidates, Changes, ToolStart | None]]
    ) -> None:
        found: list[Found] = []
        known = [(each.tool, frozenset(each.changes)) for each in self.found]
        for candidates, changes, tool in several:
            outcome = self.target.outcome(candidates, changes)
            if outcome is None:
                continue
            self._count += 1
            self._printed.add(outcome.printed)
            if outcome.agrees:
                chosen = frozenset(changes)
                # What a few changes give, these give on top of a tool, too.
                if not any(of in (None, tool) and simpler <= chosen for of, simpler in known):
                    found.append(Found(changes, outcome, tool))
            elif not self.found:
                self._keep(Found(changes, outcome, tool))
        self.found += found
        self._note(number)

    def _try_subsets(self, target: Means, several: Iterable[Changes]) -> None:
        found: list[Found] = []
        for changes in several:
            tried = subsets_of(self.candidates, target, changes)
            if tried is None or self._count + len(tried.tried) > _MOST_SUBSETS:
                continue
            self._count += len(tried.tried)
            self._printed |= target.printed(tried.tried, changes)
            for change, values in tried.found:
                outcome = Outcome(values, agrees=True, distance=0.0, printed=())
                found.append(Found((*changes, change), outcome))
        self._note(self.tried[-1].changes, subsets=True)
        # With so many subsets that they meet any number, what they meet means nothing.
        if self.tried[-1].chance <= _TOO_LIKELY:
            self.subsets += found

    def _keep(self, found: Found) -> None:
        """Keep the nearest candidates, one for each printed number, with the fewest changes."""
        if any(each.outcome.printed == found.outcome.printed for each in self.nearest):
            return
        self.nearest.append(found)
        self.nearest.sort(key=lambda each: (each.outcome.distance, each.number))
        del self.nearest[_NEAREST:]

    def _note(self, most: int, *, subsets: bool = False) -> None:
        """Note what was tried so far."""
        if most == 1:  # one change shows which numbers are near
            alone = self.target.chance(self.candidates, self._printed, 0)
            self.tried[0] = self.tried[0]._replace(chance=alone)
        chance = self.target.chance(self.candidates, self._printed, most)
        self.tried.append(Tried(most, self._count, len(self._printed), chance, subsets))
