"""Rows of item numbers, and judgments of items by number: matched without text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from rankmark._core import RankingOptions, align_numbered
from rankmark.data.contract.places import Places, Positional
from rankmark.data.contract.reading_options import Reading
from rankmark.data.contract.source import AlignedRun, Columns, Judged
from rankmark.data.ids.numeric import first_inexact
from rankmark.data.tables.table import TableSource

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.array_types import Floats, Ints
    from rankmark.data.contract.source import PreparedQrels

_LARGEST = 2**31 - 1  # items are int32
_FOR_CORE: Final = ("C", "ALIGNED", "ENSUREARRAY")


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
        scores = np.require(scores, np.float64, _FOR_CORE)
    counts = np.full(shape[0], shape[1]) if present is None else np.count_nonzero(present, axis=1)
    starts = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
    return ItemRows(starts, np.require(ids, np.int64, _FOR_CORE), scores)


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


class SparseQrels(TableSource):
    """Judgments in a sparse matrix: by number if its entries are sorted and none appears twice."""

    rows_of_entries: NDArray[Any]
    columns: NDArray[Any]
    data: NDArray[Any]

    def read_qrels(self, reading: Reading) -> Judged:
        """Read judgments."""
        positional = self._by_number()
        if positional is None:
            return super().read_qrels(reading)
        places = positional.places
        return Judged(
            None, places.query_ids, len(self.data), shape=places.shape, positional=positional
        )

    def keep(self) -> None:
        """Copy what the caller may change."""
        super().keep()
        self.rows_of_entries, self.columns = self.rows_of_entries.copy(), self.columns.copy()
        self.data = self.data.copy()

    def _by_number(self) -> Positional | None:
        """Return the judgments by place; None if the core has to read them, and refuse some."""
        rows, columns, data = self.rows_of_entries, self.columns, self.data
        queries, items = self._shape or (0, 0)
        if not queries or items > _LARGEST or data.dtype.kind not in "biuf" or data.itemsize > 8:
            return None
        step = np.diff(rows)
        if (step < 0).any() or (np.diff(columns)[step == 0] <= 0).any():
            return None
        labels = np.require(data, np.float64, _FOR_CORE)
        if first_inexact(data) is not None or not np.isfinite(labels).all():
            return None
        counts = np.bincount(rows, minlength=queries)
        starts = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
        places = Places(
            starts, tuple(map(str, range(queries))), (queries, items), columns.astype(np.int32)
        )
        return Positional(labels, places, sparse=True)
