"""The lowest relevant label of measures for which none was chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.errors import MeasureError, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.measures.base.measure import Measure


_OF_ALL_ITEMS = {
    "relevant": False,
    "relevance": "all",
    "parity": "demographic",
    "rate": "parity",
}
"""Values of parameters with which a measure of lists does not look at labels."""


def takes_rel(measure: Measure) -> bool:
    """Return whether only documents from a label ``rel`` on are relevant to a measure.

    Gains of graded measures and judgments by subtopic have thresholds of their own.
    """
    return (
        "rel" in measure.parameters
        and measure.depends_on != "subtopics"
        and getattr(measure, "max_rel", None) is None
        and not any(vars(measure).get(name) == value for name, value in _OF_ALL_ITEMS.items())
    )


def without_rel(measures: Sequence[Measure]) -> list[Measure]:
    """Return the measures that take ``rel`` and for which it was not chosen."""
    return [measure for measure in measures if _is_open(measure)]


def with_rel(measures: Sequence[Measure], rel: float | None) -> list[Measure]:
    """Choose ``rel`` for the measures that take it and for which it was not chosen.

    Raises
    ------
    MeasureError
        If no measure takes it, or it is not a finite number.
    """
    if rel is None:
        return list(measures)
    if not any(map(takes_rel, measures)):
        names = ", ".join(map(str, measures[:3])) + (", ..." if measures[3:] else "")
        raise MeasureError(
            f"rel={shown(rel)} applies to no measure: {names}",
            "leave it out, or add a measure with a threshold, such as AP",
        )
    return [measure(rel=rel) if _is_open(measure) else measure for measure in measures]


def _is_open(measure: Measure) -> bool:
    return takes_rel(measure) and "rel" not in measure.chosen
