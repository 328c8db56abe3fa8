"""The ranked lists behind an evaluation, with what each document adds to each measure."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.data.alignment import Needs, query_of_rows, ratio
from rankmark.data.alignment.aligned_run import condensed
from rankmark.data.preparing.matching import match
from rankmark.data.preparing.ranked_queries import first_documents
from rankmark.measures.names import is_built_in
from rankmark.scoring.query_scores import in_groups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.array_types import Bools, Floats, Ints
    from rankmark.data.alignment import Alignment
    from rankmark.data.preparing.qrels import Qrels
    from rankmark.measures import Measure
    from rankmark.scoring.kept_data import KeptData, Prepared, Remembered
    from rankmark.verbs.evaluate.evaluation import Evaluation

_Labelled = list[tuple[str, float]]
"""Ids of documents with their labels."""


class RankedLists(NamedTuple):
    """The first documents of several queries, then relevant ones of lower rank.

    Parameters
    ----------
    starts
        (n + 1,) int64; rows ``starts[i]`` to ``starts[i + 1]`` belong to the i-th query.
    rank
        (m,) int64, 1-based, rising within a query.
    doc_ids
        m ids.
    label
        (m,) float64; NaN for unjudged documents.
    contributions
        {measure: (m,) float64}, what each document adds to the measure's value. Measures whose
        contributions are unknown are missing.
    retrieved
        (n,) int64, the number of documents that each query retrieved.
    missed
        For each query, the documents with a positive label that were not retrieved, the highest
        label first.
    """

    starts: Ints
    rank: Ints
    doc_ids: list[str]
    label: Floats
    contributions: dict[str, Floats]
    retrieved: Ints
    missed: list[_Labelled]


class Judgments:
    """Judgments that several evaluations share, read again only once."""

    def __init__(self) -> None:
        self._source: Qrels | Remembered | None = None
        self._read: Qrels | None = None
        self._relevant: tuple[Qrels, Sequence[int], list[_Labelled]] | None = None

    def read(self, kept: KeptData) -> Prepared:
        """Read the judgments and the run of an evaluation again; see ``KeptData.read``."""
        if self._read is None or kept.qrels is not self._source:
            prepared = kept.read()
            self._source, self._read = kept.qrels, prepared.qrels
            return prepared
        return kept.referring_to(self._read).read()

    def relevant(self, qrels: Qrels, rows: Sequence[int]) -> list[_Labelled]:
        """Return the documents of queries with a positive label, the highest label first."""
        if self._relevant is None or self._relevant[0] is not qrels or self._relevant[1] != rows:
            self._relevant = qrels, rows, _relevant(qrels, rows)
        return self._relevant[2]


def ranked_lists(
    evaluation: Evaluation,
    queries: Sequence[str],
    most: int,
    judgments: Judgments | None = None,
) -> RankedLists:
    """Read the run of an evaluation again, and list what it ranked for some queries.

    Parameters
    ----------
    queries
        Ids of judged queries.
    most
        Number of first documents of each query; relevant ones of lower rank are listed anyway.
    judgments
        Those that were read for other evaluations before.

    Raises
    ------
    ChangedError
        If the judgments or the run have changed since the evaluation, or are gone.
    """
    kept, measures = evaluation._kept, evaluation.measures
    judgments = Judgments() if judgments is None else judgments
    qrels, run = judgments.read(kept)
    numbers = {query: row for row, query in enumerate(qrels.query_ids)}
    rows = [numbers[query] for query in queries]
    conventions = kept.conventions
    by_id = conventions.ordered()
    needs = Needs(subtopics=any(measure.depends_on == "subtopics" for measure in measures))
    a, _ = match(qrels, run, by_id, needs=needs)
    first = first_documents(qrels, run, by_id, rows, most)
    listed = _listed(first.starts, first.is_judged, a, rows)
    rank = np.where(listed.row < 0, first.place, a.rank[listed.row] if len(a.rank) else 0)
    label = np.where(listed.row < 0, np.nan, a.label[listed.row] if len(a.label) else 0)
    in_depth = rank <= (conventions.depth or np.inf)
    in_depth &= ~first.is_judged | (listed.row >= 0)
    retrieved = (listed.row >= 0).tolist()
    judged = [
        {*compress(first.doc_ids[begin:end], retrieved[begin:end])}
        for begin, end in zip(first.starts[:-1].tolist(), first.starts[1:].tolist(), strict=True)
    ]
    shown = in_depth & ((rank <= most) | (label > 0))
    query = np.asarray(rows, dtype=np.int64)[listed.query]
    contributions = {
        str(measure): _contributions(measure, a, listed.row[shown], query[shown], rank[shown])
        for measure in measures
        if conventions.unordered is None
        and not in_groups(a)
        and is_built_in(measure)  # a subclass may override the score only
        and measure not in kept.own
    }
    before = np.append(0, np.cumsum(shown))
    return RankedLists(
        before[first.starts],
        rank[shown],
        [*compress(first.doc_ids, shown.tolist())],
        label[shown],
        {name: values for name, values in contributions.items() if values is not None},
        np.asarray(a.retrieved)[rows].astype(np.int64),
        [
            [pair for pair in relevant if pair[0] not in found]
            for relevant, found in zip(judgments.relevant(qrels, rows), judged, strict=True)
        ],
    )


class _Listed(NamedTuple):
    """For each listed document, the place of its query, and its row in the alignment, else -1."""

    query: Ints
    row: Ints


def _listed(starts: Ints, is_judged: Bools, a: Alignment, rows: Sequence[int]) -> _Listed:
    """Find judged documents in the alignment, which has them in the same order."""
    query = query_of_rows(starts)
    judged = np.flatnonzero(is_judged)
    before = np.append(0, np.cumsum(is_judged))
    of_query = query[judged]
    number = np.arange(len(judged)) - before[starts[of_query]]
    at = np.asarray(rows, dtype=np.int64)  # which may be none
    begin, end = a.starts[at], a.starts[at + 1]
    row = begin[of_query] + number
    found = np.full(len(query), -1, dtype=np.int64)
    found[judged] = np.where(row < end[of_query], row, -1)  # beyond a depth
    return _Listed(query, found)


def _contributions(
    measure: Measure, a: Alignment, row: Ints, query: Ints, rank: Ints
) -> Floats | None:
    found = measure.contributions(condensed(a) if measure.judged_only else a)
    if found is None:
        return None
    added = np.zeros(len(row))
    judged = row >= 0
    added[judged] = found.ranked[row[judged]]
    if found.unjudged is not None and not measure.judged_only and not judged.all():
        added[~judged] = found.unjudged(query[~judged], rank[~judged])
    return added if found.divisor is None else ratio(added, found.divisor[query])


def _relevant(qrels: Qrels, rows: Sequence[int]) -> list[_Labelled]:
    """Return the documents of queries with a positive label, the highest label first."""
    starts, labels = qrels.judgments.starts().tolist(), qrels.judgments.labels()
    many = qrels.subtopics if qrels.subtopics is not None else qrels.groups
    if many is not None:
        labels = many.highest[labels.astype(np.int64)]
    doc_ids, of_document = qrels.doc_ids, labels.tolist()
    found = []
    for row in rows:
        of_query = slice(starts[row], starts[row + 1])
        pairs = zip(doc_ids[of_query], of_document[of_query], strict=True)
        found.append(sorted((pair for pair in pairs if pair[1] > 0), key=lambda pair: -pair[1]))
    return found
