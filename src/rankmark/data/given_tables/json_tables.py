"""Tables in JSON: rows, columns, a mapping from query ids, or results of rankmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankmark.data.files.json_text import json_entries
from rankmark.data.given_tables.given_columns import Columns, Places, of_records
from rankmark.errors import ParseError


def json_table(data: bytes, name: str, *, by_line: bool) -> Columns:
    """Read a list of rows, a row a line, a mapping of columns or from query ids, or results.

    Raises
    ------
    ParseError
        If it is no JSON, or holds no table.
    DuplicateError
        If an object contains a key twice.
    """
    entries = [*json_entries(data, name, by_line=by_line)]
    contents = [entry for *_, entry in entries]
    lines = [line for _, line, _ in entries if line is not None]
    if not contents or not all(isinstance(entry, Mapping) for entry in contents):
        raise ParseError(
            "it holds no table", 'need rows such as {"query_id": "q1", "nDCG": 0.5}', where=name
        )
    if all(map(_is_result, contents)):
        return Columns(of_records(_rows_of_results(contents, name)), Places(name))
    is_document = entries[0][0] == name or (by_line and len(contents) == 1)
    found = _of_document(contents[0]) if is_document else None
    if found is not None:
        return Columns(found, Places(name))
    return Columns(of_records(contents), Places(name, lines if by_line else None))


def _of_document(content: Mapping[str, Any]) -> Mapping[str, Sequence[Any]] | None:
    """Return the columns of a mapping of columns or from queries; None of a single row."""
    values = list(content.values())
    if all(isinstance(value, list) for value in values):
        return content
    if all(isinstance(value, Mapping) for value in values):  # as pytrec_eval returns them
        return of_records([{"query_id": query, **content[query]} for query in content])
    if "query_id" not in content and all(isinstance(value, (int, float)) for value in values):
        return {"query_id": list(content), "score": values}
    return None


def _is_result(content: Mapping[str, Any]) -> bool:
    """Return whether it is a result of rankmark, in its JSON."""
    return {"schema", "rankmark"} <= {*content}


def _rows_of_results(results: Sequence[Mapping[str, Any]], name: str) -> list[Mapping[str, Any]]:
    """Return the scores by query of the JSON of one result, or of several runs."""
    each: list[Any] = []
    for result in results:
        runs = result.get("runs", [result])
        each += runs.values() if isinstance(runs, Mapping) else runs
    rows: list[Mapping[str, Any]] = []
    for one in each:
        found = one.get("per_query") if isinstance(one, Mapping) else None
        if not isinstance(found, Mapping) or not all(
            isinstance(scores, Mapping) for scores in found.values()
        ):
            raise ParseError("it has no scores by query", "write it with --per-query", where=name)
        run = {"run": one["name"]} if "name" in one else {}
        rows += [{**run, "query_id": query, **scores} for query, scores in found.items()]
    return rows
