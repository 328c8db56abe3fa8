"""Spans in whatever form they are given: gold spans, retrieved chunks, and all chunks."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from rankmark.conventions import query_text
from rankmark.errors import InputError, SchemaError, listed, shown
from rankmark.evaluating.given_runs import refuse_uneven
from rankmark.evaluating.given_scores import table_in_memory
from rankmark.formatting.result import Result
from rankmark.sources.files.input_file import InputFile, is_file
from rankmark.sources.files.score_files import scores_in
from rankmark.sources.frames.arrow_frames import is_frame
from rankmark.sources.tables.columns import found_by_name

if TYPE_CHECKING:
    from rankmark.array_types import Floats

Kind = Literal["gold", "retrieved", "chunks"]
Columns = Mapping[str, Sequence[Any]]
GivenSpans = Any
"""Spans in any form: {query: [(document, start, end), ...]}, rows, a frame or a file."""

ROLES = ("query_id", "doc_id", "start", "end", "score", "rank")
_EDGES = {
    "start": re.compile(r"start|begin|from|(start|begin)(index|idx|offset|char|token|time|s|sec"
    r"|seconds|pos|position)|(char|token)?(start|begin)|startcharidx"),
    "end": re.compile(r"end|stop|to|(end|stop)(index|idx|offset|char|token|time|s|sec|seconds|pos"
    r"|position)|(char|token)?(end|stop)|endcharidx"),
}  # fmt: skip
_PARTS = {"chunkid", "chunk", "passageid", "passage", "pid", "nodeid"}  # give way to documents
_MOST = 1 << 53  # beyond, float64 does not hold every whole number
_NEEDED: dict[Kind, str] = {
    "gold": "{query: [(document, start, end), ...]}, rows or a frame with the columns query_id, "
    "doc_id, start and end, or a file of these",
    "retrieved": "{query: [(document, start, end), ...]}, best first, rows or a frame with the "
    "columns query_id, doc_id, start, end and score, or a file of these",
    "chunks": "{document: [(start, end), ...]}, rows or a frame with the columns doc_id, start and "
    "end, or a file of these",
}


class SpanRows(NamedTuple):
    """Spans with their queries and documents, a row each, in the order given.

    ``queries`` are all that were given, also those without rows; ``order`` is what rows are sorted
    by, ascending, or None. ``columns`` are the names of the columns that were used, by role;
    ``read`` tells how they were read.
    """

    queries: tuple[str, ...]
    query: list[str]
    document: list[str]
    start: Floats
    end: Floats
    order: Floats | None
    name: str
    columns: dict[str, str]
    read: dict[str, Any]


def named_columns(columns: Mapping[str, str] | None) -> Mapping[str, str]:
    """Return the names of columns by role, if all are."""
    for role, name in (columns or {}).items():
        if role not in ROLES:
            raise InputError(f"columns names {shown(role)}", f"need one of {', '.join(ROLES)}")
        if not isinstance(name, str):
            raise InputError(f"columns[{role!r}] is {shown(name)}", "need the name of a column")
    return columns or {}


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

    Raises
    ------
    SchemaError
        If the form is unknown, a column is missing, or an end is not a number.
    InputError
        If a span ends before it starts, or is empty; or the file cannot be read.
    """
    name, file = f"<{kind}>", None
    if is_file(given):
        file = InputFile(given)
        name = file.name
        held = _Held("file", scores_in(file))
        if not _is_table(held.columns, names):  # {query: [[document, start, end], ...]}
            held = _of_mapping(held.columns, kind, name)._replace(form="file")
    else:
        held = _in_memory(given, kind, name, names)
    return _checked(held, kind, names, name, file)


class _Held(NamedTuple):
    """Columns as they were given, and the queries for which nothing was retrieved."""

    form: str
    columns: Columns
    empty: Sequence[Any] = ()


def _in_memory(given: Any, kind: Kind, name: str, names: Mapping[str, str]) -> _Held:
    if isinstance(given, Result) or not (is_frame(given) or isinstance(given, (Mapping, Sequence))):
        raise SchemaError(f"{kind} is {shown(given)}", f"need {_NEEDED[kind]}")
    if isinstance(given, Mapping) and not _is_table(given, names):
        return _of_mapping(given, kind, name)
    if not is_frame(given) and isinstance(given, Sequence) and not isinstance(given, Mapping):
        rows = list(given)
        if not all(isinstance(row, Mapping) for row in rows):
            head = ROLES[1:4] if kind == "chunks" else ROLES[:5]
            return _Held("rows", _of_tuples(rows, head, kind, name))
    elif isinstance(given, Mapping) and any(map(_is_scalar, given.values())):
        raise SchemaError(f"{kind} is {shown(given)}", f"need {_NEEDED[kind]}", where=name)
    return _Held("table", table_in_memory(given) or {})


def _is_scalar(value: Any) -> bool:
    return (
        isinstance(value, (str, bytes, Mapping))
        or getattr(value, "ndim", 1) == 0
        or not (hasattr(value, "__iter__") and hasattr(value, "__len__"))
    )


def _is_table(given: Mapping[Any, Any], named: Mapping[str, str]) -> bool:
    """Return whether the keys are columns, and not queries."""
    names = [str(name) for name in given]
    has_ids = all(found_by_name(names, role) for role in ("query_id", "doc_id"))
    return has_ids or all(named.get(role) in names or _edge(names, role) for role in _EDGES)


def _of_mapping(given: Mapping[Any, Any], kind: Kind, name: str) -> _Held:
    """Turn {query: spans} into columns; of chunks, {document: spans}."""
    key = "doc_id" if kind == "chunks" else "query_id"
    head = ROLES[2:4] if kind == "chunks" else ROLES[1:5]
    columns: dict[str, list[Any]] = {}
    empty = []
    for of, spans in given.items():
        if isinstance(spans, (str, Mapping)) or not isinstance(spans, Iterable):
            raise SchemaError(
                f"{kind} of {shown(of)} is {shown(spans)}", f"need {_NEEDED[kind]}", where=name
            )
        rows = [*spans.tolist()] if isinstance(spans, np.ndarray) else [*spans]
        if not rows:
            if kind == "gold":
                raise InputError(
                    f"query {shown(of)} has no gold span",
                    "leave it out, or give it one",
                    where=name,
                )
            empty.append(of)
            continue
        if all(isinstance(row, Mapping) for row in rows):
            found: Columns = {
                column: [row.get(column) for row in rows]
                for column in dict.fromkeys(str(column) for row in rows for column in row)
            }
        else:
            found = _of_tuples(rows, head, kind, name)
        before = len(columns.get(key, []))
        found = {column: values for column, values in found.items() if column != key}
        columns.setdefault(key, []).extend([of] * len(rows))
        for column in {*columns, *found} - {key}:
            values = columns.setdefault(column, [None] * before)
            values.extend(found.get(column, [None] * len(rows)))
    return _Held("mapping", columns, empty)


def _of_tuples(rows: Sequence[Any], head: Sequence[str], kind: Kind, name: str) -> Columns:
    """Turn tuples into columns; the score may be left out, of all or of none."""
    optional = int("score" in head)
    widths = {
        -1 if isinstance(row, (str, Mapping)) or not hasattr(row, "__len__") else len(row)
        for row in rows
    }
    if len(widths) > 1 or not widths <= {len(head), len(head) - optional}:
        wrong = next(
            (
                row
                for row in rows
                if isinstance(row, (str, Mapping))
                or not hasattr(row, "__len__")
                or len(row) not in {len(head), len(head) - optional}
            ),
            rows,
        )
        raise SchemaError(
            f"{kind} has {shown(wrong)}",
            f"need ({', '.join(head[: len(head) - optional])})"
            + (" with or without a score, in all rows" if optional else ""),
            where=name,
        )
    return {column: [row[at] for row in rows] for at, column in enumerate(head[: max(widths)])}


def _bare(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


def _edge(names: Sequence[str], role: str) -> list[str]:
    found = [name for name in names if _EDGES[role].fullmatch(_bare(name))]
    exact = [name for name in found if _bare(name) == role]
    return exact or found


def _role(columns: Columns, role: str, names: Mapping[str, str], kind: Kind, where: str) -> str:
    """Return the name of the column for a role; "" for a score or rank that is not there."""
    if names.get(role) in columns:
        return names[role]
    have = [*map(str, columns)]
    if role in _EDGES:
        found = _edge(have, role)
    else:
        found = [have[at] for at in found_by_name(have, role)]  # type: ignore[arg-type]
        if len(found) > 1 and role == "doc_id":
            found = [name for name in found if _bare(name) not in _PARTS] or found
    if len(found) == 1:
        return found[0]
    if not found and role in {"score", "rank"}:
        return ""
    problem = f"several columns: {listed(found)}" if found else "none of its columns"
    raise SchemaError(
        f"{problem} could be {role}; it has {', '.join(have) or 'none'}",
        f"need {_NEEDED[kind]}; or name it, as in columns={{{role!r}: ...}} or --column {role}=...",
        where=where,
    )


def _checked(
    held: _Held, kind: Kind, names: Mapping[str, str], where: str, file: InputFile | None
) -> SpanRows:
    empty = [query_text(query, where) for query in held.empty]
    columns = {str(name): values for name, values in held.columns.items()}
    if not columns and (kind != "retrieved" or not empty):
        raise InputError(f"{kind} holds no spans", f"need {_NEEDED[kind]}", where=where)
    refuse_uneven(columns)
    no_rows = not columns
    needed = ("doc_id", "start", "end") if kind == "chunks" else ROLES[:4]
    at = {} if no_rows else {role: _role(columns, role, names, kind, where) for role in needed}
    queries = _ids(columns, at, "query_id", where)
    documents = _ids(columns, at, "doc_id", where)
    start, end = (
        _numbers(columns[at[role]], role, where) if at else np.zeros(0) for role in _EDGES
    )
    _refuse(kind, queries, documents, start, end, where)
    order, by = None, {}
    if kind == "retrieved" and not no_rows:
        score, rank = (_role(columns, role, names, kind, where) for role in ROLES[4:])
        if score and any(value is not None for value in columns[score]):
            order, by = -_numbers(columns[score], "score", where), {"score": score}
        elif rank:
            order, by = _numbers(columns[rank], "rank", where), {"rank": rank}
    read: dict[str, Any] = {"name": where, "sha256": None if file is None else file.sha256()}
    read["form"] = held.form
    if held.form in {"file", "table"}:
        read["columns"] = at | by
    return SpanRows(
        tuple(dict.fromkeys([*queries, *empty])),
        queries,
        documents,
        start,
        end,
        order,
        where,
        at | by,
        read,
    )


def refuse_unused(names: Mapping[str, str], *given: SpanRows) -> None:
    """Refuse names of columns that none of the tables has."""
    have = dict.fromkeys(name for one in given for name in one.columns.values())
    for role, name in names.items():
        if not any(one.columns.get(role) == name for one in given):
            raise SchemaError(
                f"no input has a column {shown(name)} for {role}",
                f"they have {', '.join(have)}",
            )


def _ids(columns: Columns, at: Mapping[str, str], role: str, where: str) -> list[str]:
    values = columns[at[role]] if role in at else []
    known: dict[Any, str] = {}
    found = []
    for value in values:
        try:
            found.append(known[value])
        except (KeyError, TypeError):
            found.append(query_text(value, where))
            if isinstance(value, (str, int)) and not isinstance(value, bool):
                known[value] = found[-1]
    return found


def _numbers(values: Sequence[Any], role: str, where: str) -> Floats:
    """Return finite numbers: (N,) float64."""
    most = _MOST if role in _EDGES else math.inf
    if {*map(type, values)} <= {int, float}:  # at once, and one by one only to name what is wrong
        with suppress(OverflowError):
            numbers = np.array(values, dtype=np.float64)
            if (np.isfinite(numbers) & (np.abs(numbers) <= most)).all():
                return numbers
    numbers = np.empty(len(values))
    for row, value in enumerate(values):
        try:
            number = math.nan if isinstance(value, bool) or value is None else float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not math.isfinite(number) or abs(number) > most:
            raise SchemaError(
                f"{role} of row {row + 1:,} is {shown(value)}",
                "need a finite number in every row",
                where=where,
            )
        numbers[row] = number
    return numbers


def _refuse(
    kind: Kind, queries: list[str], documents: list[str], start: Floats, end: Floats, where: str
) -> None:
    """Refuse spans that are none."""
    wrong = (start < 0) | (end < start)
    if kind != "retrieved":
        wrong |= end == start
    if not wrong.any():
        return
    row = int(np.argmax(wrong))
    whose = f"document {shown(documents[row])}"
    whose += f" for query {shown(queries[row])}" if queries else ""
    span = f"[{start[row]:.15g}, {end[row]:.15g}) in {whose}"
    if start[row] < 0:
        found = f"the span {span} starts before 0"
        remedy = "give offsets from 0; str.find returns -1 where a text is not found"
    elif end[row] < start[row]:
        found, remedy = f"the span {span} ends before it starts", "give its start, then its end"
    else:
        found, remedy = f"the span {span} is empty", "give the end after its last character"
    count = int(wrong.sum())
    more = f", the first of {count:,} such rows" if count > 1 else ""
    raise InputError(f"{found} (row {row + 1:,}{more})", remedy, where=where)
