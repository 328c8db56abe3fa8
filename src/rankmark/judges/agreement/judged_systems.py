"""Runs evaluated with two sets of judgments, on the same queries, and how these order them."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rankmark.data.preparing.paired_inputs import documents_of, pair_judgments
from rankmark.data.preparing.qrels import Qrels
from rankmark.errors import InputError, MismatchError, listed
from rankmark.judges.agreement.system_evidence import (
    Board,
    Draws,
    evidence_of,
)
from rankmark.judges.agreement.systems_by_judges import JudgedShare, Swap, System, SystemsByJudges
from rankmark.measures import Judged
from rankmark.scoring.request import as_measures
from rankmark.similarity import ranking
from rankmark.similarity.coefficient_names import as_coefficients
from rankmark.similarity.given_rankings import pairing_of
from rankmark.verbs.compare.compare import comparison_of
from rankmark.verbs.compare.compared_rows import ComparedMeasure
from rankmark.verbs.evaluate.evaluate_runs import evaluate_runs
from rankmark.verbs.evaluate.evaluation import Evaluation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankmark.array_types import Floats
    from rankmark.conventions import Conventions
    from rankmark.data.preparing.paired_inputs import PairedJudgments
    from rankmark.data.preparing.run import Run
    from rankmark.judges.agreement.agreement_intervals import Sampling
    from rankmark.measures import Measure

Pairs = Literal["own", "common"]
_COEFFICIENTS = ("tau", "tauAP", "RBO(p=0.9)", "rho")
_RESAMPLES = 1_000  # draws of queries
_SHARE_AT = 10  # documents, for measures without a cutoff


def systems_by_judges(
    judges: tuple[Qrels, Qrels],
    called: tuple[str, str],
    runs: Mapping[str, Run],
    measure: str | Measure,
    pairs: Pairs,
    units: Conventions,
    sampling: Sampling,
    threads: int,
) -> SystemsByJudges:
    """Evaluate runs by the labels of two judges, and compare how they order the runs."""
    (asked, *others), _ = as_measures(measure)
    if others:
        raise InputError(f"{measure} is several measures", "give one")
    evaluations, shares = _judged_systems(judges, runs, asked, pairs, units, threads)
    compared = ComparedMeasure(str(asked), asked.more_is_better, asked.aggregate, asked.bounds)
    sign = 1.0 if asked.more_is_better else -1.0
    scores, ranks, rankings = [], [], []
    for name, judged in zip(called, evaluations, strict=True):
        means = {run: one[asked] for run, one in zip(runs, judged, strict=True)}
        if unranked := [run for run, mean in means.items() if not np.isfinite(mean)]:
            raise InputError(
                f"systems without a finite score cannot be ranked: {listed(unranked)}",
                "leave them out",
                where=name,
            )
        ordered = ranking({run: sign * mean for run, mean in means.items()})
        scores.append(means)
        rankings.append(ordered)
        ranks.append(dict(zip(ordered.ids, ordered.first.tolist(), strict=True)))
    both = pairing_of(*rankings)
    values = {each: float(each.of(both)[0]) for each in as_coefficients(_COEFFICIENTS)}
    systems = tuple(
        System(name, scores[0][name], ranks[0][name], scores[1][name], ranks[1][name])
        for name in sorted(runs, key=ranks[0].__getitem__)
    )
    swaps, ties = [], 0
    for above, below in combinations(systems, 2):
        behind = [sign * (low - high) for low, high in zip(below[1::2], above[1::2], strict=True)]
        if above.rank_a < below.rank_a and above.rank_b > below.rank_b:
            swaps.append(Swap(below.name, above.name, *behind))
        ties += (above.score_a == below.score_a) != (above.score_b == below.score_b)
    evidence = None
    if len(systems) > 1:
        names, queries = [system.name for system in systems], evaluations[0][0].queries
        first, second = (
            _board(names, queries, dict(zip(runs, judged, strict=True)), compared, rank, sampling)
            for judged, rank in zip(evaluations, ranks, strict=True)
        )
        evidence = evidence_of(
            names,
            first,
            second,
            values,
            Draws(sampling.confidence, _RESAMPLES, sampling.seed),
            more_is_better=asked.more_is_better,
        )
    return SystemsByJudges(
        called=called,
        measure=compared.name,
        more_is_better=compared.more_is_better,
        systems=systems,
        swaps=tuple(sorted(swaps, key=lambda swap: swap.difference_a)),
        ties=ties,
        values=values,
        evidence=evidence,
        judged_shares=shares,
        pairs=pairs,
    )


def _board(
    names: Sequence[str],
    queries: Sequence[str],
    judged: Mapping[str, Evaluation],
    measure: ComparedMeasure,
    ranks: Mapping[str, int],
    sampling: Sampling,
) -> Board:
    """Return the leaderboard of systems by a judge, with all differences of two."""
    place = {query: row for row, query in enumerate(queries)}
    scores = np.empty((len(queries), len(names)))
    for column, name in enumerate(names):
        one = judged[name]
        # Sets of judgments may have the same queries in another order.
        rows = [place[query] for query in one.queries]
        scores[rows, column] = one.scores[:, one.column(measure.name)]
    means = np.array([judged[name][measure.name] for name in names], dtype=np.float64)
    compared = comparison_of(
        runs=names,
        measures=[measure],
        queries=queries,
        scores=scores[:, :, None],
        means=means[:, None],
        baseline=None,
        clusters=None,
        weights=None,
        by=None,
        family="measure",
        interval="auto",
        resamples=None,
        threads=1,
        test=None,
        correction=None,
        confidence=sampling.confidence,
        seed=sampling.seed,
    )
    return Board(
        scores,
        means,
        [ranks[name] for name in names],
        compared.differences,
        compared.chosen.test,
        compared.chosen.correction,
    )


def _judged_systems(
    judges: Sequence[Qrels],
    runs: Mapping[str, Run],
    measure: Measure,
    pairs: Pairs,
    units: Conventions,
    threads: int,
) -> tuple[list[list[Evaluation]], tuple[JudgedShare, ...]]:
    """Evaluate runs with two sets of judgments, on the queries that both have.

    Returned are the evaluations by the first judge, and by the second: of each run; and what is
    judged of the first documents of each run.
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
    """Refuse runs that are evaluations, which have scores by one set of judgments."""
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
