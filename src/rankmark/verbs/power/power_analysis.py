"""Find what the queries of two runs can detect, and how many queries a difference needs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypedDict, Unpack

import numpy as np

from rankmark.arguments import AboveZero, Draws, Flag, Seed, Share, above_zero, checked, filled
from rankmark.array_types import Floats
from rankmark.data.preparing.qrels import Qrels, QrelsSource
from rankmark.data.preparing.run import Run, RunSource
from rankmark.errors import InputError
from rankmark.measures import Measure
from rankmark.measures.names import AnyMeasure
from rankmark.scoring.request import as_measures
from rankmark.statistics import (
    detectable_difference,
    mean_interval,
    power_of_t,
    required_queries,
    simulated_power,
    simulated_queries,
)
from rankmark.statistics.label_planning import labels_for_difference, labels_for_half_width
from rankmark.statistics.prediction_powered import prediction_powered
from rankmark.statistics.repeated_trials import trial_trade, variance_components
from rankmark.statistics.score_arrays import NO_QUERY, Paired, pair, spread_unknown
from rankmark.statistics.spread_intervals import spread_interval
from rankmark.verbs.evaluate.evaluate_options import RunsOptions, shows
from rankmark.verbs.evaluate.evaluate_runs import each_run, evaluate_runs, grouped
from rankmark.verbs.evaluate.evaluation import Evaluation
from rankmark.verbs.evaluate.given_evaluations import (
    are_evaluations,
    common_measures,
    given_evaluations,
    of_queries,
)
from rankmark.verbs.evaluate.given_runs import given_system
from rankmark.verbs.plot.plot_request import names_of_runs
from rankmark.verbs.power.both_judged import BothJudged, judged_by_both, sampled
from rankmark.verbs.power.detectable import MeasurePower, PowerAnalysis

_MOST_SIMULATED = 5_000  # queries; with more, the mean is nearly normal, and draws take long


@checked
@shows(RunsOptions)
def power(
    qrels: Qrels | QrelsSource | None,
    baseline: Run | RunSource | Evaluation,
    other: Run | RunSource | Evaluation,
    measures: Iterable[AnyMeasure] | AnyMeasure | None = None,
    *,
    difference: float | None = None,
    power: Share = 0.8,
    level: Share = 0.05,
    resamples: Draws = 10_000,
    seed: Seed = 0,
    half_width: AboveZero | None = None,
    judge: Qrels | QrelsSource | None = None,
    random: Flag | None = None,
    **conventions: Unpack[RunsOptions],
) -> PowerAnalysis:
    """Find the smallest difference that a t test detects, and how many queries a difference needs.

    Two runs are needed to know how much differences vary between queries.

    Parameters
    ----------
    Data:
    qrels
        As for ``evaluate``; None if the runs are evaluations.
    baseline, other
        Two runs, or two evaluations; a difference is the other's mean minus the baseline's. A list
        of runs, or a pattern of paths, is one system, whose trials are averaged within queries.

    Measures:
    measures
        As for ``evaluate``; for evaluations, None means the measures that both have.

    Statistics:
    difference
        The true difference asked about, in units of the measures; None for the observed
        one.

        It is not 0.
    power
        How often a difference must be found.

        Above the level.
    level
        Level of the test, two-sided.
    resamples, seed
        How often queries are drawn from the observed differences, and the seed of it; None draws
        a seed, which the result contains.
    half_width
        Also say how many queries are needed for an interval that reaches so far on each
        side.

        Its confidence is 1 - level.
    judge
        LLM judgments, for the queries of ``qrels`` and many more: also say
        how many queries people have to judge if these are used too, and how many judged by
        people alone both are worth.

        As ``estimate`` uses them.
    random
        With ``judge``, state that people judged a random sample of its queries.

        As for ``estimate``.

    Reading:
    progress
        As for ``compare``.
    **conventions
        The other keywords of ``evaluate``.

    Returns
    -------
    PowerAnalysis
        ``rows``: for each measure, ``detectable``, ``required_queries`` and more; where something
        is unknown, ``undefined`` says why.

    Raises
    ------
    InputError
        If a number is impossible, such as a difference of 0, or an input cannot be read.
    ParseError, DuplicateError, MismatchError, MeasureError, SchemaError
        As ``evaluate``.

    Examples
    --------
    >>> import rankmark as rm
    >>> found = rm.power("qrels.txt", "bm25.run", "lsa.run", "nDCG@10", difference=0.05)
    >>> found["nDCG@10"].n, round(found["nDCG@10"].detectable, 3)
    (24, 0.143)
    >>> found["nDCG@10"].required_queries
    184
    """
    if power <= level:
        raise InputError(f"power is {power:g}, no more than the level", "choose a greater one")
    if difference is not None:
        negative = isinstance(difference, (int, float)) and difference < 0
        above_zero("difference", -difference if negative else difference)
    chosen = as_measures(measures, conventions.pop("rel", None), conventions.get("profile"))[0]
    drawn: _Drawn = {"level": level, "resamples": resamples, "seed": filled(seed)}
    both: BothJudged | None = None
    sample = ""
    if judge is None:
        if random is not None:
            raise InputError(
                "random says how queries were chosen for people, and there is no judge",
                "give the model's judgments of all queries (judge), or leave random out",
            )
        pair = _evaluated_pair(qrels, baseline, other, chosen, conventions)
    else:
        both, sample = _by_both(qrels, judge, (baseline, other), chosen, conventions, random=random)
        pair = (both.evaluations[0][0], both.evaluations[1][0])
    compared = common_measures(
        dict(zip(("baseline", "other"), pair, strict=True)), None if measures is None else chosen
    )
    by_name = {str(measure): measure for measure in pair[0].measures}
    names = _names(*(evaluation.run_name for evaluation in pair))
    rows = [
        _with_labels(
            _with_trials(_row(by_name[name], _paired(*pair, name), difference, power, drawn), pair),
            both,
            power,
            level,
            half_width,
        )
        for name in compared
    ]
    return PowerAnalysis(
        baseline=names[0],
        other=names[1],
        rows=tuple(rows),
        power=power,
        level=level,
        resamples=resamples,
        seed=filled(seed),
        is_given=difference is not None,
        evaluations=pair,
        half_width=half_width,
        sample=sample,
    )


def _evaluated_pair(
    qrels: Any,
    baseline: Any,
    other: Any,
    measures: Sequence[Measure],
    options: Mapping[str, Any],
) -> tuple[Evaluation, Evaluation]:
    """Evaluate two runs, or check two evaluations."""
    systems = [given_system(one, {}) for one in (baseline, other)]
    each = each_run(("baseline", "other"), systems)
    if are_evaluations(each):
        given = given_evaluations(each, qrels, options)
        first, second = grouped(systems, given.values())
        if first.weights is not None:
            raise InputError(
                "the runs were evaluated with weights, and power treats all queries alike",
                "evaluate them without weights",
            )
        return first, second
    if qrels is None:
        raise InputError("qrels is None", "give judgments, unless the runs are evaluations")
    first, second = of_queries(evaluate_runs(qrels, systems, measures, **options))
    return first, second


def _by_both(
    qrels: Any,
    judge: Any,
    pair: tuple[Any, Any],
    measures: Sequence[Measure],
    conventions: RunsOptions,
    *,
    random: bool | None,
) -> tuple[BothJudged, str]:
    """Evaluate two runs by both sets of labels, and say how the queries of people were drawn."""
    if qrels is None:
        raise InputError("qrels is None", "give the judgments of people")
    runs = dict(zip(("baseline", "other"), pair, strict=True))
    both = judged_by_both(qrels, judge, runs, measures, conventions)
    return both, sampled(both, judge, is_random=random, could_give=[]).told


def _with_labels(
    row: MeasurePower,
    both: BothJudged | None,
    power: float,
    level: float,
    half_width: float | None,
) -> MeasurePower:
    """Add how many human labels are needed with those of a model, and for an interval."""
    correlation, queries = 0.0, None
    if both is not None:
        column = [*map(str, both.measures)].index(row.measure)
        people, model = (
            pair(scores[:, 0, column], scores[:, 1, column]) for scores in (both.people, both.model)
        )
        judged = people.kept & model.kept
        others = int((model.kept & ~judged).sum())
        row = replace(row, others=others)
        if judged.sum() < 2:
            return row
        found = prediction_powered(people.by_query, model.by_query)
        if not math.isnan(found.correlation):  # as it is if one of the two is constant
            correlation = found.correlation
            row = replace(row, correlation=correlation)
        if not math.isnan(found.effective_n):
            row = replace(row, effective_n=found.effective_n)
        queries = found.n + others
    if not row.spread > 0:
        return row
    if both is not None and row.difference:
        needed = labels_for_difference(
            row.difference, row.spread, correlation, queries=queries, power=power, level=level
        )
        row = replace(row, required_with_model=needed.with_model)
    if half_width is not None:
        needed = labels_for_half_width(
            half_width, row.spread, correlation, queries=queries, confidence=1 - level
        )
        row = replace(
            row,
            half_width_alone=needed.alone,
            half_width_with_model=None if both is None else needed.with_model,
        )
    return row


def _with_trials(row: MeasurePower, pair: Sequence[Evaluation]) -> MeasurePower:
    """Add what one more trial of each query is worth, if a system has trials."""
    trials = []
    for one in pair:
        scores = [trial.scores[:, trial.column(row.measure)] for trial in one.trials]
        if scores:
            by_query = np.stack(scores, axis=1)
            by_query = by_query[~np.isnan(by_query).any(axis=1)]
            trials.append((variance_components(by_query).trials, len(scores)))
    if not trials or math.isnan(row.spread):
        return row
    found = trial_trade(row.spread, row.n, trials)
    return replace(
        row,
        variance_of_queries=found.variance_of_queries,
        variance_of_trials=found.variance_of_trials,
        queries_for_trial=found.queries,
        cost_for_trial=found.cost if found.queries else None,
    )


def _names(*sources: str) -> list[str]:
    """Return names of two runs: of files without folders and endings, else their roles."""
    if any(source.startswith("<") for source in sources) or sources[0] == sources[1]:
        return ["baseline", "other"]
    return names_of_runs(sources)


def _paired(baseline: Evaluation, other: Evaluation, measure: str) -> Paired:
    """Pair the scores of queries; one that is in only one evaluation is left out."""
    scores = [evaluation.per_query(measure) for evaluation in (baseline, other)]
    queries = dict.fromkeys([*scores[0], *scores[1]])
    columns = [[each.get(query, math.nan) for query in queries] for each in scores]
    return pair(*columns)


def _row(
    measure: Measure,
    paired: Paired,
    given: float | None,
    power: float,
    drawn: _Drawn,
) -> MeasurePower:
    """Return what can be detected on one measure, or why nothing can."""
    differences, level = paired.differences, drawn["level"]
    n = len(differences)
    observed = float(differences.mean()) if n else math.nan
    spread = float(differences.std(ddof=1)) if n > 1 else math.nan
    undefined = spread_unknown(n, spread / math.sqrt(n), differences) if n else NO_QUERY
    if n == 1:
        undefined = "1 query, so the spread of differences is unknown"
    asked = observed if given is None else float(given)
    answers: dict[str, Any] = dict.fromkeys(
        ("low", "high", "detectable", "power", "simulated_power"), math.nan
    ) | {"required_queries": None, "simulated_queries": None}
    if not undefined:
        interval = mean_interval(differences, method="t", confidence=1 - level)
        detectable = detectable_difference(spread, n, power=power, level=level)
        answers |= {"low": interval.low, "high": interval.high}
        answers["detectable"] = detectable.difference
        if abs(asked) <= paired.rounding:
            undefined = "the observed difference is 0, which no test can find; give a difference"
        else:
            found, undefined = _queries(differences, asked, spread, power, drawn)
            answers |= found | _ranges(measure, differences, asked, spread, power, level)
    return MeasurePower(
        measure=str(measure),
        more_is_better=measure.more_is_better,
        n=n,
        left_out=paired.left_out,
        observed=observed,
        spread=spread,
        difference=asked,
        undefined=undefined,
        **answers,
    )


def _queries(
    differences: Floats,
    asked: float,
    spread: float,
    power: float,
    drawn: _Drawn,
) -> tuple[dict[str, Any], str]:
    """Return how often these queries find a difference, how many do often enough, and why not."""
    n, level = len(differences), drawn["level"]
    found: dict[str, Any] = {
        "power": power_of_t(asked, spread, n, level=level).power,
        "simulated_power": simulated_power(differences, asked, **drawn).power,
    }
    try:
        needed = required_queries(asked, spread, power=power, level=level).n
    except InputError:
        return found, "more than 1,000,000,000 queries would be needed"
    found["required_queries"] = needed
    too_many = f"more than {_MOST_SIMULATED:,} queries would be needed, which is not simulated"
    if needed > _MOST_SIMULATED:
        return found, too_many
    found["simulated_queries"] = simulated_queries(differences, asked, power=power, **drawn).n
    return found, ""


def _ranges(
    measure: Measure, differences: Floats, asked: float, spread: float, power: float, level: float
) -> dict[str, Any]:
    """Return the power, and the queries needed, if the spread is as far off as it may be."""
    n = len(differences)
    low, high = spread_interval(
        differences - differences.mean(),
        spread,
        int(np.count_nonzero(differences)),
        measure.bounds[1] - measure.bounds[0],
    )
    found: dict[str, Any] = {"spread_low": low, "spread_high": high}
    for end, other in (("low", high), ("high", low)):
        if other > 0:
            found[f"power_{end}"] = power_of_t(asked, other, n, level=level).power
    for end, one in (("low", low), ("high", high)):
        try:
            found[f"required_{end}"] = required_queries(asked, one, power=power, level=level).n
        except InputError:  # more than a billion
            continue
    return found


class _Drawn(TypedDict):
    """How a power is simulated."""

    level: float
    resamples: int
    seed: int
