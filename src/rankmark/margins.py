"""How far ties and unjudged documents could move the values of an evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.alignment import Needs
from rankmark.errors import MeasureError, listed
from rankmark.sources import match
from rankmark.ties import RULES, Case, extreme, match_unordered
from rankmark.unjudged import bounds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.alignment import Alignment, Floats
    from rankmark.conventions import Conventions
    from rankmark.measures import Measure
    from rankmark.sources import Qrels, Run


def of_ties(
    qrels: Qrels,
    run: Run,
    measures: Sequence[Measure],
    conventions: Conventions,
    alignment: Alignment,
    *,
    thorough: bool,
) -> tuple[Floats, Floats]:
    """Give each value as ties may make it least and greatest: (Q, M) float64 each.

    Where the sorted orders need not be the extremes, others are tried if it is to be thorough.
    """
    # What is sorted for this is not kept afterwards.
    cases = [Case(alignment.with_columns(), np.ones(len(alignment.retrieved)))]
    if conventions.depth is not None:  # an alignment does not hold what its depth cut away
        _, _, cases = match_unordered(qrels, run, conventions, needs=Needs())
    ends = [
        [extreme(one, cases, best=best, thorough=thorough) for best in (False, True)]
        for one in measures
    ]
    low = [np.minimum(*both) for both in ends]  # for some measures, less is better
    high = [np.maximum(*both) for both in ends]
    return np.column_stack(low), np.column_stack(high)


def of_judging(
    qrels: Qrels, run: Run, measures: Sequence[Measure], conventions: Conventions
) -> tuple[Floats, Floats]:
    """Give what judging the unjudged documents could make of each value: (Q, M) float64 each."""
    if qrels.groups is not None:
        raise MeasureError(
            f"bounds are not known of judgments in groups, which {qrels.name} holds; nobody says "
            "who might judge an unjudged document; leave them out"
        )
    rule = next((rule for rule in RULES if rule == conventions.ties), None)
    if rule is None:
        a, _ = match(qrels, run, conventions, needs=Needs())
    else:
        _, _, cases = match_unordered(qrels, run, conventions, needs=Needs())
        a = cases[0].alignment
    blind = [str(one) for one in measures if one.sees == "subtopics"]
    if blind:
        raise MeasureError(
            f"bounds are not known of measures over subtopics: {listed(blind)}; nobody says which "
            "subtopics an unjudged document may be relevant to; leave these out"
        )
    found = [bounds(one, a, rule) for one in measures]
    return np.column_stack([low for low, _ in found]), np.column_stack([top for _, top in found])
