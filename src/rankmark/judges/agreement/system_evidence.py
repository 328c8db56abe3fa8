"""What two leaderboards over the same queries say of decisions: pairs, top, drops, and bias.

How much depends on which queries there are is seen from leaderboards of drawn queries, the same for
both leaderboards; the systems stay.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.data.alignment.ranking_pairs import Pairing
from rankmark.similarity.kendall import TAU
from rankmark.statistics import Interval, max_t
from rankmark.statistics.resampling import sample_blocks, sample_counts
from rankmark.statistics.scipy_functions import special

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints
    from rankmark.similarity import Coefficient
    from rankmark.verbs.compare.compared_rows import RunDifference

TOPS = (5, 10)
"""The systems at the top, besides the better half, whose order is compared."""
PEARSON = "pearson"
_SIGNS = 10_000
_DIGITS = 12  # means that differ in later ones are equal, and were added up in another order
_FEWEST = 3  # systems of which a correlation says something


Statistics = Callable[["Floats", "Floats"], "Floats"]
"""From means of systems in both leaderboards, (B, S) each, to statistics, (B, F)."""


class Draws(NamedTuple):
    """The confidence of intervals, how often queries are drawn, and the seed of it."""

    confidence: float
    resamples: int
    seed: int


class Board(NamedTuple):
    """A leaderboard of S systems.

    Parameters
    ----------
    scores, means
        (n_queries, S) and (S,) float64.
    ranks
        (S,) from 1.
    differences
        Of all pairs of systems.
    test, correction
        How these were tested: as ``compare`` does for so many pairs and queries.
    """

    scores: Floats
    means: Floats
    ranks: Sequence[int]
    differences: Iterable[RunDifference]
    test: str
    correction: str


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
    a: Board,
    b: Board,
    values: Mapping[Coefficient, float],
    draws: Draws,
    *,
    more_is_better: bool,
) -> LeaderboardEvidence:
    """Compare two leaderboards of systems over the same queries.

    Parameters
    ----------
    names
        (S,) of the systems.
    a, b
        The leaderboards.
    values
        The coefficients of the whole leaderboards.
    draws
        How queries are drawn.
    more_is_better
        Whether higher scores are better.
    """
    sign = 1.0 if more_is_better else -1.0
    worth = [one._replace(scores=one.scores * sign, means=one.means * sign) for one in (a, b)]
    coefficients = [*values]

    def correlations(one: Floats, other: Floats) -> Floats:
        pairs = paired_rankings(one, other)
        found = [each.of(pairs) for each in coefficients]
        return np.column_stack([*found, _pearson(one, other)])

    pearson = float(_pearson(*(one.means[None] for one in worth))[0])
    intervals = drawn_intervals(
        [*values.values(), pearson],
        correlations,
        (worth[0].scores, worth[1].scores),
        [*map(str, coefficients), PEARSON],
        draws,
    )
    best_of_b = [at for at in range(len(names)) if b.ranks[at] <= TOPS[0]]
    separated, opposite = _separated(a.differences, b.differences)
    return LeaderboardEvidence(
        queries=len(a.scores),
        intervals=intervals,
        separated=separated,
        reversed_pairs=opposite,
        top=tuple(_top(worth[0], worth[1], draws)),
        winner_kept=_winner(a.ranks) == _winner(b.ranks) is not None,
        drop=_drop(names, a.ranks, b.ranks, range(len(names))),
        drop_of_top=_drop(names, a.ranks, b.ranks, best_of_b),
        rank_change=float(np.abs(np.array(a.ranks) - np.array(b.ranks)).mean()),
        errors=_errors(a, b, draws),
        systems=_biases(names, b.scores - a.scores, sign, draws),
        alpha=round(1 - draws.confidence, 12),
        test=a.test,
        correction=a.correction,
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


def _top(a: Board, b: Board, draws: Draws) -> Iterable[TopSystems]:
    """Yield tau among the best systems of a, for 5, 10 and the better half."""
    systems = len(a.means)
    for k in sorted({k for k in (*TOPS, -(-systems // 2)) if _FEWEST <= k < systems}):
        # Those that tie with the last of them are among the best, too.
        best, of_b = (np.flatnonzero(np.array(one.ranks) <= k) for one in (a, b))
        whole = float(_tau(a.means[None, best], b.means[None, best])[0, 0])
        chosen = a.scores[:, best], b.scores[:, best]
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


def _errors(a: Board, b: Board, draws: Draws) -> ScoreErrors:
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
    whole = errors(a.means[None], b.means[None])[0].tolist()
    found = drawn_intervals(whole, errors, (a.scores, b.scores), names, draws, bounds)
    return ScoreErrors(*(found[name] for name in names))


def _biases(
    names: Sequence[str], step: Floats, sign: float, draws: Draws
) -> tuple[SystemBias, ...]:
    """Return by how much b scores each system higher, and better beyond the mean of all systems.

    The latter is the interaction of system and judge, query by query, so that what makes a query
    easier for all systems is no noise.
    """
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


def paired_rankings(a: Floats, b: Floats) -> Pairing:
    """Pair the rankings of systems by their scores in both leaderboards: (B, S) each."""
    rows, systems = a.shape
    starts = np.arange(rows + 1) * systems
    order_a, first_a, last_a = _ranked(a)
    order_b, first_b, last_b = _ranked(b)
    place_b = np.empty_like(order_b)
    np.put_along_axis(place_b, order_b, np.arange(systems)[None, :], axis=1)
    at = np.take_along_axis(place_b, order_a, axis=1) + starts[:-1, None]
    flat = [each.ravel() for each in (first_a, last_a, first_b, last_b, at)]
    return Pairing(starts, starts, *flat)


def _ranked(scores: Floats) -> tuple[Ints, Ints, Ints]:
    """Order the systems, best first, and return the first and last rank of each one's tie."""
    order = np.argsort(-scores, axis=1, kind="stable")
    ordered = np.take_along_axis(scores, order, axis=1)
    systems = scores.shape[1]
    ranks = np.arange(1, systems + 1)
    new = np.ones(scores.shape, dtype=np.bool_)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    first = np.maximum.accumulate(np.where(new, ranks, 0), axis=1)
    ends = np.ones(scores.shape, dtype=np.bool_)
    ends[:, :-1] = new[:, 1:]
    last = np.flip(np.minimum.accumulate(np.flip(np.where(ends, ranks, systems + 1), 1), axis=1), 1)
    return order, first, last


def drawn_means(a: Floats, b: Floats, resamples: int, seed: int) -> Iterator[tuple[Floats, Floats]]:
    """Yield the means of all systems over drawn queries: (n_queries, S) each to (B, S) each.

    A NaN score is left out of its system's mean.
    """
    both = np.concatenate([a, b], axis=1)
    present = (~np.isnan(both)).astype(np.float64)
    scores = np.where(np.isnan(both), 0.0, both)
    complete = bool(present.all())
    for block, samples in enumerate(sample_blocks(len(a), resamples)):
        counts = sample_counts(len(a), samples, block, seed)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = counts @ scores / (len(a) if complete else counts @ present)
        means = np.round(np.nan_to_num(means, nan=0.0), _DIGITS)
        yield means[:, : a.shape[1]], means[:, a.shape[1] :]


def drawn_intervals(
    estimates: Sequence[float],
    statistics: Statistics,
    scores: tuple[Floats, Floats],
    names: Sequence[str],
    draws: Draws,
    bounds: Sequence[tuple[float, float]] | None = None,
) -> dict[str, Interval]:
    """Return an interval of each statistic of two leaderboards: t with the spread of the draws.

    It is for what sets of as many queries give on average. Leaderboards of drawn queries have the
    noise of two draws, so their agreement is lower, and percentiles would be too low: in
    simulations these often missed. Of unlimited queries agreement is higher, and no interval is for
    that.

    Parameters
    ----------
    estimates, names
        (F,) of the statistics.
    scores
        In a and in b, (n_queries, S) float64.
    bounds
        (F,) the lowest and the highest value of each; None for those of correlations, -1 and 1.
    """
    found = {}
    confidence, resamples, seed = draws
    a, b = scores
    if len(a) < 2:
        drawn = np.full((1, len(names)), math.nan)
    else:
        drawn = np.concatenate([statistics(*means) for means in drawn_means(a, b, resamples, seed)])
    times = float(special.stdtrit(max(len(a) - 1, 1), (1 + confidence) / 2))
    limits = bounds or [(-1.0, 1.0)] * len(names)
    for name, estimate, column, ends in zip(names, estimates, drawn.T, limits, strict=True):
        known = column[~np.isnan(column)]
        undefined, low, high = "", math.nan, math.nan
        if math.isnan(estimate):
            undefined = "it is not defined for these leaderboards"
        elif len(a) < 2:
            undefined = "there is only one query"
        elif not len(known) or np.ptp(known) == 0:
            undefined = "all draws of queries give the same value"
        else:
            half = times * float(known.std(ddof=1))
            low, high = max(estimate - half, ends[0]), min(estimate + half, ends[1])
        found[name] = Interval(
            estimate,
            low,
            high,
            confidence,
            name,
            "t, bootstrap by query",
            len(a),
            resamples=resamples,
            seed=seed,
            undefined=undefined,
        )
    return found
