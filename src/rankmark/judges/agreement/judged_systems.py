"""Runs evaluated with two sets of judgments, on the same queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from rankmark.data.preparing.paired_inputs import documents_of, pair_judgments
from rankmark.data.preparing.qrels import Qrels
from rankmark.errors import InputError, MismatchError, listed
from rankmark.measures import Judged
from rankmark.verbs.evaluate.evaluate_runs import evaluate_runs
from rankmark.verbs.evaluate.evaluation import Evaluation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankmark.array_types import Floats
    from rankmark.conventions import Conventions
    from rankmark.data.preparing.paired_inputs import PairedJudgments
    from rankmark.data.preparing.run import Run
    from rankmark.measures import Measure

Pairs = Literal["own", "common"]
_SHARE_AT = 10  # documents, for measures without a cutoff


class JudgedShare(NamedTuple):
    """The share of the first k documents of a system that a judged, and that b did."""

    system: str
    share_a: float
    share_b: float


def judged_systems(
    judges: Sequence[Qrels],
    runs: Mapping[str, Run],
    measure: Measure,
    pairs: Pairs,
    units: Conventions,
    threads: int,
) -> tuple[list[list[Evaluation]], tuple[JudgedShare, ...]]:
    """Evaluate runs with two sets of judgments, on the queries that both have.

    Returns
    -------
    list of lists of Evaluation
        By the first judge, and by the second: of each run.
    tuple of JudgedShare
        What is judged of the first documents of each run.

    Raises
    ------
    MismatchError
        If both have no query in common.
    """
    queries = _common_queries(*judges)
    if pairs == "common":
        judges = _of_common_pairs(judges, threads)
    share = Judged @ (getattr(measure, "k", None) or _SHARE_AT)
    found = [
        evaluate_runs(
            side,
            [*runs.values()],
            [measure, share],
            names=[*runs],
            queries=queries,
            unit=units.unit,
            combine=units.combine,
            unit_depth=units.unit_depth,
            threads=threads,
        )
        for side in judges
    ]
    shares = tuple(
        JudgedShare(name, *(each[str(share)] for each in both))
        for name, both in zip(runs, zip(*found, strict=True), strict=True)
    )
    return found, shares


def refuse_evaluations(runs: Mapping[str, Any]) -> None:
    """Refuse runs that are evaluations, which have scores by one set of judgments.

    Raises
    ------
    InputError
        If some are.
    """
    evaluated = [name for name, run in runs.items() if isinstance(run, Evaluation)]
    if evaluated:
        raise InputError(
            f"these runs are evaluations: {listed(evaluated)}",
            "give the runs themselves, which are evaluated with both sets of judgments",
        )


def _common_queries(a: Qrels, b: Qrels) -> list[str]:
    in_b = set(b.query_ids)
    found = [query for query in a.query_ids if query in in_b]
    if not found:
        raise MismatchError(
            f"no query is judged by both {a.name} and {b.name}", "are the ids of one kind?"
        )
    return found


def _of_common_pairs(judged: Sequence[Qrels], threads: int) -> list[Qrels]:
    """Return both judgments with only the documents that both have."""
    paired = pair_judgments(judged, threads)
    is_common = ~np.isnan(paired.labels).any(0)
    return with_labels(judged, paired, np.where(is_common, paired.labels, np.nan))


def with_labels(judged: Sequence[Qrels], paired: PairedJudgments, labels: Floats) -> list[Qrels]:
    """Return judgments with other labels: (m, n) float64 of their pairs, NaN for none."""
    rows = np.flatnonzero(~np.isnan(labels).all(0))
    documents = documents_of(judged, paired, rows)
    queries = [paired.query_ids[number] for number in paired.query[rows].tolist()]
    found = []
    for own in labels[:, rows].tolist():
        by_query: dict[str, dict[str, float]] = {}
        for query, document, label in zip(queries, documents, own, strict=True):
            if label == label:  # noqa: PLR0124
                by_query.setdefault(query, {})[document] = label
        found.append(Qrels(by_query, contents="labels"))
    return found
