"""Rows as Python objects: tuples, named tuples, dataclasses, dicts."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import combinations
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.data.contract.source import side
from rankmark.data.frames.list_columns import from_lists, is_list
from rankmark.data.ids.numeric import exact_numbers, id_text, native, numbers_of, row_from_0
from rankmark.data.tables.columns import choose, found_by_name
from rankmark.data.tables.indexes import is_series
from rankmark.data.tables.number_columns import hold_numbers, number_in
from rankmark.data.tables.table import from_columns
from rankmark.errors import SchemaError, noted, shown

if TYPE_CHECKING:
    from rankmark.data.contract.source_options import Kind, SourceOptions
    from rankmark.data.mappings.nested_mapping import NestedMapping
    from rankmark.data.tables.columns import Chosen, Role
    from rankmark.data.tables.table import TableSource

_NAME = "<records>"
_IDS: tuple[Role, ...] = ("query_id", "doc_id")


class Fields(NamedTuple):
    """The fields of rows of one type: names, and functions that get each from a row."""

    names: tuple[Any, ...]
    getters: tuple[Callable[[Any], Any], ...]


def is_record(row: object) -> bool:
    """Return True if an object is a row with several fields, like those of sqlite3."""
    if isinstance(row, (Mapping, type)):
        return False
    by_name = hasattr(row, "keys") and hasattr(row, "__getitem__") and not is_series(row)
    return isinstance(row, tuple) or by_name or dataclasses.is_dataclass(row)


def are_fields(rows: Sequence[Mapping[Any, Any]], options: SourceOptions) -> bool:
    """Return True if mappings are rows with fields, rather than ``{document id: number}`` by query.

    They are if a field has a usual name of an id; else, if two or more share one set of words as
    keys of which two may hold ids, as fractions and rows that repeat cannot.
    """
    if options.columns is not None:
        return True
    names = [*rows[0]]
    if any(found_by_name(names, role) for role in _IDS):
        return True
    if not all(isinstance(name, str) for name in names):
        return False
    alike = all(isinstance(row, Mapping) and row.keys() == rows[0].keys() for row in rows)
    if len(rows) < 2 or not alike or all(map(_like_an_id, names)):
        return False
    columns = {name: [id_text(row[name]) for row in rows] for name in names}
    ids = [column for column in columns.values() if None not in column]
    if any(isinstance(value, str) for value in rows[0].values()):
        return True
    return any(len({*zip(*pair, strict=True)}) == len(rows) for pair in combinations(ids, 2))


def _like_an_id(name: str) -> bool:
    return len(name) == 1 or any(map(str.isdigit, name))


def has_header(rows: Sequence[Any], options: SourceOptions) -> bool:
    """Return True if the first of several rows names the columns of the others."""
    return len(rows) > 1 and names_columns(rows[0], options)


def names_columns(names: Sequence[Any], options: SourceOptions) -> bool:
    """Return True if a row holds names of columns for both ids."""
    if not all(isinstance(name, str) for name in names):
        return False
    chosen = options.columns or {}
    return all(
        chosen.get(role) in names if role in chosen else bool(found_by_name(names, role))
        for role in _IDS
    )


def from_records(
    rows: Sequence[Any],
    kind: Kind,
    options: SourceOptions,
    *,
    name: str = _NAME,
) -> TableSource | NestedMapping:
    """Read rows by their fields' names; plain tuples are (query id, document id, number).

    Parameters
    ----------
    rows
        At least one, all of the same type. Plain tuples may omit the number: every judged
        document is relevant then, and a run is in the order of its rows. The first may name the
        fields of the others. Numbers may be text, as csv reads them.

    Raises
    ------
    SchemaError
        If a field is missing or ambiguous, or contains anything other than ids and numbers.
    """
    options.only("records", "columns")
    where = side(name, kind)
    fields = _fields(rows[0])
    by_place = _is_plain(rows[0])
    if by_place and has_header(rows, options):
        by_place, fields, rows = False, fields._replace(names=rows[0]), rows[1:]
    if by_place:
        fields, chosen = _by_place(rows[0], fields, kind, options, where)
    else:
        chosen = choose(
            fields.names,
            kind,
            options.columns,
            where,
            subtopics=options.by_subtopic,
            numeric=lambda at: hold_numbers(_values(rows, fields.getters[at])),
        )
    places, moved = chosen.picked()
    names = [str(fields.names[place]) for place in places]
    _refuse_other_rows(rows, {fields.names[place] for place in places}, where)
    with noted(f"{where}: fields of its rows"):
        columns: list[Any] = [list(map(fields.getters[place], rows)) for place in places]
    numbers = [column for column in (moved.number, moved.rank) if column is not None]
    for column in numbers:
        columns[column] = [*map(number_in, columns[column])]
    if kind == "run" and options.columns is None and by_place and len(places) == 3:
        _refuse_ranks(columns[0], columns[2], where)
    if not by_place and is_list(columns[moved.doc_id][0]):
        return from_lists(names, columns, moved, kind, name=name, where=where)
    for column in numbers:
        columns[column] = numbers_of(columns[column], where, names[column], row_from_0)
    return from_columns(names, columns, moved, kind, name=name, form="records")


def from_structured(array: Any, kind: Kind, options: SourceOptions) -> TableSource:
    """Read a structured NumPy array by the names of its fields.

    Raises
    ------
    SchemaError
        If a field is missing or ambiguous, or contains anything other than ids or numbers.
    """
    options.only("a structured array", "columns")
    where = side("<structured array>", kind)
    names = array.dtype.names
    chosen = choose(
        names,
        kind,
        options.columns,
        where,
        subtopics=options.by_subtopic,
        numeric=lambda at: array.dtype[at].kind in "biuf",
    )
    places, moved = chosen.picked()
    names = [names[place] for place in places]
    numbers = {moved.number, moved.rank}
    columns: list[Any] = []
    for place, name in enumerate(names):
        values = array[name].ravel()
        if place in numbers:
            columns.append(exact_numbers(values, f"{where}: {name!r}"))
        else:
            columns.append(native(values) if values.dtype.kind in "iuf" else values.tolist())
    return from_columns(
        names, columns, moved, kind, name="<structured array>", form="structured array"
    )


def _values(rows: Sequence[Any], getter: Callable[[Any], Any]) -> Iterator[Any]:
    """Yield the values of a field; rows that lack it are refused later, if it is used."""
    for row in rows:
        with suppress(KeyError, IndexError, AttributeError, TypeError):
            yield getter(row)


def _is_plain(row: Any) -> bool:
    return isinstance(row, tuple) and _names_of(row) is None


def _names_of(row: Any) -> tuple[str, ...] | None:
    """Return the names of a tuple's fields, also in rows of Spark."""
    names: tuple[str, ...] | None = getattr(row, "_fields", getattr(row, "__fields__", None))
    return names if names is None else tuple(names)


def _fields(row: Any) -> Fields:
    if isinstance(row, Mapping):
        return Fields(tuple(row), tuple(map(itemgetter, row)))
    if dataclasses.is_dataclass(row):
        names = tuple(field.name for field in dataclasses.fields(row))
        return Fields(names, tuple(map(attrgetter, names)))
    if not isinstance(row, tuple):
        return Fields(tuple(row.keys()), tuple(map(itemgetter, row.keys())))
    places = range(len(row))
    return Fields(_names_of(row) or tuple(map(str, places)), tuple(map(itemgetter, places)))


def _by_place(
    row: Any, fields: Fields, kind: Kind, options: SourceOptions, where: str
) -> tuple[Fields, Chosen]:
    """Return the fields of plain tuples by position.

    Tuples of four and six are not guessed: TREC files have (query, iteration, document, label),
    but ir_datasets has (query, document, label, iteration).
    """
    if options.columns is not None:
        named = {role: str(place) for role, place in options.columns.items()}
        subtopics = options.by_subtopic
        return fields, choose(fields.names, kind, named, where, subtopics=subtopics)
    if options.subtopics:
        raise SchemaError(
            f"row 0 is a tuple of {len(row)}: {shown(row)}",
            "say which place holds what, "
            "as in columns={'query_id': 0, 'subtopic': 1, 'doc_id': 2, 'label': 3}",
            where=where,
        )
    number = "label" if kind == "qrels" else "score"
    if len(row) not in {2, 3}:
        raise SchemaError(
            f"row 0 is a tuple of {len(row)}: {shown(row)}",
            f"need (query_id, doc_id, {number}), or say which place holds what, as in "
            f"columns={{'query_id': 0, 'doc_id': 2, {number!r}: 3}}",
            where=where,
        )
    if len(row) == 2 and isinstance(row[1], float):
        raise SchemaError(
            f"row 0 is {shown(row)}, and a pair is (query_id, doc_id)",
            f"for one query alone, give {{doc_id: {number}}}",
            where=where,
        )
    names = ("query_id", "doc_id", number)[: len(row)]
    return fields._replace(names=names), choose(names, kind, None, where)


def _refuse_other_rows(rows: Sequence[Any], needed: set[Any], where: str) -> None:
    """Refuse rows of another type than the first, and dicts without the fields in use."""
    first = rows[0]
    mapping, kind = isinstance(first, Mapping), type(first)
    for row, fields in enumerate(rows):
        if mapping and isinstance(fields, Mapping):
            missing = sorted(str(name) for name in needed - fields.keys())
            if missing:
                raise SchemaError(
                    f"the row has no {missing[0]!r}: {shown(fields)}",
                    "need the fields of the first row",
                    where=f"{where}: {row_from_0(row)}",
                )
        elif type(fields) is not kind or (kind is tuple and len(fields) != len(first)):
            raise SchemaError(
                f"the row is {shown(fields)}",
                f"need rows like the first, {shown(first)}",
                where=f"{where}: {row_from_0(row)}",
            )


def _refuse_ranks(queries: Sequence[Any], numbers: Sequence[Any], where: str) -> None:
    """Refuse whole numbers that count up from 1 in every query, as they may be ranks."""
    counted: dict[str | None, int] = {}
    for query_id, number in zip(queries, numbers, strict=True):
        query = id_text(query_id)
        counted[query] = counted.get(query, 0) + 1
        if not isinstance(number, (int, np.integer)) or number != counted[query]:
            return
    if max(counted.values()) > 1:
        raise SchemaError(
            "the third values count up from 1 in every query, so they may be ranks or scores",
            "say which: columns={'query_id': 0, 'doc_id': 1, 'rank': 2}, or 'score': 2",
            where=where,
        )
