"""Tables whose columns have roles, in whatever form they are given."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from rankmark.conventions import query_text
from rankmark.errors import InputError, SchemaError, listed, shown
from rankmark.evaluating.given_runs import refuse_uneven
from rankmark.evaluating.given_scores import table_in_memory
from rankmark.formatting.result import Result
from rankmark.sources.files.input_file import InputFile, is_file
from rankmark.sources.files.score_files import of_records, scores_in
from rankmark.sources.frames.arrow_frames import is_frame
from rankmark.sources.tables.columns import found_by_name

Columns = dict[str, Sequence[Any]]
GivenTable = Any
"""A table in any form: rows, a frame, a mapping of columns or from queries, or a file."""


class Role(NamedTuple):
    """What a column holds.

    ``names`` are usual names of such columns, in lower case without signs; a name gives way to
    those before it. Without, they are those that judgments and runs have for the role.
    Tuples have the roles in their order, and may end before the optional ones.
    """

    name: str
    names: tuple[str, ...]
    optional: bool = False


QUERY = Role("query_id", ())
"""The query; its names are those of judgments and runs."""


class TableKind(NamedTuple):
    """What a table is called in messages, its roles (the query first), and what forms it has.

    ``of_mapping`` turns a mapping from queries into columns, and names the queries without rows, if
    it holds something else than rows.
    """

    name: str
    roles: tuple[Role, ...]
    needed: str
    of_mapping: Callable[[Mapping[Any, Any], str], tuple[Columns, tuple[Any, ...]]] | None = None


class RoleTable(NamedTuple):
    """The columns of a table by role, all of the same length, and the others by name.

    ``empty`` are queries that a mapping gives without rows. ``chosen`` are the names of the columns
    that were used, by role; ``read`` says how the table was read.
    """

    columns: Columns
    others: Columns
    empty: tuple[str, ...]
    name: str
    chosen: dict[str, str]
    read: dict[str, Any]

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.columns["query_id"])

    def texts(self, role: str) -> list[str | None]:
        """Return ids as text, None for empty cells."""
        known: dict[Any, str | None] = {}
        found = []
        for value in self.columns[role]:
            key = (type(value), value) if isinstance(value, (str, int, float)) else None
            if key is None or key not in known:
                text = None if is_empty(value) else query_text(value, self.name)
                if key is None:
                    found.append(text)
                    continue
                known[key] = text
            found.append(known[key])
        return found

    def queries(self) -> list[str]:
        """Return the query of each row; every row has one."""
        found = []
        for row, query in enumerate(self.texts("query_id")):
            if query is None:
                raise SchemaError(
                    f"row {row + 1:,} has no query", "give every row a query id", where=self.name
                )
            found.append(query)
        return found


def is_empty(value: Any) -> bool:
    """Return whether a cell is empty: None, NaN, or text without letters."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return True
    try:
        return bool(value != value)  # noqa: PLR0124  (NaN, and pandas' NaT)
    except (TypeError, ValueError):  # pandas' NA, which is neither true nor false
        return type(value).__name__ == "NAType"


def named_roles(columns: Mapping[str, str] | None, roles: Iterable[Role]) -> Mapping[str, str]:
    """Return the names of columns by role, if all are.

    Raises
    ------
    InputError
        If a role does not exist, or a name is not text.
    """
    known = [role.name for role in roles]
    for role, name in (columns or {}).items():
        if role not in known:
            raise InputError(f"columns names {shown(role)}", f"need one of {', '.join(known)}")
        if not isinstance(name, str):
            raise InputError(f"columns[{role!r}] is {shown(name)}", "need the name of a column")
    return columns or {}


def role_table(given: GivenTable, kind: TableKind, names: Mapping[str, str]) -> RoleTable:
    """Read a table.

    Parameters
    ----------
    given
        A file; a frame; a mapping of columns, or from queries to rows; or rows, as mappings or
        tuples. A column of lists, of rows or of cells, as tools write them, becomes a row for each.
    kind
        What it is.
    names
        The columns that have other names than usual, by role.

    Raises
    ------
    SchemaError
        If the form is unknown, or a column is missing.
    InputError
        If there are no rows, or the file cannot be read.
    """
    where = f"<{kind.name}>"
    file: InputFile | None = None
    empty: tuple[Any, ...] = ()
    if is_file(given):
        file = InputFile(given)
        where = file.name
        form = "file"
        columns: Columns = dict(scores_in(file))
        if not _is_table(columns, names):
            columns, empty = _of_mapping(columns, kind, where)
    else:
        form, columns, empty = _in_memory(given, kind, names, where)
    columns = _unpacked({str(name): values for name, values in columns.items()})
    refuse_uneven(columns)
    if not (columns or empty) or not (empty or len(next(iter(columns.values())))):
        raise InputError(f"{kind.name} holds no rows", f"need {kind.needed}", where=where)
    chosen = _chosen(columns, kind, names, where) if columns else {}
    columns = _unlisted(columns, [*chosen.values()], where)
    read: dict[str, Any] = {"name": where, "sha256": None if file is None else file.sha256()}
    read["form"] = form
    if form in {"file", "table"}:
        read["columns"] = chosen
    used = set(chosen.values())
    of_roles = {role: columns[name] for role, name in chosen.items()}
    return RoleTable(
        of_roles if columns else {role.name: [] for role in kind.roles if not role.optional},
        {name: values for name, values in columns.items() if name not in used},
        tuple(query_text(query, where) for query in empty),
        where,
        chosen,
        read,
    )


def read_as(read: Mapping[str, Any]) -> str:
    """Return a line that names the columns with other names than their roles, or nothing."""
    columns = read.get("columns", {})
    if all(role == name for role, name in columns.items()):
        return ""
    told = ", ".join(f"{role}={name}" for role, name in columns.items())
    return f"{read['name']} read as: {told}"


def last_notes(
    audit: object, read: Mapping[str, Mapping[str, Any]], conventions: Mapping[str, Any]
) -> list[str]:
    """Return the lines that end a result's text: the audit, how tables were read, conventions."""
    told = [line for line in map(read_as, read.values()) if line]
    chosen = " ".join(f"{name}={_written(value)}" for name, value in conventions.items())
    return [str(audit), *told, f"conventions: {chosen}"]


def _written(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return f"{len(value):,} ids" if isinstance(value, (list, tuple)) else str(value)


def refuse_unused(names: Mapping[str, str], *given: RoleTable) -> None:
    """Refuse names of columns that none of the tables has."""
    have = dict.fromkeys(
        name for one in given for name in (*one.chosen.values(), *one.others) if name
    )
    for role, name in names.items():
        if not any(one.chosen.get(role) == name for one in given):
            raise SchemaError(
                f"no input has a column {shown(name)} for {role}", f"they have {', '.join(have)}"
            )


def _in_memory(
    given: Any, kind: TableKind, names: Mapping[str, str], where: str
) -> tuple[str, Columns, tuple[Any, ...]]:
    refused = SchemaError(f"{kind.name} is {shown(given)}", f"need {kind.needed}")
    if isinstance(given, Result) or not (is_frame(given) or isinstance(given, (Mapping, Sequence))):
        raise refused
    if is_frame(given) or isinstance(given, str):
        return "table", dict(table_in_memory(given) or {}), ()
    if isinstance(given, Mapping):
        if not all(_is_several(values) for values in given.values()):
            raise refused
        if _is_table({str(name): values for name, values in given.items()}, names):
            return "table", dict(table_in_memory(given) or {}), ()
        columns, empty = _of_mapping(given, kind, where)
        return "mapping", columns, empty
    rows = list(given)
    if all(isinstance(row, Mapping) for row in rows):
        return "table", dict(of_records(rows)), ()
    return "rows", _of_tuples(rows, kind.roles, kind, where), ()


def _is_several(value: Any) -> bool:
    return not isinstance(value, (str, bytes)) and (
        isinstance(value, Mapping) or (getattr(value, "ndim", 1) > 0 and hasattr(value, "__iter__"))
    )


def _is_table(columns: Mapping[str, Any], names: Mapping[str, str]) -> bool:
    """Return whether the keys are columns, and not queries."""
    return names.get("query_id") in columns or bool(found_by_name(list(columns), "query_id"))


def _of_mapping(
    given: Mapping[Any, Any], kind: TableKind, where: str
) -> tuple[Columns, tuple[Any, ...]]:
    """Turn {query: rows} into columns; also return the queries without rows."""
    if kind.of_mapping is not None:
        return kind.of_mapping(given, where)
    records: list[Mapping[str, Any]] = []
    empty: list[Any] = []
    query_name = kind.roles[0].name
    for query, inner in given.items():
        if not _is_several(inner) or isinstance(inner, Mapping):
            raise SchemaError(
                f"{kind.name} of {shown(query)} is {shown(inner)}",
                f"need {kind.needed}",
                where=where,
            )
        rows = [*inner]
        if not rows:
            empty.append(query)
        elif all(isinstance(row, Mapping) for row in rows):
            records.extend({**row, query_name: query} for row in rows)
        else:
            columns = _of_tuples(rows, kind.roles[1:], kind, where)
            records.extend(
                {query_name: query, **dict(zip(columns, row, strict=True))}
                for row in zip(*columns.values(), strict=True)
            )
    return dict(of_records(records)), tuple(empty)


def _of_tuples(rows: Sequence[Any], roles: Sequence[Role], kind: TableKind, where: str) -> Columns:
    least = sum(not role.optional for role in roles)
    for row in rows:
        wrong = isinstance(row, (str, bytes, Mapping)) or not hasattr(row, "__len__")
        if wrong or not least <= len(row) <= len(roles) or len(row) != len(rows[0]):
            needed = ", ".join(role.name for role in roles[:least])
            more = [role.name for role in roles[least:]]
            raise SchemaError(
                f"{kind.name} has {shown(row)}",
                f"need ({needed})" + (f", or also {', '.join(more)}, in all rows" if more else ""),
                where=where,
            )
    width = len(rows[0]) if rows else 0
    return {role.name: [row[at] for row in rows] for at, role in enumerate(roles[:width])}


def _unpacked(columns: Columns) -> Columns:
    """Turn a column of lists of rows, as nuggetizer's ``nuggets``, into columns."""
    for name, values in columns.items():
        if len(values) and all(_holds_rows(value) for value in values):
            head = [other for other in columns if other != name]
            records: list[Mapping[str, Any]] = []
            for at, inner in enumerate(values):
                outer = {other: columns[other][at] for other in head}
                records.extend({**outer, **row} for row in inner)
                if not len(inner):
                    records.append(outer)
            return dict(of_records(records))
    return columns


def _unlisted(columns: Columns, chosen: Sequence[str], where: str) -> Columns:
    """Turn cells that hold lists, as the documents of a call, into rows."""
    listed_in = [
        name
        for name in chosen
        if any(map(_is_list, columns[name]))
        and all(_is_list(value) or is_empty(value) for value in columns[name])
    ]
    if not listed_in:
        return columns
    at: list[int] = []
    cells: dict[str, list[Any]] = {name: [] for name in listed_in}
    for row in range(len(columns[listed_in[0]])):
        lists = [
            [*columns[name][row]] if _is_list(columns[name][row]) else [] for name in listed_in
        ]
        if len({*map(len, lists)}) > 1:
            told = ", ".join(
                f"{len(values)} of {name}" for name, values in zip(listed_in, lists, strict=True)
            )
            raise SchemaError(
                f"row {row + 1:,} has lists of different lengths: {told}",
                "give as many in each",
                where=where,
            )
        at += [row] * max(len(lists[0]), 1)
        for name, values in zip(listed_in, lists, strict=True):
            cells[name] += values or [None]
    others = {
        name: [values[row] for row in at] for name, values in columns.items() if name not in cells
    }
    return {name: cells[name] if name in cells else others[name] for name in columns}


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) == 1


def _holds_rows(value: Any) -> bool:
    is_list = isinstance(value, (list, tuple)) or type(value).__name__ == "ndarray"
    return is_list and all(isinstance(row, Mapping) for row in value)


def _chosen(
    columns: Columns, kind: TableKind, names: Mapping[str, str], where: str
) -> dict[str, str]:
    """Return the name of the column of each role."""
    chosen: dict[str, str] = {}
    have = list(columns)
    for role in kind.roles:
        if names.get(role.name) in columns:
            chosen[role.name] = names[role.name]
            continue
        if role.name in names and not role.optional:
            raise SchemaError(
                f"there is no column {shown(names[role.name])}; it has {', '.join(have)}",
                f"name the column that holds {role.name}",
                where=where,
            )
        if role.names:
            bare = {re.sub(r"[\W_]", "", name).lower(): name for name in reversed(have)}
            found = [bare[name] for name in role.names if name in bare][:1]
        else:
            found = [have[at] for at in found_by_name(have, role.name)]  # type: ignore[arg-type]
        if len(found) == 1:
            chosen[role.name] = found[0]
        elif not role.optional:
            problem = f"several columns: {listed(found)}" if found else "none of its columns"
            raise SchemaError(
                f"{problem} could be {role.name}; it has {', '.join(have) or 'none'}",
                f"need {kind.needed}; or name it, as in columns={{{role.name!r}: ...}} or "
                f"--column {role.name}=...",
                where=where,
            )
    return chosen


def number_in(value: Any, what: str, row: int, where: str) -> float:
    """Return a finite number of a cell.

    Raises
    ------
    SchemaError
        If it is none.
    """
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise SchemaError(
            f"{what} of row {row + 1:,} is {shown(value)}", "need a finite number", where=where
        )
    return number
