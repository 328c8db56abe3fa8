"""Rows as Python objects: tuples, dataclasses, dicts, and lists as from csv.reader."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import combinations, groupby
from operator import attrgetter, itemgetter, or_
from typing import Any, NamedTuple

import numpy as np

from rankmark.data.contract.source import Source, side
from rankmark.data.contract.source_options import Kind, SourceOptions
from rankmark.data.evidence.mistaken_labels import are_time_stamps
from rankmark.data.frames.column_dicts import from_chosen, values_of
from rankmark.data.ids.numeric import id_text, row_from_0
from rankmark.data.mappings.nested_mapping import NestedMapping
from rankmark.data.tables.column_values import hold_numbers, is_series, number_in
from rankmark.data.tables.columns import Chosen, Role, choose, chosen_in, found_by_name
from rankmark.data.tables.table import TableSource
from rankmark.errors import SchemaError, noted, shown, warn

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
    like_ids = all(len(name) == 1 or any(map(str.isdigit, name)) for name in names)
    if len(rows) < 2 or not alike or like_ids:
        return False
    columns = {name: [id_text(row[name]) for row in rows] for name in names}
    ids = [column for column in columns.values() if None not in column]
    if any(isinstance(value, str) for value in rows[0].values()):
        return True
    return any(len({*zip(*pair, strict=True)}) == len(rows) for pair in combinations(ids, 2))


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
    """
    options.only("records", "columns")
    where = side(name, kind)
    fields = _fields(rows[0])
    by_place = isinstance(rows[0], tuple) and _names_of(rows[0]) is None
    if by_place and has_header(rows, options):
        by_place, fields, rows = False, fields._replace(names=rows[0]), rows[1:]
    if by_place:
        fields, chosen = _by_place(rows[0], fields, kind, options, where)
    else:
        chosen = chosen_in(
            fields.names,
            kind,
            options,
            where,
            lambda at: hold_numbers(_values(rows, fields.getters[at])),
        )
    places, _ = chosen.picked()
    _refuse_other_rows(rows, {fields.names[place] for place in places}, where)
    with noted(f"{where}: fields of its rows"):
        held = {place: [*map(fields.getters[place], rows)] for place in places}
    if kind == "run" and options.columns is None and by_place and len(places) == 3:
        _refuse_ranks(held[0], held[2], where)
    return from_chosen(
        fields.names,
        chosen,
        held.__getitem__,
        kind,
        name=name,
        form="records",
        lists=not by_place,
    )


def from_structured(array: Any, kind: Kind, options: SourceOptions) -> TableSource | NestedMapping:
    """Read a structured NumPy array by the names of its fields."""
    options.only("a structured array", "columns")
    name, names = "<structured array>", array.dtype.names
    where = side(name, kind)
    chosen = chosen_in(names, kind, options, where, lambda at: array.dtype[at].kind in "biuf")

    def held(at: int) -> Any:
        return values_of(array[names[at]].ravel())

    return from_chosen(names, chosen, held, kind, name=name, form="structured array", lists=False)


def _values(rows: Sequence[Any], getter: Callable[[Any], Any]) -> Iterator[Any]:
    """Yield the values of a field; rows that lack it are refused later, if it is used."""
    for row in rows:
        with suppress(KeyError, IndexError, AttributeError, TypeError):
            yield getter(row)


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
        whole = number_in(number)
        if not isinstance(whole, (int, np.integer)) or whole != counted[query]:
            return
    if max(counted.values()) > 1:
        raise SchemaError(
            "the third values count up from 1 in every query, so they may be ranks or scores",
            "say which: columns={'query_id': 0, 'doc_id': 1, 'rank': 2}, or 'score': 2",
            where=where,
        )


_MOST_FIELDS = 32
_MOST_ROWS = 200  # that are looked at cell by cell
_CHANCE = 1 / 100  # of lists of two ids of which no id is at both places
_FEW_LABELS, _MANY_IDS = 10, 50
_HIGHEST_LABEL = 4  # that is usual
_NUMBER: dict[Kind, str] = {"qrels": "label", "run": "score"}


def is_listed(row: object) -> bool:
    """Return True if an object may be a row as a list, or as an array of one dimension."""
    return isinstance(row, list) or (isinstance(row, np.ndarray) and row.ndim == 1)


def from_listed(rows: Sequence[Any], kind: Kind, options: SourceOptions) -> Source | None:
    """Read lists of equal length as rows; None if they are lists of ids.

    Rows have fields of several kinds: text in one, numbers in another, fractions in the last. Lists
    of ids hold ids of one kind, or of any kind at any place.

    Warns
    -----
    RankmarkWarning
        If all are ids or whole numbers, and both readings are likely.
    """
    if options.contents == "ids" or not all(map(is_listed, rows)):
        return None
    if not 2 <= len(rows[0]) <= _MOST_FIELDS or len({*map(len, rows)}) != 1:
        return None
    told = has_header(rows, options) or _name_places(rows[0], options)
    if not told and not are_rows(rows, kind):
        return None
    try:
        return from_records([*map(tuple, rows)], kind, options)
    except SchemaError as error:
        if not told:
            error.add_remedy("if these are lists of ids, say so: contents='ids'")
        raise


def from_listed_array(array: Any, kind: Kind, options: SourceOptions) -> Source | None:
    """Read an array of two dimensions as rows; None if it holds ids, labels or scores.

    Warns
    -----
    RankmarkWarning
        If all are whole numbers, and both readings are likely.
    """
    shaped = options.mask is not None or options.lengths is not None or np.ma.is_masked(array)
    if options.contents is not None or shaped or array.shape[1] > _MOST_FIELDS:
        return None
    if array.dtype.kind in "UT" or _name_places(array, options):
        return from_listed(array.tolist(), kind, options)
    width, are_ids = array.shape[1], kind == "run" and array.dtype.kind in "iu"
    if width > 2 and array.dtype.kind in "iuf":
        _refuse_rows_of_numbers(array, kind, "ids" if are_ids else f"{_NUMBER[kind]}s")
    if width in {2, 3} and are_ids:
        _doubt(array.tolist(), kind, "ids")
    return None


def _name_places(row: Sequence[Any], options: SourceOptions) -> bool:
    """Return True if the caller named the columns by their places in a row."""
    width, columns = np.shape(row)[-1], options.columns or {}
    return bool(columns) and all(place in range(width) for place in columns.values())


def are_rows(rows: Sequence[Any], kind: Kind) -> bool:
    """Return True if lists of equal length have fields of several kinds."""
    width = len(rows[0])
    kinds = [{*map(_kind, column)} for column in zip(*rows[:_MOST_ROWS], strict=True)]
    if any("other" in held for held in kinds):
        return False
    text = [held == {"text"} for held in kinds]
    numbers = ["text" not in held for held in kinds]
    if width == 3:
        apart = "number" in kinds[2] and "number" not in kinds[0] | kinds[1]
        if apart or (numbers[2] and any(text[:2])):
            return True
    elif all(map(or_, text, numbers)) and any(text) and any(numbers):
        types = {isinstance(cell, str) for cell in rows[0]}
        return "number" not in kinds[0] and (len(rows) > 1 or len(types) > 1)
    if width > 2 and kinds[-1] == {"whole"}:
        last = np.array([number_in(row[-1]) for row in rows[:_MOST_ROWS]], dtype=float)
        if are_time_stamps(last):
            return True
    if width <= 3 and (all(numbers) or (width == 2 and all(text))):
        _doubt(rows, kind, "ids")
    return False


def _refuse_rows_of_numbers(array: Any, kind: Kind, read_as: str) -> None:
    """Refuse ids in two columns and fractions or time stamps in others; warn of whole numbers."""
    with np.errstate(invalid="ignore"):
        ids, others = np.asarray(array[:, :2]), np.asarray(array[:, 2:])
        if not (len(ids) > 1 and (ids >= 0).all() and (ids % 1 == 0).all()):
            return
        has_fractions = bool((others % 1 != 0).any())
    wide = array.shape[1] > 3
    if are_time_stamps(others[:, -1]) and not are_time_stamps(ids.max(axis=0)):
        what = "the last holds time stamps"
    elif not has_fractions:
        if not wide and read_as != "ids":
            _doubt(array.tolist(), kind, read_as)
        return
    elif (wide and ids.max() <= _HIGHEST_LABEL) or not _are_grouped(ids.tolist()):
        return
    else:
        what = "others fractions" if wide else "the third fractions"
    number = _NUMBER[kind]
    raise SchemaError(
        f"the first two of {array.shape[1]} columns hold whole numbers and {what}, so these seem "
        f"to be rows (query_id, doc_id, {number}) and not {read_as} of {array.shape[1]} items",
        _choices(kind, read_as),
        where=f"{kind} <array>",
    )


def _kind(cell: Any) -> str:
    if isinstance(cell, str):
        number = number_in(cell)
        if not isinstance(number, str):
            return "whole" if isinstance(number, int) else "number"
        return "text"
    if hasattr(cell, "__index__") and not isinstance(cell, bool):
        return "whole"
    if hasattr(cell, "__float__"):
        return "number"
    return "text" if hasattr(cell, "time_hi_version") else "other"  # a UUID


def _are_grouped(rows: Sequence[Sequence[Any]]) -> bool:
    """Return True if the first field groups the rows, and no group has a second field twice."""
    queries = [row[0] for row in rows]
    if len({(row[0], row[1]) for row in rows}) < len(rows):
        return False
    groups = len([*groupby(queries)])
    return groups == len({*queries}) < len(rows)


def _doubt(rows: Sequence[Sequence[Any]], kind: Kind, read_as: str) -> None:
    """Warn if what is read as lists of ids, or as labels or scores, may be rows as well.

    Lists of relevant ids are refused: the first ids of rankings repeat more often.
    """
    if len(rows) < 2:
        return
    columns = [*zip(*rows, strict=True)]
    distinct = [{*column} for column in columns]
    if len(columns) == 2:
        repeats = 2 * len(rows) - len(distinct[0] | distinct[1])
        likely = distinct[0].isdisjoint(distinct[1]) and 2.0**-repeats <= _CHANCE
        likely = likely and _are_grouped(rows)
    else:
        few_labels = len(distinct[2]) <= _FEW_LABELS
        likely = _are_grouped(rows) or (few_labels and min(map(len, distinct[:2])) >= _MANY_IDS)
        if read_as != "ids":
            highest = [max(map(float, column)) for column in columns]
            likely = likely and highest[2] < min(highest[:2]) and max(highest) > _HIGHEST_LABEL
    if not likely:
        return
    fields = ("query_id", "doc_id", _NUMBER[kind])[: len(columns)]
    found = f"these may be rows ({', '.join(fields)})"
    where = f"{kind} <{'list' if read_as == 'ids' else 'array'}>"
    if kind == "qrels" and read_as == "ids":
        raise SchemaError(f"{found} or lists of ids", _choices(kind, read_as), where=where)
    held = "ids" if read_as == "ids" else f"{read_as} of three items"
    warn(f"{found}, and are read as lists of {held}", _choices(kind, read_as), where=where)


def _choices(kind: Kind, contents: str) -> str:
    return (
        f"for rows, say so: columns={{'query_id': 0, 'doc_id': 1, {_NUMBER[kind]!r}: 2}}; "
        f"else contents={contents!r}"
    )
