"""Searches of queries in whatever form they are given: what each call retrieved, and its costs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from rankmark.conventions import query_text
from rankmark.data.given_tables.given_columns import is_empty, number_in
from rankmark.data.given_tables.role_tables import (
    QUERY,
    Role,
    RoleTable,
    TableKind,
    refuse_unused,
    role_table,
)
from rankmark.errors import InputError, SchemaError, shown

GivenCalls = Any
"""Searches in any form: rows, a frame, a file, or {query: [documents of each call]}."""

ROLES = (
    QUERY,
    Role("call", ("call", "callid", "toolcallid", "callnumber", "search", "searchid", "step",
                  "stepid", "turn", "turnid", "hop", "round")),
    Role("doc_id", ()),  # or lists of them, in a row for each call
    Role("score", (), optional=True),
    Role("rank", (), optional=True),
    Role("applicable", ("applicable", "isapplicable", "isretrieval"), optional=True),
)  # fmt: skip
_USUAL_COSTS = ("tokens", "cost", "seconds")
_TRUE, _FALSE = {"true", "yes", "1", "1.0"}, {"false", "no", "0", "0.0"}
_NEEDED = (
    "a table with the columns query_id, call, doc_id and score or rank, {query: [documents of the "
    "first call, documents of the second call, ...]}, or a file of these"
)


class Calls(NamedTuple):
    """What was retrieved by each call of each query.

    Parameters
    ----------
    lists
        {query: the documents of each of its calls, best first}, the calls in their order. Calls to
        which retrieval does not apply are not in there.
    not_applicable
        The queries none of whose calls retrieves documents.
    made
        {query: the number of its calls}, with those to which retrieval does not apply.
    costs
        {name: {query: the sum over its calls}}; NaN where no call of the query has any.
    repeated
        How many documents a call retrieved again that it had retrieved before.
    name, read
        What the table is called, and how it was read.
    """

    lists: dict[str, list[list[str]]]
    not_applicable: tuple[str, ...]
    made: dict[str, int]
    costs: dict[str, dict[str, float]]
    repeated: int
    name: str
    read: dict[str, Any]


def given_calls(
    given: GivenCalls,
    names: Mapping[str, str],
    costs: Sequence[str] | None = None,
    document_costs: Sequence[str] = (),
) -> Calls:
    """Read what each call retrieved.

    Parameters
    ----------
    given
        A table, a mapping or a file.
    names
        The columns that have other names than usual, by role.
    costs, document_costs
        Columns of costs, of calls and of documents; None for those with usual names.
    """
    table = role_table(given, TableKind("calls", ROLES, _NEEDED, _of_lists), names)
    refuse_unused(names, table)
    rows = _rows_by_call(table)
    orders = table.order(_cost_names(table, costs, document_costs)[0])
    documents = table.texts("doc_id")
    lists: dict[str, list[list[str]]] = {query: [] for query in table.empty}
    of_query: dict[str, list[list[int]]] = {query: [] for query in table.empty}
    not_applicable: dict[str, bool] = dict.fromkeys(table.empty, False)
    repeated = 0
    for (query, _), at in rows.items():
        of_query.setdefault(query, []).append(at)
        calls = lists.setdefault(query, [])
        if not _applies(table, at, documents):
            not_applicable.setdefault(query, True)
            continue
        not_applicable[query] = False
        ordered = at if orders is None else sorted(at, key=orders.__getitem__)
        found = [document for row in ordered if (document := documents[row]) is not None]
        calls.append([*dict.fromkeys(found)])
        repeated += len(found) - len(calls[-1])
    return Calls(
        lists,
        tuple(query for query, is_so in not_applicable.items() if is_so),
        {query: len(calls) for query, calls in of_query.items()},
        _costs(table, of_query, costs, document_costs),
        repeated,
        table.name,
        table.read,
    )


def _of_lists(given: Mapping[Any, Any], where: str) -> tuple[dict[str, list[Any]], list[Any]]:
    """Turn {query: [documents of each call]} into columns."""
    columns: dict[str, list[Any]] = {name: [] for name in ("query_id", "call", "doc_id", "rank")}
    empty = []
    for query, calls in given.items():
        listed = calls.values() if isinstance(calls, Mapping) else calls
        if isinstance(listed, (str, bytes)) or not isinstance(listed, Iterable):
            raise SchemaError(
                f"calls of {shown(query)} are {shown(calls)}", f"need {_NEEDED}", where=where
            )
        listed = [*listed]
        if not listed:
            empty.append(query)
        for number, of_call in enumerate(listed, 1):
            call = f"call {number:,} of {shown(query)}"
            documents = of_call
            if isinstance(of_call, Mapping):
                scores = {one: _score(score, one, call, where) for one, score in of_call.items()}
                documents = sorted(scores, key=scores.__getitem__, reverse=True)
            if isinstance(documents, (str, bytes)) or not isinstance(documents, Iterable):
                raise SchemaError(
                    f"{call} is {shown(documents)}",
                    "need a list of documents, best first, or {document: score}",
                    where=where,
                )
            documents = [*documents]
            for document in documents:
                query_text(document, f"{where}: {call}")  # an id, and no row, list or None
            for rank, document in enumerate(documents or [None], 1):
                row = (query, number, document, rank)
                for values, value in zip(columns.values(), row, strict=True):
                    values.append(value)
    return columns if columns["query_id"] else {}, empty


def _score(score: Any, document: Any, call: str, where: str) -> float:
    """Return the score of a document as a finite number."""
    number = None if isinstance(score, str) else number_in(score)
    if number is None or not math.isfinite(number):
        raise SchemaError(
            f"{call}: the score of {shown(document)} is {shown(score)}",
            "need a finite number",
            where=where,
        )
    return number


def _rows_by_call(table: RoleTable) -> dict[tuple[str, str], list[int]]:
    """Return the rows of each call of each query, the calls in their order."""
    rows: dict[tuple[str, str], list[int]] = {}
    for row, key in enumerate(zip(table.ids("query_id"), table.ids("call"), strict=True)):
        rows.setdefault(key, []).append(row)
    numbers = {call: number_in(call) for _, call in rows}
    if not all(number is not None and math.isfinite(number) for number in numbers.values()):
        return rows  # names, whose order is that of the rows
    places = {query: place for place, (query, _) in enumerate(reversed(rows))}
    keys = sorted(rows, key=lambda key: (-places[key[0]], numbers[key[1]]))
    return {key: rows[key] for key in keys}


def _applies(table: RoleTable, rows: Sequence[int], documents: Sequence[str | None]) -> bool:
    """Return whether a call retrieves documents."""
    values = table.get("applicable")
    if values is None:
        return True
    found = set()
    for row in rows:
        if is_empty(values[row]):
            continue
        word = str(values[row]).strip().lower()
        if word not in _TRUE | _FALSE:
            raise table.error(
                row,
                f"applicable{table.places.of(row)} is {shown(values[row])}",
                "need true, false, or an empty cell",
            )
        found.add(word in _TRUE)
        if word in _FALSE and documents[row] is not None:
            raise table.error(
                row,
                f"applicable{table.places.of(row)} is false, and there is a document",
                "leave the document out, or set applicable to true",
            )
    return found != {False}


def _costs(
    table: RoleTable,
    of_query: Mapping[str, list[list[int]]],
    costs: Sequence[str] | None,
    document_costs: Sequence[str],
) -> dict[str, dict[str, float]]:
    """Return the costs of each query, by their names."""
    names, of_documents = _cost_names(table, costs, document_costs)
    found: dict[str, dict[str, float]] = {}
    for name in names:
        if name not in table.others:
            have = ", ".join(table.others) or "no other columns"
            raise SchemaError(
                f"there is no column {shown(name)} of costs", f"it has {have}", where=table.name
            )
        values = table.others.numbers_if_any(name)
        total = _of_documents if name in of_documents else _of_call
        found[name] = {
            query: _sum([total(values, rows, name, table.name) for rows in calls])
            for query, calls in of_query.items()
        }
    return found


def _cost_names(
    table: RoleTable, costs: Sequence[str] | None, document_costs: Sequence[str]
) -> tuple[list[str], Sequence[str]]:
    """Return the columns of costs, and those of them that are costs of documents."""
    if costs is None:
        usual = {name.lower(): name for name in table.others}
        costs = [usual[name] for name in _USUAL_COSTS if name in usual]
    return [*dict.fromkeys([*costs, *document_costs])], document_costs


def _sum(values: Iterable[float]) -> float:
    present = [value for value in values if not math.isnan(value)]
    return math.fsum(present) if present else math.nan


def _of_documents(values: Sequence[float], rows: Sequence[int], _name: str, _where: str) -> float:
    return _sum(values[row] for row in rows)


def _of_call(values: Sequence[float], rows: Sequence[int], name: str, where: str) -> float:
    """Return the cost of a call, which any of its rows may have."""
    known = {values[row] for row in rows if not math.isnan(values[row])}
    if len(known) > 1:
        raise InputError(
            f"{name} differs within a call, in rows {rows[0] + 1:,} to {rows[-1] + 1:,}",
            f"give the same in all rows of a call; or, if it is the cost of each document, name it "
            f"as one: document_costs={name!r}",
            where=where,
        )
    return known.pop() if known else math.nan
