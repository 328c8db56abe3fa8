"""Spans in whatever form they are given, with numbers for queries and documents."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from rankmark.answers.spans.span_evaluation import SpanAudit
from rankmark.array_types import Floats, Ints
from rankmark.data.given_tables.role_tables import (
    QUERY,
    Role,
    RoleTable,
    TableKind,
    refuse_unused,
    role_table,
)
from rankmark.errors import InputError, MismatchError, listed, shown, warn
from rankmark.measures.spans.span_formulas import is_first
from rankmark.measures.spans.span_intervals import Intervals, Spans, overlapping

Kind = Literal["gold", "retrieved", "chunks"]
GivenSpans = Any
"""Spans in any form: {query: [(document, start, end), ...]}, rows, a frame or a file."""

_UNITS = "(index|idx|offset|char|token|time|s|sec|seconds|pos|position)"
_START = re.compile(rf"(start|begin){_UNITS}?|from|(char|token)(start|begin)|startcharidx")
_END = re.compile(rf"(end|stop){_UNITS}?|to|(char|token)(end|stop)|endcharidx")
_PARTS = frozenset(["chunkid", "chunk", "passageid", "passage", "pid", "nodeid"])
ROLES = (
    QUERY,
    Role("doc_id", give_way=_PARTS),
    Role("start", _START),
    Role("end", _END),
    Role("score", optional=True),
    Role("rank", optional=True),
)
_MOST = 1 << 53  # beyond, float64 does not hold every whole number
_ROWS = "rows or a frame with the columns"
_KINDS: dict[Kind, TableKind] = {
    "gold": TableKind(
        "gold",
        ROLES[:4],
        f"{{query: [(document, start, end), ...]}}, {_ROWS} query_id, doc_id, start and end, or a "
        "file of these",
    ),
    "retrieved": TableKind(
        "retrieved",
        ROLES,
        f"{{query: [(document, start, end), ...]}}, best first, {_ROWS} query_id, doc_id, start, "
        "end and score, or a file of these",
    ),
    "chunks": TableKind(
        "chunks",
        ROLES[1:4],
        f"{{document: [(start, end), ...]}}, {_ROWS} doc_id, start and end, or a file of these",
    ),
}


class SpanRows(NamedTuple):
    """Spans with their queries and documents, a row each, in the order given.

    ``queries`` are all that were given, also those without rows; ``order`` is what rows are sorted
    by, ascending, or None.
    """

    queries: tuple[str, ...]
    query: list[str]
    document: list[str]
    start: Floats
    end: Floats
    order: Sequence[float] | None
    table: RoleTable


def given_spans(given: GivenSpans, kind: Kind, names: Mapping[str, str]) -> SpanRows:
    """Read spans.

    Parameters
    ----------
    given
        A mapping, rows, a frame or a file.
    kind
        What they are.
    names
        The columns that have other names than usual, by role.
    """
    table = role_table(given, _KINDS[kind], names)
    if kind == "gold" and table.empty:
        raise InputError(
            f"query {shown(table.empty[0])} has no gold span",
            "leave it out, or give it one",
            where=table.name,
        )
    queries = [] if kind == "chunks" else table.ids("query_id")
    documents = table.ids("doc_id")
    start, end = table.numbers("start", _MOST), table.numbers("end", _MOST)
    _refuse(table, queries, documents, start, end, empty=kind == "retrieved")
    return SpanRows(
        tuple(dict.fromkeys([*queries, *table.empty])),
        queries,
        documents,
        start,
        end,
        table.order() if kind == "retrieved" else None,
        table,
    )


def _refuse(
    table: RoleTable,
    queries: list[str],
    documents: list[str],
    start: Floats,
    end: Floats,
    *,
    empty: bool,
) -> None:
    """Refuse spans that are none; ``empty`` ones are allowed where nobody needs their length."""
    wrong = (start < 0) | (end < start)
    if not empty:
        wrong |= end == start
    if not wrong.any():
        return
    row = int(np.argmax(wrong))
    whose = f"document {shown(documents[row])}"
    whose += f" for query {shown(queries[row])}" if queries else ""
    span = f"the span{table.places.of(row)}, [{start[row]:.15g}, {end[row]:.15g}) in {whose},"
    if start[row] < 0:
        found = f"{span} starts before 0"
        remedy = "give offsets from 0; str.find returns -1 where a text is not found"
    elif end[row] < start[row]:
        found, remedy = f"{span} ends before it starts", "give its start, then its end"
    else:
        found, remedy = f"{span} is empty", "give the end after its last character"
    count = int(wrong.sum())
    if count > 1:
        found += ", as is 1 other" if count == 2 else f", as are {count - 1:,} others"
    raise table.places.error(row, found, remedy, InputError)


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
