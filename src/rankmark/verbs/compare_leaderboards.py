"""Whether two measures, or two sets of judgments, order systems alike."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from rankmark.errors import DuplicateError, InputError, MeasureError, MismatchError, listed
from rankmark.formatting.per_query import as_html, as_json, json_number
from rankmark.formatting.text_tables import text
from rankmark.results.evaluation import Evaluation
from rankmark.similarity import p_value, ranking
from rankmark.similarity.coefficient_names import coefficient
from rankmark.similarity.given_rankings import pairing_of
from rankmark.verbs.compare_rankings import as_coefficients
from rankmark.version import __version__

if TYPE_CHECKING:
    from rankmark.measures import Measure
    from rankmark.similarity import Coefficient

SCHEMA = 1
"""Version of what ``to_dict`` writes; it rises when a field changes its meaning or goes."""

DEFAULT = ("tau", "tauAP")
"""What leaderboards are compared by where nothing is asked for."""

Leaderboard = Mapping[str, Evaluation | float] | Iterable[Evaluation]


class System(NamedTuple):
    """A system's scores, and its ranks from 1; systems that tie share the first of their ranks."""

    name: str
    score_a: float
    rank_a: int
    score_b: float
    rank_b: int


class Swap(NamedTuple):
    """Two systems that the leaderboards have in opposite order: one rises above the other in b.

    ``difference_a`` and ``difference_b`` are the score of ``rises`` less that of ``falls``: below 0
    in a, the baseline, and above 0 in b.
    """

    rises: str
    falls: str
    difference_a: float
    difference_b: float


@dataclass(frozen=True, slots=True)
class LeaderboardComparison:
    """How alike two leaderboards are.

    Parameters
    ----------
    ordered_by
        The measure that orders a, and that of b; None where scores were given.
    systems
        All systems, in the order of a.
    swaps
        Pairs in opposite order, those first that are furthest apart in a.
    ties
        How many pairs tie in one leaderboard and not in the other.
    values
        {coefficient: value}; NaN below two systems, and where all of one tie.
    """

    ordered_by: tuple[str | None, str | None]
    systems: tuple[System, ...]
    swaps: tuple[Swap, ...]
    ties: int
    values: dict[Coefficient, float]

    def __getitem__(self, name: str | Coefficient) -> float:
        wanted = coefficient(name)
        if wanted not in self.values:
            have = ", ".join(map(str, self.values))
            raise MeasureError(f"{wanted} was not compared; this comparison has {have}")
        return self.values[wanted]

    def p_value(self, name: str | Coefficient = "tau", *, seed: int | None = 0) -> float:
        """Say how likely so high a correlation, or so low a one, is by chance.

        See ``similarity.p_value``, which takes correlations alone.
        """
        wanted = coefficient(name)
        a = {one.name: one.score_a for one in self.systems}
        b = {one.name: one.score_b for one in self.systems}
        return p_value(wanted.function, a, b, seed=seed, **dict(wanted.given))

    def to_dict(self) -> dict[str, Any]:
        """Write everything as JSON knows it; NaN becomes None."""
        return {
            "schema": SCHEMA,
            "rankmark": __version__,
            "ordered_by": list(self.ordered_by),
            "scores": {str(one): json_number(value) for one, value in self.values.items()},
            "systems": [one._asdict() for one in self.systems],
            "swaps": [one._asdict() for one in self.swaps],
            "ties": self.ties,
        }

    def to_json(self, *, indent: int | None = None) -> str:
        """Write ``to_dict`` as JSON text."""
        return as_json(self.to_dict(), indent)

    def _shown(self) -> list[tuple[str, str]]:
        return [(str(one), f"{value:.4f}") for one, value in self.values.items()]

    @property
    def notes(self) -> list[str]:
        """Say what was compared, and which systems change places: the first ten pairs."""
        by = [one or "the scores given" for one in self.ordered_by]
        pairs = len(self.systems) * (len(self.systems) - 1) // 2
        lines = [
            f"{len(self.systems)} systems, a by {by[0]}, b by {by[1]}: {len(self.swaps)} of "
            f"{pairs} pairs change places, {self.ties} tie in one of the two"
        ]
        lines += [
            f"{one.rises} rises above {one.falls}: behind by {-one.difference_a:.4f} in a, ahead "
            f"by {one.difference_b:.4f} in b"
            for one in self.swaps[:10]
        ]
        if len(self.swaps) > 10:
            lines.append(f"and {len(self.swaps) - 10} more pairs")
        return lines

    def __str__(self) -> str:
        """Write the coefficients, the systems with their ranks, and which change places."""
        rows = [
            (s.name, f"{s.score_a:.4f}", str(s.rank_a), f"{s.score_b:.4f}", str(s.rank_b))
            for s in self.systems
        ]
        table = text(("system", "a", "rank", "b", "rank"), rows, 1)
        values = text([], self._shown(), 1)
        return "\n".join([values, table, *self.notes])

    def __repr__(self) -> str:
        scores = ", ".join(f"{name}={value}" for name, value in self._shown())
        return f"LeaderboardComparison({len(self.systems)} systems: {scores})"

    def _repr_html_(self) -> str:
        return as_html(self._shown(), self.notes)


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
        (by_a, by_b),
        systems,
        tuple(sorted(swaps, key=lambda swap: swap.difference_a)),
        ties,
        {one: float(one.of(pairing)[0]) for one in asked},
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
