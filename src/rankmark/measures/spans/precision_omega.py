"""PrecisionOmega: the precision of all chunks that contain gold, the ceiling of a chunker."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.formulas import choice, flag
from rankmark.measures.spans.span_intervals import covered, pairs
from rankmark.measures.spans.span_measure import Count, SpanMeasure, ratio

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.measures.spans.span_intervals import Spans


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
