"""Attributes of queries: the clusters that they belong to, and slices."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import IO, Any, Protocol

import numpy as np

from rankmark.array_types import Floats
from rankmark.conventions import by_text, query_text
from rankmark.data.frames.arrow_frames import is_frame
from rankmark.data.given_tables.given_columns import is_empty
from rankmark.data.given_tables.table_files import of_json
from rankmark.data.tables.columns import found_by_name
from rankmark.errors import DuplicateError, InputError, SchemaError, listed, shown
from rankmark.results.result import Result
from rankmark.results.run_names import natural
from rankmark.scoring.aggregates import weights_of_all
from rankmark.verbs.evaluate.given_scores import columns_by_query, table_of


class Table(Protocol):
    """A series or a frame of pandas."""

    def items(self) -> Iterable[tuple[Any, Any]]:
        """Return what it holds."""
        ...


class ArrowTable(Protocol):
    """A frame of any other library."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return its columns."""
        ...


NO_VALUE = "(no value)"
"""The slice of queries without a value."""

_Given = Table | ArrowTable | Sequence[Mapping[str, Any]] | str | os.PathLike[str] | IO[Any]

Clusters = Mapping[Any, Hashable] | _Given
"""The cluster of each query: {query id: cluster}, a table, or a file of one or of `qid cluster`."""

Weights = Mapping[Any, float] | _Given
"""The weight of each query: {query id: weight}, a table, or a file of one or of `qid weight`."""

Attributes = Any
"""Attributes of queries: {query id: value}, a frame, or a file."""


def clusters_of(clusters: Clusters, queries: Sequence[str]) -> list[Hashable]:
    """Return the cluster of each query."""
    by_query = by_text(values_by_query(clusters, "clusters"), "clusters")
    remedy = "give every query a cluster, such as its own id"
    return of_all(by_query, queries, "clusters", remedy)


def of_all(values: Mapping[str, Any], queries: Sequence[str], name: str, remedy: str) -> list[Any]:
    """Return what each query has, and refuse values that some queries lack."""
    missing = [query for query in queries if is_empty(values.get(query))]
    if missing:
        raise InputError(
            f"{name} has none for {len(missing):,} of {len(queries):,} queries: {listed(missing)}",
            remedy,
        )
    return [values[query] for query in queries]


def weights_by_query(weights: Weights) -> Mapping[Any, Any]:
    """Return weights by query id, read from a file or a table."""
    return values_by_query(weights, "weights")


def given_weights(weights: Weights, queries: Sequence[str]) -> Floats:
    """Return the weight of each query, (n_queries,) float64."""
    return weights_of_all(queries, weights_by_query(weights))


def attributes_of(
    by: Attributes, queries: Sequence[str], called: str = "by"
) -> dict[str, list[str]]:
    """Return the values of each attribute, (n_queries,) text; it is called so in messages."""
    by = _as_mapping(by, called)
    if isinstance(by, Mapping) and not _has_lists(by):
        if any(isinstance(value, Mapping) for value in by.values()):
            raise SchemaError(
                f"{called} is a mapping of mappings",
                "need {query id: value}, or a frame for several",
            )
        columns = {called: by_text(by, called)}
    else:
        columns = columns_by_query(by, called)
    found = {}
    for name, values in columns.items():
        found[name] = [_text(values.get(query)) for query in queries]
        if all(value == NO_VALUE for value in found[name]):
            raise SchemaError(
                f"{called} has no value of {shown(name)} for any of the {len(queries):,} queries",
                "check the query ids",
            )
    return found


def column_or_file(by: Any, qrels: Any, name: str = "by") -> Any:
    """Return the values of a column of the judgments if ``by`` names one; else ``by`` as it is.

    ``name`` is what it is called in messages.
    """
    if not isinstance(by, str) or by == "-" or os.path.exists(by):  # noqa: PTH110
        return by
    columns = table_of(qrels)
    query_columns = [name for name in columns if name != by]
    places = found_by_name(query_columns, "query_id")
    if by not in columns or len(places) != 1:
        raise InputError(
            f"{name} is {shown(by)}; there is no such file, and the judgments have no such column",
            "check the path, or name a column of judgments that are a table",
        )
    values: dict[str, Any] = {}
    for query, value in zip(columns[query_columns[places[0]]], columns[by], strict=True):
        query_id = query_text(query, "qrels")
        if values.setdefault(query_id, value) != value:
            raise SchemaError(
                f"column {by!r} has several values for query {query_id!r}: "
                f"{shown(values[query_id])} and {shown(value)}",
                "give a file with one value for each query",
            )
    return values


def values_by_query(given: Any, name: str, column: str = "") -> Mapping[Any, Any]:
    """Return what each query has: of a mapping, or of a column of a table, a file or a result.

    That is the column of this name, or the only one besides the ids.
    """
    given = _as_mapping(given._table() if isinstance(given, Result) else given, name)
    if isinstance(given, Mapping) and not _has_lists(given):
        return given
    columns = columns_by_query(given, name, numbers=name == "weights")
    if column in columns:
        return columns[column]
    if len(columns) > 1:
        raise SchemaError(
            f"{name} has {f'no column {column}, and ' if column else ''}several columns: "
            f"{listed([*columns])}",
            f"give one besides the query ids{f', or name one of them {column}' if column else ''}",
        )
    return next(iter(columns.values()))


def _as_mapping(given: Any, name: str) -> Any:
    """Return a series of pandas, or a JSON file of one, as a mapping, anything else as it is."""
    given = of_json(given)
    kind = type(given)
    if is_frame(given) or not (hasattr(kind, "iloc") and hasattr(kind, "items")):
        return given
    pairs = [*given.items()]
    found = dict(pairs)
    if len(found) < len(pairs):
        raise DuplicateError(f"{name}: a query appears twice", "keep one row")
    return found


def _has_lists(given: Mapping[Any, Any]) -> bool:
    return any(isinstance(value, (list, tuple, np.ndarray)) for value in given.values())


def _text(value: Any) -> str:
    missing = value is None or value == "" or (isinstance(value, float) and value != value)  # noqa: PLR0124
    return NO_VALUE if missing else str(value)


def slices_of(attributes: Mapping[str, Sequence[str]]) -> dict[str, list[int]]:
    """Return the rows of each slice, in natural order of the values, those without one last.

    Parameters
    ----------
    attributes
        {attribute: (n_queries,) values}. The slices of a single attribute are named after its
        values, those of several as ``attribute=value``.
    """
    slices: dict[str, list[int]] = {}
    for attribute, values in attributes.items():
        rows: dict[str, list[int]] = {}
        for row, value in enumerate(values):
            rows.setdefault(value, []).append(row)
        for value in sorted(rows, key=lambda one: (one == NO_VALUE, natural(one))):
            name = value if len(attributes) == 1 else f"{attribute}={value}"
            slices[name] = rows[value]
    return slices
