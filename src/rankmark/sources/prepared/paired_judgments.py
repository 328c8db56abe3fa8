"""Bring sets of judgments of any form together, pair of query and document by pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark._core import paired_judgments
from rankmark.alignment import query_of_rows

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints
    from rankmark.sources.prepared.qrels import Qrels


class PairedJudgments(NamedTuple):
    """The labels that m judges gave, for n pairs of a query and a document and Q queries.

    Parameters
    ----------
    query_ids
        (Q,) ids of all queries, in the order of the first judge, then of the others.
    query
        (n,) int64, the number of each pair's query, rising.
    labels
        (m, n) float64; NaN where a judge has no label.
    places
        (n,) int64, the row of each pair in the judgments of the first judge who has it.
    first_judge
        (n,) int64, the number of that judge.
    judged
        (m, Q) bool, whether a judge has judged a query at all.
    """

    query_ids: tuple[str, ...]
    query: Ints
    labels: Floats
    places: Ints
    first_judge: Ints
    judged: np.ndarray[tuple[int, int], np.dtype[np.bool_]]


def pair_judgments(judges: Sequence[Qrels], threads: int) -> PairedJudgments:
    """Bring together what two or more judges said, by the ids of queries and documents.

    With several judgments of a document by one judge, as by subtopic, the highest label counts.
    """
    number: dict[str, int] = {}
    for judge in judges:
        for query in judge.query_ids:
            number.setdefault(query, len(number))
    counts = [len(judge.labels) for judge in judges]
    query_of = [
        np.array([number[query] for query in judge.query_ids], dtype=np.int64)[
            query_of_rows(judge.starts)
        ]
        for judge in judges
    ]
    judged = np.zeros((len(judges), len(number)), dtype=np.bool_)
    for at, queries in enumerate(query_of):
        judged[at, queries] = True
    units = [np.arange(counts[0])]
    total = counts[0]
    parts, places = [query_of[0]], [units[0]]
    first = [np.zeros(counts[0], dtype=np.int64)]
    for at in range(1, len(judges)):
        unit = np.full(counts[at], -1, dtype=np.int64)
        for before in range(at):
            if counts[at] == 0 or (unit >= 0).all():
                break
            there = paired_judgments(judges[at].judgments, judges[before].judgments, threads)
            known = (there >= 0) & (unit < 0)
            if known.all():
                unit = units[before][there]
            else:
                unit[known] = units[before][there[known]]
        new = np.flatnonzero(unit < 0)
        unit[new] = total + np.arange(len(new))
        total += len(new)
        units.append(unit)
        parts.append(query_of[at][new])
        places.append(new)
        first.append(np.full(len(new), at, dtype=np.int64))
    of_pair = np.concatenate(parts)
    labels = np.full((len(judges), total), np.nan)
    for at, judge in enumerate(judges):
        labels[at, units[at]] = judge.labels
    row, judge_of = np.concatenate(places), np.concatenate(first)
    if total > counts[0]:
        # Those that the first judge lacks stand behind the others of their query.
        order = np.argsort(of_pair, kind="stable")
        of_pair, labels = of_pair[order], labels[:, order]
        row, judge_of = row[order], judge_of[order]
    return PairedJudgments(tuple(number), of_pair, labels, row, judge_of, judged)


def documents_of(judges: Sequence[Qrels], paired: PairedJudgments, pairs: Ints) -> list[str]:
    """Return the ids of the documents of some pairs, of which there are few."""
    found = [""] * len(pairs)
    for at, judge in enumerate(judges):
        own = np.flatnonzero(paired.first_judge[pairs] == at)
        rows = np.ascontiguousarray(paired.places[pairs[own]])
        for place, document in zip(
            own.tolist(), judge.judgments.documents_of_rows(rows), strict=True
        ):
            found[place] = document
    return found
