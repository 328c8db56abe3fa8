"""Conditions of the data under which a tool differs from every convention."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from rankmark.alignment.alignment import query_of_rows

if TYPE_CHECKING:
    from rankmark.alignment.alignment import Alignment
    from rankmark.array_types import Bools
    from rankmark.measures.base.measure import Measure
    from rankmark.profiles.profile import Difference, Profile

JUDGED_ONLY = "judged_only"
"""The name of all measures that leave out unjudged documents."""
_HIGHEST_OF_GDEVAL = 4
_STABLE = 16  # documents that an insertion sort leaves in order


def _tied(a: Alignment) -> Bools:
    """Return which queries have a judged document that is tied: (Q,) bool."""
    if a.tie_first is None or a.tie_last is None:
        return np.zeros(len(a.retrieved), dtype=bool)
    return _any(a, a.tie_first < a.tie_last)


def _any(a: Alignment, rows: Bools) -> Bools:
    """Return which queries have such a row among the judged documents retrieved: (Q,) bool."""
    found = np.bincount(query_of_rows(a.starts)[rows], minlength=len(a.retrieved))
    any_row: Bools = found > 0
    return any_row


def _judged(a: Alignment, labels: Bools) -> Bools:
    """Return which queries have such a label among the judged documents: (Q,) bool."""
    found = np.bincount(a.ideal_query()[labels], minlength=len(a.retrieved))
    any_label: Bools = found > 0
    return any_label


def _one_beyond_the_gains(a: Alignment) -> Bools:
    with_gain = np.bincount(a.ideal_query()[a.ideal_label > 0], minlength=len(a.retrieved))
    one: Bools = (a.retrieved == with_gain + 1) & (with_gain > 0)
    return one


CONDITIONS: Mapping[str, Callable[[Alignment, float], Bools]] = {
    "ties": lambda a, _: _tied(a),
    "ties in long rankings": lambda a, _: _tied(a) & (a.retrieved > _STABLE),
    "negative labels": lambda a, _: _judged(a, a.ideal_label < 0),
    "only negative labels": lambda a, _: (
        _judged(a, a.ideal_label < 0) & ~_judged(a, a.ideal_label >= 0)
    ),
    "labels below 1": lambda a, _: _judged(a, a.ideal_label < 1),
    "graded labels": lambda a, _: _judged(a, a.ideal_label > 1),
    "labels above 4": lambda a, _: _judged(a, a.ideal_label > _HIGHEST_OF_GDEVAL),
    "everything relevant": lambda a, rel: (a.retrieved > 0) & (a.found(rel, None) == a.retrieved),
    "relevant documents not retrieved": lambda a, rel: (
        (a.retrieved > 0) & (a.num_relevant(rel) > a.found(rel, None))
    ),
    "nothing relevant retrieved": lambda a, rel: (
        (a.retrieved > 0) & (a.num_relevant(rel) > 0) & (a.found(rel, None) == 0)
    ),
    "fractional labels": lambda a, _: _judged(a, a.ideal_label % 1 != 0),
    "nothing relevant": lambda a, rel: a.num_relevant(rel) == 0,
    "nothing judged non-relevant": lambda a, rel: (
        _any(a, a.label >= rel) & ~_judged(a, a.ideal_label < rel)
    ),
    "empty rankings": lambda a, _: a.retrieved == 0,
    "one document beyond the gains": lambda a, _: _one_beyond_the_gains(a),
}
"""Which queries of an alignment meet a condition, (Q,) bool, by name.

Relevant are labels of at least ``rel``, the second argument. The alignment has all judged
documents.
"""


def concerning(profile: Profile, measures: Iterable[Measure]) -> list[Difference]:
    """Return the differences of a profile that concern measures, under conditions of the data."""
    return [difference for difference, _ in _concerning(profile, measures)]


def conditions_met(
    profile: Profile, measures: Iterable[Measure], a: Alignment
) -> list[tuple[Difference, Bools]]:
    """Return the differences that concern measures, and which queries meet each: (Q,) bool."""
    found = []
    for difference, levels in _concerning(profile, measures):
        condition = CONDITIONS[difference.when or ""]
        met = [condition(a, rel) for rel in sorted(levels)]
        found.append((difference, np.logical_or.reduce(met)))
    return found


def differences_met(
    profile: Profile, measures: Iterable[Measure], a: Alignment
) -> list[tuple[Difference, int]]:
    """Return the differences whose condition holds, with the number of queries that meet it."""
    met = conditions_met(profile, measures, a)
    return [(difference, int(queries.sum())) for difference, queries in met if queries.any()]


def _concerning(
    profile: Profile, measures: Iterable[Measure]
) -> Iterator[tuple[Difference, set[float]]]:
    """Return the differences that concern measures, with their lowest relevant labels."""
    names = [(measure, _names(profile, measure)) for measure in measures]
    for difference in profile.differences:
        levels = {
            float(getattr(measure, "rel", 1.0))
            for measure, own in names
            if not difference.measures or own.intersection(difference.measures)
        }
        if difference.when is not None and levels:
            yield difference, levels


def _names(profile: Profile, measure: Measure) -> set[str]:
    """Return the tool's names of a measure, as differences have them."""
    names = {row.name for row in profile.measures if row.gives(measure)}
    return names | {JUDGED_ONLY} if measure.judged_only else names
