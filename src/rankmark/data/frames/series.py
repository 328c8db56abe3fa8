"""Pandas Series, interpreted by their index, their name and their values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rankmark.data.arrays.positional import PositionalSource
from rankmark.data.contract.source import Source
from rankmark.data.contract.source_options import Kind, SourceOptions
from rankmark.data.ids.numeric import doubles_of
from rankmark.data.mappings.nested_mapping import NestedMapping
from rankmark.data.tables.column_values import (
    holds_lists,
    holds_numbers,
    is_default,
    is_series,
    only_counts,
    refuse_duplicates,
)
from rankmark.data.tables.columns import Role, is_known
from rankmark.errors import SchemaError, shown

_NAME = "<series>"
_NUMBER: dict[str, Role] = {"qrels": "label", "run": "score"}


class Takers(NamedTuple):
    """Readers of the other forms that a Series may be converted to."""

    mapping: Callable[[Any, Kind, SourceOptions], Source]
    frame: Callable[[Any, Kind, SourceOptions], Source]
    array: Callable[[Any, Kind, SourceOptions], Source]
    rows: Callable[[Any, Kind, SourceOptions], Source]


def from_series(series: Any, kind: Kind, options: SourceOptions, take: Takers) -> Source:
    """Read a Series by its index, which contains queries, documents, or both in two levels."""
    index = series.index
    if options.groups is not None or options.contents is not None:
        return _by_place(series, kind, options, take)
    if index.nlevels > 1:
        return _of_two_levels(series, kind, options, take)
    if holds_lists(series):
        return _of_lists(series, kind, options, take)
    numbers = holds_numbers(series)
    if not numbers or _is(series.name, "doc_id", options):
        return _of_documents(series, kind, options, take)
    if is_default(index):
        return _by_place(series, kind, options, take)
    # An index without a name may hold ids, or the numbers of selected rows.
    unnamed = index.name is None and (series.name is None or not only_counts(index))
    if unnamed or _is(index.name, "doc_id", options):
        held = dict(zip(_ids(index, "document", kind), _numbers(series, kind), strict=True))
        return take.mapping(held, kind, _without_columns(options))
    raise _unclear(series, kind)


def _by_place(series: Any, kind: Kind, options: SourceOptions, take: Takers) -> Source:
    """Read numbers row by row, to be matched with a Series that has the same index."""
    groups = options.groups
    if is_series(groups) and not groups.index.equals(series.index):
        raise SchemaError(
            f"groups and the {kind} are Series with different indexes",
            "take them from the same frame, or give .to_numpy() of both if their rows are in "
            "the same order",
        )
    values = series.to_numpy()
    if values.dtype == object and holds_numbers(series):
        values = np.array(_numbers(series, kind))
    source = take.array(values, kind, options)
    if isinstance(source, PositionalSource):
        source.index = series.index
    return source


def _of_two_levels(series: Any, kind: Kind, options: SourceOptions, take: Takers) -> Source:
    """Read (query, document) from the index, by the names of the levels or in this order."""
    names = list(series.index.names)
    if all(name is None for name in names) and len(names) == 2:
        names = ["query_id", "doc_id"]
    if None in names or holds_lists(series):
        what = "lists" if holds_lists(series) else "a level without a name"
        raise SchemaError(
            f"{kind} is a Series whose index has {len(names)} levels, and {what}",
            "need (query, "
            "document) in the index and numbers as values, as in "
            'frame.set_index(["user_id", "item_id"])["score"]',
        )
    number = _NUMBER[kind]
    named = {**(options.columns or {})}
    column = named.get(number, number)
    frame = series.rename_axis(names).to_frame(column)
    frame_options = options._replace(columns={**named, number: column})
    return take.frame(frame, kind, frame_options)


def _of_lists(series: Any, kind: Kind, options: SourceOptions, take: Takers) -> Source:
    """Read a list per query: by position with a default index, else by the index."""
    values = series.tolist()
    for row, value in enumerate(values):
        if value is None or isinstance(value, float):
            raise SchemaError(
                f"{kind} {_NAME}: {shown(series.index[row])} has {shown(value)} instead of a list",
                "drop it, or replace it by an empty list",
            )
    if is_default(series.index):
        return take.rows(values, kind, _without_columns(options))
    queries = _ids(series.index, "query", kind)
    source = take.mapping(dict(zip(queries, values, strict=True)), kind, _without_columns(options))
    if isinstance(source, NestedMapping):
        source.name = _NAME
        columns = {"query_id": series.index.name, "doc_id": series.name}
        source.form = {
            "form": "series of lists",
            "columns": {role: str(name) for role, name in columns.items() if name is not None},
        }
    return source


def _of_documents(series: Any, kind: Kind, options: SourceOptions, take: Takers) -> Source:
    """Read ids: one per query, or one query's in order if the index only counts rows."""
    index = series.index
    named = series.name is not None
    if is_default(index) or (only_counts(index) and named):
        return take.rows(series.tolist(), kind, _without_columns(options))
    if index.name is not None and not _is(index.name, "query_id", options):
        raise _unclear(series, kind)
    query, document = index.name or "query_id", series.name if named else "doc_id"
    frame = series.rename_axis(query).to_frame(document)
    columns = {**(options.columns or {}), "query_id": query, "doc_id": document}
    return take.frame(frame, kind, options._replace(columns=columns))


def _ids(index: Any, what: str, kind: Kind) -> list[Any]:
    refuse_duplicates(index, what, f"{kind} {_NAME}")
    return index.tolist()


def _numbers(series: Any, kind: Kind) -> list[float]:
    missing = series.isna().to_numpy()
    if missing.any():
        raise SchemaError(
            f"the value of {series.index[int(missing.argmax())]!r} is missing",
            "fill it, or drop it: dropna()",
            where=f"{kind} {_NAME}",
        )
    values: list[float] = series.tolist()
    doubles_of(values, f"{kind} {_NAME}", str(series.name), lambda row: shown(series.index[row]))
    return values


def _is(name: Any, role: Role, options: SourceOptions) -> bool:
    if name is None:
        return False
    return bool((options.columns or {}).get(role) == name) or is_known(name, role)


def _without_columns(options: SourceOptions) -> SourceOptions:
    return options._replace(columns=None)


def _unclear(series: Any, kind: Kind) -> SchemaError:
    index, name = series.index.name, series.name
    called = "an index without a name" if index is None else f"an index called {index!r}"
    values = "values" if name is None else f"values called {name!r}"
    return SchemaError(
        f"{kind} is a Series with {called} and {values}",
        'say what they are: series.rename_axis("doc_id") for the documents of one query, '
        'series.rename("item_id").rename_axis("user_id") for a document of each query, or groups= '
        "for numbers row by row",
    )
