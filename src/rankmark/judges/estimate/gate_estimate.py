"""A gate over an estimate: what people would say of runs, from their labels and a model's."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.errors import InputError, listed, shown
from rankmark.statistics.margin_decision import Cause, Ends, MarginDecision, verdict_of
from rankmark.statistics.scipy_functions import special
from rankmark.statistics.score_arrays import pair
from rankmark.verbs.gate.condition_result import ConditionResult
from rankmark.verbs.gate.gate_conditions import asked_of
from rankmark.verbs.gate.gate_decisions import Plan, lost_queries
from rankmark.verbs.gate.gate_options import OPTIONS
from rankmark.verbs.gate.gate_plan import result_of
from rankmark.verbs.gate.gate_result import best_of
from rankmark.verbs.gate.gate_same import same_runs
from rankmark.verbs.gate.gateable import Gateable
from rankmark.verbs.gate.gated_system import System
from rankmark.verbs.gate.gated_systems import Given

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankmark.judges.estimate.estimated import Estimated
    from rankmark.verbs.gate.gate_condition import Condition
    from rankmark.verbs.gate.gate_result import GateResult
    from rankmark.verbs.power.both_judged import BothJudged

_KNOWN = ("max_drop", "require_better", "max_query_drop", "confidence", "worst", "unchanged")


class GateableEstimate(Gateable):
    """An estimate as a gate sees it."""

    __slots__ = ()

    both: BothJudged
    differences: tuple[Estimated, ...]
    sample: str
    settings: Mapping[str, Any]

    @property
    @abstractmethod
    def runs(self) -> tuple[str, ...]:
        """Names of the runs."""

    @abstractmethod
    def mean(self, run: str | None = None, measure: str | None = None) -> Estimated:
        """Return the estimated mean of a run."""

    @abstractmethod
    def difference(
        self, run: str | None = None, baseline: str | None = None, measure: str | None = None
    ) -> Estimated:
        """Return an estimated difference."""

    def _gate(
        self,
        base: str | None,
        new: Any,
        conditions: Sequence[Any],
        given: Mapping[str, Any],
        slices: Any,
        config: Any,
        conventions: Mapping[str, Any],
    ) -> GateResult:
        return _gate_estimate(self, base, new, conditions, given, slices, config, conventions)


def _gate_estimate(
    estimate: GateableEstimate,
    base: str | None,
    new: Any,
    conditions: Sequence[Any],
    given: Mapping[str, Any],
    slices: Any,
    config: Any,
    conventions: Mapping[str, Any],
) -> GateResult:
    """Decide by the differences of an estimate, with bounds of the kind of its intervals.

    Parameters
    ----------
    estimate
        Of the baseline, and of the runs that may replace it.
    base, new
        Their names; None for its baseline, or its first run, and for all others.
    conditions, given, slices, config, conventions
        As ``asked_of`` has them; without a condition, those are the measures of the estimate.

    Raises
    ------
    InputError
        If there is no such run, or a condition or an option cannot be used here.
    NotEvaluatedError
        If a measure, or a difference, was not estimated.
    """
    asked = asked_of(
        conditions, given, slices, config, conventions, usual=[*map(str, estimate.both.measures)]
    )
    _refuse(asked.options, asked.slices, asked.conventions)
    first, others = _names(estimate, base, new)
    rows = {name: at for at, name in enumerate(estimate.runs)}
    systems = [
        System(name, (estimate.both.evaluations[rows[name]][0],)) for name in (first, *others)
    ]
    plan = Plan(
        conditions=asked.conditions,
        tries=len(others),
        worst=asked.options["worst"],
        unchanged=asked.options["unchanged"],
    )
    results = []
    for system in systems[1:]:
        inputs = [Given(one.name, [one.evaluation]) for one in (systems[0], system)]
        same = same_runs(inputs[0], inputs[1], systems[0], system, asked.gated)
        unchanged = all(
            _unchanged(estimate, column, rows[first], rows[system.name])
            for column in range(len(estimate.both.measures))
        )
        found = tuple(
            _decided(plan, estimate, one, rows[first], rows[system.name])
            for one in asked.conditions
        )
        results.append(
            result_of(
                asked,
                plan,
                systems,
                system,
                (found, {}),
                queries=estimate.both.queries,
                same=same if unchanged else "",
                sample=_sample(estimate),
            )
        )
    return best_of(results)


def _refuse(
    options: Mapping[str, Any], slices: Mapping[str, Any], conventions: Mapping[str, Any]
) -> None:
    chosen = []
    for one in OPTIONS:
        value = options[one.name]  # a file may be a table, which has no single truth value
        is_given = value is not None if one.kind == "file" else value != one.default
        if is_given and one.name not in _KNOWN:
            chosen.append(one.name)
    for name in (*chosen, *["slices"][: len(slices)], *conventions):
        raise InputError(
            f"{name} cannot be chosen for an estimate, which is made already",
            f"leave {name} out, or choose it in rankmark.estimate if it has it",
        )


def _names(estimate: GateableEstimate, base: Any, new: Any) -> tuple[str, list[str]]:
    """Return the baseline, and the others."""
    first = base if base is not None else estimate.settings["baseline"] or estimate.runs[0]
    given = [new] if isinstance(new, str) else new
    if given is None:
        given = [name for name in estimate.runs if name != first]
    if not isinstance(given, (list, tuple)) or not given:
        raise InputError(f"new is {shown(new)}", "need the name of a run of the estimate, or names")
    for name in (first, *given):
        if name not in estimate.runs:
            raise InputError(
                f"the estimate has no run {shown(name)}",
                f"it has {listed(estimate.runs, len(estimate.runs))}; measures follow base and new",
            )
    if first in given or len(set(given)) < len(given):
        raise InputError("a run is named twice", "name the baseline, and each other run once")
    return first, [*given]


def _sample(estimate: GateableEstimate) -> str:
    both = estimate.both
    return (
        f"{int(both.judged.sum()):,} of {len(both.queries):,} queries are judged by people, "
        f"{estimate.sample}; the others by a model"
    )


def _difference(
    estimate: GateableEstimate, condition: Condition, base: str, new: str
) -> tuple[Estimated, float]:
    """Return the difference of two runs, or that of them the other way round, and its sign."""
    measure = str(estimate.mean(new, str(condition.measure)).measure)
    pairs = [(one.run, one.baseline) for one in estimate.differences if one.measure == measure]
    if (new, base) in pairs or (base, new) not in pairs:
        return estimate.difference(new, base, measure), 1.0
    return estimate.difference(base, new, measure), -1.0


def _decided(
    plan: Plan, estimate: GateableEstimate, condition: Condition, base: int, new: int
) -> ConditionResult:
    """Decide a condition by the bounds of the estimated difference."""
    has_range = all(map(math.isfinite, condition.measure.bounds))  # others need max_query_drop
    limited = has_range and condition.max_query_drop is not None
    if condition.relative or limited or condition.slice is not None:
        raise InputError(
            f"{condition.name}: an estimate is of means in units of the measure, over all queries",
            "give max_drop in these units, and neither slices nor max_query_drop",
        )
    names = estimate.runs[base], estimate.runs[new]
    row, turned = _difference(estimate, condition, *names)
    measure = condition.measure
    found, sign = row.found, 1.0 if measure.more_is_better else -1.0
    confidence = plan.confidence_of(condition)
    margin = 0.0 if condition.require_better else condition.margin
    gain = turned * sign * row.estimate
    column = [*map(str, estimate.both.measures)].index(row.measure)
    a, b = (estimate.both.people[:, at, column] for at in (base, new))
    differences = sign * pair(a, b).differences
    ends, p = Ends(math.nan, math.nan), math.nan
    is_known = not row.undefined and found.error > 0
    if is_known:
        reach = row.reach(2 * confidence - 1)
        ends, p = Ends(gain - reach, gain + reach), _p(found.degrees, (gain + margin) / found.error)
    unchanged = _unchanged(estimate, column, base, new) and not condition.require_better
    cause: Cause = "bound" if is_known else "no interval"
    if unchanged and plan.unchanged == "pass":
        cause = "unchanged"
    means = [estimate.mean(name, row.measure).estimate for name in names]
    limits = ends.turned(sign)
    decision = MarginDecision(
        verdict=verdict_of(cause, ends, margin),
        cause=cause,
        n=found.n,
        left_out=found.left_out,
        wins=int(np.sum(differences > 0)),
        ties=int(np.sum(differences == 0)),
        losses=int(np.sum(differences < 0)),
        baseline=means[0],
        other=means[1],
        difference=turned * row.estimate,
        low=limits.low,
        high=limits.high,
        margin=margin,
        relative=math.nan,
        relative_low=math.nan,
        relative_high=math.nan,
        p=p,
        smallest_margin=math.nan,
        effective=float(found.n),
        spread=found.spread,
        largest_loss=math.inf,
        assumed=False,
        beyond_drop=None,
        detectable=math.nan,
        required=None,
        required_for_spread=None,
        required_for_rare=None,
        required_if_unchanged=None,
        confidence=confidence,
        power=0.8,
        method="normal quantiles" if math.isinf(found.degrees) else "Student's t",
    )
    lost = lost_queries(measure, estimate.both.queries, a, b, plan.worst, None)
    largest = next(iter(lost_queries(measure, estimate.both.queries, a, b, 1, None)), None)
    return ConditionResult(condition, decision, lost, largest=largest)


def _unchanged(estimate: GateableEstimate, column: int, base: int, new: int) -> bool:
    """Return whether no score differs, by people's labels and by the model's."""
    return all(
        np.array_equal(scores[:, base, column], scores[:, new, column], equal_nan=True)
        for scores in (estimate.both.people, estimate.both.model)
    )


def _p(degrees: float, t: float) -> float:
    """Return the one-sided p-value of a statistic."""
    return float(special.ndtr(-t) if math.isinf(degrees) else special.stdtr(degrees, -t))
