"""Ranked lists as the page stores them: by query, in pieces that are unpacked when needed."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import count, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.errors import ChangedError
from rankmark.verbs.evaluate.ranked_lists import ranked_lists
from rankmark.work_progress import steps

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from rankmark.array_types import Floats, Ints
    from rankmark.verbs.evaluate.evaluation import Evaluation
    from rankmark.verbs.evaluate.ranked_lists import Judgments, RankedLists

PIECE = 200
"""Queries in a piece."""

_MOST_BELOW = 20  # relevant documents listed below the first ones
_MOST_MISSED = 20


class StoredLists(NamedTuple):
    """Lists of some queries.

    Parameters
    ----------
    queries
        Numbers of the queries whose lists are stored, in order.
    documents
        For each query, the ids of the documents that any run lists, numbered from 0.
    labels
        For each query, the labels of these documents; None where there is none.
    runs
        For each run, its lists; None if it has none.
    without
        Runs without lists, with the reason.
    unknown
        Measures whose contributions are unknown for all runs.
    """

    queries: list[int]
    documents: list[dict[str, int]]
    labels: list[list[float | None]]
    runs: list[_OfRun | None]
    without: dict[str, str]
    unknown: list[str]

    @property
    def doc_ids(self) -> set[str]:
        """All ids of documents listed."""
        return {doc_id for ids in self.documents for doc_id in ids}

    def of_queries(self, begin: int, end: int) -> list[list[Any]]:
        """Return a list for each query: document ids, their labels, and for each run a dict.

        The dict is None if the run has no lists.
        """
        numbers = range(*slice(begin, end).indices(len(self.queries)))
        of_runs = [
            [None] * len(numbers) if run is None else run.of_queries(numbers) for run in self.runs
        ]
        return [
            [[*self.documents[number]], self.labels[number], [*of_query]]
            for number, of_query in zip(numbers, zip(*of_runs, strict=True), strict=True)
        ]


class _OfRun(NamedTuple):
    """The lists of a run: arrays, which take far less memory than lists of lists.

    Parameters
    ----------
    starts, ends
        (n,) int64; rows ``starts[i]`` to ``ends[i]`` belong to the i-th query.
    place
        (m,) int32, numbers of documents.
    rank
        (m,) int64.
    first
        (n,) int64, how many of the rows are first documents; relevant ones of lower rank follow.
    more, retrieved
        (n,) int64, relevant documents that are left out, and all documents retrieved.
    missed, more_missed
        For each query, numbers of the first documents that are missing, and how many more there
        are.
    added
        For each measure, what each row adds to it; None if unknown.
    """

    starts: Ints
    ends: Ints
    place: NDArray[np.int32]
    rank: Ints
    first: Ints
    more: Ints
    retrieved: Ints
    missed: list[list[int]]
    more_missed: list[int]
    added: list[_Added | None]

    def of_queries(self, numbers: range) -> list[dict[str, Any]]:
        """Return what the run ranked for consecutive queries, as the page stores it."""
        part = slice(numbers.start, numbers.stop)
        starts, ends = self.starts[part], self.ends[part]
        rows = slice(int(starts[0]), int(ends.max()))  # as lists at once, not query by query
        place = self.place[rows].tolist()
        none = [None] * len(numbers)
        added = [none if one is None else one.of_queries(part) for one in self.added]
        begins, below = starts - rows.start, starts - rows.start + self.first[part]
        columns = (begins, ends - rows.start, below, self.retrieved[part], self.more[part])
        found = []
        for number, begin, end, after, retrieved, more, *of_measures in zip(
            numbers, *(column.tolist() for column in columns), *added, strict=True
        ):
            of_query: dict[str, Any] = {"n": retrieved, "o": place[begin:end]}
            if end > after:
                of_query["b"] = self.rank[rows.start + after : rows.start + end].tolist()
            if more:
                of_query["x"] = more
            if self.missed[number]:
                of_query["m"] = self.missed[number]
                if self.more_missed[number]:
                    of_query["y"] = self.more_missed[number]
            of_query["c"] = [*of_measures]
            found.append(of_query)
        return found


class _Added(NamedTuple):
    """What documents add to a measure, without the zeros that end a query.

    Parameters
    ----------
    values
        (m,) float64.
    starts
        (n + 1,) int64; values ``starts[i]`` to ``starts[i + 1]`` belong to the i-th query.
    all_finite
        Whether JSON can represent all values.
    """

    values: Floats
    starts: Ints
    all_finite: bool

    def of_queries(self, queries: slice) -> list[list[float | None]]:
        """Return the values of each query; None for what JSON lacks."""
        starts = self.starts[queries.start : queries.stop + 1]
        first = int(starts[0])
        values: list[float | None] = self.values[first : int(starts[-1])].tolist()
        if not self.all_finite:
            values = [one if one is not None and math.isfinite(one) else None for one in values]
        places = (starts - first).tolist()
        return [values[begin:end] for begin, end in pairwise(places)]


def chosen_queries(scores: Floats, most: int) -> Ints:
    """Choose the queries that are shown: all if few, else those that differ most.

    Parameters
    ----------
    scores
        (n_queries, n_runs) float64, of the first measure.
    most
        The largest number of queries.

    Returns
    -------
    numpy.ndarray
        (n,) int64, increasing numbers of queries; the first ones of a single run.
    """
    queries = len(scores)
    number = min(queries, most)
    if number == queries:
        return np.arange(queries)
    known = np.where(np.isnan(scores), 0.0, scores)
    spread = known.max(axis=1) - known.min(axis=1)
    return np.sort(np.argsort(-spread, kind="stable")[:number])


def stored_lists(
    evaluations: Mapping[str, Evaluation],
    measures: Sequence[str],
    queries: Sequence[str],
    chosen: Ints,
    documents: int,
    judgments: Judgments,
) -> StoredLists:
    """Collect the ranked lists of several runs, query by query."""
    wanted = [queries[number] for number in chosen.tolist()]
    ids: list[dict[str, int]] = [defaultdict(count().__next__) for _ in wanted]
    labels: list[list[float | None]] = [[] for _ in wanted]
    runs: list[_OfRun | None] = []
    without: dict[str, str] = {}
    known: set[str] = set()
    for name, evaluation in steps("listing documents", evaluations.items(), len(evaluations)):
        if evaluation.trials:
            without[name] = "each of its trials has its own"
            runs.append(None)
            continue
        try:
            lists = ranked_lists(evaluation, wanted, documents, judgments)
        except ChangedError as error:
            without[name] = str(error)
            runs.append(None)
            continue
        known |= lists.contributions.keys()
        runs.append(_of_run(lists, ids, labels, measures, documents))
    unknown = [measure for measure in measures if measure not in known]
    return StoredLists(chosen.tolist(), ids, labels, runs, without, unknown)


def _of_run(
    lists: RankedLists,
    ids: Sequence[dict[str, int]],
    labels: Sequence[list[float | None]],
    measures: Sequence[str],
    documents: int,
) -> _OfRun:
    """Return what a run ranked; documents are added to the ``ids`` and ``labels`` of queries."""
    starts, ends = lists.starts[:-1], lists.starts[1:]
    before = np.append(0, np.cumsum(lists.rank <= documents))
    first = before[ends] - before[starts]
    more = np.maximum(0, ends - starts - first - _MOST_BELOW)
    ends = ends - more
    label = lists.label.tolist()
    place = np.zeros(len(label), dtype=np.int32)
    missed = []
    for number, (begin, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        of_query = _Numbered(ids[number], labels[number])
        place[begin:end] = of_query.add(lists.doc_ids[begin:end], label[begin:end])
        pairs = lists.missed[number][:_MOST_MISSED]
        missed.append(of_query.add([one for one, _ in pairs], [one for _, one in pairs]))
    return _OfRun(
        starts,
        ends,
        place,
        lists.rank,
        first,
        more,
        lists.retrieved,
        missed,
        [max(0, len(pairs) - _MOST_MISSED) for pairs in lists.missed],
        [
            _added(lists.contributions[measure], starts, ends)
            if measure in lists.contributions
            else None
            for measure in measures
        ],
    )


class _Numbered(NamedTuple):
    """The documents of a query, which ``ids`` numbers as they come, with their labels."""

    ids: dict[str, int]
    labels: list[float | None]

    def add(self, doc_ids: Sequence[str], labels: Sequence[float]) -> list[int]:
        """Return the numbers of documents."""
        known = len(self.ids)
        numbers = [*map(self.ids.__getitem__, doc_ids)]
        if len(self.ids) > known:
            self.labels.extend([None] * (len(self.ids) - known))
            for number, label in zip(numbers, labels, strict=True):
                if number >= known and not math.isnan(label):
                    self.labels[number] = _short(label)
        return numbers


def _added(values: Floats, starts: Ints, ends: Ints) -> _Added:
    """Round contributions, which are shown with four decimals, and find where only zeros follow."""
    rounded = np.round(values, 6)
    last = np.maximum.accumulate(np.where(rounded != 0, np.arange(1, len(rounded) + 1), 0))
    until = np.maximum(np.append(0, last)[ends], starts)
    changes = np.zeros(len(rounded) + 1, dtype=np.int64)
    np.add.at(changes, starts, 1)
    np.add.at(changes, until, -1)
    kept = rounded[np.cumsum(changes)[:-1] > 0]
    counts = np.append(0, np.cumsum(until - starts))
    return _Added(kept, counts, bool(np.isfinite(kept).all()))


def _short(value: float) -> float | None:
    """Return whole numbers as int, which JSON writes shorter; None if JSON cannot write it."""
    if not math.isfinite(value):
        return None
    return int(value) if value == int(value) else value
