"""Bring sets of judgments of any form together, pair of query and document by pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark._core import paired_judgments

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.array_types import Bools, Floats, Ints
    from rankmark.data.preparing.qrels import Qrels


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
        (n,) int16, the number of that judge.
    judged
        (m, Q) bool, whether a judge has judged a query at all.
    """

    query_ids: tuple[str, ...]
    query: Ints
    labels: Floats
    places: Ints
    first_judge: NDArray[np.int16]
    judged: Bools


def pair_judgments(judges: Sequence[Qrels], threads: int) -> PairedJudgments:
    """Bring together what two or more judges said, by the ids of queries and documents.

    With several judgments of a document by one judge, as by subtopic, the highest label counts.
    """
    number: dict[str, int] = {}
    for judge in judges:
        for query in judge.query_ids:
            number.setdefault(query, len(number))
    judged = np.zeros((len(judges), len(number)), dtype=np.bool_)
    queries = []
    for at, judge in enumerate(judges):
        own = np.array([number[query] for query in judge.query_ids], dtype=np.int64)
        judged[at, own[np.diff(judge.starts) > 0]] = True
        queries.append(own)
    total = rows = len(judges[0].labels)
    pairs: list[Ints] = [np.arange(total)]  # of each judge's rows
    parts, places = [np.repeat(queries[0], np.diff(judges[0].starts))], [pairs[0]]
    first = [np.zeros(total, dtype=np.int16)]
    for at in range(1, len(judges)):
        pair = paired_judgments(judges[at].judgments, judges[0].judgments, threads).copy()
        new = np.flatnonzero(pair < 0)
        for before in range(1, at):
            if not len(new):
                break
            there = paired_judgments(judges[at].judgments, judges[before].judgments, threads)[new]
            known = there >= 0
            pair[new[known]] = pairs[before][there[known]]
            new = new[~known]
        pair[new] = total + np.arange(len(new))
        total += len(new)
        pairs.append(pair)
        # Only of the new rows, as there are few as a rule.
        parts.append(queries[at][np.searchsorted(judges[at].starts, new, side="right") - 1])
        places.append(new)
        first.append(np.full(len(new), at, dtype=np.int16))
    labels = np.full((len(judges), total), np.nan)
    for own, judge, pair in zip(labels, judges, pairs, strict=True):
        own[pair] = judge.labels
    if total == rows:
        return PairedJudgments(tuple(number), parts[0], labels, places[0], first[0], judged)
    # Those that the first judge lacks stand behind the others of their query.
    of_pair = np.concatenate(parts)
    order = np.argsort(of_pair, kind="stable")
    return PairedJudgments(
        tuple(number),
        of_pair[order],
        labels[:, order],
        np.concatenate(places)[order],
        np.concatenate(first)[order],
        judged,
    )


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
