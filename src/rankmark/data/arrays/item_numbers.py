"""Runs of numbers of items, also with scores as top-k searches return them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rankmark._core import RankingOptions, align_numbered, table_from_columns
from rankmark.array_types import Bools, Floats, Ints
from rankmark.data.contract.places import Cell, Positional, Shape
from rankmark.data.contract.reading_options import Reading
from rankmark.data.contract.source import AlignedRun, Columns, PreparedQrels, Source, side
from rankmark.data.contract.source_options import Kind, SourceOptions
from rankmark.data.ids.numeric import native
from rankmark.data.mappings.hits import is_pair_of_arrays, paired, present_in, scores_and_ids
from rankmark.data.mappings.lists import OneQuery
from rankmark.data.tables.columns import Chosen
from rankmark.data.tables.table import TableSource, refuse_beyond, worded
from rankmark.errors import SchemaError

LARGEST = 2**31 - 1
"""Numbers of items are int32."""
FOR_CORE: Final = ("C", "ALIGNED", "ENSUREARRAY")


@dataclass(frozen=True, slots=True, eq=False)
class ItemRows:
    """A run whose queries are rows and whose documents are numbers of items.

    Parameters
    ----------
    starts
        (Q + 1,) int64: query q owns the documents starts[q] to starts[q + 1].
    ids
        (n,) int64, numbers of items; None if they count from 0 within each query.
    scores
        (n,) float64; None if the best comes first.
    """

    starts: Ints
    ids: Ints | None
    scores: Floats | None

    def copied(self) -> ItemRows:
        """Copy what may share the caller's memory."""
        ids = None if self.ids is None else self.ids.copy()
        return ItemRows(self.starts, ids, None if self.scores is None else self.scores.copy())

    def align(
        self, judged: Positional | None, ranking: RankingOptions, reading: Reading
    ) -> AlignedRun | None:
        """Align with judgments of the same queries; None if ids must be looked up as text."""
        if judged is None or ranking.looks_at_ids or not len(self.starts) > 1:
            return None
        places = judged.places
        if places.flat or len(places.starts) != len(self.starts):
            return None
        columns: Any = align_numbered(
            judged.doubles,
            places.starts,
            places.documents,
            self.starts,
            self.ids,
            self.scores,
            ranking,
            reading.workers,
        )
        if columns is None:  # a document appears twice
            return None
        return AlignedRun(Columns(*columns), 0, [], int(self.starts[-1]), 0, 0)


def item_rows(present: Any, shape: Any, ids: NDArray[Any], scores: Any = None) -> ItemRows | None:
    """Return rows of ids, and scores if any, by number; None if they are anything else.

    Parameters
    ----------
    present
        (Q, k) bool, where there is a document; None for everywhere.
    shape
        (Q, k).
    ids, scores
        (n,) of the documents present.
    """
    if ids.dtype.kind not in "iu" or (ids.dtype.kind == "u" and ids.itemsize == 8):
        return None
    if scores is not None:
        scores = np.asarray(scores)
        if scores.dtype.kind != "f" or scores.itemsize > 8 or np.isnan(scores).any():
            return None
        scores = np.require(scores, np.float64, FOR_CORE)
    counts = np.full(shape[0], shape[1]) if present is None else np.count_nonzero(present, axis=1)
    starts = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
    return ItemRows(starts, np.require(ids, np.int64, FOR_CORE), scores)


class NumberedRun(TableSource):
    """Rows of ids that are matched by number if the judgments are of items by number."""

    items: ItemRows | None = None

    def align_run(
        self, qrels: PreparedQrels, ranking: RankingOptions, reading: Reading, *, by_rank: bool
    ) -> AlignedRun:
        """Align a run with judgments."""
        if self.items is not None and not (by_rank or ranking.ranks_units):
            self.refuse_misfit(qrels, ranking)
            found = self.items.align(qrels.positional, ranking, reading)
            if found is not None:
                return found
        return super().align_run(qrels, ranking, reading, by_rank=by_rank)

    def keep(self) -> None:
        """Copy what the caller may change."""
        super().keep()
        self.items = None if self.items is None else self.items.copied()


def _refuse_either(shape: Shape, qrels: PreparedQrels) -> None:
    if shape == qrels.shape:
        raise SchemaError(
            f"run is an array of whole numbers, {shape_text(shape)}, as the judgments are; it may "
            "hold ids, best first, or scores",
            'choose contents="ids" or contents="scores", or, for rows, columns=',
        )


@dataclass(frozen=True, slots=True, eq=False)
class AreColumns:
    """Refuse ids that may be scores, and ids that are not columns of the judgments.

    Parameters
    ----------
    ids
        (n,) ids; whole numbers may mistakenly count from 1.
    ambiguous
        The shape of an array that may contain scores; None if it certainly contains ids.
    """

    ids: NDArray[Any]
    ambiguous: Shape | None = None

    def __call__(self, qrels: PreparedQrels, ranking: RankingOptions) -> None:
        """Raise SchemaError if a run and judgments cannot belong together.

        The ids of units are not columns of judgments of documents.
        """
        if self.ambiguous is not None:
            _refuse_either(self.ambiguous, qrels)
        if self.ids.dtype.kind in "iu" and len(self.ids) and not ranking.ranks_units:
            _refuse_beyond(self.ids, qrels)

    def copied(self) -> AreColumns:
        """Copy the ids, so that later changes to the caller's array have no effect."""
        return AreColumns(self.ids.copy(), self.ambiguous)


def _refuse_beyond(ids: NDArray[Any], qrels: PreparedQrels) -> None:
    if qrels.shape is None or len(qrels.shape) < 2:
        return
    beyond = np.unique(ids[(ids < 0) | (ids >= qrels.shape[1])])
    refuse_beyond(beyond.tolist(), qrels.shape[1], _NAME)


def shape_text(shape: tuple[int, ...]) -> str:
    """Write the shape of an array for messages."""
    return " x ".join(map(str, shape)) or "one value"


_NAME = "<scores and ids>"


def from_pair_of_arrays(source: tuple[Any, Any], kind: Kind, options: SourceOptions) -> Source:
    """Read (scores, ids) or (ids, scores), queries x k or k; an id of -1 is no document."""
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
    return numbered_run(ids, present, kind, _NAME, "scores and ids", scores[present])


def is_search_with_ids(source: object) -> bool:
    """Return True for what FAISS and hnswlib return, and the ids that its numbers stand for."""
    if not (isinstance(source, tuple) and len(source) == 3 and is_pair_of_arrays(source[:2])):
        return False
    *pair, ids = source
    listed_ids = isinstance(ids, (list, Mapping)) or getattr(ids, "ndim", 0) == 1
    return listed_ids and all(getattr(part, "ndim", 0) == 2 for part in pair)


def from_search_with_ids(
    source: tuple[Any, Any, Any], kind: Kind, options: SourceOptions
) -> Source:
    """Read (distances, numbers, ids), queries x k, in which each row has the best first.

    The numbers are places in ``ids``, or its keys; -1 is no document. Distances that rise along the
    rows, and similarities that fall, are scores of the same ranking.
    """
    options.only("a search with ids")
    where = side(_NAME, kind)
    if kind == "qrels":
        raise SchemaError("a search can only be a run", "give judgments", where=where)
    distances, numbers = scores_and_ids(source[:2], where)
    present, held = present_in(numbers), source[2]
    steps = np.diff(distances, axis=1)[present[:, 1:]]
    if (steps > 0).any() and (steps < 0).any():
        raise SchemaError(
            "distances rise along some rows and fall along others, so that their order is not the "
            "ranking",
            "sort each row, the best first",
            where=where,
        )
    places = numbers[present].tolist()
    names = held if isinstance(held, Mapping) else dict(enumerate(held))
    unknown = next((place for place in places if place not in names), None)
    if unknown is not None:
        raise SchemaError(
            f"the ids have none for the number {unknown}",
            "give the id of each number of the index",
            where=where,
        )
    ids = np.full(numbers.shape, None, dtype=object)
    ids[present] = [names[place] for place in places]
    scores = -distances if (steps > 0).any() else distances
    return numbered_run(ids, present, kind, _NAME, "search with ids", scores[present])


def numbered_run(
    ids: NDArray[Any],
    present: Bools | None,
    kind: Kind,
    name: str,
    form: str,
    scores: NDArray[Any] | None = None,
    *,
    ambiguous: Shape | None = None,
) -> NumberedRun:
    """Build a source of rows of ids, (Q, k), of which those present have scores, if any have.

    ``present`` is None for all; ``ambiguous`` is explained by ``AreColumns``.
    """
    rows, columns = np.indices(ids.shape) if present is None else np.nonzero(present)
    place = Cell(rows.ravel(), columns.ravel())
    picked = ids.ravel() if present is None else ids[present]
    held: Any = native(picked) if picked.dtype.kind in "iuf" else picked.tolist()
    parts = [np.ascontiguousarray(place.rows), held, *([] if scores is None else [scores])]
    names = ["query_id", "doc_id", "score"][: len(parts)]
    with worded(side(name, kind), names, place):
        table = table_from_columns(names, parts, len(ids))
    run = NumberedRun(
        table,
        Chosen(0, 1, None if scores is None else 2, None),
        kind,
        name=name,
        form={"form": form, "shape": list(ids.shape)},
        place=place,
        shape=(len(ids),),
        fits=AreColumns(picked, ambiguous),
    )
    run.items = item_rows(present, ids.shape, picked, scores)
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
