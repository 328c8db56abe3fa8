"""Intervals of the values of an evaluation, over orders of ties or unknown judgments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.data.alignment import Needs
from rankmark.data.alignment.tie_probabilities import queries_of
from rankmark.errors import MeasureError, listed
from rankmark.scoring.query_scores import in_groups
from rankmark.scoring.ties import Case, extreme

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rankmark.array_types import Floats
    from rankmark.measures import Measure
    from rankmark.scoring.kept_data import KeptData

_QUERIES = 8192  # whose ties are sorted at a time


def of_ties(
    kept: KeptData, measures: Sequence[Measure], *, thorough: bool
) -> tuple[Floats, Floats]:
    """Return the lowest and highest value over orders of ties: (Q, M) float64 each.

    If sorted orders need not be the extremes, ``thorough`` also tries others.
    """
    cases: Sequence[Case]
    if kept.run.source.ranks_alone:  # how many documents tie is not known
        ranked = kept.ranked(kept.needs)
        values = np.column_stack([ranked.score(measure) for measure in measures])
        return values, values
    if "costs" in kept.alignment.views:  # that orders change nothing, or it is not known what
        values = np.column_stack([measure.score(kept.alignment) for measure in measures])
        return values, values
    if kept.conventions.depth is None:  # a copy, so that sorted orders are not cached
        cases = [Case.certain(kept.alignment.with_columns())]
    else:  # the alignment lacks documents beyond the depth
        cases = kept.orders(Needs(subtopics=kept.needs.subtopics))
    shared = [measure for measure in measures if measure not in kept.own]
    pieces = [_ends(shared, piece, thorough=thorough) for piece in _in_pieces(cases)]
    found = dict(zip(shared, np.concatenate(pieces, axis=2), strict=True))
    ends = [
        [column[:, 0] for column in of_ties(kept.own[measure], [measure], thorough=thorough)]
        if measure in kept.own
        else found[measure]
        for measure in measures
    ]
    low = [np.minimum(*both) for both in ends]  # for some measures, less is better
    high = [np.maximum(*both) for both in ends]
    return np.column_stack(low), np.column_stack(high)


def _ends(measures: Sequence[Measure], cases: Sequence[Case], *, thorough: bool) -> Floats:
    """Return each query's values in the worst and in the best order: (M, 2, Q) float64."""
    ends = [
        [extreme(measure, cases, best=best, thorough=thorough) for best in (False, True)]
        for measure in measures
    ]
    return np.reshape(ends, (len(measures), 2, len(cases[0].chance)))


def _in_pieces(cases: Sequence[Case]) -> Iterator[Sequence[Case]]:
    """Divide many queries, since sorting their ties needs several copies of their rows."""
    count = len(cases[0].chance)
    if count <= _QUERIES:
        yield cases
        return
    for begin in range(0, count, _QUERIES):
        end = min(begin + _QUERIES, count)
        yield [
            Case(queries_of(case.alignment, begin, end), case.chance[begin:end]) for case in cases
        ]


def of_all(
    measures: Sequence[Measure], known: Mapping[str, tuple[float, float]]
) -> dict[str, tuple[float, float]]:
    """Return the bounds, unless those of measures over subtopics or weights are missing."""
    missing = [name for name in map(str, measures) if name not in known]
    if missing:
        raise MeasureError(
            f"bounds are unavailable for subtopic and weighted measures: {listed(missing)}",
            "those of unjudged documents are unknown; leave these measures out",
        )
    return dict(known)


def of_judging(kept: KeptData, measures: Sequence[Measure]) -> tuple[Floats, Floats]:
    """Return bounds on each value if unjudged documents were judged: (Q, M) float64 each.

    NaN for measures over subtopics or weights, as nobody knows those of unjudged documents, for
    those of judged documents only, and for those of lists, of which most do not look at judgments.
    """
    from rankmark.scoring.unjudged_bounds import bounds  # noqa: PLC0415  (many measures)

    if kept.run.source.ranks_alone:
        raise MeasureError(
            "bounds are unavailable for ranks of targets, as nothing is known of the documents "
            "between them",
            "leave bounds out",
        )
    if in_groups(kept.alignment):
        raise MeasureError(
            f"bounds are unavailable for judgments in groups, as in {kept.qrels.name}: the groups "
            "that would judge unjudged documents are unknown",
            "leave bounds out",
        )
    ranked = kept.ranked(Needs())
    unknown = np.full(len(ranked.alignment.retrieved), np.nan)
    found = [
        (unknown, unknown)
        if measure.depends_on in {"subtopics", "lists"}
        or measure.judged_only
        or measure.is_rejudged
        else tuple(column[:, 0] for column in of_judging(kept.own[measure], [measure]))
        if measure in kept.own
        else bounds(measure, ranked)
        for measure in measures
    ]
    return np.column_stack([low for low, _ in found]), np.column_stack([high for _, high in found])
