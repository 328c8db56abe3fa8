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
        self.positions, self.nameless = like.positions, like.nameless

    def read_qrels(self, reading: Reading) -> Judged:
        """Return the queries."""
        none = np.zeros(0, dtype=np.uint32)
        judgments = qrels_from_rows(none, [*self.query_ids], none, [], None)
        return Judged(judgments, self.query_ids, 0)

    def description(self) -> dict[str, Any]:
        """Describe how it was interpreted."""
        return {"form": "no judgments"}


def without_judgments(runs: Sequence[Run], reading: Reading) -> Qrels:
    """Return judgments of nothing, for all queries of some runs."""
    silent = reading.in_silence()
    ids = (run.source.rows(silent, lenient=False).query_ids for run in runs)
    queries = dict.fromkeys(query for of_run in ids for query in of_run)
    return Qrels.of(NoJudgments([*queries], runs[0].source))
