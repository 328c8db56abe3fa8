"""Runs evaluated with two sets of judgments, on the same queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from rankmark.errors import InputError, MismatchError, listed, shown
from rankmark.evaluating.evaluate import chosen_queries
from rankmark.evaluating.evaluate_runs import evaluate_runs
from rankmark.evaluating.evaluation import Evaluation
from rankmark.evaluating.given_runs import named_runs
from rankmark.measures import Judged
from rankmark.scoring.requested_measures import as_measures
from rankmark.sources import PairOptions, Qrels
from rankmark.sources.contract.reading_options import Reading
from rankmark.sources.prepared.paired_judgments import documents_of, pair_judgments
from rankmark.sources.prepared.parents import prepared_once

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankmark.array_types import Floats
    from rankmark.measures import Measure
    from rankmark.sources.prepared.paired_judgments import PairedJudgments

Pairs = Literal["own", "common"]
_SHARE_AT = 10  # documents, for measures without a cutoff


class JudgedShare(NamedTuple):
    """The share of the first k documents of a system that a judged, and that b did."""

    system: str
    share_a: float
    share_b: float


class JudgedSystems(NamedTuple):
    """Systems evaluated with two sets of judgments.

    Parameters
    ----------
    by_a, by_b
        Their evaluations, by name.
    measure
        The canonical name of the measure.
    shares
        What is judged of the first documents of each system.
    """

    by_a: dict[str, Evaluation]
    by_b: dict[str, Evaluation]
    measure: str
    shares: tuple[JudgedShare, ...]


def judged_systems(
    a: Any,
    b: Any,
    runs: Any,
    measure: str | Measure,
    pairs: Pairs,
    options: dict[str, Any],
) -> JudgedSystems:
    """Evaluate runs with two sets of judgments, on the queries that both have.

    Raises
    ------
    MismatchError
        If both have no query in common, or none of those asked for.
    InputError
        If the measure is several, or ``queries="both"`` is asked for.
    """
    given, columns = named_runs(runs, options.get("columns"))
    reading = Reading.taken_from(options)._replace(columns=columns)
    refuse_evaluations(given)
    (asked, *others), needs = as_measures(measure, options.get("rel"), options.get("profile"))
    if others:
        raise InputError(f"{measure} is several measures", "give one")
    of_pair = PairOptions(
        reading._replace(parents=prepared_once(reading.parents)), subtopics=needs.subtopics
    )
    judged = [of_pair.qrels_of(side, reading.in_silence()) for side in (a, b)]
    # A stream can be read once, and is read for both.
    prepared = [of_pair.run_of(run) for run in given.values()]
    of_runs = [run.source.description() for run in prepared]
    of_pair.refuse_unused([judged[0].source.description(), *of_runs])
    queries = _queries(judged[0], judged[1], options.pop("queries", "judged"))
    if pairs == "common":
        judged = _of_common_pairs(judged, reading)
    at = getattr(asked, "k", None) or _SHARE_AT
    share_measure = Judged @ at
    again = {name: getattr(reading, name) for name in ("threads", "memory", "progress")}
    found = [
        evaluate_runs(
            side,
            prepared,
            [asked, share_measure],
            names=[*given],
            queries=queries,
            **again,
            **options,
        )
        for side in judged
    ]
    boards = [dict(zip(given, each, strict=True)) for each in found]
    shares = tuple(
        JudgedShare(name, *(board[name][str(share_measure)] for board in boards)) for name in given
    )
    return JudgedSystems(boards[0], boards[1], str(asked), shares)


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


def _queries(a: Qrels, b: Qrels, asked: Any) -> list[str]:
    """Return the queries in both, of those asked for.

    Raises
    ------
    InputError
        If queries are asked for that are not in both, or in no form in which they can be.
    MismatchError
        If both have no query in common.
    """
    chosen = chosen_queries(asked)
    if chosen == "both":
        raise InputError(
            'queries="both" depends on the runs, and both leaderboards need the same queries',
            "leave it out, or list the queries",
        )
    in_b = set(b.query_ids)
    found = [query for query in a.query_ids if query in in_b]
    if not found:
        raise MismatchError(
            f"no query is judged by both {a.name} and {b.name}", "are the ids of one kind?"
        )
    if chosen == "judged":
        return found
    if isinstance(chosen, str):
        raise InputError(
            f"queries is {shown(chosen)}",
            "need judged, a list of query ids, or the path of a file of ids as pathlib.Path",
        )
    in_both = set(found)
    if missing := [query for query in chosen if query not in in_both]:
        many = f"{len(missing):,} requested queries are"
        raise InputError(
            f"{'1 requested query is' if len(missing) == 1 else many} not judged by both "
            f"{a.name} and {b.name}: {listed(missing)}",
            "remove it" if len(missing) == 1 else "remove them",
        )
    wanted = set(chosen)
    return [query for query in found if query in wanted]


def _of_common_pairs(judged: list[Qrels], reading: Reading) -> list[Qrels]:
    """Return both judgments with only the documents that both have."""
    paired = pair_judgments(judged, reading.workers)
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
