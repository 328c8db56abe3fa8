"""Compare how two measures, or two sets of judgments, order the same systems."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack, get_args

import numpy as np

from rankmark.argument_types import typed
from rankmark.comparing.compare import comparison_of
from rankmark.comparing.judged_systems import Pairs, judged_systems
from rankmark.comparing.leaderboard_comparison import LeaderboardComparison, Swap, System
from rankmark.comparing.leaderboard_evidence import evidence_of
from rankmark.comparing.run_difference import ComparedMeasure
from rankmark.comparing.statistics_choices import Correction, Test
from rankmark.errors import DuplicateError, InputError, MismatchError, listed, shown
from rankmark.evaluating.evaluate_options import RunsOptions, shows
from rankmark.evaluating.evaluation import Evaluation
from rankmark.similarity import ranking
from rankmark.similarity.coefficient_names import as_coefficients
from rankmark.similarity.given_rankings import pairing_of
from rankmark.statistics.score_arrays import number_of_draws, one_of, seed_of, share

if TYPE_CHECKING:
    from rankmark.comparing.leaderboard_evidence import LeaderboardEvidence
    from rankmark.measures import Measure
    from rankmark.similarity import Coefficient
    from rankmark.sources import Qrels
    from rankmark.sources.prepared.qrels import QrelsSource

DEFAULT = ("tau", "tauAP")
"""The default coefficients."""
OF_JUDGMENTS = ("tau", "tauAP", "RBO(p=0.9)", "rho")
"""Those of two sets of judgments."""
DEFAULT_MEASURE = "nDCG@10"
"""The measure of runs, if none is given."""

Leaderboard = Mapping[str, Evaluation | float] | Iterable[Evaluation]


@typed
@shows(RunsOptions)
def compare_leaderboards(
    a: Leaderboard | Qrels | QrelsSource,
    b: Leaderboard | Qrels | QrelsSource,
    coefficients: Iterable[str | Coefficient] | str | Coefficient | None = None,
    *,
    measure: str | Measure | None = None,
    measure_b: str | Measure | None = None,
    runs: Any = None,
    pairs: Pairs = "own",
    test: Test = "randomisation",
    correction: Correction = "holm",
    confidence: float = 0.95,
    resamples: int = 1_000,
    seed: int | None = 0,
    **options: Unpack[RunsOptions],
) -> LeaderboardComparison:
    """Compare how two leaderboards order the same systems.

    Use the same evaluations with two measures to see whether the measures agree, or two sets of
    judgments, with the runs of the systems, to see whether these do.

    Parameters
    ----------
    Data:
    a, b
        Evaluations of several runs, named after the runs; or ``{system: evaluation}``; or
        ``{system: score}``, where higher is better. Both need the same systems. With ``runs``, two
        sets of judgments. a is the truth for tauAP, for what is separated, and for what is best.
    runs
        The runs of the systems, as for ``compare``: they are evaluated with both sets of judgments
        on the queries that are in both.
    pairs
        Whether each set of judgments has its ``"own"`` judged documents, so that scores are those
        of ``evaluate``; or only the ``"common"`` ones, so that nothing but labels differs.

    Measures:
    coefficients
        Names or objects, as for ``compare_rankings``; None for tau and tauAP, with runs also
        RBO(p=0.9) and rho.
    measure
        The measure that orders the systems; None for the first measure of the first evaluation,
        with runs nDCG@10.
    measure_b
        The measure for b; None for the same as a.

    Statistics:
    test, correction
        Which pairs of systems are separated: as ``compare`` tests all pairs. With runs, or
        evaluations on the same queries.
    confidence
        The confidence of intervals; pairs are separated at the level 1 - confidence.
    resamples, seed
        How often queries are drawn, the same for a and b, and the seed of it; None draws a seed.
    **options
        The other keywords of ``evaluate``, with runs.

    Returns
    -------
    LeaderboardComparison
        The coefficients, the systems with both ranks, and the pairs of systems that swap; with
        scores by query, ``evidence``: intervals, the pairs that a separates, the top, drops, and
        which systems b favours.

    Raises
    ------
    MismatchError
        If a system is in only one of the two.
    DuplicateError
        If two systems have the same name.
    InputError
        If a leaderboard has no systems, mixes evaluations and scores, or has a score that is not
        finite, or if a measure is given for scores.
    MeasureError
        If a measure was not evaluated, or a coefficient does not exist.

    Examples
    --------
    >>> import rankmark as rm
    >>> found = rm.compare_leaderboards(
    ...     {"bm25": 0.31, "dense": 0.42, "hybrid": 0.45},
    ...     {"bm25": 0.52, "dense": 0.61, "hybrid": 0.57},
    ... )
    >>> round(found["tau"], 4), [(swap.rises, swap.falls) for swap in found.swaps]
    (0.3333, [('dense', 'hybrid')])
    """
    confidence, resamples = share("confidence", confidence), number_of_draws(resamples)
    seed = seed_of(seed)
    one_of("test", test, *get_args(Test))
    one_of("correction", correction, *get_args(Correction))
    one_of("pairs", pairs, *get_args(Pairs))
    usual = DEFAULT if runs is None else OF_JUDGMENTS
    requested = as_coefficients(usual if coefficients is None else coefficients)
    judged_shares = None
    if runs is not None:
        if measure_b is not None:
            raise InputError("measure_b is for evaluations, and runs are given", "leave it out")
        measure = DEFAULT_MEASURE if measure is None else measure
        judged = judged_systems(a, b, runs, measure, pairs, dict(options))
        a, b, measure = judged.by_a, judged.by_b, judged.measure
        judged_shares = judged.shares
    elif options or pairs != "own":
        name = next(iter(options), "pairs")
        raise InputError(f"{name} is for runs, and none are given", "give runs=, or leave it out")
    boards: tuple[Any, Any] = a, b
    systems_a, systems_b = _systems(boards[0], "a"), _systems(boards[1], "b")
    scores_a, by_a = _scores(systems_a, "a", measure)
    usual_b = None if by_a is None else by_a.name
    scores_b, by_b = _scores(systems_b, "b", measure_b if measure_b is not None else usual_b)
    unpaired = scores_a.keys() ^ scores_b.keys()
    if unpaired:
        names = [name for name in (*scores_a, *scores_b) if name in unpaired]
        raise MismatchError(
            f"systems that only one of the two leaderboards has: {listed(names)}",
            "leave them out, or evaluate them for both",
        )
    worth_a, worth_b = _worth(scores_a, by_a), _worth(scores_b, by_b)
    both = pairing_of(ranking(worth_a), ranking(worth_b))
    ranks_a, ranks_b = _ranks(worth_a), _ranks(worth_b)
    values = {each: float(each.of(both)[0]) for each in requested}
    systems = tuple(
        System(name, scores_a[name], ranks_a[name], scores_b[name], ranks_b[name])
        for name in sorted(scores_a, key=ranks_a.__getitem__)
    )
    swaps = [
        Swap(
            below.name,
            above.name,
            worth_a[below.name] - worth_a[above.name],
            worth_b[below.name] - worth_b[above.name],
        )
        for above, below in itertools.combinations(systems, 2)
        if above.rank_a < below.rank_a and above.rank_b > below.rank_b
    ]
    ties = sum(
        (above.score_a == below.score_a) != (above.score_b == below.score_b)
        for above, below in itertools.combinations(systems, 2)
    )
    return LeaderboardComparison(
        ordered_by=(None if by_a is None else by_a.name, None if by_b is None else by_b.name),
        more_is_better=(_more_is_better(by_a), _more_is_better(by_b)),
        systems=systems,
        swaps=tuple(sorted(swaps, key=lambda swap: swap.difference_a)),
        ties=ties,
        values=values,
        evidence=_evidence(
            (systems_a, systems_b),
            (by_a, by_b),
            [system.name for system in systems],
            (ranks_a, ranks_b),
            values,
            {"test": test, "correction": correction, "confidence": confidence, "seed": seed},
            resamples,
        ),
        judged_shares=judged_shares,
        pairs=None if runs is None else pairs,
    )


def _evidence(
    systems: tuple[Mapping[str, Any], Mapping[str, Any]],
    measures: tuple[ComparedMeasure | None, ComparedMeasure | None],
    names: Sequence[str],
    ranks: tuple[Mapping[str, int], Mapping[str, int]],
    values: Mapping[Coefficient, float],
    statistics: dict[str, Any],
    resamples: int,
) -> LeaderboardEvidence | None:
    """Return what scores by query show; None without them, or if the queries are not the same."""
    by_a, by_b = measures
    if by_a is None or by_b is None or len(names) < 2:
        return None
    boards = [{name: each[name] for name in names} for each in systems]
    queries = boards[0][names[0]].queries
    place = {query: row for row, query in enumerate(queries)}
    if any(one.queries != queries for one in boards[0].values()) or any(
        set(one.queries) != place.keys() for one in boards[1].values()
    ):
        return None
    scores, means, differences = [], [], []
    for board, measure in zip(boards, (by_a, by_b), strict=True):
        table = np.empty((len(queries), len(names)))
        for column, one in enumerate(board.values()):
            # Sets of judgments may have the same queries in another order.
            rows = [place[query] for query in one.queries]
            table[rows, column] = one.scores[:, one.column(measure.name)]
        scores.append(table)
        means.append([one[measure.name] for one in board.values()])
        compared = comparison_of(
            runs=names,
            measures=[measure],
            queries=queries,
            scores=scores[-1][:, :, None],
            means=np.array(means[-1])[:, None],
            baseline=None,
            clusters=None,
            weights=None,
            by=None,
            family="measure",
            interval="auto",
            resamples=None,
            threads=1,
            **statistics,
        )
        differences.append(compared.differences)
    return evidence_of(
        names,
        (scores[0], scores[1]),
        (means[0], means[1]),
        ranks,
        values,
        (differences[0], differences[1]),
        more_is_better=(by_a.more_is_better, by_b.more_is_better),
        same_measure=by_a == by_b,
        resamples=resamples,
        **statistics,
    )


def _systems(leaderboard: Leaderboard, side: str) -> dict[str, Any]:
    """Return the systems by name, all with an evaluation or all with a score."""
    if isinstance(leaderboard, Evaluation) or not isinstance(leaderboard, Iterable):
        raise InputError(
            f"{side} is {shown(leaderboard)}",
            "need several systems: a list of evaluations, {system: evaluation} or {system: score}",
        )
    if isinstance(leaderboard, Mapping):
        named = [(str(name), entry) for name, entry in leaderboard.items()]
        remedy = "1 and '1' are the same name"
    else:
        evaluations = list(leaderboard)
        wrong = [entry for entry in evaluations if not isinstance(entry, Evaluation)]
        if wrong:
            raise InputError(
                f"{side} contains {shown(wrong[0])}", "need evaluations, or {system: score}"
            )
        named = [(entry.run_name, entry) for entry in evaluations]
        remedy = "name the systems: {system: evaluation}"
    if not named:
        raise InputError(f"{side} contains no systems", "need at least two")
    systems = dict(named)
    if len(systems) < len(named):
        names = [name for name, _ in named]
        twice = [name for name in systems if names.count(name) > 1]
        raise DuplicateError(
            f"systems with the same name: {listed(twice)}", f"{remedy}", where=side
        )
    if len({isinstance(entry, Evaluation) for entry in systems.values()}) > 1:
        raise InputError(f"{side} contains evaluations and numbers", "need one or the other")
    return systems


def _scores(
    systems: Mapping[str, Any], side: str, chosen: str | Measure | None
) -> tuple[dict[str, float], ComparedMeasure | None]:
    """Return each system's score, and the measure; None if scores were given."""
    first = next(iter(systems.values()))
    if not isinstance(first, Evaluation):
        if chosen is not None:
            raise InputError(
                f"{side} contains scores, so {chosen} does not apply to it", "leave it out"
            )
        scores = {name: _number(score, f"{side}: {name}") for name, score in systems.items()}
        compared = None
    else:
        measure = first.measures[0 if chosen is None else first.column(chosen)]
        scores = {name: evaluation[measure] for name, evaluation in systems.items()}
        compared = ComparedMeasure(str(measure), measure.more_is_better, measure.aggregate)
    unranked = [name for name, score in scores.items() if not math.isfinite(score)]
    if unranked:
        raise InputError(
            f"systems without a finite score cannot be ranked: {listed(unranked)}",
            "leave them out of both",
            where=side,
        )
    return scores, compared


def _more_is_better(by: ComparedMeasure | None) -> bool:
    return by is None or by.more_is_better


def _worth(scores: Mapping[str, float], by: ComparedMeasure | None) -> dict[str, float]:
    """Return the scores, negative where lower is better."""
    sign = 1.0 if _more_is_better(by) else -1.0
    return {name: sign * score for name, score in scores.items()}


def _number(value: Any, where: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{where} is {value!r}", "need an evaluation or a number") from None


def _ranks(worth: Mapping[str, float]) -> dict[str, int]:
    ordered = ranking(worth)
    return dict(zip(ordered.ids, ordered.first.tolist(), strict=True))
