"""Conditions of the data under which a tool differs from every convention."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
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


def _nothing_relevant(a: Alignment) -> Bools:
    nothing: Bools = a.num_relevant(1.0) == 0
    return nothing


def _one_beyond_the_gains(a: Alignment) -> Bools:
    with_gain = np.bincount(a.ideal_query()[a.ideal_label > 0], minlength=len(a.retrieved))
    one: Bools = (a.retrieved == with_gain + 1) & (with_gain > 0)
    return one


CONDITIONS: Mapping[str, Callable[[Alignment], Bools]] = {
    "ties": _tied,
    "ties in long rankings": lambda a: _tied(a) & (a.retrieved > _STABLE),
    "negative labels": lambda a: _judged(a, a.ideal_label < 0),
    "only negative labels": lambda a: (
        _judged(a, a.ideal_label < 0) & ~_judged(a, a.ideal_label >= 0)
    ),
    "labels below 1": lambda a: _judged(a, a.ideal_label < 1),
    "graded labels": lambda a: _judged(a, a.ideal_label > 1),
    "labels above 4": lambda a: _judged(a, a.ideal_label > _HIGHEST_OF_GDEVAL),
    "everything relevant": lambda a: (a.retrieved > 0) & (a.found(1.0, None) == a.retrieved),
    "relevant documents not retrieved": lambda a: (
        (a.retrieved > 0) & (a.num_relevant(1.0) > a.found(1.0, None))
    ),
    "fractional labels": lambda a: _judged(a, a.ideal_label % 1 != 0),
    "nothing relevant": _nothing_relevant,
    "nothing judged non-relevant": lambda a: _any(a, a.label >= 1) & ~_judged(a, a.ideal_label < 1),
    "empty rankings": lambda a: a.retrieved == 0,
    "one document beyond the gains": _one_beyond_the_gains,
}
"""Which queries of an alignment meet a condition, (Q,) bool, by name.

Relevant are labels of at least 1. The alignment has all judged documents.
"""


def concerning(profile: Profile, measures: Iterable[Measure]) -> list[Difference]:
    """Return the differences of a profile that concern measures, under conditions of the data."""
    measures = list(measures)
    concerned = {row.name for row in profile.measures for one in measures if row.gives(one)}
    if any(one.judged_only for one in measures):
        concerned.add(JUDGED_ONLY)
    return [
        difference
        for difference in profile.differences
        if difference.when is not None
        and (not difference.measures or concerned.intersection(difference.measures))
    ]


def conditions_met(
    profile: Profile, measures: Iterable[Measure], a: Alignment
) -> list[tuple[Difference, Bools]]:
    """Return the differences that concern measures, and which queries meet each: (Q,) bool."""
    found = concerning(profile, measures)
    return [(one, CONDITIONS[one.when](a)) for one in found if one.when is not None]


def differences_met(
    profile: Profile, measures: Iterable[Measure], a: Alignment
) -> list[tuple[Difference, int]]:
    """Return the differences whose condition holds, with the number of queries that meet it."""
    met = conditions_met(profile, measures, a)
    return [(difference, int(queries.sum())) for difference, queries in met if queries.any()]
