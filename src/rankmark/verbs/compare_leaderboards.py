"""Whether two measures, or two sets of judgments, order systems alike."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rankmark.errors import DuplicateError, InputError, MismatchError, listed
from rankmark.results.evaluation import Evaluation
from rankmark.results.leaderboard_comparison import LeaderboardComparison, Swap, System
from rankmark.similarity import ranking
from rankmark.similarity.given_rankings import pairing_of
from rankmark.verbs.compare_rankings import as_coefficients

if TYPE_CHECKING:
    from rankmark.measures import Measure
    from rankmark.similarity import Coefficient

DEFAULT = ("tau", "tauAP")
"""What leaderboards are compared by where nothing is asked for."""

Leaderboard = Mapping[str, Evaluation | float] | Iterable[Evaluation]


def compare_leaderboards(
    a: Leaderboard,
    b: Leaderboard,
    coefficients: Iterable[str | Coefficient] | str | Coefficient | None = None,
    *,
    measure: str | Measure | None = None,
    measure_b: str | Measure | None = None,
) -> LeaderboardComparison:
    """Compare how two leaderboards order the same systems.

    Two leaderboards of one set of evaluations under two measures say whether the measures agree;
    those of two sets of judgments, or of queries, whether these do.

    Parameters
    ----------
    a, b
        Evaluations of several runs, named by their runs; or ``{system: evaluation}``, or
        ``{system: score}``, the highest best. Both of the same systems. Under tauAP, a is the
        truth.
    coefficients
        Names or objects, as ``compare_rankings`` takes them; None for tau and tauAP.
    measure
        What orders the systems of evaluations; None for the first that was evaluated of the first.
    measure_b
        The same for b; None for that of a.

    Returns
    -------
    LeaderboardComparison
        The coefficients, the systems with both ranks, and the pairs that change places.

    Raises
    ------
    MismatchError
        If only one of the two has a system.
    DuplicateError
        If two systems have one name.
    InputError
        If a leaderboard holds no systems, or evaluations beside scores, or a system has no finite
        score, or a measure is named for scores.
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
    asked = as_coefficients(DEFAULT if coefficients is None else coefficients)
    systems_a, systems_b = _systems(a, "a"), _systems(b, "b")
    scores_a, by_a = _scores(systems_a, "a", measure)
    scores_b, by_b = _scores(systems_b, "b", measure_b if measure_b is not None else by_a)
    lone = [one for one in (*scores_a, *scores_b) if (one in scores_a) != (one in scores_b)]
    if lone:
        raise MismatchError(
            f"systems that only one of the two leaderboards has: {listed(lone)}; leave them out, "
            "or evaluate them for both"
        )
    pairing = pairing_of(ranking(scores_a), ranking(scores_b))
    ranks_a, ranks_b = _ranks(scores_a), _ranks(scores_b)
    systems = tuple(
        System(name, scores_a[name], ranks_a[name], scores_b[name], ranks_b[name])
        for name in sorted(scores_a, key=ranks_a.__getitem__)
    )
    swaps = [
        Swap(other.name, one.name, other.score_a - one.score_a, other.score_b - one.score_b)
        for one, other in itertools.combinations(systems, 2)
        if one.score_a > other.score_a and one.score_b < other.score_b
    ]
    ties = sum(
        (one.score_a == other.score_a) != (one.score_b == other.score_b)
        for one, other in itertools.combinations(systems, 2)
    )
    return LeaderboardComparison(
        ordered_by=(by_a, by_b),
        systems=systems,
        swaps=tuple(sorted(swaps, key=lambda swap: swap.difference_a)),
        ties=ties,
        values={one: float(one.of(pairing)[0]) for one in asked},
    )


def _systems(leaderboard: Leaderboard, side: str) -> dict[str, Any]:
    """Name the systems, each with an evaluation or with a score, all alike."""
    if isinstance(leaderboard, Evaluation) or not isinstance(leaderboard, Iterable):
        raise InputError(
            f"{side} is {leaderboard!r}; need several systems: a list of evaluations, "
            "{system: evaluation} or {system: score}"
        )
    if isinstance(leaderboard, Mapping):
        held = [(str(name), one) for name, one in leaderboard.items()]
        remedy = "1 and '1' are one name"
    else:
        listed_ones = list(leaderboard)
        wrong = [one for one in listed_ones if not isinstance(one, Evaluation)]
        if wrong:
            raise InputError(f"{side} holds {wrong[0]!r}; need evaluations, or {{system: score}}")
        held = [(one.run_name, one) for one in listed_ones]
        remedy = "name the systems: {system: evaluation}"
    if not held:
        raise InputError(f"{side} holds no systems; need two at least")
    systems = dict(held)
    if len(systems) < len(held):
        names = [name for name, _ in held]
        twice = [name for name in systems if names.count(name) > 1]
        raise DuplicateError(f"{side}: systems of one name: {listed(twice)}; {remedy}")
    if len({isinstance(one, Evaluation) for one in systems.values()}) > 1:
        raise InputError(f"{side} holds evaluations and numbers; need the one or the other")
    return systems


def _scores(
    systems: Mapping[str, Any], side: str, chosen: str | Measure | None
) -> tuple[dict[str, float], str | None]:
    """Give each system's score, and by which measure; None where scores were given."""
    first = next(iter(systems.values()))
    if not isinstance(first, Evaluation):
        if chosen is not None:
            raise InputError(f"{side} holds scores, which {chosen} cannot order; leave it out")
        scores = {name: _number(one, f"{side}: {name}") for name, one in systems.items()}
        by = None
    else:
        one = first.measures[0] if chosen is None else first.measures[first.column(chosen)]
        scores, by = {name: held[one] for name, held in systems.items()}, str(one)
    lacking = [name for name, score in scores.items() if not math.isfinite(score)]
    if lacking:
        raise InputError(
            f"{side}: systems without a finite score, so without a place: {listed(lacking)}; "
            "leave them out of both"
        )
    return scores, by


def _number(value: Any, where: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{where} is {value!r}; need an evaluation or a number") from None


def _ranks(scores: Mapping[str, float]) -> dict[str, int]:
    ordered = ranking(scores)
    return dict(zip(ordered.ids, ordered.first.tolist(), strict=True))
