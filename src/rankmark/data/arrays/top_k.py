"""Runs as returned by top-k searches: an array of scores and one of ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark._core import table_from_columns
from rankmark.data.arrays.array_forms import AreColumns
from rankmark.data.arrays.item_numbers import NumberedRun, item_rows
from rankmark.data.contract.places import Cell
from rankmark.data.contract.source import side
from rankmark.data.ids.numeric import native
from rankmark.data.mappings.arrays_of_pairs import paired, present_in, scores_and_ids
from rankmark.data.mappings.lists import OneQuery
from rankmark.data.tables.columns import Chosen
from rankmark.data.tables.table import worded
from rankmark.errors import SchemaError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.data.contract.source import Source
    from rankmark.data.contract.source_options import Kind, SourceOptions

_NAME = "<scores and ids>"


def from_pair_of_arrays(source: tuple[Any, Any], kind: Kind, options: SourceOptions) -> Source:
    """Read (scores, ids) or (ids, scores), queries x k or k; an id of -1 is no document.

    Raises
    ------
    SchemaError
        If either could be the ids, their shapes differ, or scores rise along every row.
    """
    options.only("scores and ids")
    where = side(_NAME, kind)
    if kind == "qrels":
        raise SchemaError(
            "a pair of arrays can only be a run",
            "need {query id: {document id: label}}",
            where=where,
        )
    scores, ids = scores_and_ids(source, where)
    if ids.ndim == 1:
        return OneQuery(paired(scores, ids), kind)
    if ids.ndim != 2:
        raise SchemaError(
            f"the ids have {ids.ndim} dimensions", "need queries x k, or k", where=where
        )
    _refuse_distances(scores, ids, where)
    present = present_in(ids)
    rows, columns = np.nonzero(present)
    picked = ids[present]

    place = Cell(rows, columns)
    held: Any = native(picked) if picked.dtype.kind in "iu" else picked.tolist()
    names = ["query_id", "doc_id", "score"]
    with worded(where, names, place):
        table = table_from_columns(
            names, [np.ascontiguousarray(rows), held, scores[present]], len(ids)
        )
    run = NumberedRun(
        table,
        Chosen(0, 1, 2, None),
        kind,
        name=_NAME,
        form={"form": "scores and ids", "shape": list(ids.shape)},
        place=place,
        shape=(len(ids),),
        fits=AreColumns(picked),
    )
    run.items = item_rows(present, ids.shape, picked, scores[present])
    return run


def _refuse_distances(scores: NDArray[Any], ids: NDArray[Any], where: str) -> None:
    """Refuse numbers that rise along the rows, as distances do: the best must come first."""
    both = present_in(ids)
    both = both[:, 1:] & both[:, :-1]
    if not both.any():
        return
    falls = (scores[:, 1:] < scores[:, :-1]) & both
    rises = (scores[:, 1:] > scores[:, :-1]) & both
    if rises.any() and not falls.any():
        raise SchemaError(
            "the numbers rise along every row, and searches return the best first, so "
            "these seem to be distances",
            "negate them: (-distances, ids)",
            where=where,
        )
