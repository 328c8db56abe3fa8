"""Find how often a gate passes a run that is good enough, and how many queries it needs."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, TypedDict, Unpack

import numpy as np

from rankmark.arguments import (
    AboveZero,
    Flag,
    FromOne,
    Kind,
    Names,
    Seed,
    Share,
    checked,
    filled,
    finite,
)
from rankmark.array_types import Bools, Floats, Ints
from rankmark.data.preparing.qrels import Qrels, QrelsSource
from rankmark.errors import InputError, quiet, shown
from rankmark.statistics.margin_decision import MarginDecision
from rankmark.statistics.margin_power import (
    DrawnCondition,
    moved,
    passing_shares,
    queries_for_margin,
    units_for_all,
)
from rankmark.statistics.reweighting import imagined_size
from rankmark.statistics.score_arrays import cluster_numbers
from rankmark.statistics.spread_intervals import spread_interval
from rankmark.verbs.evaluate.evaluate import evaluate
from rankmark.verbs.evaluate.evaluate_options import RunsOptions, shows
from rankmark.verbs.evaluate.provenance import Given
from rankmark.verbs.evaluate.query_attributes import Attributes, Clusters, Weights
from rankmark.verbs.evaluate.query_numbers import DrawnQueries
from rankmark.verbs.gate.gate import asked_systems, gate, read_systems
from rankmark.verbs.gate.gate_condition import Condition, Drop, OfBound
from rankmark.verbs.gate.gate_conditions import Asked, Request, asked_of
from rankmark.verbs.gate.gate_decisions import Plan, plan_of
from rankmark.verbs.gate.gate_options import ScoreRange, Slices
from rankmark.verbs.gate.gated_system import System
from rankmark.verbs.power.planned_gate import TYPICAL, ConditionPower, GatePower


def _gain(name: str, given: Any) -> float:
    if not finite(name, given) >= 0:
        raise InputError(f"{name} is {shown(given)}", "need a number of at least 0")
    return float(given)


Gain = Annotated[float, Kind(_gain)]


@checked
@shows(RunsOptions)
def gate_power(
    qrels: Qrels | QrelsSource | None,
    base: Any,
    new: Any,
    *conditions: Any,
    max_drop: Drop | None = None,
    require_better: Flag | None = None,
    max_query_drop: AboveZero | None = None,
    confidence: OfBound | None = None,
    weights: Weights | None = None,
    draws: DrawnQueries | None = None,
    clusters: Clusters | None = None,
    largest_weight: AboveZero | None = None,
    largest_cluster: AboveZero | None = None,
    slices: Slices | None = None,
    by: Attributes | None = None,
    score_range: ScoreRange | None = None,
    lower_is_better: Names = None,
    gain: Gain = 0.0,
    power: Share = 0.8,
    resamples: FromOne = 1_000,
    seed: Seed = 0,
    config: str | os.PathLike[str] | None = None,
    **conventions: Unpack[RunsOptions],
) -> GatePower:
    """Find how often a gate passes a run that is good enough, and how many queries it needs.

    Two runs are needed to know how much differences vary between queries: the baseline, and one
    that differs from it as much as those that the gate will see. Without runs, the result says what
    so many judged queries can show at best.

    Parameters
    ----------
    Data:
    qrels, base, new
        As for ``gate``; ``new`` is one candidate. Both may be None, if there are judgments. Without
        judgments, both are scores by query.

    Decision:
    *conditions
        As for ``gate``.
    max_drop, require_better, max_query_drop, confidence, weights, draws, clusters, slices, by
        As for ``gate``.
    largest_weight, largest_cluster
        As for ``gate``.
    score_range, lower_is_better
        As for ``gate``, for scores by query.
    config
        A TOML file as for ``gate``.

    Power:
    gain
        How much better the new run is taken to be in truth, in units of the measures: 0 asks how
        often the gate passes a run that is as good as the baseline.
    power
        How often the gate is to pass it, above 0 and below 1.
    resamples, seed
        How often queries are drawn from those observed, and the seed of it; None draws a seed.

    Reading:
    progress
        As for ``compare``.
    **conventions
        The other keywords of ``evaluate``.

    Returns
    -------
    GatePower
        For each condition, the queries it needs by formula, and how often it passes now; for all
        together, both by drawing queries.

    Raises
    ------
    InputError
        If an option is impossible, such as a gain below 0, or there are several candidates.
    ParseError, DuplicateError, MismatchError, MeasureError, SchemaError
        As ``gate``.

    Examples
    --------
    >>> import rankmark as rm
    >>> qrels, old, new = "qrels.txt", "bm25.run", "lsa.run"
    >>> found = rm.gate_power(qrels, old, new, "nDCG@10", max_drop=0.05)
    >>> row = found.rows[0]
    >>> row.n, row.required, row.required_for_spread, row.required_for_rare
    (24, 204, 145, 59)
    """
    request = Request.of(gate, locals())
    asked, given = _asked(qrels, base, new, request)
    if given:
        baseline, candidate = read_systems(qrels, given, asked)
    else:
        baseline = candidate = _without_runs(qrels, asked)
    plan = plan_of(qrels, asked, [baseline, candidate])
    units = cluster_numbers(plan.clusters, len(baseline.queries))
    decisions = [_decided(plan, one, baseline, candidate, gain, power) for one in plan.conditions]
    rows = [ConditionPower.of(*both) for both in zip(plan.conditions, decisions, strict=True)]
    queries = len(baseline.queries) if plan.draws is None else int(plan.draws.sum())
    count = queries if units is None else int(units.max(initial=-1)) + 1
    if not count:
        raise InputError("no query has a score from both runs", "check ids and judgments")
    simulated: Draws = {"resamples": resamples, "seed": filled(seed)}
    together, needed = math.nan, None
    if base is None:
        rows = [*map(_without_spread, rows, decisions)]
    else:
        drawn = [
            _drawn(plan, one, decision, baseline, candidate, gain, units)
            for one, decision in zip(plan.conditions, decisions, strict=True)
        ]
        shares, together = passing_shares(drawn, count, **simulated)
        rows, needed = _with_draws(rows, drawn, shares, count, power, simulated)
        ranges = [
            _range(plan, one, decision, baseline, candidate, units)
            for one, decision in zip(plan.conditions, decisions, strict=True)
        ]
        rows = [
            _with_range(row, decision, ends, one, count, gain, simulated)
            for row, decision, ends, one in zip(rows, decisions, ranges, drawn, strict=True)
        ]
    return GatePower(
        baseline=baseline.name,
        new=candidate.name,
        rows=tuple(rows),
        gain=float(gain),
        target=power,
        n=queries,
        power=together,
        required=None if needed is None else math.ceil(needed * queries / count),
        clusters=None if units is None else count,
        settings=dict(candidate.settings),
        **simulated,
    )


def _asked(qrels: Any, base: Any, new: Any, request: Request) -> tuple[Asked, list[Given]]:
    """Return what is planned, and the systems as given: none without runs."""
    if (base is None) != (new is None):
        raise InputError("one of the two runs is None", "give both, or none")
    if base is None:
        if qrels is None:
            raise InputError("there are no judgments and no runs", "give judgments, or two systems")
        asked, given = asked_of(request), list[Given]()
    else:
        asked, given = asked_systems(qrels, base, new, request)
    has_reference = asked.options["reference"] is not None
    candidates = len(given) - 1 - has_reference
    if given and candidates != 1:
        raise InputError(f"new is {candidates:,} candidates", "give one")
    if asked.options["anytime"]:
        raise InputError("anytime is True, which is not planned here", "leave it out")
    if has_reference:
        raise InputError("a reference is given, which is not planned here", "leave it out")
    return asked, given


def _decided(
    plan: Plan, condition: Condition, baseline: System, new: System, gain: float, power: float
) -> MarginDecision:
    rows = plan.rows_of(condition)
    a, b = (one.scores(condition.measure) for one in (baseline, new))
    if rows is not None:
        a, b = a[rows], b[rows]
    return plan.decided(condition, a, b, rows, gain=gain, power=power)


class Draws(TypedDict):
    """How queries are drawn."""

    resamples: int
    seed: int


def _with_draws(
    rows: Sequence[ConditionPower],
    drawn: Sequence[DrawnCondition],
    shares: Floats,
    count: int,
    power: float,
    draws: Draws,
) -> tuple[list[ConditionPower], int | None]:
    """Add what was drawn to each condition, and return the units that all of them need together."""
    found, needed = [], []
    for row, one, passed in zip(rows, drawn, shares.tolist(), strict=True):
        units = _units(row.required, count, row.n)
        if units is not None:
            units = units_for_all([one], units, power, **draws)
        needed.append(units)
        simulated = None if units is None else math.ceil(units * row.n / count)
        found.append(replace(row, power=passed, simulated=simulated))
    known = [units for units in needed if units is not None]
    if len(known) < len(needed):
        return found, None
    if len(known) == 1:
        return found, known[0]
    return found, units_for_all(drawn, max(known), power, **draws)


def _units(queries: int | None, count: int, of: int) -> int | None:
    """Return how many queries or clusters have so many queries of a condition."""
    return None if queries is None or not of else math.ceil(queries * count / of)


def _drawn(
    plan: Plan,
    condition: Condition,
    decision: MarginDecision,
    baseline: System,
    new: System,
    gain: float,
    units: Ints | None,
) -> DrawnCondition:
    """Return what a condition makes of each query or cluster that may be drawn."""
    a, b, weights, counts = _counted(plan, condition, baseline, new)
    sign = 1.0 if condition.measure.more_is_better else -1.0
    difference = np.zeros(len(a))
    difference[counts] = moved(sign * (b - a)[counts], weights[counts], gain)
    lowest = condition.measure.bounds[0]
    if condition.relative:
        # Above 0 where the new score is above its share of the baseline's, or below.
        limit = 1 - sign * condition.margin
        beyond = sign * (a + sign * difference - limit * a)
        worst = (lowest + decision.largest_loss) * (limit if sign > 0 else 1.0)
        loss = worst - lowest * (1.0 if sign > 0 else limit)
    else:
        beyond = difference + condition.margin
        loss = decision.largest_loss - condition.margin
    sizes = _sums(weights, units)
    return DrawnCondition(
        _sums(weights * beyond, units),
        sizes,
        loss,
        1 - plan.confidence_of(condition),
        imagined_size(sizes, plan.largest),
    )


def _counted(
    plan: Plan, condition: Condition, baseline: System, new: System
) -> tuple[Floats, Floats, Floats, Bools]:
    """Return scores, weights, and which queries count for a condition; 0 for those that do not."""
    a, b = (one.scores(condition.measure) for one in (baseline, new))
    counts = ~(np.isnan(a) | np.isnan(b))
    rows = plan.rows_of(condition)
    if rows is not None:
        inside = np.zeros(len(a), dtype=bool)
        inside[list(rows)] = True
        counts &= inside
    weights = np.ones(len(a)) if plan.weights is None else plan.weights
    weights = np.where(counts, weights, 0.0)
    each = np.arange(len(a)) if plan.draws is None else np.repeat(np.arange(len(a)), plan.draws)
    a, b = np.where(counts, a, 0.0), np.where(counts, b, 0.0)
    return a[each], b[each], weights[each], counts[each]


def _range(
    plan: Plan,
    condition: Condition,
    decision: MarginDecision,
    baseline: System,
    new: System,
    units: Ints | None,
) -> tuple[float, float]:
    """Return the interval of the spread of differences; NaN if unknown."""
    a, b, weights, _ = _counted(plan, condition, baseline, new)
    if not weights.any() or not math.isfinite(decision.largest_loss):
        return math.nan, math.nan
    differences = b - a
    deviations = weights * (differences - np.average(differences, weights=weights))
    changed = _sums(weights * (differences != 0), units) > 0
    return spread_interval(
        _sums(deviations, units)[_sums(weights, units) > 0],
        decision.spread,
        int(changed.sum()),
        decision.largest_loss,
    )


def _with_range(
    row: ConditionPower,
    decision: MarginDecision,
    ends: tuple[float, float],
    drawn: DrawnCondition,
    count: int,
    gain: float,
    draws: Draws,
) -> ConditionPower:
    """Add how often a condition passes, and what it needs, if the spread is at either end.

    Differences are then drawn as observed, but so many times as far from their mean; by formula
    where none was observed.
    """
    low, high = ends
    row = replace(row, spread_low=low, spread_high=high)
    if math.isnan(high) or row.simulated is None:
        return row
    if not row.spread > 0:
        worst = queries_for_margin(
            row.margin,
            high,
            decision.largest_loss,
            gain=gain,
            confidence=decision.confidence,
            power=decision.power,
        )
        return replace(
            row, required_low=row.simulated, required_high=None if worst is None else worst.n
        )
    passed, needed = [row.power], []
    for end in (low, high):
        one = drawn.spread_by(end / row.spread)
        (share,), _ = passing_shares([one], count, **draws)
        passed.append(float(share))
        first = _units(row.simulated, count, row.n) or 1
        units = units_for_all([one], first, decision.power, **draws)
        needed.append(None if units is None else math.ceil(units * row.n / count))
    return replace(
        row,
        power_low=min(passed),
        power_high=max(passed),
        required_low=needed[0],
        required_high=needed[1],
    )


def _sums(values: Floats, units: Ints | None) -> Floats:
    if units is None:
        return values
    return np.bincount(units, weights=values).astype(np.float64)


def _without_runs(qrels: Any, asked: Asked) -> System:
    """Return a system that retrieved nothing, which has all judged queries."""
    conventions = {**asked.conventions}
    if conventions.get("queries") == "both":  # which queries runs will have is not known
        del conventions["queries"]
    with quiet():
        evaluation = evaluate(qrels, {}, asked.measures, **conventions)
    return System("", evaluation)


def _without_spread(row: ConditionPower, decision: MarginDecision) -> ConditionPower:
    """Return what is known without runs; a share of the baseline's mean is not."""
    names = ("required", "required_for_spread", "required_for_rare")
    unknown: dict[str, Any] = {**dict.fromkeys(names), "spread": math.nan}
    if isinstance(row.max_drop, str):
        return replace(row, **unknown, required_if_unchanged=None, margin=math.nan)
    guesses = [
        queries_for_margin(
            row.margin,
            spread,
            decision.largest_loss,
            confidence=decision.confidence,
            power=decision.power,
        )
        for spread in TYPICAL.values()
    ]
    typical = tuple(one.n for one in guesses if one is not None)
    return replace(row, **unknown, typical=typical if len(typical) == len(TYPICAL) else None)
