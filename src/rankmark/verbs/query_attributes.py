"""Attributes of queries: the clusters that they belong to, and slices."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from typing import IO, Any

from rankmark.conventions import query_text
from rankmark.errors import InputError, SchemaError, listed, shown
from rankmark.sources.files.query_list import words_in
from rankmark.verbs.given_scores import columns_by_query

Clusters = Mapping[Any, Hashable] | str | os.PathLike[str] | IO[Any]
"""The cluster of each query: {query id: cluster}, or a file of lines `qid cluster`."""

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
