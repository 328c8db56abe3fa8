"""Queries of runs without judgments, for measures that look at the items of lists alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark._core import qrels_from_rows
from rankmark.data.contract.source import Judged, Source
from rankmark.data.preparing.list_rows import ListRows
from rankmark.data.preparing.qrels import Qrels
from rankmark.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark._core import RankingOptions
    from rankmark.data.contract.reading_options import Reading
    from rankmark.data.contract.source import AlignedRun, Rows
    from rankmark.data.preparing.run import Run


class NoJudgments(Source):
    """Queries of which nothing is judged.

    Parameters
    ----------
    query_ids
        Their ids.
    like
        A run of these queries.
    """

    name = "<no judgments>"
    vouched = True

    def __init__(self, query_ids: Sequence[str], like: Source) -> None:
        self.query_ids = tuple(query_ids)
        self._read: tuple[Source, ListRows] | None = None
        self.positions, self.nameless = like.positions, like.nameless

    def read_qrels(self, reading: Reading) -> Judged:
        """Return the queries."""
        none = np.zeros(0, dtype=np.uint32)
        judgments = qrels_from_rows(none, [*self.query_ids], none, [], None)
        return Judged(judgments, self.query_ids, 0)

    def keep_rows(self, source: Source, rows: Rows) -> None:
        """Keep the rows of a run until they are taken."""
        self._read = source, ListRows(rows, rows.query_codes, rows.doc_codes, len(self.query_ids))

    def kept(self, source: Source) -> ListRows | None:
        """Return the rows of a run, if they are kept."""
        return self._read[1] if self._read is not None and self._read[0] is source else None

    def taken(self, source: Source) -> ListRows | None:
        """Return the rows of a run, once; None if they are not kept."""
        rows, self._read = self.kept(source), None
        return rows

    def description(self) -> dict[str, Any]:
        """Describe how it was interpreted."""
        return {"form": "no judgments"}


def without_judgments(runs: Sequence[Run], reading: Reading) -> Qrels:
    """Return judgments of nothing, for all queries of some runs."""
    silent = reading.in_silence()
    queries: dict[str, None] = {}
    for run in runs:
        rows = run.source.rows(silent, lenient=False)
        queries |= dict.fromkeys(rows.query_ids)
    if not queries:
        raise InputError("it holds no documents", "give lists", where=runs[0].name)
    source = NoJudgments([*queries], runs[0].source)
    if len(runs) == 1:
        source.keep_rows(runs[0].source, rows)
    return Qrels.of(source)


def without_labels(qrels: Qrels) -> Qrels:
    """Return judgments of nothing for the queries of some judgments."""
    if isinstance(qrels.source, NoJudgments):
        return qrels
    return Qrels.of(NoJudgments(qrels.query_ids, qrels.source))


def kept_rows(qrels: Qrels, source: Source) -> ListRows | None:
    """Return the rows of a run that were listed to find its queries, once; None otherwise."""
    return qrels.source.taken(source) if isinstance(qrels.source, NoJudgments) else None


def aligned_alone(
    qrels: Qrels, source: Source, ranking: RankingOptions, reading: Reading, *, by_rank: bool
) -> AlignedRun | None:
    """Align a run of which nothing is judged as it does itself; None if it must."""
    lists = qrels.source.kept(source) if isinstance(qrels.source, NoJudgments) else None
    if lists is None or source.positions:
        return None
    return lists.counted([*qrels.query_ids], ranking, reading, by_rank=by_rank)
