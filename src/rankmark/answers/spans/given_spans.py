"""Spans in whatever form they are given: gold spans, retrieved chunks, and all chunks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from rankmark.data.given_tables.role_tables import QUERY, Role, RoleTable, TableKind, role_table
from rankmark.errors import InputError, shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankmark.array_types import Floats

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
