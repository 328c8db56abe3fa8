"""What other tools compute on the same judgments and run, by their profiles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.conventions import Conventions
from rankmark.errors import InputError, MeasureError
from rankmark.profiles.known import profiles
from rankmark.profiles.requests import meanings, tools_version
from rankmark.verbs.reconcile.averages import Scores
from rankmark.verbs.reconcile.candidates import Candidates, Start, state_of
from rankmark.verbs.reconcile.targets import Means, PerQuery

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rankmark.array_types import Bools
    from rankmark.measures import Measure
    from rankmark.profiles.profile import Profile
    from rankmark.verbs.reconcile.alternatives import Situation
    from rankmark.verbs.reconcile.rankings import Rankings
    from rankmark.verbs.reconcile.targets import Printed


class Meant(NamedTuple):
    """What a tool computes under the name of a measure.

    Parameters
    ----------
    measure
        The measure here with the tool's parameters.
    conventions
        The tool's conventions for it.
    """

    measure: Measure
    conventions: Conventions

    @property
    def average(self) -> dict[str, Any]:
        """How queries are averaged."""
        queries = self.conventions.queries
        listed = queries if isinstance(queries, str) else "listed"
        return {"queries": listed, "no_relevant": self.conventions.no_relevant}

    def scores(self, rankings: Rankings) -> Scores | None:
        """Score each query; None if the run or the labels do not allow it."""
        ranking = rankings.under(self.conventions)
        chosen = None
        if not isinstance(self.conventions.queries, str):
            ids = set(self.conventions.queries)
            chosen = np.array([query in ids for query in rankings.qrels.query_ids])
        try:
            return None if ranking is None else Scores(ranking, self.measure, chosen)
        except MeasureError:
            return None


def meant_by(profile: Profile, measure: Measure, known: Mapping[str, Any]) -> Meant:
    """Return what a tool computes under the name of a measure.

    Parameters
    ----------
    known
        Conventions that the caller knows, instead of the tool's.

    Raises
    ------
    MeasureError
        If it has no such measure.
    """
    found = [one for several in meanings(profile, str(measure)).values() for one in several]
    if len(found) > 1:  # P alone is nine measures in trec_eval, and set_P is P here
        found = [tools_version(profile, measure)]
    conventions = {**profile.conventions_of(found[0]), **known}
    return Meant(found[0], Conventions(**conventions))


class ToolNumbers(NamedTuple):
    """A tool that gives some numbers, and the values of the measures.

    Parameters
    ----------
    profile
        Of the tool.
    meant
        What each measure is there.
    values
        The means.
    averaged
        For each measure, the bytes of the scores that are averaged.
    """

    profile: Profile
    meant: tuple[Meant, ...]
    values: tuple[float, ...]
    averaged: tuple[bytes, ...]


class ToolsTried(NamedTuple):
    """The tools that give some numbers.

    Parameters
    ----------
    found
        These tools.
    tried
        How many tools have the measures.
    printed
        The different numbers that they print.
    """

    found: tuple[ToolNumbers, ...]
    tried: int
    printed: frozenset[Printed]


class ToolStart(NamedTuple):
    """A tool whose conventions others are changed from.

    Parameters
    ----------
    profile
        The first tool with these conventions.
    names
        The names of all profiles with these conventions.
    meant
        What each measure is there.
    candidates
        The changes to its conventions.
    """

    profile: Profile
    names: tuple[str, ...]
    meant: tuple[Meant, ...]
    candidates: Candidates


def tools_that_give(
    target: Means | PerQuery,
    rankings: Rankings,
    measures: Sequence[Measure],
    known: Mapping[str, Any],
) -> ToolsTried:
    """Find the tools that give the numbers on these judgments and this run."""
    found: list[ToolNumbers] = []
    printed: set[Printed] = set()
    tried = 0
    for profile, meant in _tools(measures, known):
        scores = [one.scores(rankings) for one in meant]
        pairs = [(s, one) for s, one in zip(scores, meant, strict=True) if s is not None]
        if len(pairs) < len(meant):
            continue
        values = tuple(s.value(one.average) for s, one in pairs)
        tried += 1
        if isinstance(target, Means):
            if all(map(math.isfinite, values)):
                printed |= target.printed(np.array([values]), ())
            numbers = zip(target.numbers, values, strict=True)
            agrees = all(bool(number.agrees(value)) for number, value in numbers)
        else:
            columns = [s.by_query(one.conventions.no_relevant) for s, one in pairs]
            table = np.nan_to_num(np.stack(columns, axis=1)[target.rows])
            printed |= target.printed(table, ())
            agrees = not len(target.differing(table, ()))
        if agrees:
            averaged = tuple(s.averaged(one.average).tobytes() for s, one in pairs)
            found.append(ToolNumbers(profile, meant, values, averaged))
    return ToolsTried(tuple(found), tried, frozenset(printed))


def tool_starts(
    candidates: Candidates, situation: Situation, subset: Bools | None
) -> tuple[ToolStart, ...]:
    """Return the tools whose conventions are worth trying with others.

    Tools with the same conventions for this run are one; those of the start, or one change from it,
    are left out, as they are tried with others anyway.
    """
    start, rankings = candidates.start, candidates.rankings
    simple = {candidates.state(changes) for number in (0, 1) for changes in candidates.of(number)}
    alike: dict[Any, list[tuple[Profile, tuple[Meant, ...]]]] = {}
    for profile, meant in _tools(start.measures, _known_of(start)):
        first, *others = [one.conventions for one in meant]
        if any(other != first for other in others):
            continue
        begin = Start(tuple(one.measure for one in meant), first, start.known)
        state = state_of(begin, rankings, ())
        if state is not None and state not in simple:
            alike.setdefault(state, []).append((profile, meant))
    found = []
    for several in alike.values():
        profile, meant = several[0]
        measures = tuple(one.measure for one in meant)
        begin = Start(measures, meant[0].conventions, start.known)
        here = Candidates(begin, situation._replace(measures=measures), rankings, subset)
        names = tuple(profile.name for profile, _ in several)
        found.append(ToolStart(profile, names, meant, here))
    return tuple(found)


def _known_of(start: Start) -> dict[str, Any]:
    return {name: getattr(start.conventions, name) for name in start.known}


def _tools(
    measures: Sequence[Measure], known: Mapping[str, Any]
) -> Iterator[tuple[Profile, tuple[Meant, ...]]]:
    """Yield the tools that have all measures, and what these are there."""
    for profile in profiles():
        try:
            meant = tuple(meant_by(profile, measure, known) for measure in measures)
        except (MeasureError, InputError):
            continue
        # Measures with parameters mean themselves, also those that a tool does not have.
        if all(any(row.gives(one.measure) for row in profile.measures) for one in meant):
            yield profile, meant
