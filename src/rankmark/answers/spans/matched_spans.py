"""Gold spans, retrieved chunks and all chunks, with numbers for queries and documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from rankmark.answers.spans.given_spans import GivenSpans, SpanRows, given_spans
from rankmark.answers.spans.span_evaluation import SpanAudit
from rankmark.data.given_tables.role_tables import refuse_unused
from rankmark.errors import MismatchError, listed, warn
from rankmark.measures.spans.segment_recall import is_first
from rankmark.measures.spans.span_intervals import Intervals, Spans, overlapping

if TYPE_CHECKING:
    from rankmark.array_types import Ints

Which = Literal["judged", "both"]


class Matched(NamedTuple):
    """What is evaluated: ids by their numbers, and spans with these numbers."""

    queries: tuple[str, ...]
    documents: tuple[str, ...]
    spans: Spans
    audit: SpanAudit
    read: dict[str, dict[str, Any]]


def matched_spans(
    gold: GivenSpans,
    retrieved: GivenSpans,
    chunks: GivenSpans | None,
    names: Mapping[str, str],
    queries: Which,
) -> Matched:
    """Read spans, and match queries and documents by their ids.

    Raises
    ------
    MismatchError
        If no query has both gold spans and retrieved chunks.
    SchemaError, InputError
        As ``given_spans`` does.
    """
    judged = given_spans(gold, "gold", names)
    run = given_spans(retrieved, "retrieved", names)
    of_documents = None if chunks is None else given_spans(chunks, "chunks", names)
    given = [one.table for one in (judged, run, of_documents) if one is not None]
    refuse_unused(names, *given)
    known = {*judged.queries}
    run_only = [query for query in run.queries if query not in known]
    if len(run_only) == len(run.queries):
        raise MismatchError(
            f"gold and retrieved have no query in common: {listed(judged.queries)} and "
            f"{listed(run.queries)}",
            "give both the same query ids",
            where=run.table.name,
        )
    answered = {*run.query}
    kept = judged.queries
    if queries == "both":
        kept = tuple(query for query in kept if query in answered)
    number = {query: at for at, query in enumerate(kept)}
    documents: dict[str, int] = {}
    gold_rows, run_rows = rows_of(judged, number, documents), rows_of(run, number, documents)
    if len(run_rows.query) and not np.isin(run_rows.document, gold_rows.document).any():
        one, other = judged.document[:3], run.document[:3]
        warn(
            "gold and retrieved have no document in common, so nothing was found: gold has "
            f"{listed([*dict.fromkeys(one)])}, retrieved {listed([*dict.fromkeys(other)])}",
            "give both the same document ids",
        )
    all_chunks = None
    if of_documents is not None:
        all_chunks = rows_of(of_documents, None, documents)
        all_chunks = all_chunks.where(is_first(all_chunks))
    found = Spans(len(kept), gold_rows, run_rows, all_chunks)
    answers = sum(query in answered for query in judged.queries)
    audit = SpanAudit(
        judged=len(judged.queries),
        answered=answers,
        missing=len(judged.queries) - answers,
        run_only=len(run_only),
        run_only_examples=tuple(run_only[:3]),
        averaged=len(kept),
        gold=len(gold_rows.query),
        overlapping=int(overlapping(gold_rows).sum()),
        retrieved=len(run_rows.query),
        repeated=int((~is_first(run_rows)).sum()),
        undefined={},
    )
    read = {
        name: one.read for name, one in zip(("gold", "retrieved", "chunks"), given, strict=False)
    }
    return Matched(kept, tuple(documents), found, audit, read)


def rows_of(
    given: SpanRows, number: Mapping[str, int] | None, documents: dict[str, int]
) -> Intervals:
    """Return the rows of the queries with numbers, by query and then by rank.

    Without numbers, all rows belong to query 0. Documents get the next free numbers.
    """
    query = _numbered(given.query, number) if number is not None else np.zeros_like(given.start)
    document = [documents.setdefault(name, len(documents)) for name in given.document]
    keys: Sequence[Any] = [query] if given.order is None else [given.order, query]
    order = np.lexsort(keys)
    order = order[query[order] >= 0]
    found = Intervals(
        query.astype(np.int64), np.array(document, dtype=np.int64), given.start, given.end
    )
    return found.where(order)


def _numbered(names: Sequence[str], number: Mapping[str, int]) -> Ints:
    return np.array([number.get(name, -1) for name in names], dtype=np.int64)
