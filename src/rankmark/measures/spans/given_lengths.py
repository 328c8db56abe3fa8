"""SpanRecall, SpanPrecision, SpanIoU and SpanF: shares of the lengths that spans cover."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.formulas import choice
from rankmark.measures.spans.span_measure import Count, Gold, SpanMeasure, above, ratio

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Values
    from rankmark.measures.spans.span_intervals import Covered, Spans


def recall_over(
    spans: Spans, *, gold: Gold = "merge", budget: float | None = None, k: int | None = None
) -> Floats:
    """Return the share of the gold that was retrieved."""
    pieces = _pieces(spans, k, budget)
    return ratio(_found(pieces), pieces.total(_gold(pieces, gold)))


def precision_over(
    spans: Spans, *, count: Count = "union", budget: float | None = None, k: int | None = None
) -> Floats:
    """Return the share of what was retrieved that is gold; NaN if nothing was retrieved."""
    pieces = _pieces(spans, k, budget)
    return ratio(_found(pieces), pieces.total(_retrieved(pieces, count)))


def iou_over(
    spans: Spans,
    *,
    count: Count = "union",
    gold: Gold = "merge",
    budget: float | None = None,
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
    budget: float | None = None,
    k: int | None = None,
) -> Floats:
    """Return the harmonic mean of precision and recall; 0 if nothing was retrieved."""
    square = above("beta", beta) ** 2
    pieces = _pieces(spans, k, budget)
    # One sum, as the quotient of two could be above 1 by rounding.
    either = pieces.total((_retrieved(pieces, count) + square * _gold(pieces, gold)) / (1 + square))
    return ratio(_found(pieces), either)


def _pieces(spans: Spans, k: int | None, budget: float | None) -> Covered:
    return spans.covered(k, None if budget is None else above("budget", budget))


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
