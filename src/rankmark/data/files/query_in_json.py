"""Read the rows of one query in JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.data.files.gathered import GatheredQuery
from rankmark.data.files.json_documents import Documents
from rankmark.data.files.json_text import json_bytes
from rankmark.data.ids.numeric import numbers_of, row_from_0
from rankmark.data.tables.table import of_one_query
from rankmark.errors import SchemaError

if TYPE_CHECKING:
    from rankmark.data.contract.source import Source
    from rankmark.data.contract.source_options import Kind, SourceOptions


def query_in_json(
    descriptor: int,
    name: str,
    kind: Kind,
    options: SourceOptions,
    query: str,
    form_of: Callable[[dict[str, str]], Mapping[str, Any]],
    *,
    by_line: bool,
) -> Source | None:
    """Read a query's rows with scores and with ranks, as either may be needed.

    Parameters
    ----------
    form_of
        Describes how the file was interpreted, by the fields used.
    """
    data = json_bytes(descriptor, name, by_line=by_line)

    def read(*, by_rank: bool) -> tuple[GatheredQuery, dict[str, str]]:
        gathered = GatheredQuery(name, kind, query)
        documents = Documents(name, kind, options, by_rank=by_rank, gathered=gathered)
        documents.read(data, by_line=by_line)
        return gathered, documents.columns

    gathered, columns = read(by_rank=False)
    number = None
    if gathered.is_scored:
        number = numbers_of(gathered.numbers, name, "score", row_from_0)
    rank = None
    if "rank" in columns:
        try:
            by_rank = read(by_rank=True)[0] if gathered.is_scored else gathered
            rank = -np.array(by_rank.numbers)
        except SchemaError:  # invalid ranks are refused only when they are needed
            rank = np.full(len(gathered.numbers), np.nan)
    return of_one_query(
        query, gathered.doc_ids, number, rank, kind, name=name, form=form_of(columns)
    )
