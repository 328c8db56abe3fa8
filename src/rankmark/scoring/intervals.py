"""How far ties and unjudged documents could move the values of an evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.alignment.alignment import Needs
from rankmark.errors import MeasureError, listed
from rankmark.scoring.over_groups import in_groups
from rankmark.scoring.ties import RULES, Case, extreme
from rankmark.scoring.unjudged_bounds import bounds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.array_types import Floats
    from rankmark.measures import Measure
    from rankmark.scoring.kept_data import Kept


def of_ties(kept: Kept, measures: Sequence[Measure], *, thorough: bool) -> tuple[Floats, Floats]:
    """Give each value as ties may make it least and greatest: (Q, M) float64 each.

    Where the sorted orders need not be the extremes, others are tried if it is to be thorough.
    """
    if kept.conventions.depth is None:  # what is sorted for this is not kept afterwards
        cases = [Case(kept.alignment.with_columns(), np.ones(len(kept.alignment.retrieved)))]
    else:  # an alignment does not hold what its depth cut away
        cases = kept.unordered(Needs(subtopics=kept.needs.subtopics))[1]
    ends = [
        [extreme(one, cases, best=best, thorough=thorough) for best in (False, True)]
        for one in measures
    ]
    low = [np.minimum(*both) for both in ends]  # for some measures, less is better
    high = [np.maximum(*both) for both in ends]
    return np.column_stack(low), np.column_stack(high)


def of_judging(kept: Kept, measures: Sequence[Measure]) -> tuple[Floats, Floats]:
    """Give what judging the unjudged documents could make of each value: (Q, M) float64 each."""
    if in_groups(kept.alignment):
        raise MeasureError(
            f"bounds are not known of judgments in groups, which {kept.qrels.name} holds; nobody "
            "says who might judge an unjudged document; leave them out"
        )
    blind = [str(one) for one in measures if one.depends_on == "subtopics"]
    if blind:
        raise MeasureError(
            f"bounds are not known of measures over subtopics: {listed(blind)}; nobody says which "
            "subtopics an unjudged document may be relevant to; leave these out"
        )
    rule = next((rule for rule in RULES if rule == kept.conventions.ties), None)
    a = kept.aligned(Needs()) if rule is None else kept.unordered(Needs())[1][0].alignment
    found = [bounds(one, a, rule) for one in measures]
    return np.column_stack([low for low, _ in found]), np.column_stack([top for _, top in found])
