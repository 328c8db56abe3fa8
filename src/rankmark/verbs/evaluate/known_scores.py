"""What is known of scores by query from their names: the range, and which way is better."""

from __future__ import annotations

from typing import NamedTuple

from rankmark.errors import MeasureError
from rankmark.measures.names import measures
from rankmark.measures.spans.span_names import span_measures

NUGGET_SCORES: tuple[str, ...] = (
    *("strict_vital", "strict_all", "vital", "all", "weighted_strict", "weighted"),
)
"""The scores of ``nuggets``, in the order of tables; the first is the primary one of TREC RAG."""
CITATION_SCORES: tuple[str, ...] = ("precision", "recall", "F")
"""The scores of ``citations``, in the order of tables."""


class KnownScore(NamedTuple):
    """What is known of a score.

    Parameters
    ----------
    bounds
        The lowest and the highest value, or the limits that values approach.
    more_is_better
        Whether a higher value is better.
    aggregate
        As measures have it.
    """

    bounds: tuple[float, float]
    more_is_better: bool = True
    aggregate: str = "mean"


def known_score(name: str) -> KnownScore | None:
    """Return what is known of a score by its name; None of a name that rankmark does not know.

    Known are the scores of ``nuggets`` and ``citations``, all measures, also by the names that
    other tools give them, and measures of spans.
    """
    if name in {*NUGGET_SCORES, *CITATION_SCORES}:
        return KnownScore((0.0, 1.0))
    try:
        found = measures(name)
    except MeasureError:
        return _of_spans(name)
    if len(found) != 1:
        return None
    (one,) = found
    return KnownScore(one.bounds, one.more_is_better, one.aggregate)


def canonical_name(name: str) -> str:
    """Return the name that rankmark gives a measure, or the name itself if it is none."""
    for names in (measures, span_measures):
        try:
            found = names(name)
        except MeasureError:
            continue
        if len(found) == 1:
            return str(found[0])
    return name


def _of_spans(name: str) -> KnownScore | None:
    try:
        found = span_measures(name)
    except MeasureError:
        return None
    return KnownScore((0.0, 1.0)) if len(found) == 1 else None
