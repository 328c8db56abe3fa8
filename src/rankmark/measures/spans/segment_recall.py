"""SegmentRecall: the share of gold spans that a retrieved one matches, as for moments of videos."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.formulas import share
from rankmark.measures.spans.span_intervals import pairs
from rankmark.measures.spans.span_measure import SpanMeasure, above, ratio

if TYPE_CHECKING:
    from rankmark.array_types import Bools, Floats, Ints
    from rankmark.measures.spans.span_intervals import Intervals, Pairs, Spans


def segments_over(spans: Spans, *, iou: float = 0.5, k: int | None = None) -> Floats:
    """Return the share of the gold spans with which one of the first k chunks has this IoU.

    Each gold span counts once, whatever is repeated; gold spans are not merged, but one given
    twice is one.
    """
    least = share("iou", above("iou", iou))
    gold = distinct(spans.gold)
    top = spans.top(k)
    met = pairs(gold, top)
    is_found = np.zeros(len(gold.query), dtype=bool)
    is_found[met.one[iou_of(gold, top, met) >= least]] = True
    return ratio(
        np.bincount(gold.query[is_found], minlength=spans.queries).astype(np.float64),
        np.bincount(gold.query, minlength=spans.queries).astype(np.float64),
    )


def distinct(rows: Intervals) -> Intervals:
    """Return each interval once, in the order of the first."""
    return rows.where(is_first(rows))


def is_first(rows: Intervals) -> Bools:
    """Return which rows have not come before, in the same query: (N,) bool."""
    first = np.zeros(len(rows.query), dtype=bool)
    if len(first):
        columns: Floats = np.stack([column.astype(np.float64) for column in rows])
        places: Ints = np.unique(columns, axis=1, return_index=True)[1]
        first[places] = True
    return first


def iou_of(one: Intervals, other: Intervals, met: Pairs) -> Floats:
    """Return the intersection over union of pairs of intervals: (P,) float64."""
    lengths = (one.end - one.start)[met.one] + (other.end - other.start)[met.other]
    return met.overlap / (lengths - met.overlap)


SEGMENT_RECALL = SpanMeasure(
    "SegmentRecall",
    segments_over,
    "gold spans with which a chunk has this IoU / gold spans",
    aliases=("MomentRecall",),
)
