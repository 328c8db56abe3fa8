"""Queries of runs without judgments, for measures that look at the items of lists alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark._core import qrels_from_rows
from rankmark.data.contract.source import Judged, Source
from rankmark.data.preparing.qrels import Qrels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.data.contract.reading_options import Reading
    from rankmark.data.contract.source import Rows
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
        self._read: tuple[Source, Rows] | None = None
        self.positions, self.nameless = like.positions, like.nameless

    def read_qrels(self, reading: Reading) -> Judged:
        """Return the queries."""
        none = np.zeros(0, dtype=np.uint32)
        judgments = qrels_from_rows(none, [*self.query_ids], none, [], None)
        return Judged(judgments, self.query_ids, 0)

    def keep_rows(self, source: Source, rows: Rows) -> None:
        """Keep the rows of a run until they are taken."""
        self._read = source, rows

    def taken(self, source: Source) -> Rows | None:
        """Return the rows of a run, once; None if they were not kept."""
        kept, self._read = self._read, None
        return kept[1] if kept is not None and kept[0] is source else None

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
    source = NoJudgments([*queries], runs[0].source)
    if len(runs) == 1:
        source.keep_rows(runs[0].source, rows)
    return Qrels.of(source)


def rows_of(qrels: Qrels, source: Source, reading: Reading) -> Rows:
    """List the rows of a run, which may have been listed to find its queries."""
    read = qrels.source.taken(source) if isinstance(qrels.source, NoJudgments) else None
    return source.rows(reading.in_silence(), lenient=False) if read is None else read
