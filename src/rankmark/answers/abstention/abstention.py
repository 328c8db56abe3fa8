"""Judge when a system should return nothing: ``abstention``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import Any, Unpack

import numpy as np

from rankmark.answers.abstention import curves
from rankmark.answers.abstention.abstention_result import Abstention
from rankmark.answers.abstention.confidence import RULES, ByScores, as_given, by_scores
from rankmark.answers.abstention.curves import Judged, Tied
from rankmark.arguments import Draws, Seed, Share, checked, filled, one_of
from rankmark.array_types import Floats
from rankmark.data.contract.reading_options import AS_USUAL
from rankmark.data.preparing.qrels import Qrels, QrelsSource
from rankmark.data.preparing.run import Run, RunSource
from rankmark.errors import InputError, MeasureError, shown
from rankmark.measures import Measure
from rankmark.measures.names import measure as named
from rankmark.statistics import Interval
from rankmark.statistics.resampling import sample_blocks, sample_counts
from rankmark.verbs.evaluate.evaluate import evaluate
from rankmark.verbs.evaluate.evaluate_options import EvaluateOptions, shows

_SHOWN = 10  # thresholds, if none are given


@checked
@shows(EvaluateOptions)
def abstention(
    qrels: Qrels | QrelsSource,
    run: Run | RunSource,
    measure: str | Measure = "nDCG@10",
    *,
    signal: ByScores | Mapping[Any, float] = "max",
    thresholds: Iterable[float] | None = None,
    tied: Tied = "mean",
    rates: Iterable[float] | None = None,
    confidence: Share = 0.95,
    resamples: Draws = 1_000,
    seed: Seed = 0,
    **conventions: Unpack[EvaluateOptions],
) -> Abstention:
    """Judge how well confidence tells when a system should return nothing.

    A query is unanswerable if it is judged and has no relevant document. An empty result is right
    for such a query, and wrong for any other.

    Parameters
    ----------
    Data:
    qrels, run
        As for ``evaluate``. A query for which the run has nothing is not answered, whatever the
        threshold.

    Measures:
    measure
        One measure from 0 to 1, of which more is better.

    Decision:
    signal
        What the confidence in a query is: the highest score of what the run returned
        (``"max"``), the standard deviation of the scores (``"std"``), or how far the
        highest is above the second (``"diff1"``).

        Or {query id: number}, greater is surer.
    thresholds
        The least confidence of a query that is answered; None for ten quantiles of the
        confidences.
    tied
        How queries with the same confidence are ordered in the risk-coverage curve and
        nAUC: ``"mean"`` takes the expected value over all orders; ``"input"`` drops the
        first first, as MTEB does.

        Under ``"mean"``, constant confidence has a nAUC of 0.
    rates
        Shares of queries that are left out for nAUC, from 0 to below 1; None for 0, 0.1, ..., 0.9.

    Statistics:
    confidence
        Confidence of the intervals.
    resamples
        Number of draws of queries.
    seed
        Seed of the draws.

        None draws a seed, which the result contains.
    **conventions
        The other keywords of ``evaluate``, but for ``no_relevant``.

    Returns
    -------
    Abstention
        ``auroc``, ``aurc``, ``nauc``, ``best``: the threshold with the highest F1, ``decisions`` at
        the thresholds, and intervals.

    Raises
    ------
    MeasureError
        If the measure is not from 0 to 1, or less is better.
    InputError
        If an option is invalid, a query has no confidence, or there are no queries.
    SchemaError
        If the run has no scores, or a confidence is not a finite number.
    ParseError, DuplicateError, MismatchError
        As ``evaluate``.

    Examples
    --------
    >>> import rankmark as rm
    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 0}, "q4": {"d": 0}}
    >>> run = {"q1": {"a": 9.0}, "q2": {"b": 5.0}, "q3": {"c": 6.0}, "q4": {"d": 2.0}}
    >>> found = rm.abstention(qrels, run, "RR@10")
    >>> found.auroc.estimate, found.best.threshold
    (0.75, 9.0)
    """
    chosen_rates = _as_rates(rates)
    if isinstance(signal, str):
        one_of("signal", signal, *RULES)
    elif not isinstance(signal, Mapping):
        raise InputError(
            f"signal is {shown(signal)}",
            f"choose one of {', '.join(RULES)}, or give {{query id: number}}",
        )
    if conventions.get("no_relevant", "zero") != "zero":
        raise InputError(
            "no_relevant does not apply to abstention",
            "leave it out: an empty result is right for a query without relevant documents",
        )
    asked = named(measure)
    _refuse_others(asked)
    conventions["no_relevant"] = "nan"
    evaluation = evaluate(qrels, run, asked, **conventions)
    if evaluation.trials:
        raise InputError(
            f"{evaluation.run_name} has {len(evaluation.trials)} trials, each with its own scores",
            "give one of them",
        )
    queries = evaluation.queries
    if not queries:
        raise InputError("no query is averaged", "choose others with queries=")
    scores = evaluation.scores[:, 0]
    answerable = ~np.isnan(scores)
    if isinstance(signal, str):
        _, again = evaluation._kept.read()
        sure = by_scores(again, queries, signal, AS_USUAL)
    else:
        facts, rows = evaluation._kept.facts, evaluation._rows
        returned = facts.answered if rows is None else facts.answered[rows]
        sure = as_given(signal, queries, returned)
    judged = Judged(sure, np.where(answerable, scores, 0.0), answerable)
    at = _thresholds(judged, thresholds)
    all_at = curves.decisions(judged, curves.candidates(judged))
    place = 0 if np.isnan(all_at.f1).all() else int(np.nanargmax(all_at.f1))
    best = float(all_at.threshold[place])
    statistics: dict[str, Callable[[Judged], float]] = {
        "AUROC": curves.auroc,
        "AURC": lambda one: curves.aurc(one, tied),
        "nAUC": lambda one: curves.nauc(one, tied, chosen_rates),
        "F1": lambda one: float(curves.decisions(one, np.array([best])).f1[0]),
        "value": lambda one: float(curves.decisions(one, np.array([best])).value[0]),
    }
    return Abstention(
        evaluation=evaluation,
        judged=judged,
        rule=signal if isinstance(signal, str) else "given",
        tied=tied,
        rates=chosen_rates,
        thresholds=at,
        best_threshold=best,
        intervals=_intervals(
            judged if tied == "input" else judged.at(np.lexsort(tuple(judged))),
            statistics,
            confidence,
            resamples,
            filled(seed),
        ),
    )


def _refuse_others(measure: Measure) -> None:
    low, high = measure.bounds
    if low < 0 or high > 1 or not measure.more_is_better or measure.aggregate != "mean":
        raise MeasureError(
            f"{measure} is not a share of success from 0 to 1, and its risk is not 1 minus it",
            "choose another, such as nDCG@10, RR@10 or Success@5",
        )
    if measure.nothing_relevant is None:
        raise MeasureError(
            f"{measure} does not depend on what is relevant",
            "choose another, such as nDCG@10, RR@10 or Success@5",
        )


def _as_rates(rates: Iterable[float] | None) -> tuple[float, ...]:
    if rates is None:
        return curves.RATES
    found = _numbers("rates", rates)
    rises = all(one < two for one, two in pairwise(found))
    if len(found) < 2 or not rises or not all(0 <= rate < 1 for rate in found):
        raise InputError(
            f"rates are {shown(found)}", "give at least two from 0 to below 1, in rising order"
        )
    return found


def _thresholds(judged: Judged, given: Iterable[float] | None) -> Floats:
    """Return the thresholds at which to decide: (T,) float64, rising."""
    if given is None:
        found = curves.candidates(judged)[:-1]
        if len(found) > _SHOWN:
            shares = np.linspace(0, 1, _SHOWN)
            finite = judged.confidence[np.isfinite(judged.confidence)]
            found = np.unique(np.quantile(finite, shares, method="higher"))
        return found
    found = np.unique(np.array(_numbers("thresholds", given)))
    if not len(found) or np.isnan(found).any():
        raise InputError(f"thresholds are {shown(found.tolist())}", "give at least one number")
    return found


def _numbers(name: str, given: Iterable[float]) -> tuple[float, ...]:
    """Return a list of numbers that the caller gives."""
    try:
        numbers = [math.nan if isinstance(one, (str, bytes)) else float(one) for one in given]
    except (TypeError, ValueError):
        raise InputError(f"{name} is {shown(given)}", "give a list of numbers") from None
    return tuple(numbers)


def _intervals(
    judged: Judged,
    statistics: Mapping[str, Callable[[Judged], float]],
    level: float,
    resamples: int,
    seed: int,
) -> dict[str, Interval]:
    """Draw queries with replacement, and return the percentile interval of each statistic."""
    n = len(judged.value)
    drawn: dict[str, list[float]] = {name: [] for name in statistics}
    for block, samples in enumerate(sample_blocks(n, resamples)):
        for counts in sample_counts(n, samples, block, seed):
            sample = judged.at(np.repeat(np.arange(n), counts.astype(np.int64)))
            for name, of in statistics.items():
                drawn[name].append(of(sample))
    return {
        name: _interval(name, of(judged), np.array(drawn[name]), n, level, resamples, seed)
        for name, of in statistics.items()
    }


def _interval(
    name: str, estimate: float, drawn: Floats, n: int, level: float, resamples: int, seed: int
) -> Interval:
    drawn = drawn[~np.isnan(drawn)]
    undefined, low, high = "", math.nan, math.nan
    if math.isnan(estimate):
        undefined = _UNDEFINED[name]
    elif not len(drawn) or np.ptp(drawn) == 0:
        undefined = "all draws of queries give the same value"
    else:
        ends = (1 - level) / 2, (1 + level) / 2
        low, high = np.quantile(drawn, ends).tolist()
    return Interval(
        estimate,
        low,
        high,
        level,
        name,
        "percentile bootstrap",
        n,
        resamples=resamples,
        seed=seed,
        undefined=undefined,
    )


_ONE_KIND = "all queries are answerable, or none is"
_UNDEFINED = {
    "AUROC": _ONE_KIND,
    "F1": "no query is unanswerable",
    "nAUC": "leaving out queries cannot change the mean",
}
