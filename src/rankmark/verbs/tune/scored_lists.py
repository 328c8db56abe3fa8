"""Scores of all ways to fuse runs, of each run by itself, and of the best order of their union."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rankmark.array_types import Bools, Floats
from rankmark.conventions import Conventions, ListTies
from rankmark.data.preparing.qrels import Qrels
from rankmark.data.preparing.united_runs import UnitedRuns
from rankmark.errors import InputError, MismatchError, listed
from rankmark.measures import Measure, R
from rankmark.scoring.ranked import averaged, refuse_unjudged
from rankmark.verbs.fuse.fusion import refuse_infinite
from rankmark.verbs.fuse.judged_lists import Way, judged_lists

_DEPTHS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)


class ScoredLists(NamedTuple):
    """Scores of the n queries that are averaged.

    Parameters
    ----------
    queries
        Their ids, in judgment order.
    ways
        (n_ways, n) float64, by way to fuse.
    singles
        (m, n) float64, of each run by itself.
    ideal
        (n,) float64, of the documents of all lists in the order of their labels.
    depths
        Depths at which lists are cut, the last one that of the longest list.
    recalls
        (n_depths, m + 1) float64, the mean recall of each list and of their union.
    """

    queries: list[str]
    ways: Floats
    singles: Floats
    ideal: Floats
    depths: list[int]
    recalls: Floats


def scored_lists(
    qrels: Qrels,
    united: UnitedRuns,
    measure: Measure,
    conventions: Conventions,
    ways: Sequence[Way],
    *,
    runs: Sequence[str],
    rel: float,
    ties: ListTies,
    threads: int,
) -> ScoredLists:
    """Score the judged queries, some of them at a time.

    Parameters
    ----------
    united
        The lists of all queries, judged or not.
    runs
        Their names, for messages.
    rel
        The lowest relevant label of recall.

    Raises
    ------
    MismatchError
        If no query of any run is judged.
    InputError
        If no query is averaged.
    """
    refuse_unjudged(conventions, qrels.query_ids)
    judged = united.for_queries(qrels.query_ids)
    answered: Bools = np.asarray(judged.answers.any(axis=0))
    if not answered.any():
        has, known = united.queries, qrels.query_ids
        raise MismatchError(
            f"none of the {len(has):,} queries of the runs is judged: they have "
            f"{listed(has[:3], len(has))}, the judgments {listed(known[:3], len(known))}",
            "are the ids of one kind?",
            where=qrels.name,
        )
    count = len(qrels.query_ids)
    recall = [R(rel=rel), *(R(rel=rel) @ depth for depth in _DEPTHS)]
    of_ways, singles = np.empty((len(ways), count)), np.empty((len(runs), count))
    ideal, recalls = np.empty(count), np.empty((len(recall), len(runs) + 1, count))
    longest = 1
    parts = judged_lists(
        qrels, judged, measure, conventions, ties=ties, others=recall, threads=threads
    )
    of_scores = [way.method for way in ways if way.method.uses == "scores"]
    for part in parts:
        at = part.queries
        if of_scores:
            refuse_infinite(part.lists, runs, qrels.query_ids[at], of_scores[0])
        of_ways[:, at] = part.scores(measure, ways)
        ideal[at] = part.score(measure, part.ideal())
        alone = [part.single(run) for run in range(len(runs))]
        for run, alignment in enumerate(alone):
            singles[run, at] = part.score(measure, alignment)
        for column, alignment in enumerate([*alone, part.shallowest()]):
            for row, one in enumerate(recall):
                recalls[row, column, at] = part.score(one, alignment)
        sizes = [int(of_run.sizes.max(initial=0)) for of_run in part.lists.lists]
        longest = max(longest, *sizes)
    rows = averaged(conventions, qrels.query_ids, answered)
    rows = np.arange(count) if rows is None else rows
    rows = rows[~np.isnan(ideal[rows])]  # without what no_relevant leaves out
    if not len(rows):
        raise InputError("no query is averaged", "choose other queries", where=qrels.name)
    depths = [depth for depth in _DEPTHS if depth < longest]
    order = [*range(1, len(depths) + 1), 0]
    return ScoredLists(
        [qrels.query_ids[row] for row in rows],
        of_ways[:, rows],
        singles[:, rows],
        ideal[rows],
        [*depths, longest],
        recalls[order][:, :, rows].mean(axis=2),
    )
