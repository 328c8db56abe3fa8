"""A measure of spans: a formula over gold spans and retrieved chunks, with its parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from rankmark.array_types import Floats
from rankmark.formulas import Formula
from rankmark.measures.spans.span_intervals import Intervals, Spans

Count = Literal["union", "sum"]
Gold = Literal["merge", "sum"]


@dataclass(frozen=True, slots=True, repr=False)
class SpanMeasure(Formula):
    """A measure of spans with its parameters: compared, hashed and printed by value.

    ``SPAN_PRECISION(count="sum") @ 5`` sets a parameter and the cutoff.

    Parameters
    ----------
    name
        Its name in ``evaluate_spans`` and on the command line.
    over
        ``over(spans, ...)`` of Spans: (Q,) float64, NaN where the value is undefined.
    formula
        In words.
    aliases
        Other names.
    needs_chunks
        Whether it needs all chunks of the collection.
    chroma
        The parameters with which it is computed as by Chroma's ``chunking_evaluation``.
    given
        The parameters that differ from their defaults.
    """

    name: str
    over: Callable[..., Floats]
    formula: str
    aliases: tuple[str, ...] = ()
    needs_chunks: bool = False
    chroma: tuple[tuple[str, Any], ...] = ()
    given: tuple[tuple[str, Any], ...] = ()

    shown = ()

    def check(self, parameters: Mapping[str, Any]) -> None:
        """Refuse values that parameters cannot have."""
        self.over(_NO_SPANS, **parameters)

    def of(self, spans: Spans) -> Floats:
        """Return the value of each query: (Q,) float64, NaN where it is undefined."""
        return self.over(spans, **dict(self.given))

    def as_chroma(self) -> SpanMeasure:
        """Return it with the parameters of Chroma's code, but for those given."""
        return self.choose(**(dict(self.chroma) | dict(self.given)))


def ratio(part: Floats, whole: Floats) -> Floats:
    """Divide; NaN where the divisor is 0."""
    out = np.full(len(part), np.nan)
    np.divide(part, whole, out=out, where=whole > 0)
    return out


_NO_IDS, _NO_ENDS = np.zeros(0, dtype=np.int64), np.zeros(0)
_NO_ROWS = Intervals(_NO_IDS, _NO_IDS, _NO_ENDS, _NO_ENDS)
_NO_SPANS = Spans(0, _NO_ROWS, _NO_ROWS, _NO_ROWS)
