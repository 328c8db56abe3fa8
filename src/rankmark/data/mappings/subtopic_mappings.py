"""Mappings with a level of subtopics between queries and documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from rankmark._core import numbered, table_from_columns
from rankmark.data.contract.source import RowsBySubtopic
from rankmark.data.ids.numeric import doubles_of
from rankmark.data.judgments.subtopic_judgments import WANTED
from rankmark.data.mappings.hits import items
from rankmark.data.tables.columns import Chosen
from rankmark.data.tables.table import rows_of_subtopic_table, worded
from rankmark.errors import DuplicateError, InputError, SchemaError, shown


def rows_of_nested(mapping: Mapping[Any, Any], where: str) -> RowsBySubtopic:
    """List the judgments of ``{query id: {subtopic: {document id: label}}}``, or of relevant ids.

    Subtopics without names are a list of groups of documents, numbered from 1.
    """
    counts: list[int] = []
    queries: list[Any] = []
    subtopics: list[Any] = []
    documents: list[Any] = []
    labels: list[Any] = []
    for query, held in items(mapping, where):
        before = len(documents)
        for subtopic, inner in items(_by_subtopic(held, query), f"{where}: query {shown(query)}"):
            ids = _documents(inner, query, subtopic)
            queries += [query] * len(ids)
            subtopics += [subtopic] * len(ids)
            documents += ids
            labels += inner.values() if isinstance(inner, Mapping) else [1.0] * len(ids)
        counts.append(len(documents) - before)
    if not documents:
        raise InputError("there are no judgments", f"need {WANTED}", where=where)

    def place(row: int) -> str:
        return (
            f"query {shown(queries[row])}, subtopic {shown(subtopics[row])}, "
            f"document {shown(documents[row])}"
        )

    number = doubles_of(labels, where, "label", place)
    names = ["query_id", "subtopic", "doc_id", "label"]
    with worded(where, names, place):
        each = table_from_columns(["query_id"], [list(mapping)])
        codes, ids = numbered(each, 0)
        table = table_from_columns(names, [queries, subtopics, documents, number])
        read = rows_of_subtopic_table(table, Chosen(0, 2, 3, None, 1), where)
    if len(ids) < len(mapping):
        raise DuplicateError(
            "a query appears twice", "keep one (1 and '1' are one id)", where=where
        )
    every = tuple(ids[code] for code in range(len(ids)))
    rows = read.rows._replace(query_codes=np.repeat(codes, counts), query_ids=every)
    return read._replace(rows=rows)


def _by_subtopic(held: Any, query: Any) -> Mapping[Any, Any]:
    if are_groups(held):
        return numbered_groups(held, f"qrels: query {shown(query)}")
    if not isinstance(held, Mapping):
        raise SchemaError(
            f"found {shown(held)}", f"need {WANTED}", where=f"qrels: query {shown(query)}"
        )
    return held


def are_groups(held: Any) -> bool:
    """Return True if the judgments of a query are a list of groups of documents."""
    return isinstance(held, (list, tuple)) and all(
        isinstance(group, (Mapping, AbstractSet, list, tuple)) for group in held
    )


def numbered_groups(held: Sequence[Any], where: str) -> dict[str, Any]:
    """Name the groups of a query 1, 2, ..., as subtopics."""
    for number, group in enumerate(held, 1):
        if not group:
            raise SchemaError(
                f"group {number:,} has no documents",
                "leave it out; if nothing answers the query, give [] without any group",
                where=where,
            )
    return {str(number): group for number, group in enumerate(held, 1)}


def _documents(inner: Any, query: Any, subtopic: Any) -> list[Any]:
    if isinstance(inner, (Mapping, AbstractSet, list, tuple)):
        return list(inner)
    raise SchemaError(
        f"qrels: query {shown(query)}: found {shown(inner)} for {shown(subtopic)}",
        f"need the documents of a subtopic, which measures of diversity need: {WANTED}",
    )
