"""Ranks of systems if other tasks, or other queries of the tasks, had been drawn."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rankmark.arguments import number_of_draws, one_of, seed_of
from rankmark.array_types import Bools, Floats, Ints
from rankmark.errors import InputError
from rankmark.statistics.resampling import fewer_than, over_blocks, sample_blocks, sample_counts
from rankmark.statistics.scipy_functions import special

Over = Literal["tasks", "queries", "both"]
_DIGITS = 9
_STREAMS = 40  # bits of a block's number; those of its task and copy stand before it


@dataclass(frozen=True, slots=True, eq=False)
class ResampledRanks:
    """How often each system came out at each rank.

    Parameters
    ----------
    totals
        (systems,) float64, the sum over the tasks themselves, rounded to nine digits.
    counts
        (systems, systems) int64, how often each system had each rank, from 1; systems with the same
        total share the best rank of them.
    first
        (systems,) float64, the share of draws in which each is first, which those that are first
        together divide equally.
    wins
        (systems, systems) float64, the share of draws in which the system of the row is above that
        of the column, a draw in which they are equal counting as half of one.
    errors
        (systems,) float64, the standard deviations of the means.
    adjusted
        (systems, systems) float64, p-values of all pairs, corrected by the distribution of the
        largest t: how often the largest deviation of any pair, in its standard errors, reaches that
        of the pair. NaN on the diagonal, where the draws of a pair never differ, and unless queries
        alone are drawn: tasks are better studentised in every draw, as ``bootstrap_max_t`` does.
    halves
        (systems, systems) float64, how far simultaneous intervals of the differences of means reach
        on both sides; NaN likewise, and infinite if there are too few draws for the level.
    resamples, seed
        The number of draws, and the seed.
    """

    totals: Floats
    counts: Ints
    first: Floats
    wins: Floats
    errors: Floats
    adjusted: Floats
    halves: Floats
    resamples: int
    seed: int

    def quantile(self, share: float) -> Ints:
        """Return the smallest rank of each system that a share of the draws do not exceed."""
        reached = np.cumsum(self.counts, axis=1) >= np.ceil(share * self.resamples)
        return 1 + reached.argmax(axis=1)


def resampled_ranks(
    tasks: Sequence[Floats],
    over: Over = "tasks",
    *,
    points: bool = False,
    resamples: int = 10_000,
    seed: int | None = 0,
    level: float = 0.05,
) -> ResampledRanks:
    """Rank systems by their mean over tasks, in samples of the tasks, of queries, or of both.

    Parameters
    ----------
    tasks
        For each task, (queries, systems) float64 without NaN; one row where only the mean of the
        task is known. The higher the better.
    over
        What is drawn with replacement: the "tasks"; the "queries" of each task, one fewer than it
        has [2]_, where the tasks stay; or "both", tasks and then, each time a task is drawn, its
        queries.
    points
        Whether each system gets as many points in a task as it is above other systems, half a point
        for each that it equals (Borda), in place of its mean.
    resamples, seed
        The number of draws, and the seed; None draws a seed.
    level
        Of ``halves``.

    Returns
    -------
    ResampledRanks
        The same for any number of threads of the libraries used.

    Notes
    -----
    The scores of a task contain the noise of its queries already, so that the spread of samples of
    tasks does, too [1]_: "both" counts it twice, and is too wide as an interval for other tasks.

    References
    ----------
    .. [1] Davison and Hinkley 1997, Bootstrap methods and their application, section 3.8.
    .. [2] McCarthy and Snowden 1985, The bootstrap and finite population sampling, Vital and Health
       Statistics 2(95): n - 1 of n draws have the unbiased variance.

    Examples
    --------
    >>> found = resampled_ranks([np.array([[0.9, 0.1]]), np.array([[0.7, 0.8]])], resamples=1000)
    >>> found.quantile(0.975).tolist(), found.wins[0, 1] > 0.6
    ([2, 2], np.True_)
    """
    one_of("over", over, "tasks", "queries", "both")
    resamples, seed = number_of_draws(resamples), seed_of(seed)
    if not tasks or not tasks[0].shape[1]:
        raise InputError("there is nothing to rank", "give the scores of one system and task")
    if over != "tasks" and max(map(len, tasks)) < 2:
        raise InputError("no task has queries", 'give scores by query, or take over="tasks"')
    draws = _Draws(tasks, over, points=points, seed=seed)
    sizes = sample_blocks(max(len(tasks), *map(len, tasks)), resamples)
    centre = draws.totals / len(tasks)

    def look(block: int) -> list[Floats | Ints]:
        means = draws.means(block, sizes[block])
        away = means - centre
        return [*_places(means), away.T @ away, away.sum(axis=0)]

    blocks = range(len(sizes))
    counts, first, wins, products, sums = over_blocks(look, blocks, _added, what="resampling")
    spread = (products - np.outer(sums, sums) / resamples) / resamples
    variances = np.maximum(np.diag(spread), 0.0)
    adjusted, halves = np.full(spread.shape, np.nan), np.full(spread.shape, np.nan)
    if over == "queries":  # all samples are drawn a second time
        between = np.maximum(variances[:, None] + variances - 2 * spread, 0.0)
        errors = np.where(between > 1e-12 * (variances[:, None] + variances), between, 0.0) ** 0.5
        tops = [_largest(draws.means(at, sizes[at]) - centre, errors) for at in blocks]
        sizes_of = np.array([len(task) for task in tasks], dtype=np.float64)
        largest, degrees = np.sort(np.concatenate(tops)), _degrees(sizes_of)
        adjusted = _adjusted(centre, errors, degrees, largest)
        halves = _halves(errors, degrees, largest, level)
    return ResampledRanks(
        totals=draws.totals,
        counts=counts.astype(np.int64),
        first=first / resamples,
        wins=wins / resamples,
        errors=np.sqrt(variances),
        adjusted=adjusted,
        halves=halves,
        resamples=resamples,
        seed=seed,
    )


def ranks_of(totals: Floats) -> Ints:
    """Return ranks from 1 in each row, (n, systems); equal systems share the best rank of them."""
    order = np.argsort(-totals, axis=1, kind="stable")
    ordered = np.take_along_axis(totals, order, axis=1)
    begins = np.ones(totals.shape, dtype=bool)
    begins[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    place = np.maximum.accumulate(np.where(begins, np.arange(totals.shape[1]), 0), axis=1)
    ranks: Ints = np.empty(totals.shape, dtype=np.int32)
    np.put_along_axis(ranks, order, (place + 1).astype(np.int32), axis=1)
    return ranks


def borda_points(values: Floats) -> Floats:
    """Return the points of systems in each row, (n, systems): one for each system that they beat.

    A system of equal value is worth half a point. This is the number of systems minus the average
    rank, as MTEB counts it.
    """
    best = ranks_of(values)
    worst = values.shape[1] + 1 - ranks_of(-values)
    return values.shape[1] - (best + worst) / 2.0


class _Draws:
    """Means of systems in samples, block by block; blocks do not depend on one another.

    Sums are rounded to nine digits, so that systems are equal if their scores add up to the same,
    whatever the order of the tasks.
    """

    def __init__(self, tasks: Sequence[Floats], over: Over, *, points: bool, seed: int) -> None:
        self._tasks, self._over, self._points, self._seed = tasks, over, points, seed
        self._means = np.concatenate(
            [self._of_task(task.sum(axis=0)[None], len(task)) for task in tasks]
        )
        largest = float(np.abs(self._means).max(initial=0.0))
        self._digits = _DIGITS - (math.ceil(math.log10(largest)) if largest > 0 else 0)
        self.totals = self._rounded(self._means.sum(axis=0))

    def _of_task(self, sums: Floats, queries: int) -> Floats:
        if not self._points:
            return sums / queries
        return borda_points(np.round(sums, _DIGITS))

    def _rounded(self, sums: Floats) -> Floats:
        return np.round(sums, self._digits)

    def means(self, block: int, size: int) -> Floats:
        """Draw the means of a block: (size, systems) float64."""
        count = len(self._tasks)
        copies = np.ones((size, count))
        if self._over != "queries":
            copies = sample_counts(count, size, block, self._seed)
        if self._over == "tasks":
            return self._rounded(copies @ self._means) / count
        total = np.zeros((size, self._tasks[0].shape[1]))
        for number, task in enumerate(self._tasks):
            for copy in range(int(copies[:, number].max())):
                rows = np.flatnonzero(copies[:, number] > copy)
                stream = ((number + 1) << _STREAMS) | (copy << _STREAMS // 2) | block
                # One query fewer, so that the draws spread as much as the mean does [2].
                size_of_draw = max(len(task) - 1, 1)
                drawn = sample_counts(len(task), len(rows), stream, self._seed, size_of_draw)
                total[rows] += self._of_task(drawn @ task, size_of_draw)
        return self._rounded(total) / count


def _places(means: Floats) -> Iterator[Floats | Ints]:
    """Yield how often each system had each rank, was first, and was above each other one."""
    systems = means.shape[1]
    ranks = ranks_of(means)
    places = (ranks - 1 + systems * np.arange(systems)).ravel()
    yield np.bincount(places, minlength=systems**2).reshape(systems, systems)
    firsts = ranks == 1
    yield (firsts / firsts.sum(axis=1, keepdims=True)).sum(axis=0)
    columns = np.ascontiguousarray(ranks.T)
    wins = np.full((systems, systems), len(means) / 2.0)
    for one in range(systems - 1):
        rest = columns[one + 1 :]
        above = np.count_nonzero(columns[one] < rest, axis=1)
        equal = np.count_nonzero(columns[one] == rest, axis=1)
        wins[one, one + 1 :] = above + equal / 2.0
        wins[one + 1 :, one] = len(means) - wins[one, one + 1 :]
    yield wins


def _added(one: list[Floats | Ints], other: list[Floats | Ints]) -> list[Floats | Ints]:
    return [a + b for a, b in zip(one, other, strict=True)]


def _largest(away: Floats, errors: Floats) -> Floats:
    """Return the largest deviation of any pair's difference in each draw, in standard errors."""
    most = np.zeros(len(away))
    for one in range(away.shape[1] - 1):
        spread: Bools = errors[one, one + 1 :] > 0
        if spread.any():
            rest = away[:, one + 1 :][:, spread] - away[:, one, None]
            np.maximum(most, np.abs(rest / errors[one, one + 1 :][spread]).max(axis=1), out=most)
    return most


def _degrees(sizes: Floats) -> float:
    """Return the degrees of freedom of a mean's error if the queries of all tasks spread alike.

    References
    ----------
    .. [1] Satterthwaite 1946, An approximate distribution of estimates of variance components,
       Biometrics Bulletin 2(6), pages 110-114.
    """
    known = sizes[sizes > 1]
    if not len(known):
        return 1.0
    return float((1.0 / known).sum() ** 2 / (known**-2.0 / (known - 1.0)).sum())


def _adjusted(centre: Floats, errors: Floats, degrees: float, tops: Floats) -> Floats:
    """Return the corrected p-values of all pairs; the observed is counted as one of the draws.

    The deviations of the draws are in errors that all draws share, and so about normal, while those
    of a pair are in errors of its own: t becomes the normal deviate of the same p.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(centre[:, None] - centre) / errors
        z = -special.ndtri(special.stdtr(degrees, -t))
    at_least = len(tops) - np.searchsorted(tops, z, side="left")
    return np.where(errors > 0, (at_least + 1.0) / (len(tops) + 1.0), np.nan)


def _halves(errors: Floats, degrees: float, tops: Floats, level: float) -> Floats:
    """Return halves of intervals that leave 0 out where the corrected p is at most the level."""
    few = fewer_than(level, len(tops))
    z = tops[len(tops) - few] if few else math.inf
    t = -special.stdtrit(degrees, special.ndtr(-z))
    return np.where(errors > 0, t * errors, np.nan)
