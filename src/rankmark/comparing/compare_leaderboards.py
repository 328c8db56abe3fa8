"""Compare how two measures, or two sets of judgments, order the same systems."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rankmark.argument_types import typed
from rankmark.comparing.leaderboard_comparison import LeaderboardComparison, Swap, System
from rankmark.errors import DuplicateError, InputError, MismatchError, listed, shown
from rankmark.evaluating.evaluation import Evaluation
from rankmark.similarity import ranking
from rankmark.similarity.coefficient_names import as_coefficients
from rankmark.similarity.given_rankings import pairing_of

if TYPE_CHECKING:
    from rankmark.measures import Measure
    from rankmark.similarity import Coefficient

DEFAULT = ("tau", "tauAP")
"""The default coefficients."""

Leaderboard = Mapping[str, Evaluation | float] | Iterable[Evaluation]


@typed
def compare_leaderboards(
    a: Leaderboard,
    b: Leaderboard,
    coefficients: Iterable[str | Coefficient] | str | Coefficient | None = None,
    *,
    measure: str | Measure | None = None,
    measure_b: str | Measure | None = None,
) -> LeaderboardComparison:
    """Compare how two leaderboards order the same systems.

    Use the same evaluations with two measures to see whether the measures agree, or evaluations
    with different judgments or queries to see whether these do.

    Parameters
    ----------
    a, b
        Evaluations of several runs, named after the runs; or ``{system: evaluation}``; or
        ``{system: score}``, where higher is better. Both need the same systems. tauAP treats a as
        the truth.
    coefficients
        Names or objects, as for ``compare_rankings``; None for tau and tauAP.
    measure
        The measure that orders the systems; None for the first measure of the first evaluation.
    measure_b
        The measure for b; None for the same as a.

    Returns
    -------
    LeaderboardComparison
        The coefficients, the systems with both ranks, and the pairs of systems that swap.

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
    requested = as_coefficients(DEFAULT if coefficients is None else coefficients)
    systems_a, systems_b = _systems(a, "a"), _systems(b, "b")
    scores_a, by_a = _scores(systems_a, "a", measure)
    scores_b, by_b = _scores(systems_b, "b", measure_b if measure_b is not None else by_a)
    unpaired = scores_a.keys() ^ scores_b.keys()
    if unpaired:
        names = [name for name in (*scores_a, *scores_b) if name in unpaired]
        raise MismatchError(
            f"systems that only one of the two leaderboards has: {listed(names)}",
            "leave them out, or evaluate them for both",
        )
    pairing = pairing_of(ranking(scores_a), ranking(scores_b))
    ranks_a, ranks_b = _ranks(scores_a), _ranks(scores_b)
    systems = tuple(
        System(name, scores_a[name], ranks_a[name], scores_b[name], ranks_b[name])
        for name in sorted(scores_a, key=ranks_a.__getitem__)
    )
    swaps = [
        Swap(below.name, above.name, below.score_a - above.score_a, below.score_b - above.score_b)
        for above, below in itertools.combinations(systems, 2)
        if above.score_a > below.score_a and above.score_b < below.score_b
    ]
    ties = sum(
        (above.score_a == below.score_a) != (above.score_b == below.score_b)
        for above, below in itertools.combinations(systems, 2)
    )
    return LeaderboardComparison(
        ordered_by=(by_a, by_b),
        systems=systems,
        swaps=tuple(sorted(swaps, key=lambda swap: swap.difference_a)),
        ties=ties,
        values={each: float(each.of(pairing)[0]) for each in requested},
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
) -> tuple[dict[str, float], str | None]:
    """Return each system's score, and the measure; None if scores were given."""
    first = next(iter(systems.values()))
    if not isinstance(first, Evaluation):
        if chosen is not None:
            raise InputError(
                f"{side} contains scores, so {chosen} does not apply to it", "leave it out"
            )
        scores = {name: _number(score, f"{side}: {name}") for name, score in systems.items()}
        measure = None
    else:
        measure = first.measures[0 if chosen is None else first.column(chosen)]
        scores = {name: evaluation[measure] for name, evaluation in systems.items()}
    unranked = [name for name, score in scores.items() if not math.isfinite(score)]
    if unranked:
        raise InputError(
            f"systems without a finite score cannot be ranked: {listed(unranked)}",
            "leave them out of both",
            where=side,
        )
    return scores, None if measure is None else str(measure)


def _number(value: Any, where: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{where} is {value!r}", "need an evaluation or a number") from None


def _ranks(scores: Mapping[str, float]) -> dict[str, int]:
    ordered = ranking(scores)
    return dict(zip(ordered.ids, ordered.first.tolist(), strict=True))
