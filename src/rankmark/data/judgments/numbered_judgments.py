"""Judgments whose labels are document numbers, by which other labels are looked up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from rankmark._core import (
    Judgments,
    MappingFault,
    qrels_from_dict,
    qrels_from_table,
    table_from_columns,
)
from rankmark.data.ids.encoding import id_bytes


def numbered_judgments(
    query_ids: Sequence[str], by_query: Sequence[Mapping[str, float]]
) -> tuple[Judgments, tuple[str, ...], tuple[str, ...]]:
    """Return the core's judgments, and the ids of queries and documents in its order.

    Parameters
    ----------
    query_ids
        (Q,) ids.
    by_query
        (Q,) ``{document id: number}``; may be empty if ids are Unicode text.
    """
    try:
        return qrels_from_dict(dict(zip(query_ids, by_query, strict=True)))
    except MappingFault:  # ids of a file that are not UTF-8, which mappings cannot contain
        documents = [doc_id for held in by_query for doc_id in held]
        numbers = np.array([number for held in by_query for number in held.values()])
        queries = [query for query, held in zip(query_ids, by_query, strict=True) for _ in held]
        columns = [tuple(map(id_bytes, queries)), tuple(map(id_bytes, documents)), numbers]
        table = table_from_columns(["query_id", "doc_id", "number"], columns)
        judgments = qrels_from_table(table, 0, 1, 2)
        return judgments, judgments.query_ids(), judgments.document_ids()
