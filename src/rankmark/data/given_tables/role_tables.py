"""Tables whose columns have roles, in whatever form they are given."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from rankmark.data.evidence.listed_ids import refuse_lists
from rankmark.data.files.input_file import InputFile, is_file
from rankmark.data.files.json_documents import id_in
from rankmark.data.frames.arrow_frames import is_frame
from rankmark.data.given_tables.given_columns import (
    Columns,
    Places,
    is_empty,
    number_in,
    of_records,
    refuse_uneven,
    table_in_memory,
)
from rankmark.data.given_tables.table_files import scores_in
from rankmark.data.tables.columns import (
    found_by_name,
    is_known,
    other_number,
    warn_without_number,
)
from rankmark.errors import InputError, SchemaError, listed, shown

GivenTable = Any
"""A table in any form: rows, a frame, a mapping of columns or from queries, or a file."""


class Role(NamedTuple):
    """What a column holds.

    ``names`` are usual names of such columns, in lower case without signs: in a tuple, a name gives
    way to those before it; in a set, all are equal; all that fit a pattern are, too, but for the
    role's own name. An empty tuple stands for the names that judgments and runs have for the role,
    of which those that ``give way`` give way to others. Rows that are tuples have the roles in
    their order, and may end before the optional ones.
    """

    name: str
    names: tuple[str, ...] | frozenset[str] | re.Pattern[str] = ()
    optional: bool = False
    give_way: Collection[str] = ()

    def columns(self, have: Sequence[str]) -> list[str]:
        """Return the columns that have one of its names."""
        bare = {name: re.sub(r"[\W_]", "", name).lower() for name in have}
        if isinstance(self.names, re.Pattern):
            fitting = [name for name in have if self.names.fullmatch(bare[name])]
            return [name for name in fitting if bare[name] == self.name] or fitting
        if isinstance(self.names, frozenset):
            return [name for name in have if bare[name] in self.names]
        if self.names:
            found = ([name for name in have if bare[name] == one] for one in self.names)
            return next(filter(None, found), [])[:1]
        known = [have[at] for at in found_by_name(have, self.name)]  # type: ignore[arg-type]
        return [name for name in known if bare[name] not in self.give_way] or known


QUERY = Role("query_id")
"""The query; its names are those of judgments and runs."""


class TableKind(NamedTuple):
    """What a table is called in messages, its roles (the key first), and what forms it has.

    ``of_mapping`` turns a mapping from keys, such as queries, into columns, and names the keys
    without rows, if it holds something else than rows.
    """

    name: str
    roles: tuple[Role, ...]
    needed: str
    of_mapping: (
        Callable[[Mapping[Any, Any], str], tuple[Mapping[str, Sequence[Any]], list[Any]]] | None
    ) = None


class RoleTable(Columns):
    """The columns of a table by role, all of the same length, and the others by name.

    ``empty`` are queries that a mapping gives without rows. ``chosen`` are the names of the columns
    that were used, by role; ``read`` says how the table was read.
    """

    def __init__(
        self,
        columns: Columns,
        chosen: dict[str, str],
        kind: TableKind,
        empty: tuple[str, ...],
        read: dict[str, Any],
    ) -> None:
        no_rows = {} if columns else {role.name: () for role in kind.roles if not role.optional}
        of_roles = {role: columns[name] for role, name in chosen.items()}
        super().__init__(of_roles | no_rows, columns.places)
        used = {*chosen.values()}
        others = {name: values for name, values in columns.items() if name not in used}
        self.others = Columns(others, columns.places)
        self.empty = empty
        self.chosen = chosen
        self.read = read

    def order(self, used: Collection[str] = ()) -> list[float] | None:
        """Return by what rows are sorted, ascending; None for the order in which they are.

        They have scores, or else ranks; 0 in rows without a document.

        Parameters
        ----------
        used
            Other columns whose meaning is known.

        Warns
        -----
        RankmarkWarning
            If there are neither, and other columns.
        """
        has_document = [not is_empty(value) for value in self["doc_id"]]
        for role, sign in (("score", -1.0), ("rank", 1.0)):
            values = self.get(role, ())
            if not all(map(is_empty, values)):
                if all(has_document):
                    return (sign * self.numbers(role)).tolist()
                return [
                    sign * self.places.number(value, role, row) if has_document[row] else 0.0
                    for row, value in enumerate(values)
                ]
        others = {
            name: values
            for name, values in self.others.items()
            if name not in used and not is_known(name, "doc_id")
        }
        if self.chosen.keys().isdisjoint({"score", "rank"}) and others:
            names = [*others]

            def numeric(at: int) -> bool:
                numbers = {number_in(one) for one in others[names[at]] if not is_empty(one)}
                return bool(numbers) and None not in numbers

            at = other_number(names, "run", (), numeric, self.name)
            if at is not None:
                values = others[names[at]]
                return [-self.places.number(value, names[at], n) for n, value in enumerate(values)]
            warn_without_number([*self.chosen.values(), *names], "run", self.name)
        return None


def named_roles(columns: Mapping[str, str] | None, roles: Iterable[Role]) -> Mapping[str, str]:
    """Return the names of columns by role, if all are."""
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
        The columns that have other names than usual, by role; see ``refuse_unused``.
    """
    file = InputFile(given) if is_file(given) else None
    form, columns, empty = _read(given if file is None else file, kind, names)
    columns = _unpacked(columns)
    refuse_uneven(columns)
    where = columns.places.where
    if not (columns.rows or empty):
        raise InputError(f"{kind.name} holds no rows", f"need {kind.needed}", where=where)
    chosen = _chosen(columns, kind, names) if columns else {}
    columns = _unlisted(columns, [*chosen.values()])
    read: dict[str, Any] = {"name": where, "sha256": None if file is None else file.sha256()}
    read["form"] = form
    if form in {"file", "table"}:
        read["columns"] = chosen
    key = kind.roles[0].name
    keys = tuple(id_in(one, f"the {key}", where) for one in empty)
    table = RoleTable(columns, chosen, kind, keys, read)
    if "doc_id" in table:
        refuse_lists(map(str, table["doc_id"]), where, "give each document a row of its own")
    return table


def refuse_unused(names: Mapping[str, str], *given: RoleTable) -> None:
    """Refuse names of columns that none of the tables has."""
    have = dict.fromkeys(name for one in given for name in (*one.chosen.values(), *one.others))
    for role, name in names.items():
        if not any(one.chosen.get(role) == name for one in given):
            raise SchemaError(
                f"no input has a column {shown(name)} for {role}", f"they have {', '.join(have)}"
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


def _read(
    given: Any, kind: TableKind, names: Mapping[str, str]
) -> tuple[str, Columns, Sequence[Any]]:
    """Return the form, the columns, and the keys without rows."""
    if isinstance(given, InputFile):
        columns = scores_in(given)
        if columns.places.is_text or _is_table(columns, kind, names):
            return "file", columns, ()
        return "file", *_of_mapping(columns, kind, given.name)
    where = f"<{kind.name}>"
    is_table = is_frame(given)
    if not _is_result(given) and not is_table:
        if isinstance(given, Mapping):
            if not _is_table(given, kind, names):
                return "mapping", *_of_mapping(given, kind, where)
            is_table = all(map(_is_several, given.values()))
        elif isinstance(given, Sequence) and not isinstance(given, (str, bytes, Mapping)):
            is_table = all(isinstance(row, Mapping) for row in given)
            if not is_table:
                rows = _of_tuples([*given], kind.roles, kind, where)
                return "rows", Columns(rows, Places(where)), ()
    if not is_table or _is_result(given):
        raise SchemaError(f"{kind.name} is {shown(given)}", f"need {kind.needed}")
    found = table_in_memory([*given] if isinstance(given, Sequence) else given, where)
    return "table", found or Columns({}, Places(where)), ()


def _is_result(given: Any) -> bool:
    """Return whether this is a result of rankmark, which may be a mapping."""
    return getattr(type(given), "_is_result", False) is True


def _is_several(value: Any) -> bool:
    return not isinstance(value, (str, bytes)) and (
        isinstance(value, Mapping) or (getattr(value, "ndim", 1) > 0 and hasattr(value, "__iter__"))
    )


def _is_table(columns: Mapping[Any, Any], kind: TableKind, names: Mapping[str, str]) -> bool:
    """Return whether the keys are columns, and not queries: two of them, or that of the key.

    A table of ids alone has no rows of a query.
    """
    have = [str(name) for name in columns]
    found = [
        role.name
        for role in kind.roles
        if not role.optional and (names.get(role.name) in have or role.columns(have))
    ]
    return len(found) > 1 or kind.roles[0].name in found or not kind.roles[1:]


def _of_mapping(
    given: Mapping[Any, Any], kind: TableKind, where: str
) -> tuple[Columns, Sequence[Any]]:
    """Turn {key: rows} into columns; also return the keys without rows."""
    if kind.of_mapping is not None:
        found, empty = kind.of_mapping(given, where)
        return Columns(found, Places(where)), empty
    key, *others = kind.roles
    keys: list[Any] = []
    columns: dict[str, list[Any]] = {}
    empty = []
    for of, inner in given.items():
        if not _is_several(inner) or isinstance(inner, Mapping):
            raise SchemaError(
                f"{kind.name} of {shown(of)} is {shown(inner)}", f"need {kind.needed}", where=where
            )
        rows = [*inner]
        if not rows:
            empty.append(of)
            continue
        are_mappings = all(isinstance(row, Mapping) for row in rows)
        of_key = of_records(rows) if are_mappings else _of_tuples(rows, others, kind, where)
        of_key.pop(key.name, None)
        for name in {**columns, **of_key}:
            values = columns.setdefault(name, [None] * len(keys))
            values.extend(of_key.get(name, [None] * len(rows)))
        keys += [of] * len(rows)
    return Columns({key.name: keys, **columns} if keys else {}, Places(where)), empty


def _of_tuples(
    rows: Sequence[Any], roles: Sequence[Role], kind: TableKind, where: str
) -> dict[str, Sequence[Any]]:
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
        inner_rows = (row for value in values for row in (value if _is_list(value) else [None]))
        if len(values) and all(isinstance(row, Mapping) for row in inner_rows):
            records: list[Mapping[str, Any]] = []
            at: list[int] = []
            for row, inner in enumerate(values):
                outer = {other: columns[other][row] for other in columns if other != name}
                records += [{**outer, **one} for one in inner] or [outer]
                at += [row] * max(len(inner), 1)
            return Columns(of_records(records), columns.places.some(at))
    return columns


def _unlisted(columns: Columns, chosen: Sequence[str]) -> Columns:
    """Turn cells that hold lists, as the documents of a call, into rows."""
    listed_in = [
        name
        for name in chosen
        if any(map(_is_list, columns[name]))
        and all(_is_list(value) or is_empty(value) for value in columns[name])
    ]
    if not listed_in:
        return columns
    lists = {
        name: [[*value] if _is_list(value) else [] for value in columns[name]] for name in listed_in
    }
    sizes = [*zip(*([*map(len, of_rows)] for of_rows in lists.values()), strict=True)]
    for row, of_row in enumerate(sizes):
        if len({*of_row}) > 1:
            told = ", ".join(f"{n} of {name}" for n, name in zip(of_row, lists, strict=True))
            found = f"the lists{columns.places.of(row)} have different lengths: {told}"
            raise columns.error(row, found, "give as many in each")
    at = [row for row, (size, *_) in enumerate(sizes) for _ in range(max(size, 1))]
    unlisted = {
        name: [cell for of_row in lists[name] for cell in of_row or [None]]
        if name in lists
        else [values[row] for row in at]
        for name, values in columns.items()
    }
    return Columns(unlisted, columns.places.some(at))


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) == 1


def column_of(
    columns: Columns, role: Role, remedy: str, *, named: str | None = None, where: str | None = None
) -> str | None:
    """Return the column of a role: the one named, or the only one with a usual name.

    Parameters
    ----------
    remedy
        What to do if there is none or several; None is returned if an optional role has none.
    where
        The name of the table, if messages call it otherwise.
    """
    have = [*columns]
    found = role.columns(have) if named is None or named not in columns else [named]
    if len(found) == 1:
        return found[0]
    if not found and role.optional:
        return None
    problem = f"several columns: {listed(found)}" if found else "none of its columns"
    raise SchemaError(
        f"{problem} could be {role.name}; it has {', '.join(have) or 'none'}",
        remedy,
        where=columns.name if where is None else where,
    )


def _chosen(columns: Columns, kind: TableKind, names: Mapping[str, str]) -> dict[str, str]:
    """Return the name of the column of each role."""
    found = {
        role.name: column_of(
            columns,
            role,
            f"need {kind.needed}; or name it, as in columns={{{role.name!r}: ...}} or --column "
            f"{role.name}=...",
            named=names.get(role.name),
        )
        for role in kind.roles
    }
    return {role: column for role, column in found.items() if column is not None}
