"""A leaderboard: the mean of each run on each measure, with its interval and its rank."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rankmark.statistics import share_interval
from rankmark.statistics.exact_sums import column_sums, defined_means
from rankmark.statistics.score_arrays import ROUNDING
from rankmark.verbs.compare.difference_intervals import are_shares, intervals_of

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.statistics import Interval
    from rankmark.verbs.compare.run_difference import ComparedMeasure, RunDifference
    from rankmark.verbs.compare.statistics_choices import Choices, Sampling


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
            low=intervals[column][run].low,
            high=intervals[column][run].high,
            method=intervals[column][run].method,
            n=intervals[column][run].n,
            left_out=intervals[column][run].left_out,
            better_than=beaten.get((measure.name, runs[run]), ()),
            undefined=intervals[column][run].undefined,
        )
        for run in order
        for column, measure in enumerate(measures)
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
            worse = row.baseline if row.better == row.run else row.run
            found.setdefault((row.measure, row.better), []).append(worse)
    return {key: tuple(runs) for key, runs in found.items()}


def _intervals(
    scores: Floats,
    measure: ComparedMeasure,
    chosen: Choices,
    sampling: Sampling,
) -> Sequence[Interval]:
    """Return an interval of the mean of each run: (n_queries, n_runs) to (n_runs,)."""
    if chosen.interval == "auto" and sampling.is_simple and are_shares(scores):
        found: Sequence[Interval] = [
            share_interval(column, confidence=chosen.confidence) for column in scores.T
        ]
    else:
        found = intervals_of(scores, chosen, sampling)
    if measure.undefined:
        why = f"{measure.name} is a geometric mean, and intervals are of arithmetic means"
        return [replace(one, low=math.nan, high=math.nan, undefined=why) for one in found]
    if measure.aggregate == "sum":
        return [replace(one, low=one.low * one.n, high=one.high * one.n) for one in found]
    return found
