"""Attributes of queries: the clusters that they belong to, and slices."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any

from rankmark.conventions import query_text
from rankmark.errors import InputError, SchemaError, listed, shown
from rankmark.scoring.aggregates import weights_of
from rankmark.sources.files.query_list import weights_in, words_in
from rankmark.verbs.given_scores import columns_by_query

if TYPE_CHECKING:
    from rankmark.array_types import Floats

Clusters = Mapping[Any, Hashable] | str | os.PathLike[str] | IO[Any]
"""The cluster of each query: {query id: cluster}, or a file of lines `qid cluster`."""

Weights = Mapping[Any, float] | str | os.PathLike[str] | IO[Any]
"""The weight of each query: {query id: weight}, or a file of lines `qid weight`."""

Attributes = Any
"""Attributes of queries: {query id: value}, a frame, or a file."""

NO_VALUE = "(no value)"
"""The slice of queries without a value."""


def clusters_of(clusters: Clusters, queries: Sequence[str]) -> list[Hashable]:
    """Return the cluster of each query.

    Raises
    ------
    InputError
        If a query has none.
    """
    by_query: dict[str, Hashable]
    if isinstance(clusters, Mapping):
        by_query = {query_text(query, "clusters"): cluster for query, cluster in clusters.items()}
    else:
        by_query = dict(words_in(clusters, "cluster"))
    missing = [query for query in queries if query not in by_query]
    if missing:
        raise InputError(
            f"clusters says nothing of {len(missing):,} of {len(queries):,} queries: "
            f"{listed(missing[:3], len(missing))}",
            "give every query a cluster, if only its own id",
        )
    return [by_query[query] for query in queries]


def given_weights(weights: Weights, queries: Sequence[str]) -> Floats:
    """Return the weight of each query, (n_queries,) float64.

    Raises
    ------
    InputError
        If a query has none, or one that is not a finite number from 0, or all are 0.
    """
    by_query = weights if isinstance(weights, Mapping) else weights_in(weights)
    found = weights_of(queries, by_query)
    if not found.any():
        raise InputError("weights: all weights are 0", "give one query a weight above 0")
    return found


def attributes_of(by: Attributes, queries: Sequence[str]) -> dict[str, list[str]]:
    """Return the values of each attribute, (n_queries,) text.

    Raises
    ------
    SchemaError
        If the form is unknown, or no query has a value.
    """
    if isinstance(by, Mapping) and not any(
        isinstance(value, (list, tuple)) for value in by.values()
    ):
        columns = {"by": {query_text(query, "by"): value for query, value in by.items()}}
    else:
        columns = columns_by_query(by, "by")
    found = {}
    for name, values in columns.items():
        found[name] = [_text(values.get(query)) for query in queries]
        if all(value == NO_VALUE for value in found[name]):
            raise SchemaError(
                f"by has no value of {shown(name)} for any of the {len(queries):,} queries",
                "check the query ids",
            )
    return found


def _text(value: Any) -> str:
    missing = value is None or value == "" or (isinstance(value, float) and value != value)  # noqa: PLR0124
    return NO_VALUE if missing else str(value)
