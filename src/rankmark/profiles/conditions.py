"""Conditions of the data under which a tool differs from every convention."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.conventions import limit
from rankmark.data.alignment import query_of_rows

if TYPE_CHECKING:
    from rankmark.array_types import Bools
    from rankmark.data.alignment import Alignment
    from rankmark.data.preparing.matching import RunFacts
    from rankmark.measures.base.measure import Measure
    from rankmark.profiles.profile import Difference, Profile

JUDGED_ONLY = "judged_only"
"""The name of all measures that leave out unjudged documents."""
_HIGHEST_OF_GDEVAL = 4
_STABLE = 16  # documents that an insertion sort leaves in order


class _Counted(NamedTuple):
    """What a measure counts: the lowest relevant label, and the last rank, None for all."""

    rel: float
    k: int | None


def _tied(a: Alignment) -> Bools:
    """Return which queries have a judged document that is tied: (Q,) bool."""
    if a.tie_first is None or a.tie_last is None:
        return np.zeros(len(a.retrieved), dtype=bool)
    return _any(a, a.tie_first < a.tie_last)


def _any(a: Alignment, rows: Bools) -> Bools:
    """Return which queries have such a row among the judged documents retrieved: (Q,) bool."""
    found = np.bincount(query_of_rows(a.starts)[rows], minlength=len(a.retrieved))
    return found > 0


def _judged(a: Alignment, labels: Bools) -> Bools:
    """Return which queries have such a label among the judged documents: (Q,) bool."""
    found = np.bincount(a.ideal_query()[labels], minlength=len(a.retrieved))
    return found > 0


def _one_beyond_the_gains(a: Alignment) -> Bools:
    with_gain = np.bincount(a.ideal_query()[a.ideal_label > 0], minlength=len(a.retrieved))
    return (a.retrieved == with_gain + 1) & (with_gain > 0)


CONDITIONS: Mapping[str, Callable[[Alignment, RunFacts, _Counted], Bools]] = {
    "ties": lambda a, _, __: _tied(a),
    "ties in long rankings": lambda a, _, __: _tied(a) & (a.retrieved > _STABLE),
    "negative labels": lambda a, _, __: _judged(a, a.ideal_label < 0),
    "only negative labels": lambda a, _, __: (
        _judged(a, a.ideal_label < 0) & ~_judged(a, a.ideal_label >= 0)
    ),
    "labels below 1": lambda a, _, __: _judged(a, a.ideal_label < 1),
    "graded labels": lambda a, _, __: _judged(a, a.ideal_label > 1),
    "labels above 4": lambda a, _, __: _judged(a, a.ideal_label > _HIGHEST_OF_GDEVAL),
    "everything relevant": lambda a, _, of: (
        (a.retrieved > 0) & (a.found(of.rel, None) == a.retrieved)
    ),
    "only relevant documents among the first k": lambda a, _, of: (
        (a.retrieved > 0) & (a.found(of.rel, of.k) == np.minimum(a.retrieved, limit(of.k)))
    ),
    "relevant documents not retrieved": lambda a, _, of: (
        (a.retrieved > 0) & (a.num_relevant(of.rel) > a.found(of.rel, None))
    ),
    "nothing relevant retrieved": lambda a, _, of: (
        (a.retrieved > 0) & (a.num_relevant(of.rel) > 0) & (a.found(of.rel, None) == 0)
    ),
    "fractional labels": lambda a, _, __: _judged(a, a.ideal_label % 1 != 0),
    "nothing relevant": lambda a, _, of: a.num_relevant(of.rel) == 0,
    "nothing judged non-relevant": lambda a, _, of: (
        _any(a, a.label >= of.rel) & ~_judged(a, a.ideal_label < of.rel)
    ),
    "empty rankings": lambda a, _, __: a.retrieved == 0,
    "one document beyond the gains": lambda a, _, __: _one_beyond_the_gains(a),
    "relevant documents with a score of 0 or below": lambda _, facts, __: facts.not_positive > 0,
}
"""Which queries of an alignment meet a condition, (Q,) bool, by name.

They are functions of the alignment, which has all judged documents, of the facts about the run,
and of what the measure counts.
"""


def concerning(profile: Profile, measures: Iterable[Measure]) -> list[Difference]:
    """Return the differences of a profile that concern measures, under conditions of the data."""
    return [difference for difference, _ in _concerning(profile, measures)]


def conditions_met(
    profile: Profile, measures: Iterable[Measure], a: Alignment, facts: RunFacts
) -> list[tuple[Difference, Bools]]:
    """Return the differences that concern measures, and which queries meet each: (Q,) bool."""
    found = []
    for difference, counted in _concerning(profile, measures):
        condition = CONDITIONS[difference.when or ""]
        met = [condition(a, facts, each) for each in counted]
        found.append((difference, np.logical_or.reduce(met)))
    return found


def differences_met(
    profile: Profile, measures: Iterable[Measure], a: Alignment, facts: RunFacts
) -> list[tuple[Difference, int]]:
    """Return the differences whose condition holds, with the number of queries that meet it."""
    met = conditions_met(profile, measures, a, facts)
    return [(difference, int(queries.sum())) for difference, queries in met if queries.any()]


def _concerning(
    profile: Profile, measures: Iterable[Measure]
) -> Iterator[tuple[Difference, set[_Counted]]]:
    """Return the differences that concern measures, with what these count."""
    names = [(measure, _names(profile, measure)) for measure in measures]
    for difference in profile.differences:
        counted = {
            _Counted(float(getattr(measure, "rel", 1.0)), getattr(measure, "k", None))
            for measure, own in names
            if not difference.measures or own.intersection(difference.measures)
        }
        if difference.when is not None and counted:
            yield difference, counted


def _names(profile: Profile, measure: Measure) -> set[str]:
    """Return the tool's names of a measure, as differences have them."""
    names = {row.name for row in profile.measures if row.gives(measure)}
    return names | {JUDGED_ONLY} if measure.judged_only else names
