"""Estimate means and differences of runs from a few human labels and many LLM labels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Literal, Unpack

import numpy as np

from rankmark.arguments import AboveZero, Flag, Name, Seed, Share, checked, filled
from rankmark.data.preparing.qrels import Qrels, QrelsSource
from rankmark.errors import InputError, shown, warn
from rankmark.judges.estimate.estimate_result import Estimate
from rankmark.judges.estimate.estimated import Estimated
from rankmark.measures.names import AnyMeasure, flat
from rankmark.statistics import adjust, simultaneous_ends
from rankmark.statistics.bounded_means import StudentEnds
from rankmark.statistics.multiple_comparisons import largest_t
from rankmark.statistics.prediction_powered import (
    IntervalForm,
    PredictionMethod,
    prediction_powered,
)
from rankmark.statistics.scipy_functions import special
from rankmark.statistics.score_arrays import pair
from rankmark.verbs.evaluate.evaluate_options import RunsOptions, shows
from rankmark.verbs.evaluate.query_attributes import Clusters
from rankmark.verbs.power.both_judged import judged_by_both, sampled

Correction = Literal["holm", "bonferroni", "max-t", "none"]
Family = Literal["measure", "all"]

FEW = 20
"""Queries judged by people below which intervals of skewed scores are too short."""


@checked
@shows(RunsOptions)
def estimate(
    people: Qrels | QrelsSource,
    model: Qrels | QrelsSource,
    runs: Any,
    measures: Iterable[AnyMeasure] | AnyMeasure = "nDCG@10",
    *,
    method: PredictionMethod = "ppi++",
    baseline: Name | None = None,
    strata: Any = None,
    probabilities: Any = None,
    clusters: Clusters | None = None,
    finite: Flag = False,
    random: Flag | None = None,
    confidence: Share = 0.95,
    correction: Correction = "holm",
    family: Family = "measure",
    interval: IntervalForm = "auto",
    half_width: AboveZero | None = None,
    seed: Seed = 0,
    **options: Unpack[RunsOptions],
) -> Estimate:
    """Estimate what people would say of runs, from a few human labels and many LLM labels.

    The model's mean over all queries is corrected by how far it was off on the queries that people
    judged too (prediction-powered inference [1]_ [2]_). The result is about human labels, and is
    valid however wrong the model is; the better it predicts people, the narrower the interval.

    Parameters
    ----------
    Data:
    people
        Human judgments, as for ``evaluate``. Their queries are the labelled sample.
    model
        Judgments by an LLM, or by anybody else, of these queries and of many others.
    runs
        One run or several, by name, as for ``compare``; each answers all queries.

    Measures:
    measures
        As for ``evaluate``, but none that adds up over queries.

    Sample:
    strata
        The stratum of each query, if people judged a random sample of each stratum: a table
        with a column ``stratum``, lines `qid stratum`, or a column of ``model``.

        Or ``{query id: stratum}``.
    probabilities
        With what probability each query was chosen for people: what ``choose_queries``
        returns, a table with a column ``probability``, or lines `qid probability`.

        Or ``{query id: probability}``.
    clusters
        Groups of queries that are not independent, such as those of a user or a conversation: lines
        `qid cluster`.

        In any form that ``compare`` takes.
    finite
        The queries that the model judged are all that you ask about, and not a sample of
        those to come.
    random
        Say that people judged a random sample of the queries; None for assumed without
        strata and probabilities, unless the model scores its queries otherwise than the
        rest.

        Such a sample is refused then. False demands one of the two.

    Statistics:
    method
        ``"ppi++"`` uses as much of the model as reduces the variance; ``"ppi"`` all of it, and
        ``"human"`` none.
    baseline
        The run that every other one is compared with; None for all pairs of runs.
    confidence
        Confidence of intervals; a difference is significant if its corrected p is at most 1
        minus this.
    correction
        Correction for the number of differences: ``"holm"``, ``"bonferroni"``, ``"max-t"``,
        which allows for their correlation, or ``"none"``.
    family
        Whether differences are corrected on each ``"measure"`` by itself, or ``"all"`` together.
    interval
        ``"auto"``: within the range of the measure, and as wide as the queries that
        people did not judge require where most scores are 0; ``"t"``, by Student's t; or
        ``"normal"``, as PPI++ was published, which is too short for few queries.

        Korn and Graubard's interval, or reweighting bounds where fewer than 5 human scores are
        not 0; differences by their gains and losses. Measures without a highest value have
        Student's t. ppi-python computes ``"normal"``.
    half_width
        Also say how many queries people have to judge for intervals of plus and minus this.
    seed
        Seed of the draws for max-t.

    Reading:
    progress
        Called while a file is read, with its number (0 for the human judgments, then the runs,
        the judgments by the model, and the runs again) and the number of bytes read so far.
    **options
        The other keywords of ``evaluate``, for both sets of labels.

    Returns
    -------
    Estimate
        ``means`` and ``differences``, each beside the estimates of human labels alone and of the
        model's alone; ``decision`` is the answer in a sentence.

    Raises
    ------
    InputError
        If the sample is not random and has no probabilities, a choice is invalid, or people judged
        fewer than two queries.
    MismatchError
        If the model did not judge a query that people judged.
    ParseError, DuplicateError, MeasureError, SchemaError
        As ``evaluate``.

    References
    ----------
    .. [1] Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023, Prediction-powered inference,
       Science 382, pages 669-674.
    .. [2] Angelopoulos, Duchi and Zrnic 2023, PPI++: Efficient prediction-powered inference,
       arXiv 2311.01453.

    Examples
    --------
    >>> import rankmark as rm
    >>> model = {f"q{n}": {"a": 1, "b": n % 3 == 0} for n in range(90)}
    >>> people = {f"q{n}": {"a": 1, "b": n % 3 == 0 or n % 7 == 1} for n in range(30)}
    >>> runs = {"new": {f"q{n}": {"b": 2, "a": n % 2 * 3} for n in range(90)}}
    >>> found = rm.estimate(people, model, runs, "RR")
    >>> mean, = found.means
    >>> round(mean.estimate, 3), round(mean.low, 3), round(mean.high, 3)
    (0.867, 0.791, 0.923)
    >>> round(mean.found.people.low, 3), round(mean.found.people.high, 3)
    (0.757, 0.939)
    """
    both = judged_by_both(people, model, runs, flat(measures), options)
    if baseline is not None and baseline not in both.runs:
        raise InputError(f"baseline is {shown(baseline)}", f"need one of {', '.join(both.runs)}")
    sample = sampled(
        both,
        model,
        is_random=random,
        strata=strata,
        probabilities=probabilities,
        clusters=clusters,
        finite=finite,
    )
    n = int(both.judged.sum())
    if n < FEW:
        warn(
            f"people judged {n:,} queries; with fewer than {FEW}, intervals of skewed scores are "
            "too short",
            "judge more queries",
        )

    def found(first: int | None, second: int, column: int, how: PredictionMethod) -> Estimated:
        """Estimate the mean of a run, or its difference from the first on one measure."""
        values = [scores[:, second, column] for scores in (both.people, both.model)]
        if first is not None:
            values = [
                pair(scores[:, first, column], scores[:, second, column]).by_query
                for scores in (both.people, both.model)
            ]
        measure = both.measures[column]
        low, high = measure.bounds
        between = (low, high) if first is None else (low - high, high - low)
        return Estimated(
            str(measure),
            both.runs[second],
            None if first is None else both.runs[first],
            measure.more_is_better,
            prediction_powered(
                *values,
                method=how,
                confidence=confidence,
                form=interval,
                between=between,
                design=sample.design,
            ),
        )

    columns, runs = range(len(both.measures)), range(len(both.runs))
    pairs = [*combinations(runs, 2)]
    if baseline is not None:
        one = both.runs.index(baseline)
        pairs = [(one, other) for other in runs if other != one]

    def differences(how: PredictionMethod) -> tuple[Estimated, ...]:
        rows = [found(*each, column, how) for column in columns for each in pairs]
        return _corrected(rows, correction, family, confidence, filled(seed))

    return Estimate(
        means=tuple(found(None, run, column, method) for column in columns for run in runs),
        differences=tuple(
            replace(
                row,
                people_adjusted_low=alone.adjusted_low,
                people_adjusted_high=alone.adjusted_high,
            )
            for row, alone in zip(differences(method), differences("human"), strict=True)
        ),
        both=both,
        sample=sample.told,
        settings={
            **both.evaluations[0][0].settings,
            "method": method,
            "baseline": baseline,
            "interval": interval,
            "confidence": confidence,
            "correction": correction,
            "family": family,
            "finite": finite,
            "random": random,
            "seed": filled(seed),
        },
        half_width=half_width,
    )


def _corrected(
    rows: Sequence[Estimated], correction: Correction, family: Family, confidence: float, seed: int
) -> tuple[Estimated, ...]:
    """Correct the p-values and the intervals of each family."""
    families: dict[str, list[int]] = {}
    for at, row in enumerate(rows):
        families.setdefault("" if family == "all" else row.measure, []).append(at)
    found = dict(enumerate(rows))
    for members in families.values():
        given = [rows[at] for at in members]
        if correction == "max-t":
            corrected = _by_largest_t(given, confidence, seed)
        else:
            corrected = _by_p(given, correction, confidence)
        for at, row in zip(members, corrected, strict=True):
            found[at] = replace(row, significant=bool(row.adjusted_p <= round(1 - confidence, 12)))
    return tuple(found[at] for at in range(len(rows)))


def _by_p(rows: Sequence[Estimated], correction: Any, confidence: float) -> list[Estimated]:
    """Correct by the p-values alone, with the intervals that go with it."""
    p, estimates = [row.p for row in rows], [row.estimate for row in rows]
    adjusted, family = p, 1
    if correction != "none":
        adjusted = adjust(p, correction).adjusted.tolist()
        family = sum(not math.isnan(one) for one in p)
    ends = simultaneous_ends(p, estimates, correction, round(1 - confidence, 12))
    corrected = []
    for row, own, *at in zip(rows, adjusted, *ends, strict=True):
        low, high = _ends(row, *at)
        corrected.append(
            replace(row, adjusted_p=own, adjusted_low=low, adjusted_high=high, family=family)
        )
    return corrected


def _ends(row: Estimated, low: float, high: float, beyond: float) -> tuple[float, float]:
    """Return the ends of an interval whose sides have these confidences."""
    if row.undefined or math.isnan(low):
        return math.nan, math.nan
    lower = 0.0 if math.isinf(low) else row.ends(low)[0]
    upper = 0.0 if math.isinf(high) else row.ends(high)[1]
    return (max(lower, 0.0) if beyond > 0 else lower), (min(upper, 0.0) if beyond < 0 else upper)


def _by_largest_t(rows: Sequence[Estimated], confidence: float, seed: int) -> list[Estimated]:
    """Correct by the largest of correlated t statistics."""
    known = [row for row in rows if not row.undefined and row.found.error > 0]
    if not known:
        return _by_p(rows, "bonferroni", confidence)
    # Each p is that of the statistic by t with as many degrees of freedom for all.
    degrees = min(row.found.degrees for row in known)
    largest = largest_t(
        [_statistic(row, degrees) for row in rows],
        np.stack([row.found.contributions for row in rows], axis=1),
        degrees,
        confidence=confidence,
        seed=seed,
    )
    single = 2 * _below(largest.critical, degrees) - 1
    corrected = []
    for row, own in zip(rows, largest.adjusted, strict=True):
        low, high = (math.nan, math.nan) if row.undefined else row.ends(single)
        corrected.append(
            row
            if row.undefined
            else replace(
                row,
                adjusted_p=float(own) if row in known else min(1.0, len(rows) * row.p),
                adjusted_low=low,
                adjusted_high=high,
                family=largest.family,
            )
        )
    return corrected


def _below(t: float, degrees: float) -> float:
    """Return the probability of a statistic below t."""
    return float(special.ndtr(t) if math.isinf(degrees) else special.stdtr(degrees, t))


def _statistic(row: Estimated, degrees: float) -> float:
    """Return the statistic by t that has the p-value of a difference; NaN if there is none."""
    if row.undefined or not row.found.error > 0:
        return math.nan
    if isinstance(row.found.ends, StudentEnds):
        return row.estimate / row.found.error
    tail = row.p / 2
    t = special.ndtri(tail) if math.isinf(degrees) else special.stdtrit(degrees, tail)
    return math.copysign(float(t), row.estimate)
