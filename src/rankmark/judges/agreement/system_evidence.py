"""What two leaderboards over the same queries say of decisions: pairs, top, drops, and bias."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.judges.agreement.drawn_leaderboards import Draws, drawn_intervals, paired_rankings
from rankmark.similarity.kendall import TAU
from rankmark.statistics import Interval, max_t

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.similarity import Coefficient
    from rankmark.verbs.compare.compared_rows import RunDifference

TOPS = (5, 10)
"""The systems at the top, besides the better half, whose order is compared."""
PEARSON = "pearson"
_SIGNS = 10_000
_FEWEST = 3  # systems of which a correlation says something


class SeparatedPairs(NamedTuple):
    """The pairs of systems that a separates significantly, by what b says of them.

    Parameters
    ----------
    same_significant, same
        The same system is better in b, significantly, and not significantly.
    other, other_significant
        The other system is better in b, not significantly, and significantly.
    tied
        Both have the same score in b.
    pairs
        All pairs of systems.
    """

    same_significant: int
    same: int
    other: int
    other_significant: int
    tied: int
    pairs: int

    @property
    def separated(self) -> int:
        """How many pairs a separates."""
        return sum(self[:5])


class TopSystems(NamedTuple):
    """The k best systems of a: tau of these alone, with an interval, and how many b has there."""

    k: int
    tau: Interval
    common: int


class Drop(NamedTuple):
    """How many places a system is lower in a than in b."""

    system: str
    places: int


class ScoreErrors(NamedTuple):
    """Over systems: mean and root mean square of scores in b minus in a; slope of b on a."""

    mean: Interval
    rmse: Interval
    slope: Interval


class SystemBias(NamedTuple):
    """How much b changes the score of a system.

    Parameters
    ----------
    name
        The system.
    difference, low, high
        The mean of its score in b minus that in a; intervals hold for all systems together.
    favour, favour_low, favour_high
        The same beyond the mean of all systems, with the sign changed where lower scores are
        better: positive if b favours the system.
    adjusted_p
        Of ``favour``, corrected for the number of systems by the largest t.
    """

    name: str
    difference: float
    low: float
    high: float
    favour: float
    favour_low: float
    favour_high: float
    adjusted_p: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderboardEvidence:
    """What two leaderboards over the same queries say of decisions.

    Parameters
    ----------
    queries
        Number of queries.
    intervals
        Of each coefficient, and of "pearson", the correlation of the scores.
    separated
        The pairs that a separates significantly, by what b says of them.
    reversed_pairs
        The pairs among them for which b says the opposite, significantly or not: the better one in
        a first.
    top
        The order of the best systems of a.
    winner_kept
        Whether the best system is the same, without ties.
    drop, drop_of_top
        The greatest fall of a system from b to a, of all systems, and of the five best of b.
    rank_change
        The mean of |rank in b - rank in a|.
    errors, systems
        Of scores, over systems and by system.
    alpha
        The level of significance.
    test, correction
        As of ``compare``.
    """

    queries: int
    intervals: Mapping[str, Interval]
    separated: SeparatedPairs
    reversed_pairs: tuple[tuple[str, str], ...]
    top: tuple[TopSystems, ...]
    winner_kept: bool
    drop: Drop
    drop_of_top: Drop
    rank_change: float
    errors: ScoreErrors
    systems: tuple[SystemBias, ...]
    alpha: float
    test: str
    correction: str

    @property
    def favoured(self) -> tuple[SystemBias, ...]:
        """The systems that b favours or disfavours significantly, most favoured first."""
        found = [one for one in self.systems if one.adjusted_p <= self.alpha]
        return tuple(sorted(found, key=lambda one: -one.favour))


def evidence_of(
    names: Sequence[str],
    scores: tuple[Floats, Floats],
    means: tuple[Sequence[float], Sequence[float]],
    ranks: tuple[Mapping[str, int], Mapping[str, int]],
    values: Mapping[Coefficient, float],
    differences: tuple[Iterable[RunDifference], Iterable[RunDifference]],
    *,
    more_is_better: bool,
    confidence: float,
    resamples: int,
    seed: int,
    test: str,
    correction: str,
) -> LeaderboardEvidence:
    """Compare two leaderboards of systems over the same queries.

    Parameters
    ----------
    names
        (S,) of the systems.
    scores, means, ranks
        In a and in b: (n_queries, S) float64; (S,) means; {system: rank}.
    more_is_better
        Whether higher scores are better.
    values
        The coefficients of the whole leaderboards.
    differences
        In a and in b, of all pairs of systems.
    """
    a, b = (np.array(each, dtype=np.float64) for each in means)
    sign = 1.0 if more_is_better else -1.0
    worth = scores[0] * sign, scores[1] * sign
    worth_means = a * sign, b * sign
    draws = Draws(confidence, resamples, seed)
    coefficients = [*values]
    named = [*map(str, coefficients), PEARSON]

    def correlations(one: Floats, other: Floats) -> Floats:
        pairs = paired_rankings(one, other)
        found = [each.of(pairs) for each in coefficients]
        return np.column_stack([*found, _pearson(one, other)])

    estimates = [*values.values(), float(_pearson(worth_means[0][None], worth_means[1][None])[0])]
    intervals = drawn_intervals(estimates, correlations, worth, named, draws)
    rank_a, rank_b = ([each[name] for name in names] for each in ranks)
    best_of_b = [at for at in range(len(names)) if rank_b[at] <= TOPS[0]]
    separated, opposite = _separated(*differences)
    return LeaderboardEvidence(
        queries=len(scores[0]),
        intervals=intervals,
        separated=separated,
        reversed_pairs=opposite,
        top=tuple(_top(worth, worth_means, (rank_a, rank_b), draws)),
        winner_kept=_winner(rank_a) == _winner(rank_b) is not None,
        drop=_drop(names, rank_a, rank_b, range(len(names))),
        drop_of_top=_drop(names, rank_a, rank_b, best_of_b),
        rank_change=float(np.abs(np.array(rank_a) - np.array(rank_b)).mean()),
        errors=_errors(scores, (a, b), draws),
        systems=_biases(names, scores, sign, draws),
        alpha=round(1 - confidence, 12),
        test=test,
        correction=correction,
    )


def _pearson(a: Floats, b: Floats) -> Floats:
    """Return the correlation of scores: (B, S) each to (B,); NaN if all are equal."""
    x, y = (each - each.mean(1, keepdims=True) for each in (a, b))
    square = (x * x).sum(1) * (y * y).sum(1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(square > 0, (x * y).sum(1) / np.sqrt(square), np.nan)


def _separated(
    in_a: Iterable[RunDifference], in_b: Iterable[RunDifference]
) -> tuple[SeparatedPairs, tuple[tuple[str, str], ...]]:
    of_b = {(one.baseline, one.run): one for one in in_b}
    counts = dict.fromkeys(SeparatedPairs._fields, 0)
    opposite = []
    for one in in_a:
        counts["pairs"] += 1
        if not one.significant or one.better is None:
            continue
        other = of_b[one.baseline, one.run]
        if other.better is None:
            counts["tied"] += 1
            continue
        way = "same" if other.better == one.better else "other"
        counts[f"{way}_significant" if other.significant else way] += 1
        if way == "other":
            worse = one.baseline if one.better == one.run else one.run
            opposite.append((one.better, worse))
    return SeparatedPairs(**counts), tuple(opposite)


def _top(
    scores: tuple[Floats, Floats],
    means: tuple[Floats, Floats],
    ranks: tuple[Sequence[int], Sequence[int]],
    draws: Draws,
) -> Iterable[TopSystems]:
    """Yield tau among the best systems of a, for 5, 10 and the better half."""
    systems = len(means[0])
    sizes = sorted({k for k in (*TOPS, -(-systems // 2)) if _FEWEST <= k < systems})
    for k in sizes:
        # Those that tie with the last of them are among the best, too.
        best = np.flatnonzero(np.array(ranks[0]) <= k)
        of_b = np.flatnonzero(np.array(ranks[1]) <= k)
        whole = float(_tau(means[0][None, best], means[1][None, best])[0, 0])
        chosen = scores[0][:, best], scores[1][:, best]
        name = f"tau of the top {k}"
        found = drawn_intervals([whole], _tau, chosen, [name], draws)
        yield TopSystems(k, found[name], len(np.intersect1d(best, of_b)))


def _tau(a: Floats, b: Floats) -> Floats:
    """Return tau of each pair of leaderboards: (B, S) each to (B, 1)."""
    return TAU.of(paired_rankings(a, b))[:, None]


def _winner(ranks: Sequence[int]) -> int | None:
    """Return the number of the best system; None if several are."""
    first = [at for at, rank in enumerate(ranks) if rank == 1]
    return first[0] if len(first) == 1 else None


def _drop(
    names: Sequence[str], rank_a: Sequence[int], rank_b: Sequence[int], among: Iterable[int]
) -> Drop:
    worst = max(among, key=lambda at: (rank_a[at] - rank_b[at], -rank_b[at]))
    return Drop(names[worst], rank_a[worst] - rank_b[worst])


def _errors(
    scores: tuple[Floats, Floats], means: tuple[Floats, Floats], draws: Draws
) -> ScoreErrors:
    def errors(one: Floats, other: Floats) -> Floats:
        step = other - one
        x = one - one.mean(1, keepdims=True)
        square = (x * x).sum(1)
        with np.errstate(invalid="ignore", divide="ignore"):
            slope = np.where(square > 0, (x * other).sum(1) / square, np.nan)
        return np.column_stack([step.mean(1), np.sqrt((step**2).mean(1)), slope])

    names = ScoreErrors._fields
    anywhere = -math.inf, math.inf
    bounds = [anywhere, (0.0, math.inf), anywhere]
    whole = errors(means[0][None], means[1][None])[0].tolist()
    found = drawn_intervals(whole, errors, scores, names, draws, bounds)
    return ScoreErrors(*(found[name] for name in names))


def _biases(
    names: Sequence[str], scores: tuple[Floats, Floats], sign: float, draws: Draws
) -> tuple[SystemBias, ...]:
    """Return by how much b scores each system higher, and better beyond the mean of all systems.

    The latter is the interaction of system and judge, query by query, so that what makes a query
    easier for all systems is no noise.
    """
    step = scores[1] - scores[0]
    known = step[~np.isnan(step).any(1)]
    if len(known) < 2 or len(names) < 2:
        return ()
    beyond = sign * (known - known.mean(1, keepdims=True))
    bias, favour = _against_zero(known, draws), _against_zero(beyond, draws)
    rows = zip(names, *bias[:3], *favour, strict=True)
    return tuple(SystemBias(name, *map(float, numbers)) for name, *numbers in rows)


def _against_zero(values: Floats, draws: Draws) -> tuple[Floats, Floats, Floats, Floats]:
    """Return means, ends that hold for all columns together, and corrected p: (S,) each."""
    systems = values.shape[1]
    with_zero = np.column_stack([np.zeros(len(values)), values])
    pairs = [(0, at) for at in range(1, systems + 1)]
    found = max_t(
        with_zero,
        pairs,
        level=1 - draws.confidence,
        resamples=max(draws.resamples, _SIGNS),
        seed=draws.seed,
    )
    mean = values.mean(0)
    error = values.std(0, ddof=1) / math.sqrt(len(values))
    half = found.critical[:, 0] * error
    return mean, mean - half, mean + half, found.adjusted[:, 0]
