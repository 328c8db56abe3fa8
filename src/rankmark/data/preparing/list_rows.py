"""The rows of a run, list by list, ranked by numbers in place of ids."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from rankmark._core import RankingOptions, TableFault, align_numbered, align_rows
from rankmark.array_types import Floats, Ints
from rankmark.data.contract.reading_options import Reading
from rankmark.data.contract.source import (
    ANSWERED,
    TIED,
    AlignedRun,
    Columns,
    PreparedQrels,
    Rows,
    Source,
    Wrapped,
)
from rankmark.data.ids.numeric import in_byte_order

_WIDE = 10**9  # numbers from here on have as many digits, so that their texts are in their order


class ListRows:
    """The rows of a run, list by list, each with the number of its document.

    Parameters
    ----------
    rows
        Of the run, in any order.
    of_list, document
        (n,) the number of each row's list, and of its document.
    lists
        How many lists there are; some may be empty.

    Attributes
    ----------
    starts
        (lists + 1,) int64; the rows ``starts[i]`` to ``starts[i + 1]`` are the i-th list.
    document
        (n,) uint32, the number of its document.
    interleaved
        How many lists have other lists' rows between theirs.
    """

    def __init__(self, rows: Rows, of_list: Any, document: Any, lists: int) -> None:
        self.rows = rows
        self._differ: bool | None = None
        begins = np.append(0, np.flatnonzero(of_list[1:] != of_list[:-1]) + 1)[: len(of_list)]
        begun = of_list[begins]
        self.interleaved = int(np.count_nonzero(np.bincount(begun, minlength=lists) > 1))
        self._order: Ints | None = None
        if self.interleaved or (begun[1:] < begun[:-1]).any():
            self._order = np.argsort(of_list, kind="stable")
            document = document[self._order]
            sizes = np.bincount(of_list, minlength=lists)
            self.starts: Ints = np.append(0, np.cumsum(sizes))
        else:
            at = np.searchsorted(begun, np.arange(lists + 1, dtype=begun.dtype))
            self.starts = np.append(begins, len(of_list))[at]
        self.document = np.ascontiguousarray(document, dtype=np.uint32)

    def counted(
        self, queries: list[str], ranking: RankingOptions, reading: Reading, *, by_rank: bool
    ) -> AlignedRun | None:
        """Return what is counted of the lists if nothing is judged; as ``ranked``."""
        scores, ranking = self._scores(ranking, by_rank=by_rank)
        lists = len(queries)
        if scores is None or not lists:
            return None
        none, starts = np.zeros(0), np.zeros(lists + 1, dtype=np.int64)
        judged = none, starts, none.astype(np.int32)
        own = np.ascontiguousarray(self.rows.doc_numbers(queries), dtype=np.int64)
        columns = self._in_core(
            lambda: align_numbered(
                *judged, self.starts, self.document, scores, ranking, reading.workers, own
            )
        )
        self._differ = columns is not None
        if columns is None:
            return None
        return self._aligned(columns)._replace(
            order=self.rows.order, extra_columns=self.rows.extra_columns
        )

    def ranked(
        self, queries: list[str], ranking: RankingOptions, reading: Reading, *, by_rank: bool
    ) -> AlignedRun | None:
        """Rank all documents, labelled with the places of their rows.

        None where that needs more than numbers and scores: if a document stands twice in a list,
        or is left out for its id, or a score is refused.
        """
        if self._differ is None:
            self.counted(queries, ranking, reading, by_rank=by_rank)
        scores, ranking = self._scores(ranking, by_rank=by_rank)
        if scores is None or not self._differ:
            return None
        given = self._order, scores, self.starts
        columns = self._in_core(lambda: align_rows(*given, None, ranking, reading.workers))
        if columns is not None and columns.counts[TIED].any() and ranking.ties != "input":
            texts = self._texts[self.document]
            columns = self._in_core(lambda: align_rows(*given, texts, ranking, reading.workers))
        return None if columns is None else self._aligned(columns)

    def _in_core(self, align: Callable[[], Any]) -> Columns | None:
        try:
            columns = align()
        except TableFault:  # a score is NaN
            return None
        return None if columns is None else Columns(*columns)

    def _scores(
        self, ranking: RankingOptions, *, by_rank: bool
    ) -> tuple[Floats | None, RankingOptions]:
        """Return what orders the documents, highest first: scores, ranks, or the order given.

        None where their ids decide, too, which are left out.
        """
        number, rank = self.rows.number, self.rows.rank
        by_id = ranking.looks_at_ids or ranking.drop_self or ranking.judged_only
        if by_id or (by_rank and rank is None):
            return None, ranking
        if number is not None and not by_rank:
            return (number if self._order is None else number[self._order]), ranking
        if rank is None:
            place = np.arange(len(self.document)) - np.repeat(
                self.starts[:-1], np.diff(self.starts)
            )
            return -place.astype(np.float64), ranking.of_ranks()
        return -(rank if self._order is None else rank[self._order]), ranking.of_ranks()

    @cached_property
    def _texts(self) -> Any:
        """Numbers whose digits are in the order of the ids: (documents,) int32."""
        ids = [self.rows.doc_ids(code) for code in range(int(self.document.max()) + 1)]
        found = np.empty(len(ids), dtype=np.int32)
        found[in_byte_order(ids)] = np.arange(_WIDE, _WIDE + len(ids), dtype=np.int32)
        return found

    def _aligned(self, columns: Columns) -> AlignedRun:
        counts = columns.counts.copy()
        counts[ANSWERED] = np.diff(self.starts) > 0
        columns = columns._replace(counts=counts)
        return AlignedRun(columns, 0, [], len(self.document), 0, self.interleaved)


class Listed(Wrapped):
    """A run that is ranked with all its documents, by numbers if these tell enough.

    Parameters
    ----------
    source
        The run.
    lists
        Its rows.
    judged
        A function that returns judgments of all its documents, labelled with their rows.
    """

    def __init__(
        self, source: Source, lists: ListRows, judged: Callable[[], PreparedQrels]
    ) -> None:
        super().__init__(source)
        self._lists = lists
        self._judged = judged

    def align_run(
        self, qrels: PreparedQrels, ranking: RankingOptions, reading: Reading, *, by_rank: bool
    ) -> AlignedRun:
        """Rank all documents, whatever the judgments are."""
        queries = [*qrels.query_ids]
        found = self._lists.ranked(queries, ranking, reading, by_rank=by_rank)
        if found is not None:
            return found
        return self.source.align_run(self._judged(), ranking, reading, by_rank=by_rank)
