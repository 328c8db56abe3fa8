"""Estimates of what people would say of runs, and a gate over them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.errors import InputError, NotEvaluatedError, listed, shown
from rankmark.statistics.bounded_means import StudentEnds, TurnedEnds, p_of
from rankmark.statistics.margin_decision import Cause, Ends, MarginDecision, verdict_of
from rankmark.statistics.scipy_functions import special
from rankmark.statistics.score_arrays import pair
from rankmark.verbs.evaluate.provenance import Given
from rankmark.verbs.gate.condition_result import ConditionResult
from rankmark.verbs.gate.decided_gate import OBSERVED
from rankmark.verbs.gate.gate_conditions import asked_of
from rankmark.verbs.gate.gate_decisions import Gateable, Plan, decided_gate, lost_queries
from rankmark.verbs.gate.gate_options import OF_CONDITIONS, is_chosen
from rankmark.verbs.gate.gated_system import System
from rankmark.verbs.gate.gated_systems import same_runs

if TYPE_CHECKING:
    from rankmark.judges.estimate.estimated import Estimated
    from rankmark.verbs.gate.gate_condition import Condition
    from rankmark.verbs.gate.gate_conditions import Asked, Request
    from rankmark.verbs.gate.gate_decisions import Decisions
    from rankmark.verbs.gate.gate_result import GateResult
    from rankmark.verbs.gate.gated_systems import Same
    from rankmark.verbs.power.both_judged import BothJudged

_METHODS = dict(zip(("t", "normal"), OBSERVED, strict=True))
_UNKNOWN: dict[str, Any] = {
    **dict.fromkeys(("relative", "relative_low", "relative_high"), math.nan),
    **dict.fromkeys(("smallest_margin", "detectable"), math.nan),
    **dict.fromkeys(("required", "required_for_spread", "required_for_rare"), None),
    "required_if_unchanged": None,
}
"""Of a decision, what an estimate does not tell."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GateableEstimate(Gateable):
    """Means and differences of runs without their forms; ``Estimate`` explains them."""

    means: tuple[Estimated, ...]
    differences: tuple[Estimated, ...]
    both: BothJudged = field(repr=False)
    sample: str
    settings: Mapping[str, Any] = field(repr=False)
    half_width: float | None = None

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures."""
        return tuple(map(str, self.both.measures))

    @property
    def runs(self) -> tuple[str, ...]:
        """Names of the runs."""
        return self.both.runs

    def mean(self, run: str | None = None, measure: str | None = None) -> Estimated:
        """Return the estimated mean of a run; None for the first run, or the first measure.

        Raises
        ------
        NotEvaluatedError
            If there is no such run or measure.
        """
        return _only(self.means, run=run, measure=measure)

    def difference(
        self, run: str | None = None, baseline: str | None = None, measure: str | None = None
    ) -> Estimated:
        """Return an estimated difference; None for the first.

        Raises
        ------
        NotEvaluatedError
            If there is no such pair or measure.
        """
        return _only(self.differences, run=run, baseline=baseline, measure=measure)

    def _gate(self, base: str | None, new: Any, request: Request) -> GateResult:
        """Decide by the differences, with bounds of the kind of their intervals.

        Parameters
        ----------
        base, new
            Names of runs; None for the baseline, or the first run, and for all others.
        request
            As for ``gate``; without a condition, those are the measures of the estimate.

        Raises
        ------
        InputError
            If there is no such run, or a condition or an option cannot be used here.
        NotEvaluatedError
            If a measure, or a difference, was not estimated.
        """
        both = self.both
        asked = asked_of(request, usual=self.measures)
        _refuse(asked)
        first, others = _names(self, base, new)
        rows = [self.runs.index(name) for name in (first, *others)]
        systems = [System(self.runs[row], both.evaluations[row][0]) for row in rows]
        plan = Plan(conditions=asked.conditions, options=asked.options, tries=len(others))
        given = [Given(one.name, [one.evaluation]) for one in systems]

        def decide(number: int) -> tuple[Decisions, Same]:
            pairs = (given[0], given[number]), (systems[0], systems[number])
            same = same_runs(*pairs[0], *pairs[1], asked.gated)
            unchanged = all(
                _unchanged(both, column, rows[0], rows[number])
                for column in range(len(both.measures))
            )
            found = tuple(
                _decided(plan, self, one, rows[0], rows[number]) for one in asked.conditions
            )
            return (found, {}), same if unchanged else ""

        sample = (
            f"{int(both.judged.sum()):,} of {len(both.queries):,} queries are judged by people, "
            f"{self.sample}; the others by a model"
        )
        return decided_gate(asked, plan, systems, both.queries, decide, sample=sample)


def _only(rows: Sequence[Estimated], **wanted: str | None) -> Estimated:
    asked = {name: str(value) for name, value in wanted.items() if value is not None}
    for row in rows:
        if all(getattr(row, name) == value for name, value in asked.items()):
            return row
    if not rows:
        raise InputError("there is a single run, and no difference", "give two runs")
    have = ", ".join(f"{row.name} on {row.measure}" for row in rows[:5])
    told = ", ".join(f"{name} {value}" for name, value in asked.items())
    raise NotEvaluatedError(f"nothing was estimated for {told}", f"there are: {have}")


def _refuse(asked: Asked) -> None:
    """Refuse what only a gate of runs can be asked."""
    possible = {*OF_CONDITIONS, "unchanged", "worst"}
    given = asked.options.items()
    chosen = [name for name, value in given if name not in possible and is_chosen(name, value)]
    for name in (*chosen, *["slices"][: len(asked.slices)], *asked.conventions):
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
    both = estimate.both
    column = estimate.measures.index(row.measure)
    a, b = (both.people[:, at, column] for at in (base, new))
    differences = sign * pair(a, b).differences
    ends, p = Ends(math.nan, math.nan), math.nan
    is_known = not row.undefined
    if is_known:
        better = found.ends if turned * sign > 0 else TurnedEnds(found.ends)
        ends = Ends(*better.ends(2 * confidence - 1))
        if not isinstance(found.ends, StudentEnds):
            p = p_of(better, -margin, one_sided=True)
        elif found.error > 0:
            p = _p(found.degrees, (gain + margin) / found.error)
    unchanged = _unchanged(both, column, base, new) and not condition.require_better
    cause: Cause = "bound" if is_known else "no interval"
    if unchanged and plan.options["unchanged"] == "pass":
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
        p=p,
        effective=float(found.n),
        spread=found.spread,
        largest_loss=math.inf,
        assumed=False,
        beyond_drop=None,
        **_UNKNOWN,
        confidence=confidence,
        power=0.8,
        method=_METHODS.get(found.ends.method, found.ends.method),
    )
    lost = lost_queries(measure, both.queries, a, b, plan.options["worst"], None)
    largest = next(iter(lost_queries(measure, both.queries, a, b, 1, None)), None)
    return ConditionResult(condition, decision, lost, largest=largest)


def _unchanged(both: BothJudged, column: int, base: int, new: int) -> bool:
    """Return whether no score differs, by human labels and by the model's."""
    return all(
        np.array_equal(scores[:, base, column], scores[:, new, column], equal_nan=True)
        for scores in (both.people, both.model)
    )


def _p(degrees: float, t: float) -> float:
    """Return the one-sided p-value of a statistic."""
    return float(special.ndtr(-t) if math.isinf(degrees) else special.stdtr(degrees, -t))
