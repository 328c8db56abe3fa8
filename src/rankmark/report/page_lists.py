"""Ranked lists as the page stores them: by query, in pieces that are unpacked when needed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.errors import ChangedError
from rankmark.results.ranked_lists import ranked_lists

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankmark.array_types import Floats, Ints
    from rankmark.results.evaluation import Evaluation
    from rankmark.results.ranked_lists import RankedLists

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
    by_query
        A list for each query: document ids, their labels, and for each run a dict, or None if the
        run has no ranking of it.
    without
        Runs without lists, with the reason.
    unknown
        Measures whose contributions are unknown for all runs.
    """

    queries: list[int]
    by_query: list[list[Any]]
    without: dict[str, str]
    unknown: list[str]

    @property
    def doc_ids(self) -> set[str]:
        """All ids of documents listed."""
        return {doc_id for query in self.by_query for doc_id in query[0]}


def chosen_queries(scores: Floats, documents: int, most: int) -> Ints:
    """Choose the queries whose lists are stored: all if few, else those that differ most.

    Parameters
    ----------
    scores
        (n_queries, n_runs) float64, of the first measure.
    documents
        The number of documents listed for each ranking.
    most
        The largest number of documents listed in total.

    Returns
    -------
    numpy.ndarray
        (n,) int64, increasing numbers of queries.
    """
    queries, runs = scores.shape
    number = min(queries, most // max(1, runs * documents))
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
) -> StoredLists:
    """Collect the ranked lists of several runs, query by query."""
    wanted = [queries[number] for number in chosen.tolist()]
    objects: list[tuple[dict[str, int], list[float | None], list[Any]]] = [
        ({}, [], []) for _ in wanted
    ]
    without: dict[str, str] = {}
    known: set[str] = set()
    for name, evaluation in evaluations.items():
        try:
            lists = ranked_lists(evaluation, wanted, documents)
        except ChangedError as error:
            without[name] = str(error)
            for *_, runs in objects:
                runs.append(None)
            continue
        known |= lists.contributions.keys()
        added = [
            _written(lists.contributions[measure]) if measure in lists.contributions else None
            for measure in measures
        ]
        for number, (ids, labels, runs) in enumerate(objects):
            runs.append(_of_run(lists, number, ids, labels, added, documents))
    by_query = [[[*ids], labels, runs] for ids, labels, runs in objects]
    unknown = [measure for measure in measures if measure not in known]
    return StoredLists(chosen.tolist(), by_query, without, unknown)


def _of_run(
    lists: RankedLists,
    number: int,
    ids: dict[str, int],
    labels: list[float | None],
    added: Sequence[list[float | None] | None],
    documents: int,
) -> dict[str, Any] | None:
    """Return what a run ranked for a query; documents are added to ``ids`` and ``labels``."""

    def place(doc_id: str, label: float) -> int:
        at = ids.setdefault(doc_id, len(ids))
        if at == len(labels):
            labels.append(None if math.isnan(label) else _short(label))
        return at

    begin, end = lists.starts[number : number + 2].tolist()
    retrieved = int(lists.retrieved[number])
    missed = lists.missed[number]
    rank = lists.rank[begin:end].tolist()
    first = sum(at <= documents for at in rank)
    more = max(0, len(rank) - first - _MOST_BELOW)
    end -= more
    rows = zip(lists.doc_ids[begin:end], lists.label[begin:end].tolist(), strict=True)
    found: dict[str, Any] = {"n": retrieved, "o": [place(*row) for row in rows]}
    if len(rank) - more > first:
        found["b"] = rank[first : len(rank) - more]
    if more:
        found["x"] = more
    if missed:
        found["m"] = [place(*pair) for pair in missed[:_MOST_MISSED]]
        if missed[_MOST_MISSED:]:
            found["y"] = len(missed) - _MOST_MISSED
    found["c"] = [None if values is None else _cut(values[begin:end]) for values in added]
    return found


def _written(values: Floats) -> list[float | None]:
    """Round contributions, which are shown with four decimals; None for what JSON cannot write."""
    rounded = np.round(values, 6)
    known = np.isfinite(rounded)
    whole: list[float | None] = rounded.tolist()
    if known.all():
        return whole
    return [
        value if is_known else None for value, is_known in zip(whole, known.tolist(), strict=True)
    ]


def _cut(values: list[float | None]) -> list[float | None]:
    """Drop zeros at the end."""
    while values and values[-1] == 0:
        values.pop()
    return values


def _short(value: float) -> float | None:
    """Return whole numbers as int, which JSON writes shorter; None if JSON cannot write it."""
    if not math.isfinite(value):
        return None
    return int(value) if value == int(value) else value
