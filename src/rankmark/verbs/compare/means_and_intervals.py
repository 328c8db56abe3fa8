"""Intervals of differences and of means, and a leaderboard made of the means."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.array_types import column_sums, defined_means
from rankmark.statistics import (
    mean_intervals,
    share_difference_interval,
    share_interval,
    simultaneous_ends,
)
from rankmark.statistics.confidence_intervals import student_means
from rankmark.statistics.score_arrays import ROUNDING, cluster_numbers
from rankmark.work_progress import steps

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.statistics import Interval
    from rankmark.statistics.confidence_intervals import StudentMean
    from rankmark.verbs.compare.compared_rows import ComparedMeasure, RunDifference
    from rankmark.verbs.compare.statistics_choices import Choices, Sampling

_COLUMNS, _IN_CACHE = 512, 32
"""Differences whose intervals are computed together: that share draws, and others."""

_CACHED = {"_means", "_bootstrapped"}


class DifferenceIntervals:
    """Intervals of the difference of each pair on each measure, at any confidence.

    Parameters
    ----------
    scores
        (n_queries, n_runs, n_measures) float64, NaN where a query has no score.
    pairs
        Numbers of runs, (baseline, other) each.
    """

    def __init__(
        self,
        scores: Floats,
        measures: Sequence[ComparedMeasure],
        pairs: Sequence[tuple[int, int]],
        chosen: Choices,
        sampling: Sampling,
    ) -> None:
        self.measures = measures
        self._scores, self._pairs = scores, pairs
        self._chosen, self._sampling = chosen, sampling
        by_shares = chosen.interval == "auto" and sampling.is_simple
        self._are_shares = [
            by_shares and are_shares(scores[:, :, column], measure)
            for column, measure in enumerate(measures)
        ]
        self._cache()

    def _cache(self) -> None:
        """Keep what is computed for all pairs at once."""
        self._means = cache(self._means_of)
        self._bootstrapped = cache(self._bootstrapped_at)

    def __getstate__(self) -> dict[str, object]:
        return {name: vars(self)[name] for name in vars(self).keys() - _CACHED}

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state)
        self._cache()

    def of(self, column: int, pair: int, confidence: float) -> Interval:
        """Return the interval of a pair, by its number, on a measure."""
        if self._are_shares[column]:
            a, b = self._pairs[pair]
            scores = self._scores[:, :, column]
            found = share_difference_interval(scores[:, a], scores[:, b], confidence=confidence)
        elif self._chosen.interval == "BCa":
            found = self._bootstrapped(column, confidence)[pair]
        else:
            found = self._means(column)[pair].interval(confidence)
        measure = self.measures[column]
        if measure.undefined:
            return replace(found, low=math.nan, high=math.nan)
        if measure.aggregate == "sum":
            return replace(found, low=found.low * found.n, high=found.high * found.n)
        return found

    def error(self, column: int, pair: int) -> float:
        """Return the standard error of a mean difference, as the max-T test has it.

        With clusters, the spread is that of their sums.
        """
        first, second = self._pairs[pair]
        differences = self._scores[:, second, column] - self._scores[:, first, column]
        present = ~np.isnan(differences)
        sums, clusters = differences[present], self._sampling.clusters
        numbers = cluster_numbers(clusters, len(differences))
        if numbers is not None:
            units = int(numbers.max()) + 1
            sums = np.bincount(numbers[present], sums, units).astype(np.float64)
        units, squares = len(sums), float(np.sum(sums**2))
        if units < 2 or not squares:
            return math.nan
        left = max(units - float(sums.sum()) ** 2 / squares, 0.0)
        scale = 1 if self.measures[column].aggregate == "sum" else 1 / int(present.sum())
        return scale * math.sqrt(squares * left / (units - 1))

    def _means_of(self, column: int) -> Sequence[StudentMean]:
        """Return the mean difference of all pairs on a measure."""
        found: list[StudentMean] = []
        clusters, weights = self._sampling.clusters, self._sampling.weights
        for differences in self._differences(column, _IN_CACHE if weights is None else _COLUMNS):
            found += student_means(differences, clusters=clusters, weights=weights)
        return found

    def _bootstrapped_at(self, column: int, confidence: float) -> Sequence[Interval]:
        """Return the intervals of all pairs on a measure by the bootstrap."""
        found: list[Interval] = []
        for differences in self._differences(column, _COLUMNS):
            found += intervals_of(differences, self._chosen, self._sampling, confidence)
        return found

    def _differences(self, column: int, most: int) -> Iterator[Floats]:
        """Yield the differences of some pairs after others: (n_queries, pairs), at most so many."""
        of_run = np.ascontiguousarray(self._scores[:, :, column].T)
        first, second = np.array(self._pairs).T
        # Differences of all pairs of many runs would take far more memory than their scores.
        starts = range(0, len(self._pairs), most)
        for at in steps("computing intervals", starts, len(starts)):
            yield (of_run[second[at : at + most]] - of_run[first[at : at + most]]).T


def intervals_of(
    values: Floats, chosen: Choices, sampling: Sampling, confidence: float | None = None
) -> Sequence[Interval]:
    """Return the t or BCa interval of the mean of each column: (n_queries, columns)."""
    return mean_intervals(
        values,
        method="BCa" if chosen.interval == "BCa" else "t",
        confidence=chosen.confidence if confidence is None else confidence,
        clusters=sampling.clusters,
        weights=sampling.weights,
        **chosen.draws,
    )


def are_shares(scores: Floats, measure: ComparedMeasure) -> bool:
    """Return True if all scores are 0 or 1, so that means are shares of queries.

    A mean that may be above 1, such as one of costs, is no share even so.
    """
    if measure.aggregate == "mean" and measure.bounds == (0.0, math.inf):
        return False
    present = scores[~np.isnan(scores)]
    return bool(len(present)) and bool(np.isin(present, (0.0, 1.0)).all())


class Tested(NamedTuple):
    """A difference of a family.

    Parameters
    ----------
    row
        The difference.
    intervals
        Those of the comparison that it is from.
    column, pair
        Numbers of its measure and its pair.
    """

    row: RunDifference
    intervals: DifferenceIntervals
    column: int
    pair: int


def with_adjusted_intervals(family: Sequence[Tested], chosen: Choices) -> list[RunDifference]:
    """Return the differences of a family with intervals that go with their corrected p-values.

    For all corrections of p-values alone; max-T and Tukey's have critical values of their own.
    """
    ends = simultaneous_ends(
        [one.row.p for one in family],
        [one.row.difference for one in family],
        chosen.correction,  # type: ignore[arg-type]
        chosen.level,
    )
    return [_adjusted(one, *at) for one, *at in zip(family, *ends, strict=True)]


def _adjusted(one: Tested, low: float, high: float, beyond: float) -> RunDifference:
    """Return a difference with ends that belong to single intervals of these confidences."""
    row = one.row
    if math.isnan(low) or math.isnan(row.low):
        return replace(row, adjusted_low=math.nan, adjusted_high=math.nan)
    lower = 0.0 if math.isinf(low) else one.intervals.of(one.column, one.pair, low).low
    upper = 0.0 if math.isinf(high) else one.intervals.of(one.column, one.pair, high).high
    if beyond > 0:
        lower = max(lower, 0.0)
    elif beyond < 0:
        upper = min(upper, 0.0)
    return replace(row, adjusted_low=lower, adjusted_high=upper)


def around(row: RunDifference, half: float) -> RunDifference:
    """Return a difference with an interval that reaches so far on both sides."""
    ends = (row.difference - half, row.difference + half)
    if math.isinf(half) or math.isnan(half) or math.isnan(row.low):
        ends = (math.nan, math.nan)
    return replace(row, adjusted_low=ends[0], adjusted_high=ends[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A run's mean on one measure, with its place among the runs.

    Parameters
    ----------
    run, measure
        Their names.
    more_is_better
        Whether higher means are better.
    rank
        From 1, best first; runs with equal means share the best of their ranks.
    mean, low, high
        The mean with its confidence interval; of a count the sum, and of a geometric mean that
        mean. NaN for the ends if ``undefined`` says why.
    method
        How the interval was found: "t", "BCa" or "Wilson".
    n, left_out
        Queries with a score, and without.
    better_than
        Names of the runs that are significantly worse on this measure, in the order given; with a
        baseline, no run but this one was compared with the others.
    undefined
        Why there is no interval, or "".
    slice
        The slice of the queries, or "" for all.
    """

    run: str
    measure: str
    more_is_better: bool
    rank: int
    mean: float
    low: float
    high: float
    method: str
    n: int
    left_out: int
    better_than: tuple[str, ...]
    undefined: str
    slice: str = ""


def standings_of(
    scores: Floats,
    means: Floats,
    runs: Sequence[str],
    measures: Sequence[ComparedMeasure],
    chosen: Choices,
    sampling: Sampling,
    beaten: Mapping[tuple[str, str], tuple[str, ...]],
) -> tuple[Standing, ...]:
    """Rank the runs on every measure.

    Parameters
    ----------
    scores, means
        (n_queries, n_runs, n_measures) and (n_runs, n_measures) float64.
    beaten
        ``[measure, run]``, the runs that are significantly worse.

    Returns
    -------
    tuple of Standing
        Run by run, best first on the first measure, and all measures of a run together.
    """
    intervals = [
        _intervals(scores[:, :, column], measure, chosen, sampling)
        for column, measure in enumerate(measures)
    ]
    ranks = [ranks_of(means[:, at], measure) for at, measure in enumerate(measures)]
    order = sorted(range(len(runs)), key=lambda run: (ranks[0][run], run))
    return tuple(
        Standing(
            run=runs[run],
            measure=measure.name,
            more_is_better=measure.more_is_better,
            rank=ranks[column][run],
            mean=float(means[run, column]),
            low=one.low,
            high=one.high,
            method=one.method,
            n=one.n,
            left_out=one.left_out,
            better_than=beaten.get((measure.name, runs[run]), ()),
            undefined=one.undefined,
        )
        for run in order
        for column, measure in enumerate(measures)
        for one in [intervals[column][run]]
    )


def means_of(scores: Floats, weights: Floats | None) -> Floats:
    """Average the scores that are there: (n_queries, n_runs, n_measures) to (n_runs, n_measures).

    NaN if there are none, or their weights are all 0.
    """
    n, runs, measures = scores.shape
    columns = scores.reshape(n, -1)
    if weights is None:
        return np.array(defined_means(columns)).reshape(runs, measures)
    present = ~np.isnan(columns)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        sums = column_sums(np.where(present, columns * weights[:, None], 0.0))
        counted = column_sums(present * weights[:, None])
        return np.divide(sums, counted).reshape(runs, measures)


def ranks_of(means: Floats, measure: ComparedMeasure) -> list[int]:
    """Rank runs by their means, best first; those without one come last.

    Means that differ by rounding only are equal.
    """
    worth = -means if measure.more_is_better else means
    rounding = ROUNDING * float(np.nanmax(np.abs(means), initial=0.0))
    worth = np.where(np.isnan(worth), np.inf, worth)
    return [1 + int(np.sum(worth < one - rounding)) for one in worth]


def beaten_by(differences: Sequence[RunDifference]) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return ``[measure, run]``, the runs that are significantly worse, of those that have any."""
    found: dict[tuple[str, str], list[str]] = {}
    for row in differences:
        if row.significant and row.better is not None:
            found.setdefault((row.measure, row.better), []).append(str(row.worse))
    return {key: tuple(runs) for key, runs in found.items()}


def _intervals(
    scores: Floats,
    measure: ComparedMeasure,
    chosen: Choices,
    sampling: Sampling,
) -> Sequence[Interval]:
    """Return an interval of the mean of each run: (n_queries, n_runs) to (n_runs,)."""
    if chosen.interval == "auto" and sampling.is_simple and are_shares(scores, measure):
        found: Sequence[Interval] = [
            share_interval(column, confidence=chosen.confidence) for column in scores.T
        ]
    else:
        found = intervals_of(scores, chosen, sampling)
        low, high = measure.bounds
        if not ((scores < low) | (scores > high)).any():  # scores of that name may be percentages
            found = [one.within(measure.bounds) for one in found]
    if measure.undefined:
        why = f"{measure.name} is a geometric mean, and intervals are of arithmetic means"
        return [replace(one, low=math.nan, high=math.nan, undefined=why) for one in found]
    if measure.aggregate == "sum":
        return [replace(one, low=one.low * one.n, high=one.high * one.n) for one in found]
    return found
