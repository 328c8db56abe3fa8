"""The measures of spans: shares of gold retrieved, of chunks that are gold, and of gold spans."""

from __future__ import annotations

import numpy as np

from rankmark.arguments import above_zero, flag, part
from rankmark.array_types import Bools, Floats, Ints, Values
from rankmark.formulas import Budget, choice
from rankmark.measures.spans.span_intervals import Covered, Intervals, Pairs, Spans, covered, pairs
from rankmark.measures.spans.span_measure import Count, Gold, SpanMeasure, ratio


def segments_over(
    spans: Spans, *, iou: float = 0.5, budget: Budget | None = None, k: int | None = None
) -> Floats:
    """Return the share of the gold spans with which one of the first k chunks has this IoU.

    Each gold span counts once, whatever is repeated; gold spans are not merged, but one given
    twice is one.
    """
    least = part("iou", above_zero("iou", iou))
    gold = distinct(spans.gold)
    top = spans.top(k, budget)
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


def recall_over(
    spans: Spans, *, gold: Gold = "merge", budget: Budget | None = None, k: int | None = None
) -> Floats:
    """Return the share of the gold that was retrieved."""
    pieces = _pieces(spans, k, budget)
    return ratio(_found(pieces), pieces.total(_gold(pieces, gold)))


def precision_over(
    spans: Spans, *, count: Count = "union", budget: Budget | None = None, k: int | None = None
) -> Floats:
    """Return the share of what was retrieved that is gold; NaN if nothing was retrieved."""
    pieces = _pieces(spans, k, budget)
    return ratio(_found(pieces), pieces.total(_retrieved(pieces, count)))


def iou_over(
    spans: Spans,
    *,
    count: Count = "union",
    gold: Gold = "merge",
    budget: Budget | None = None,
    k: int | None = None,
) -> Floats:
    """Return the length in both over the length in either."""
    pieces = _pieces(spans, k, budget)
    missed = np.where(pieces.retrieved > 0, 0, _gold(pieces, gold))
    return ratio(_found(pieces), pieces.total(_retrieved(pieces, count) + missed))


def f_over(
    spans: Spans,
    *,
    beta: float = 1.0,
    count: Count = "union",
    gold: Gold = "merge",
    budget: Budget | None = None,
    k: int | None = None,
) -> Floats:
    """Return the harmonic mean of precision and recall; 0 if nothing was retrieved."""
    square = above_zero("beta", beta) ** 2
    pieces = _pieces(spans, k, budget)
    # One sum, as the quotient of two could be above 1 by rounding.
    either = pieces.total((_retrieved(pieces, count) + square * _gold(pieces, gold)) / (1 + square))
    return ratio(_found(pieces), either)


def _pieces(spans: Spans, k: int | None, budget: Budget | None) -> Covered:
    return spans.covered(k, budget)


def _found(pieces: Covered) -> Floats:
    return pieces.total((pieces.gold > 0) & (pieces.retrieved > 0))


def _gold(pieces: Covered, gold: Gold) -> Values:
    choice("gold", gold, "merge", "sum")
    return pieces.gold if gold == "sum" else pieces.gold > 0


def _retrieved(pieces: Covered, count: Count) -> Values:
    choice("count", count, "union", "sum")
    return pieces.retrieved if count == "sum" else pieces.retrieved > 0


_AS_SUMS = (("count", "sum"), ("gold", "sum"))

SPAN_RECALL = SpanMeasure(
    "SpanRecall",
    recall_over,
    "gold that was retrieved / gold",
    aliases=("TokenRecall",),
    chroma=_AS_SUMS[1:],
)
SPAN_PRECISION = SpanMeasure(
    "SpanPrecision",
    precision_over,
    "gold that was retrieved / retrieved",
    aliases=("TokenPrecision",),
    chroma=_AS_SUMS[:1],
)
SPAN_IOU = SpanMeasure(
    "SpanIoU",
    iou_over,
    "gold that was retrieved / (retrieved + gold that was not)",
    aliases=("TokenIoU",),
    chroma=_AS_SUMS,
)
SPAN_F = SpanMeasure(
    "SpanF",
    f_over,
    "(1 + beta^2) gold that was retrieved / (retrieved + beta^2 gold)",
    aliases=("SpanF1",),
    chroma=_AS_SUMS,
)


def omega_over(
    spans: Spans, *, count: Count = "union", touching: bool = False, missed: bool = False
) -> Floats:
    """Return the share of all chunks with gold that is gold; NaN if no chunk has any.

    ``touching`` also takes chunks that end where gold starts, or start where it ends; ``missed``
    counts gold that is in no chunk as if it were a part of them.
    """
    choice("count", count, "union", "sum")
    flag("touching", touching)
    flag("missed", missed)
    assert spans.chunks is not None  # noqa: S101  (needs_chunks)
    met = pairs(spans.gold, spans.chunks, by_query=False, touching=touching)
    query, chunk = np.unique(np.stack([spans.gold.query[met.one], met.other]), axis=1)
    pieces = covered(spans.queries, spans.gold, spans.chunks.where(chunk)._replace(query=query))
    chunks = pieces.retrieved if count == "sum" else pieces.retrieved > 0
    others = (pieces.gold > 0) & (pieces.retrieved == 0) & missed
    found = pieces.total((pieces.gold > 0) & (pieces.retrieved > 0))
    return ratio(found, pieces.total(chunks + others.astype(np.int64)))


PRECISION_OMEGA = SpanMeasure(
    "PrecisionOmega",
    omega_over,
    "gold in chunks / all chunks with gold",
    needs_chunks=True,
    chroma=(("touching", True), ("missed", True)),
)
