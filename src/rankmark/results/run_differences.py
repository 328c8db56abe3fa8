"""Differences between runs: tests, intervals and effect sizes, pair by measure."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark.progress import steps
from rankmark.statistics import (
    PairedTest,
    adjust,
    bootstrap_tests,
    effect_sizes,
    max_t,
    mean_intervals,
    randomise_pairs,
    randomised_tukey,
    relative_intervals,
    share_difference_interval,
    sign_test,
    t_test,
    tukey,
    wilcoxon_test,
)

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.results.statistics_choices import Choices, Sampling, Test
    from rankmark.statistics import EffectSize, Interval

_COLUMNS = 512
"""Differences whose intervals are computed together."""


class ComparedMeasure(NamedTuple):
    """A measure as comparisons use it.

    Parameters
    ----------
    name
        Its canonical name.
    lower_is_better
        Whether lower scores are better.
    aggregate
        "mean"; "sum", for counts; or "gmean", whose means are not of scores, and not tested.
    """

    name: str
    lower_is_better: bool = False
    aggregate: str = "mean"

    @property
    def undefined(self) -> str:
        """Why differences of this measure are not tested, or ""."""
        if self.aggregate == "gmean":
            return f"{self.name} is a geometric mean, and tests are of arithmetic means"
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDifference:
    """How a run differs from a baseline on one measure: its scores minus the baseline's.

    Parameters
    ----------
    measure, baseline, run
        Their names.
    lower_is_better
        Whether a negative difference means that the run is better.
    n, left_out
        Queries with a score from both, and without.
    difference, low, high, method
        Mean difference with its confidence interval, and how that was found: "t", "BCa" or
        "Newcombe"; of a count, the difference of sums.
    relative, relative_low, relative_high
        The difference as a share of the baseline's mean, with Fieller's interval; NaN if that mean
        is not above 0, and for the ends if it could be 0.
    p, adjusted_p, smallest_p
        p-value; the p-value corrected for the ``family``; the smallest p that these queries and
        resamples can give. NaN if ``undefined`` says why.
    significant
        Whether ``adjusted_p`` is at most the level.
    family
        Number of p-values that were corrected together.
    d_z, d_av, cliffs_delta, probability_of_superiority
        Effect sizes; see ``rankmark.statistics.EffectSize``. NaN with weights.
    wins, ties, losses
        Queries on which the run is better than the baseline, equal, and worse.
    robust
        What could reverse the sign of the difference: "yes" for nothing that was tried, else
        "ties" (another order of tied documents), "unjudged" (judging the unjudged documents), or
        "ties, unjudged"; "" if unknown, or if the difference is 0.
    undefined, warning
        Why there is no p-value, or ""; what to know when reading it, or "".
    slice
        The slice of the queries, or "" for all.
    """

    measure: str
    baseline: str
    run: str
    lower_is_better: bool
    n: int
    left_out: int
    difference: float
    low: float
    high: float
    method: str
    relative: float
    relative_low: float
    relative_high: float
    p: float
    adjusted_p: float
    smallest_p: float
    significant: bool
    family: int
    d_z: float
    d_av: float
    cliffs_delta: float
    probability_of_superiority: float
    wins: int
    ties: int
    losses: int
    robust: str
    undefined: str
    warning: str
    slice: str = ""

    @property
    def better(self) -> str | None:
        """The name of the better of the two; None if the means are equal or undefined."""
        if not self.difference or math.isnan(self.difference):
            return None
        return self.run if (self.difference > 0) != self.lower_is_better else self.baseline


def differences_of(
    scores: Floats,
    runs: Sequence[str],
    measures: Sequence[ComparedMeasure],
    pairs: Sequence[tuple[int, int]],
    chosen: Choices,
    sampling: Sampling,
) -> tuple[RunDifference, ...]:
    """Compare pairs of runs on every measure, corrected for their number.

    Parameters
    ----------
    scores
        (n_queries, n_runs, n_measures) float64, NaN where a query has no score.
    pairs
        Numbers of runs, (baseline, other) each.
    sampling
        The clusters and weights of the queries.

    Returns
    -------
    tuple of RunDifference
        Measure by measure, the pairs in order; ``robust`` is not known here.
    """
    if not pairs:
        return ()
    tests = _tests(scores, pairs, chosen, sampling)
    p = np.array([[test.p for test in row] for row in tests])
    for column, measure in enumerate(measures):
        if measure.undefined:
            p[:, column] = np.nan
    adjusted, family = _adjusted(scores, p, pairs, chosen, sampling)
    intervals = _intervals(scores, pairs, chosen, sampling)
    by_shares = chosen.interval == "auto" and sampling.is_simple
    shares = [by_shares and are_shares(scores[:, :, column]) for column in range(len(measures))]
    effects = effect_sizes(scores, pairs)
    relatives = relative_intervals(scores, pairs, confidence=chosen.confidence)
    rows = []
    for column, measure in enumerate(measures):
        for number, (baseline, run) in enumerate(pairs):
            test = tests[number][column]
            interval = intervals[number * len(measures) + column]
            a, b = scores[:, baseline, column], scores[:, run, column]
            if shares[column]:
                interval = share_difference_interval(a, b, confidence=chosen.confidence)
            effect = effects[number][column]
            if sampling.weights is not None:
                effect = _weighted(effect, a, b, sampling.weights)
            relative = relatives[number][column]
            scale = test.n if measure.aggregate == "sum" else 1
            undefined = measure.undefined or test.undefined
            ends = (math.nan, math.nan) if measure.undefined else (interval.low, interval.high)
            # Below 0, a share of the baseline's mean would have the other sign.
            share = effect.relative + 0.0 if effect.relative * effect.difference >= 0 else math.nan
            with_ratio = sampling.is_simple and not measure.undefined and not math.isnan(share)
            wins, losses = effect.wins, effect.losses
            if measure.lower_is_better:
                wins, losses = losses, wins
            corrected = float(adjusted[number, column])
            rows.append(
                RunDifference(
                    measure=measure.name,
                    baseline=runs[baseline],
                    run=runs[run],
                    lower_is_better=measure.lower_is_better,
                    n=test.n,
                    left_out=test.left_out,
                    difference=effect.difference * scale,
                    low=ends[0] * scale,
                    high=ends[1] * scale,
                    method=interval.method,
                    relative=share,
                    relative_low=relative.low if with_ratio else math.nan,
                    relative_high=relative.high if with_ratio else math.nan,
                    p=float(p[number, column]),
                    adjusted_p=corrected,
                    smallest_p=test.smallest_p,
                    significant=corrected <= chosen.level,
                    family=int(family[number, column]),
                    d_z=effect.d_z,
                    d_av=effect.d_av,
                    cliffs_delta=effect.cliffs_delta,
                    probability_of_superiority=effect.probability_of_superiority,
                    wins=wins,
                    ties=effect.ties,
                    losses=losses,
                    robust="",
                    undefined=undefined,
                    warning=test.warning,
                )
            )
    return tuple(rows)


def _intervals(
    scores: Floats, pairs: Sequence[tuple[int, int]], chosen: Choices, sampling: Sampling
) -> list[Interval]:
    """Return an interval of each mean difference, pair by pair and measure by measure."""
    # Differences of all pairs of many runs would take far more memory than their scores.
    few = max(1, _COLUMNS // scores.shape[2])
    found: list[Interval] = []
    starts = range(0, len(pairs), few)
    for at in steps("computing intervals", starts, len(starts)):
        part = np.stack([scores[:, b] - scores[:, a] for a, b in pairs[at : at + few]], axis=1)
        found += intervals_of(part.reshape(len(scores), -1), chosen, sampling)
    return found


def intervals_of(values: Floats, chosen: Choices, sampling: Sampling) -> Sequence[Interval]:
    """Return the t or BCa interval of the mean of each column: (n_queries, columns)."""
    return mean_intervals(
        values,
        method="BCa" if chosen.interval == "BCa" else "t",
        confidence=chosen.confidence,
        resamples=chosen.resamples,
        seed=chosen.seed,
        clusters=sampling.clusters,
        weights=sampling.weights,
        threads=chosen.threads,
    )


def _weighted(effect: EffectSize, a: Floats, b: Floats, weights: Floats) -> EffectSize:
    """Weight the mean difference; the other effect sizes have no weights, and are left out."""
    weights = np.where(np.isnan(a) | np.isnan(b), 0.0, weights)
    total = float(weights.sum())
    if not total:
        return replace(effect, difference=math.nan, relative=math.nan)
    baseline = float(weights @ np.nan_to_num(a)) / total
    difference = float(weights @ np.nan_to_num(b - a)) / total
    return replace(
        effect,
        difference=difference,
        relative=difference / baseline if baseline else math.nan,
        d_z=math.nan,
        d_av=math.nan,
        cliffs_delta=math.nan,
        probability_of_superiority=math.nan,
    )


def are_shares(scores: Floats) -> bool:
    """Return True if all scores are 0 or 1, so that means are shares of queries."""
    present = scores[~np.isnan(scores)]
    return bool(len(present)) and bool(np.isin(present, (0.0, 1.0)).all())


def _tests(
    scores: Floats,
    pairs: Sequence[tuple[int, int]],
    chosen: Choices,
    sampling: Sampling,
) -> Sequence[Sequence[PairedTest]]:
    """Test each pair on each measure: ``[pair][measure]``."""
    if chosen.test == "randomisation":
        return randomise_pairs(
            scores,
            pairs,
            resamples=chosen.resamples,
            seed=chosen.seed,
            clusters=sampling.clusters,
            weights=sampling.weights,
            threads=chosen.threads,
        )
    if chosen.test == "bootstrap":
        differences = [scores[:, b] - scores[:, a] for a, b in pairs]
        found = bootstrap_tests(
            np.concatenate(differences, axis=1),
            resamples=chosen.resamples,
            seed=chosen.seed,
            threads=chosen.threads,
        )
        width = scores.shape[2]
        return [found[at : at + width] for at in range(0, len(found), width)]
    of_pair: dict[Test, Callable[[Floats, Floats], PairedTest]] = {
        "t": lambda a, b: t_test(a, b, clusters=sampling.clusters, weights=sampling.weights),
        "wilcoxon": wilcoxon_test,
        "sign": sign_test,
    }
    test = of_pair[chosen.test]
    return [
        [test(scores[:, a, column], scores[:, b, column]) for column in range(scores.shape[2])]
        for a, b in steps("testing", pairs, len(pairs))
    ]


def _adjusted(
    scores: Floats,
    p: Floats,
    pairs: Sequence[tuple[int, int]],
    chosen: Choices,
    sampling: Sampling,
) -> tuple[Floats, Floats]:
    """Return corrected p-values, and how many were corrected together: (pairs, measures) each."""
    if chosen.correction == "max-t":
        found = max_t(
            scores,
            pairs,
            family=chosen.family,
            resamples=chosen.resamples,
            seed=chosen.seed,
            clusters=sampling.clusters,
            threads=chosen.threads,
        )
        return np.where(np.isnan(p), np.nan, found.adjusted), found.family.astype(np.float64)
    if chosen.correction == "tukey":
        honest = (
            tukey(scores)
            if chosen.test == "t"
            else randomised_tukey(
                scores, resamples=chosen.resamples, seed=chosen.seed, threads=chosen.threads
            )
        )
        order = {one: at for at, one in enumerate(honest.pairs)}
        rows = [order[one] for one in pairs]
        adjusted = np.where(np.isnan(p), np.nan, honest.adjusted[rows])
        return adjusted, np.full(p.shape, float(len(pairs)))
    if chosen.correction == "none":
        return p, np.ones(p.shape)
    if chosen.family == "all":
        every = adjust(p, chosen.correction)
        return every.adjusted, np.full(p.shape, float(every.family))
    columns = [adjust(column, chosen.correction) for column in p.T]
    adjusted = np.stack([column.adjusted for column in columns], axis=1)
    return adjusted, np.tile([float(column.family) for column in columns], (len(pairs), 1))
