"""Dicts of columns, as from ``df.to_dict("list")``, and columns of lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from typing import Any

import numpy as np

from rankmark._core import table_from_columns
from rankmark.data.contract.source import Source, side
from rankmark.data.contract.source_options import Kind, SourceOptions
from rankmark.data.ids.numeric import exact_numbers, id_text, native, numbers_of, row_from_0
from rankmark.data.ids.tensors import as_array
from rankmark.data.mappings.nested_mapping import NestedMapping
from rankmark.data.tables.column_values import hold_numbers, number_in
from rankmark.data.tables.columns import (
    NAMES,
    Chosen,
    Role,
    choose,
    chosen_in,
    found_by_name,
    is_known,
)
from rankmark.data.tables.table import TableSource, worded
from rankmark.errors import DuplicateError, SchemaError, shown


def is_list(value: object) -> bool:
    """Return True if a value is a collection of documents."""
    return not isinstance(value, (str, bytes)) and hasattr(value, "__iter__")


def from_lists(
    names: Sequence[str],
    columns: Sequence[Sequence[Any]],
    chosen: Chosen,
    kind: Kind,
    *,
    name: str,
    where: str,
) -> NestedMapping:
    """Read queries with lists of documents, perhaps with lists of numbers, or lists of structs.

    Parameters
    ----------
    columns
        The values of the columns that ``chosen`` names, in the order of ``names``.
    """
    queries, lists = columns[chosen.query_id], columns[chosen.doc_id]
    numbers = None if chosen.number is None else columns[chosen.number]
    if kind == "run" and numbers is None and chosen.rank is not None:
        raise SchemaError(
            f"{names[chosen.doc_id]!r} holds lists, whose order is the ranking, so ranks do "
            "not apply",
            f"drop the column {names[chosen.rank]!r}, or explode() the frame",
            where=where,
        )
    held: dict[Any, Any] = {}
    first: dict[str | None, int] = {}
    used = chosen.named(names, kind)
    for row, (query, documents) in enumerate(zip(queries, lists, strict=True)):
        place = f"{where}: {row_from_0(row)}"
        if is_list(query):  # also if documents of units are a column beside lists of units
            raise SchemaError(
                f"{names[chosen.query_id]!r} holds lists",
                "explode() the frame, so that each row has one id",
                where=place,
            )
        before = first.setdefault(id_text(query), row)
        if before != row:
            raise DuplicateError(
                f"query {shown(query)} appears twice, first in {row_from_0(before)}",
                "put its documents into one list, or explode() the frame",
                where=place,
            )
        if not is_list(documents):
            raise SchemaError(
                f"{names[chosen.doc_id]!r} is {shown(documents)}",
                "need a list as in the other rows, empty if there are no documents",
                where=place,
            )
        inner = documents.tolist() if hasattr(documents, "tolist") else list(documents)
        if numbers is not None:
            pair = (names[chosen.doc_id], names[chosen.number or 0])
            inner = _paired(inner, numbers[row], pair, place)
        elif inner and isinstance(inner[0], Mapping):
            inner = _of_structs(inner, kind, place, used)
        held[query] = inner
    source = NestedMapping(held, kind)
    source.name, source.form = name, {"form": "frame of lists", "columns": used}
    return source


def _paired(documents: list[Any], numbers: Any, names: tuple[str, str], place: str) -> Any:
    if not is_list(numbers):
        raise SchemaError(
            f"{names[0]!r} holds a list, and {names[1]!r} is {shown(numbers)}",
            "need a list of equal length, or no such column",
            where=place,
        )
    values = numbers.tolist() if hasattr(numbers, "tolist") else list(numbers)
    if len(values) != len(documents):
        raise SchemaError(
            f"{names[0]!r} and {names[1]!r} hold lists of {len(documents)} and {len(values)}",
            "need lists of equal length",
            where=place,
        )
    return list(zip(documents, values, strict=True))


def _of_structs(documents: list[Any], kind: Kind, place: str, used: dict[str, str]) -> list[Any]:
    """Return the id and the number of each struct, by the names of its fields."""
    fields = ["query_id", *(name for name in documents[0] if name != "query_id")]
    chosen = choose(fields, kind, None, place)
    doc_id = fields[chosen.doc_id]
    column = used["doc_id"].partition(".")[0]
    used["doc_id"] = f"{column}.{doc_id}"
    if chosen.number is None:
        return [document[doc_id] for document in documents]
    number = fields[chosen.number]
    used["label" if kind == "qrels" else "score"] = f"{column}.{number}"
    return [(document[doc_id], document[number]) for document in documents]


_NAME = "<columns>"
_IDS: tuple[Role, ...] = ("query_id", "doc_id")
_PARTS = {"index", "columns", "data", "index_names", "column_names", "schema"}
"""Of a frame, as to_dict and to_json write it with split or tight."""
_MOST = 64  # columns; a mapping with more keys has queries as keys


def is_column_dict(mapping: Mapping[Any, Any], kind: Kind, options: SourceOptions) -> bool:
    """Return True if a mapping is a table: column names with columns of equal length."""
    if not 2 <= len(mapping) <= _MOST:
        return False
    named = dict(options.columns or {})
    chosen = options.columns is not None and (
        options.unused is None or any(named.get(role) in list(mapping) for role in _IDS)
    )
    if "columns" in mapping and "data" in mapping and mapping.keys() <= _PARTS:
        raise SchemaError(
            "it is a frame split into parts",
            "give the frame itself, or its records",
            where=f"{kind} {_NAME}",
        )
    if not chosen and _usual().isdisjoint(mapping):
        return False
    names = list(mapping)
    both = [named.get(role) in names or bool(found_by_name(names, role)) for role in _IDS]
    held = list(mapping.values())
    if isinstance(held[0], Mapping):  # {row: value}, as from to_dict()
        exactly = all(
            named.get(role) in names or any(is_known(name, role) for name in names) for role in _IDS
        )
        return exactly and all(_same_rows(column, held[0]) for column in held)
    if any(both):
        _refuse_no_table(held, names, both, kind)
    return all(both)


def _same_rows(column: Any, first: Mapping[Any, Any]) -> bool:
    if not isinstance(column, Mapping) or column.keys() != first.keys():
        return False
    return not any(isinstance(value, Mapping) for value in column.values())


def _refuse_no_table(held: list[Any], names: list[Any], both: list[bool], kind: Kind) -> None:
    named = ", ".join(map(shown, names[:4]))
    if all(both) and not any(map(is_list, held)):
        raise SchemaError(
            f"it is a dict with the fields of one row, {named}",
            "put rows into a list, or a list into each column",
            where=f"{kind} {_NAME}",
        )
    if not all(map(_is_column, held)) or len({len(column) for column in held}) > 1:
        raise SchemaError(
            f"its keys look like names of columns, {named}, and its values are not lists of "
            "equal length",
            "make them so, or give queries other ids",
            where=f"{kind} {_NAME}",
        )
    if not all(both):
        missing = "doc_id" if both[0] else "query_id"
        raise SchemaError(
            f"{kind} is a dict with keys like names of columns, {named}, of which none is "
            f"{missing}",
            f"choose with columns={{{missing!r}: NAME}}, or give queries other ids",
        )


def is_row_dict(mapping: Mapping[Any, Any]) -> bool:
    """Return True if a mapping contains rows by number, as from ``df.to_dict("index")``.

    Documents may have names like fields; but labels and scores are not text, and query ids
    seldom count from 0.
    """
    key, first = next(iter(mapping.items()), (None, None))
    if type(first) is not dict and not isinstance(first, Mapping):
        return False
    if len(first) > _MOST or _usual().isdisjoint(first):
        return False
    if not all(any(is_known(name, role) for name in first) for role in _IDS):
        return False
    return any(isinstance(value, str) for value in first.values()) or str(key) == "0"


def from_column_dict(mapping: Mapping[Any, Any], kind: Kind, options: SourceOptions) -> Source:
    """Read columns by their names."""
    options.only("a dict of columns", "columns")
    where = side(_NAME, kind)
    names = list(mapping)
    chosen = chosen_in(
        names, kind, options, where, lambda at: hold_numbers(values_of(mapping[names[at]]))
    )
    held = lambda at: values_of(mapping[names[at]])  # noqa: E731
    return from_chosen(names, chosen, held, kind, name=_NAME, form="dict of columns")


def from_chosen(
    names: Sequence[Any],
    chosen: Chosen,
    column: Callable[[int], Any],
    kind: Kind,
    *,
    name: str,
    form: str,
    lists: bool = True,
) -> TableSource | NestedMapping:
    """Build a source from the columns that were chosen.

    Parameters
    ----------
    names
        Of all columns.
    column
        Returns the one at a place: a list, or an array of numbers.
    lists
        Whether the documents may be lists.
    """
    where = side(name, kind)
    places, moved = chosen.picked()
    picked = [str(names[place]) for place in places]
    held = [*map(column, places)]
    if lists and len(held[0]) and is_list(held[moved.doc_id][0]):
        return from_lists(picked, held, moved, kind, name=name, where=where)
    numbers = {moved.number, moved.rank}
    columns = [
        _numbers(values, where, picked[at])
        if at in numbers
        else native(values)
        if isinstance(values, np.ndarray)
        else values
        for at, values in enumerate(held)
    ]
    with worded(where, picked):
        table = table_from_columns(picked, columns)
    description = {"form": form, "columns": moved.named(picked, kind)}
    return TableSource(table, moved, kind, name=name, form=description)


@cache
def _usual() -> frozenset[str]:
    """Return the names of id columns in all usual spellings, for fast lookup in small calls."""
    names = [*NAMES["query_id"], *NAMES["doc_id"]]
    parts = [name.split("_") for name in names]
    written = {"_".join(words) for words in parts} | {"-".join(words) for words in parts}
    written |= {" ".join(words) for words in parts} | {"".join(words) for words in parts}
    written |= {words[0] + "".join(map(str.title, words[1:])) for words in parts}
    written |= {words[0] + "".join(map(str.upper, words[1:])) for words in parts}
    written |= {name + "s" for name in written}
    return frozenset(
        written | {name.title() for name in written} | {name.upper() for name in written}
    )


def _is_column(held: Any) -> bool:
    return is_list(held) and hasattr(held, "__len__") and not isinstance(held, AbstractSet)


def values_of(held: Any) -> Any:
    """Return a column as a list, or as an array of numbers."""
    if isinstance(held, Mapping):
        return list(held.values())
    if isinstance(held, np.ndarray) and held.dtype.kind in "biuf" and held.ndim == 1:
        return as_array(held, "column")
    if hasattr(held, "tolist"):
        return held.tolist()
    return held if type(held) is list else list(held)


def _numbers(column: Any, where: str, name: str) -> Any:
    if isinstance(column, np.ndarray):
        return exact_numbers(column, f"{where}: {name!r}")
    return numbers_of([*map(number_in, column)], where, name, row_from_0)
