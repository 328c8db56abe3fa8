"""What other tools compute on the same judgments and run, and where they differ."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rankmark.array_types import Bools, Floats
from rankmark.conventions import DECLARED, Conventions
from rankmark.errors import InputError, MeasureError, counted
from rankmark.measures import Measure
from rankmark.profiles.conditions import differences_met
from rankmark.profiles.known import profiles
from rankmark.profiles.profile import Profile
from rankmark.profiles.requests import meanings, tools_version
from rankmark.verbs.reconcile.alternatives import Situation, choice_of, plain_value
from rankmark.verbs.reconcile.candidates import Candidates, Start
from rankmark.verbs.reconcile.rankings import Rankings, Scores
from rankmark.verbs.reconcile.reconciliation import QueryDifference, Step, ToolDifference
from rankmark.verbs.reconcile.targets import Means, PerQuery, Printed


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
        except (InputError, MeasureError):
            return None


def meant_by(profile: Profile, measure: Measure, known: Mapping[str, Any]) -> Meant:
    """Return what a tool computes under the name of a measure.

    Parameters
    ----------
    known
        Conventions that the caller knows, instead of the tool's.
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
    simple = {
        start.state(rankings, changes) for number in (0, 1) for changes in candidates.of(number)
    }
    alike: dict[Any, list[tuple[Profile, tuple[Meant, ...], Start]]] = {}
    for profile, meant in _tools(start.measures, start.kept):
        first, *others = [one.conventions for one in meant]
        if any(other != first for other in others):
            continue
        begin = Start(tuple(one.measure for one in meant), first, start.known)
        state = begin.state(rankings, ())
        if state is not None and state not in simple:
            alike.setdefault(state, []).append((profile, meant, begin))
    found = []
    for several in alike.values():
        profile, meant, begin = several[0]
        here = Candidates(begin, situation._replace(measures=begin.measures), rankings, subset)
        names = tuple(profile.name for profile, *_ in several)
        found.append(ToolStart(profile, names, meant, here))
    return tuple(found)


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


# Documents first, then their order, the formula, and at last which queries are averaged.
_DOCUMENTS = ("duplicates", "drop_self", "depth", "judged_only", "precision")
_AFTER_FORMULA = ("no_relevant", "queries")
_OTHERS = (name for name in DECLARED if name not in {*_DOCUMENTS, "ties", *_AFTER_FORMULA})
_BEFORE_FORMULA = (*_DOCUMENTS, *_OTHERS, "ties")
_NOISE = 1e-12  # of sums in another order


class Taken(NamedTuple):
    """A convention of the tool, and what is computed with it and those before."""

    name: str
    ours: Any
    theirs: Any
    meant: Meant


def tool_difference(
    rankings: Rankings,
    start: Start,
    measure: Measure,
    profile: Profile,
    known: Mapping[str, Any],
) -> ToolDifference:
    """Take over the conventions of a tool one after the other, and see what each changes.

    Parameters
    ----------
    start
        The conventions to begin with.
    known
        Conventions that the caller knows, which the tool is assumed to have, too.
    """
    theirs = meant_by(profile, measure, known)
    before = Meant(measure, start.conventions)
    values = _by_query(rankings, before)
    first, steps, beyond = values, list[Step](), list[str]()
    reasons: dict[int, dict[str, float | None]] = {}
    for taken in taken_over(before, theirs):
        now = _by_query(rankings, taken.meant)
        if now is None or values is None:
            beyond.append(f"{taken.name}={taken.theirs} does not fit these inputs")
            continue
        differs = ~np.isclose(now, values, rtol=0, atol=_NOISE, equal_nan=True)
        for row in np.flatnonzero(differs).tolist():
            out = math.isnan(now[row])
            added = None if out else float(now[row] - np.nan_to_num(values[row]))
            reasons.setdefault(row, {})[taken.name] = added
        words = choice_of(taken.name, taken.theirs, measure).words
        means = _mean(rankings, before), _mean(rankings, taken.meant)
        many = int(differs.sum())
        values_of = plain_value(taken.ours), plain_value(taken.theirs)
        steps.append(Step(taken.name, *values_of, words, *means, many, means[1] - means[0]))
        before, values = taken.meant, now
    ranking = rankings.under(start.conventions)
    if ranking is not None:
        found = differences_met(profile, [theirs.measure], ranking.alignment, ranking.facts)
        for difference, many in found:
            queries = counted(many, "query", "queries")
            beyond.append(f"{difference.what} ({queries} concerned)")
    averaged = [0 if v is None else int((~np.isnan(v)).sum()) for v in (first, values)]
    return ToolDifference(
        profile=profile.name,
        tool=profile.tool,
        version=profile.version,
        measure=str(measure),
        our_measure=str(measure),
        their_measure=str(before.measure),
        ours=_mean(rankings, Meant(measure, start.conventions)),
        theirs=_mean(rankings, before),
        averaged=averaged[0],
        averaged_there=averaged[1],
        steps=tuple(steps),
        queries=_queries(rankings.qrels.query_ids, first, values, reasons),
        beyond=tuple(beyond),
    )


def taken_over(ours: Meant, theirs: Meant) -> Iterator[Taken]:
    """Yield the tool's conventions that differ, each with those before."""
    now = ours

    def conventions(names: tuple[str, ...]) -> Iterator[Taken]:
        nonlocal now
        for name in names:
            old, new = getattr(now.conventions, name), getattr(theirs.conventions, name)
            changed = replace(now.conventions, **{name: new})
            if changed != now.conventions:
                now = now._replace(conventions=changed)
                yield Taken(name, old, new, now)

    yield from conventions(_BEFORE_FORMULA)
    if type(now.measure) is not type(theirs.measure):
        old_name, new_name = str(now.measure), str(theirs.measure)
        now = now._replace(measure=theirs.measure)
        yield Taken("formula", old_name, new_name, now)
    for name in theirs.measure.parameters:
        old, new = getattr(now.measure, name), getattr(theirs.measure, name)
        if old != new:
            now = now._replace(measure=now.measure.with_parameters(**{name: new}))
            yield Taken(name, old, new, now)
    yield from conventions(_AFTER_FORMULA)


def _by_query(rankings: Rankings, meant: Meant) -> Floats | None:
    """Return the value of each judged query, NaN where it is not averaged: (Q,) float64."""
    scores = meant.scores(rankings)
    return None if scores is None else scores.of_averaged(meant.average)


def _mean(rankings: Rankings, meant: Meant) -> float:
    scores = meant.scores(rankings)
    return math.nan if scores is None else scores.value(meant.average)


def _queries(
    ids: tuple[str, ...],
    ours: Floats | None,
    theirs: Floats | None,
    reasons: Mapping[int, dict[str, float | None]],
) -> tuple[QueryDifference, ...]:
    """Return the queries that differ in the end, the greatest difference first."""
    if ours is None or theirs is None:
        return ()
    distance = np.abs(np.nan_to_num(theirs) - np.nan_to_num(ours))
    out = np.isnan(ours) != np.isnan(theirs)
    differing = [row for row in reasons if out[row] or distance[row] > _NOISE]
    differing.sort(key=lambda row: (-distance[row], not out[row], row))
    return tuple(
        QueryDifference(ids[row], _number(ours[row]), _number(theirs[row]), reasons[row])
        for row in differing
    )


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value)
