"""Differences of runs: tests, intervals and effect sizes, and what could reverse them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from rankmark.errors import RankmarkError
from rankmark.statistics import (
    PairedTest,
    adjust,
    bootstrap_max_t,
    bootstrap_tests,
    effect_sizes,
    max_t,
    randomise_pairs,
    randomised_tukey,
    relative_intervals,
    sign_test,
    t_test,
    tukey,
    wilcoxon_test,
)
from rankmark.verbs.compare.compared_rows import ComparedMeasure, RunDifference
from rankmark.verbs.compare.means_and_intervals import (
    DifferenceIntervals,
    Tested,
    around,
    with_adjusted_intervals,
)
from rankmark.work_progress import steps

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.statistics import EffectSize, Interval
    from rankmark.verbs.compare.statistics_choices import Choices, Sampling, Test
    from rankmark.verbs.evaluate.evaluation import Evaluation

NOTHING = "nothing"
"""What could reverse a difference if nothing that was tried could."""

Intervals = dict[str, tuple[float, float]] | None


def reversals(
    evaluations: Mapping[str, Evaluation], *, with_bounds: bool
) -> Callable[[RunDifference], str]:
    """Return a function that says what could reverse a difference.

    The means of the two runs are varied independently, each within its interval over orders of
    ties, or over judgments of unjudged documents. A document that both retrieved would change both
    means the same way, so a difference that they could reverse may still never be reversed.

    Parameters
    ----------
    with_bounds
        Whether to judge the unjudged documents too, which takes longer.
    """

    @cache
    def ties_of(run: str) -> Intervals:
        try:
            return evaluations[run].tie_interval
        except RankmarkError:  # data has changed or is gone, or measures have no such interval
            return None

    @cache
    def bounds_of(run: str) -> Intervals:
        try:
            return evaluations[run]._known_bounds
        except RankmarkError:
            return None

    def reversible_by(one: RunDifference) -> str:
        if not one.difference or math.isnan(one.difference):
            return ""
        sources = {"ties": ties_of} | ({"unjudged": bounds_of} if with_bounds else {})
        reversing = []
        for name, intervals_of in sources.items():
            baseline, run = intervals_of(one.baseline), intervals_of(one.run)
            if baseline is None or run is None or one.measure not in run:
                return ""
            if math.isnan(baseline[one.measure][0] + run[one.measure][0]):
                return ""
            if _can_reverse(one, baseline[one.measure], run[one.measure]):
                reversing.append(name)
        return ", ".join(reversing) or NOTHING

    return reversible_by


def _can_reverse(
    one: RunDifference, baseline: tuple[float, float], run: tuple[float, float]
) -> bool:
    if one.difference > 0:
        return run[0] <= baseline[1]
    return run[1] >= baseline[0]


def differences_of(
    scores: Floats,
    means: Floats,
    runs: Sequence[str],
    measures: Sequence[ComparedMeasure],
    pairs: Sequence[tuple[int, int]],
    chosen: Choices,
    sampling: Sampling,
    intervals: DifferenceIntervals,
) -> tuple[RunDifference, ...]:
    """Compare pairs of runs on every measure, corrected for their number.

    Parameters
    ----------
    scores, means
        (n_queries, n_runs, n_measures) float64, NaN where a query has no score; (n_runs,
        n_measures) float64.
    pairs
        Numbers of runs, (baseline, other) each.
    sampling
        The clusters and weights of the queries.
    intervals
        Of the differences.

    Returns
    -------
    tuple of RunDifference
        Measure by measure, the pairs in order; ``reversible_by`` is not known here.
    """
    if not pairs:
        return ()
    tests = _tests(scores, pairs, chosen, sampling)
    p = np.array([[test.p for test in row] for row in tests])
    for column, measure in enumerate(measures):
        if measure.undefined:
            p[:, column] = np.nan
    adjusted, family, halves = _adjusted(scores, p, pairs, chosen, sampling, intervals)
    effects = _effects(scores, pairs, sampling)
    relatives = relative_intervals(scores, pairs, confidence=chosen.confidence)
    tested = []
    for column, measure in enumerate(measures):
        for number, (baseline, run) in enumerate(pairs):
            row = _row(
                measure,
                runs=(runs[baseline], runs[run]),
                means=(float(means[baseline, column]), float(means[run, column])),
                test=tests[number][column],
                effect=effects[number][column],
                interval=intervals.of(column, number, chosen.confidence),
                relative=relatives[number][column] if sampling.is_simple else None,
                p=float(p[number, column]),
                adjusted_p=float(adjusted[number, column]),
                level=chosen.level,
                family=int(family[number, column]),
            )
            tested.append(Tested(row, intervals, column, number))
    if halves is not None:
        return tuple(around(one.row, float(halves[one.pair, one.column])) for one in tested)
    if chosen.family == "all":
        return tuple(with_adjusted_intervals(tested, chosen))
    width = len(pairs)
    families = [tested[at : at + width] for at in range(0, len(tested), width)]
    return tuple(row for family in families for row in with_adjusted_intervals(family, chosen))


def _row(
    measure: ComparedMeasure,
    *,
    runs: tuple[str, str],
    means: tuple[float, float],
    test: PairedTest,
    effect: EffectSize,
    interval: Interval,
    relative: Interval | None,
    p: float,
    adjusted_p: float,
    level: float,
    family: int,
) -> RunDifference:
    """Return the difference of a pair on a measure, whose adjusted interval is not known yet."""
    scale = test.n if measure.aggregate == "sum" else 1
    # Below 0, a share of the baseline's mean would have the other sign.
    share = effect.relative + 0.0 if effect.relative * effect.difference >= 0 else math.nan
    if measure.undefined or math.isnan(share):
        relative = None
    wins, losses = effect.wins, effect.losses
    if not measure.more_is_better:
        wins, losses = losses, wins
    return RunDifference(
        measure=measure.name,
        baseline=runs[0],
        run=runs[1],
        more_is_better=measure.more_is_better,
        baseline_mean=means[0],
        run_mean=means[1],
        n=test.n,
        left_out=test.left_out,
        difference=effect.difference * scale,
        low=interval.low,
        high=interval.high,
        method=interval.method,
        adjusted_low=math.nan,
        adjusted_high=math.nan,
        relative=share,
        relative_low=math.nan if relative is None else relative.low,
        relative_high=math.nan if relative is None else relative.high,
        p=p,
        adjusted_p=adjusted_p,
        smallest_p=test.smallest_p,
        significant=adjusted_p <= level,
        family=family,
        d_z=effect.d_z,
        d_av=effect.d_av,
        cliffs_delta=effect.cliffs_delta,
        probability_of_superiority=effect.probability_of_superiority,
        wins=wins,
        ties=effect.ties,
        losses=losses,
        reversible_by="",
        undefined=measure.undefined or test.undefined,
        warning=test.warning,
    )


def _effects(
    scores: Floats, pairs: Sequence[tuple[int, int]], sampling: Sampling
) -> Sequence[Sequence[EffectSize]]:
    """Return the effect sizes of each pair on each measure: ``[pair][measure]``."""
    effects = effect_sizes(scores, pairs)
    if sampling.weights is None:
        return effects
    return [
        [
            _weighted(effect, scores[:, a, column], scores[:, b, column], sampling.weights)
            for column, effect in enumerate(row)
        ]
        for (a, b), row in zip(pairs, effects, strict=True)
    ]


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
            clusters=sampling.clusters,
            weights=sampling.weights,
            **chosen.draws,
        )
    if chosen.test == "bootstrap":
        differences = [scores[:, b] - scores[:, a] for a, b in pairs]
        found = bootstrap_tests(np.concatenate(differences, axis=1), **chosen.draws)
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
    intervals: DifferenceIntervals,
) -> tuple[Floats, Floats, Floats | None]:
    """Return corrected p-values, how many were corrected together, and halves of intervals.

    (pairs, measures) each; the last is None where intervals follow from the p-values.
    """
    if chosen.correction == "max-t" and chosen.test == "bootstrap":
        drawn = bootstrap_max_t(
            scores,
            pairs,
            family=chosen.family,
            clusters=sampling.clusters,
            level=chosen.level,
            **chosen.draws,
        )
        sums = np.array([measure.aggregate == "sum" for measure in intervals.measures])
        adjusted = np.where(np.isnan(p), np.nan, drawn.adjusted)
        halves = drawn.critical * drawn.error * np.where(sums, drawn.n, 1)
        return adjusted, drawn.family.astype(np.float64), halves
    if chosen.correction == "max-t":
        found = max_t(
            scores,
            pairs,
            family=chosen.family,
            clusters=sampling.clusters,
            level=chosen.level,
            **chosen.draws,
        )
        errors = [
            [intervals.error(column, pair) for column in range(scores.shape[2])]
            for pair in range(len(pairs))
        ]
        adjusted = np.where(np.isnan(p), np.nan, found.adjusted)
        return adjusted, found.family.astype(np.float64), found.critical * np.array(errors)
    if chosen.correction == "tukey":
        honest = (
            tukey(scores, level=chosen.level)
            if chosen.test == "t"
            else randomised_tukey(scores, level=chosen.level, **chosen.draws)
        )
        order = {one: at for at, one in enumerate(honest.pairs)}
        rows = [order[one] for one in pairs]
        adjusted = np.where(np.isnan(p), np.nan, honest.adjusted[rows])
        sums = np.array([measure.aggregate == "sum" for measure in intervals.measures])
        halves = honest.critical * np.where(sums, honest.n, 1)
        return adjusted, np.full(p.shape, float(len(pairs))), np.tile(halves, (len(pairs), 1))
    if chosen.correction == "none":
        return p, np.ones(p.shape), None
    if chosen.family == "all":
        every = adjust(p, chosen.correction)
        return every.adjusted, np.full(p.shape, float(every.family)), None
    columns = [adjust(column, chosen.correction) for column in p.T]
    adjusted = np.stack([column.adjusted for column in columns], axis=1)
    return adjusted, np.tile([float(column.family) for column in columns], (len(pairs), 1)), None
