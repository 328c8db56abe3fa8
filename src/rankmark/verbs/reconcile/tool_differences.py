"""Where a tool differs on some judgments and a run: its conventions taken over one by one."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.conventions import DECLARED
from rankmark.profiles.conditions import differences_met
from rankmark.verbs.reconcile.alternatives import plain_value, words_of
from rankmark.verbs.reconcile.tool_difference import QueryDifference, Step, ToolDifference
from rankmark.verbs.reconcile.tools import Meant, meant_by

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rankmark.array_types import Floats
    from rankmark.measures import Measure
    from rankmark.profiles.profile import Profile
    from rankmark.verbs.reconcile.candidates import Start
    from rankmark.verbs.reconcile.rankings import Rankings

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

    Raises
    ------
    MeasureError
        If the tool does not have the measure.
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
        words = words_of(taken.name, taken.theirs, measure)
        means = _mean(rankings, before), _mean(rankings, taken.meant)
        many = int(differs.sum())
        values_of = plain_value(taken.ours), plain_value(taken.theirs)
        steps.append(Step(taken.name, *values_of, words, *means, many))
        before, values = taken.meant, now
    ranking = rankings.under(start.conventions)
    if ranking is not None:
        found = differences_met(profile, [theirs.measure], ranking.alignment, ranking.facts)
        for difference, many in found:
            noun = "1 query" if many == 1 else f"{many:,} queries"
            beyond.append(f"{difference.what} ({noun} concerned)")
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
    if scores is None:
        return None
    values = np.full(len(scores.of_queries), math.nan)
    rows = scores.rows(meant.average)
    values[rows] = scores.by_query(meant.conventions.no_relevant)[rows]
    return values


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
