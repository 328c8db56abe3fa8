"""Measure how much of the relevant text, audio or video was retrieved."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

import numpy as np

from rankmark.answers.spans.given_spans import ROLES, GivenSpans, Which, matched_spans
from rankmark.answers.spans.span_evaluation import SpanEvaluation
from rankmark.arguments import Columns, checked
from rankmark.data.given_tables.role_tables import named_roles
from rankmark.errors import InputError, MeasureError, listed
from rankmark.measures.spans import SpanMeasure
from rankmark.measures.spans.span_intervals import Intervals
from rankmark.measures.spans.span_names import as_span_measures

Empty = Literal["zero", "nan", "error"]
SpanProfile = Literal["chroma"]

DEFAULT = ("SpanRecall", "SpanPrecision", "SpanIoU")
"""The default measures; with all chunks, also PrecisionOmega."""


@checked
def evaluate_spans(
    gold: GivenSpans,
    retrieved: GivenSpans,
    measures: Iterable[str | SpanMeasure] | str | SpanMeasure | None = None,
    *,
    chunks: GivenSpans | None = None,
    queries: Which = "judged",
    empty: Empty | None = None,
    profile: SpanProfile | None = None,
    columns: Columns = None,
) -> SpanEvaluation:
    """Measure how much of the gold spans of each query was retrieved, and how much else.

    A span is a half-open interval [start, end) of a document, in characters, tokens, bytes or
    seconds; gold and retrieved have the same unit. It does not matter how documents were cut.

    Parameters
    ----------
    Data:
    gold
        The spans that answer each query: ``{query: [(document, start, end), ...]}``; rows, or a
        frame, with the columns query_id, doc_id, start and end; or a file of these: CSV, TSV, JSON,
        JSON Lines, Parquet.
    retrieved
        The chunks retrieved for each query, best first, in the same forms. A score, as a fourth
        number or as a column, orders them, highest first; a rank does, too. Chunks with equal
        scores stay in their order.
    chunks
        All chunks of the collection, for PrecisionOmega: a table with doc_id, start and
        end.

        Or ``{document: [(start, end), ...]}``.

    Measures:
    measures
        A measure, such as SpanRecall@5, SpanRecall@tokens(2000) or
        SegmentRecall(iou=0.5)@1; None for SpanRecall, SpanPrecision, SpanIoU, and with
        chunks PrecisionOmega.

        Names or objects, such as ``spans.SPAN_F(beta=2)``, in the order of the result;
        duplicates are removed.

    Conventions:
    queries
        Which queries are averaged: all with gold spans (``"judged"``), also if nothing was
        retrieved; or only those for which something was (``"both"``).
    empty
        The precision of a query for which nothing was retrieved: ``"zero"``; ``"nan"``,
        which leaves it out of the mean; ``"error"`` refuses it; None for zero, or error
        under the profile chroma.

        Recall, IoU and F are 0. The same holds for PrecisionOmega if no chunk contains
        gold.
    profile
        ``"chroma"`` computes as Chroma's chunking_evaluation does.

        That is ``count="sum"``, ``gold="sum"``, PrecisionOmega with ``touching`` and
        ``missed``, and ``empty="error"``, unless the measure or the option says otherwise.

    Reading:
    columns
        Names of the columns that contain query_id, doc_id, start, end, score or rank, if
        they are not recognised.

        Such as ``{"start": "from_char"}``.

    Returns
    -------
    SpanEvaluation
        ``scores``: (n_queries, n_measures) float64, unitless, one row per query, in the order of
        gold. ``compare_scores({"a": one, "b": other})`` compares two.

    Raises
    ------
    SchemaError
        If a form is unknown, a column is missing, or a bound is not a number.
    InputError
        If a span ends before it starts, a gold span is empty, or an option has an invalid value.
    MismatchError
        If gold and retrieved have no query in common.
    MeasureError
        If a measure or one of its parameters does not exist, or needs ``chunks``.

    Examples
    --------
    >>> import rankmark as rm
    >>> gold = {"q1": [("d1", 50, 80), ("d1", 210, 230)]}
    >>> retrieved = {"q1": [("d1", 0, 100), ("d1", 300, 400)]}
    >>> found = rm.evaluate_spans(gold, retrieved, ["SpanRecall", "SpanPrecision"])
    >>> found["SpanRecall"], found["SpanPrecision"]
    (0.6, 0.15)
    """
    names = named_roles(columns, ROLES)
    default = DEFAULT if chunks is None else (*DEFAULT, "PrecisionOmega")
    requested = as_span_measures(default if measures is None else measures)
    if profile == "chroma":
        requested = tuple(dict.fromkeys(measure.as_chroma() for measure in requested))
    needing = [measure for measure in requested if measure.needs_chunks]
    if needing and chunks is None:
        raise MeasureError(
            f"{needing[0]} needs all chunks of the collection",
            "give them as chunks, or leave it out",
        )
    rule: Empty = empty or ("error" if profile == "chroma" else "zero")
    found = matched_spans(gold, retrieved, chunks, names, queries)
    if rule == "error" and len(needing) < len(requested):  # some measure what was retrieved
        _refuse_empty(found.spans.retrieved, found.queries)
    scores = np.column_stack([measure.of(found.spans) for measure in requested])
    scores = scores.reshape(len(found.queries), len(requested))
    if rule != "nan":
        scores = np.where(np.isnan(scores), 0.0, scores)
    undefined = dict(zip(map(str, requested), np.isnan(scores).sum(axis=0).tolist(), strict=True))
    return SpanEvaluation(
        measures=requested,
        queries=found.queries,
        scores=scores,
        conventions={"queries": queries, "empty": rule}
        | ({} if profile is None else {"profile": profile}),
        audit=replace(found.audit, undefined=undefined),
        read=found.read,
    )


def _refuse_empty(retrieved: Intervals, queries: tuple[str, ...]) -> None:
    """Refuse queries for which nothing was retrieved."""
    lengths = np.bincount(
        retrieved.query, retrieved.end - retrieved.start, minlength=len(queries)
    ).tolist()
    without = [name for name, length in zip(queries, lengths, strict=True) if not length]
    if without:
        raise InputError(
            f"nothing was retrieved for {len(without):,} of {len(queries):,} queries: "
            f"{listed(without[:3], len(without))}, and their precision is undefined",
            'choose empty="zero", or "nan" to leave them out',
        )
