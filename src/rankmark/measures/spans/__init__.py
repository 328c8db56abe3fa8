"""Measures of spans: how much of the relevant text, audio or video was retrieved.

A span is an interval [start, end) of a document, in characters, tokens, bytes or seconds. Each
measure takes parameters and a cutoff, such as ``SPAN_RECALL @ "tokens(2000)"`` or ``SPAN_IOU @ 5``;
``evaluate_spans`` takes them, or their names. No value exceeds 1, whatever is repeated.
"""

from rankmark.measures.spans.span_formulas import (
    PRECISION_OMEGA,
    SEGMENT_RECALL,
    SPAN_F,
    SPAN_IOU,
    SPAN_PRECISION,
    SPAN_RECALL,
)
from rankmark.measures.spans.span_measure import SpanMeasure

ALL: tuple[SpanMeasure, ...] = (
    SPAN_RECALL,
    SPAN_PRECISION,
    SPAN_IOU,
    SPAN_F,
    PRECISION_OMEGA,
    SEGMENT_RECALL,
)
"""All measures of spans."""

__all__ = [
    "ALL",
    "PRECISION_OMEGA",
    "SEGMENT_RECALL",
    "SPAN_F",
    "SPAN_IOU",
    "SPAN_PRECISION",
    "SPAN_RECALL",
    "SpanMeasure",
]
