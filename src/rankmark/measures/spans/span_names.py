"""Names of measures of spans, and the measures that they mean."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from rankmark.errors import MeasureError, shown
from rankmark.formulas import as_formulas, formulas_in
from rankmark.measures.spans import ALL
from rankmark.measures.spans.span_measure import SpanMeasure

_BY_NAME = {name.lower(): found for found in ALL for name in (found.name, *found.aliases)}


def span_measures(name: str | SpanMeasure) -> tuple[SpanMeasure, ...]:
    """Find all measures that a name stands for: ``SpanRecall@5,10`` or ``SpanF, SpanIoU``.

    Raises
    ------
    MeasureError
        If the name is unknown, or a parameter is invalid.

    Examples
    --------
    >>> from rankmark.measures.spans.span_names import span_measures
    >>> span_measures("SpanRecall@tokens(2000), spaniou@5")
    (SpanRecall@tokens(2000), SpanIoU@5)
    """
    if isinstance(name, SpanMeasure):
        return (name,)
    if not isinstance(name, str):
        raise MeasureError(
            f"{shown(name)} is not a measure of spans", "need its name, such as SpanRecall@5"
        )
    return _parsed(name)


def as_span_measures(
    requested: Iterable[str | SpanMeasure] | str | SpanMeasure,
) -> tuple[SpanMeasure, ...]:
    """Return the requested measures in order, without duplicates."""
    return as_formulas(requested, span_measures, "measure", "SpanRecall@5")


@lru_cache(maxsize=256)
def _parsed(name: str) -> tuple[SpanMeasure, ...]:
    return formulas_in(name, _BY_NAME, "measure of spans")
