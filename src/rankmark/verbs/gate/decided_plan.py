"""Decide about a log by its plan, from the queries that were judged so far in its order."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankmark.array_types import Floats, Ints
from rankmark.errors import InputError, MismatchError, counted, listed
from rankmark.results.result import plain
from rankmark.statistics.log_bets import (
    METHOD,
    METHOD_OF_SAMPLE,
    NOTHING,
    Log,
    LogBounds,
    bounds_of_log,
    bounds_of_share,
)
from rankmark.statistics.margin_decision import MarginDecision, Verdict
from rankmark.verbs.gate.condition_result import ConditionResult
from rankmark.verbs.gate.explain_command import ExplainCommand
from rankmark.verbs.gate.gate_condition import Condition
from rankmark.verbs.gate.gate_conditions import Asked, Request, asked_of
from rankmark.verbs.gate.gate_decisions import level_of, lost_queries
from rankmark.verbs.gate.gate_options import is_chosen
from rankmark.verbs.gate.gate_plan import CandidatePlan, GatePlan, GivenPlan
from rankmark.verbs.gate.gate_result import GateResult, best_of
from rankmark.verbs.gate.gated_system import Doubt, System
from rankmark.verbs.gate.gated_systems import evaluated_systems
from rankmark.verbs.gate.logged_queries import gain_of
from rankmark.verbs.gate.plan_gate import OF_LABELS, Planned
from rankmark.verbs.gate.plan_progress import Progress
from rankmark.verbs.gate.scored_systems import ScoredSystem, ScoreSource

_POSSIBLE = ("worst", "bounds", "by", "weights", "clusters")
_ROUNDING = 1e-9
_SHOWN = 5  # queries that are to be judged next
_UNKNOWN: dict[str, Any] = {
    **dict.fromkeys(("spread", "detectable"), math.nan),
    **dict.fromkeys(("required", "required_for_spread", "required_for_rare"), None),
}
"""Of a decision, what queries that were drawn because much can change do not tell."""


@dataclass(frozen=True, slots=True)
class PlannedResult(ConditionResult):
    """Whether a condition holds over a log.

    Parameters
    ----------
    bounds
        What the bets have won, and the bounds.
    mean_loss
        The mean of what each query of the log can lose at most.
    more
        How many further queries of the order are enough if none of them loses anything; None if
        that is unknown. 0 where it holds.
    """

    bounds: LogBounds = NOTHING
    mean_loss: float = math.nan
    more: int | None = None

    _policy = ""

    @property
    def too_few(self) -> None:
        """None: how few are enough depends on what can be lost."""

    @property
    def reason(self) -> str:
        """Why it holds or does not hold, or why that cannot be decided, in words."""
        if not self.decision.n and self.verdict == "holds":
            return (
                f"whatever the judgments, the mean over the log falls by at most "
                f"{self.mean_loss:.4f} (needed: within {self._size})"
            )
        if not self.decision.n:
            return f"nothing is judged yet{self._power()}"
        return ConditionResult.reason.fget(self)  # type: ignore[attr-defined]

    def _power(self) -> str:
        enough = 1 / (1 - self.decision.confidence)
        bets = f"; the bets have reached {self.bounds.capital:.3g} of the {enough:.3g} needed"
        if self.more is None:
            return bets
        queries = counted(self.more, "further query", "further queries")
        return f"{bets}; {queries} of the order would do if none of them loses anything"

    def to_row(self) -> dict[str, Any]:
        """Return what a table has, and what the bets have won."""
        more = {
            "capital": self.bounds.capital,
            "decided_after": self.bounds.looks,
            "mean_largest_loss": self.mean_loss,
            "further_queries": self.more,
        }
        return {**ConditionResult.to_row(self), **plain(more)}


def gate_by_plan(qrels: Any, base: Any, new: Any, request: Request, given: GivenPlan) -> GateResult:
    """Decide the conditions of a plan by the queries that were judged in its order.

    Parameters
    ----------
    qrels
        Judgments; None if there are none yet.
    base, new
        The systems of the plan.
    request
        As for ``gate``; conditions and most options are those of the plan.
    given
        The plan.
    """
    asked = _asked(request, given)
    planned = Planned.of(base, new, _without_judgments(asked))
    plan = planned.plan(given.n, given.seed, documents=False)
    _refuse_others(plan, given)
    named = planned.given
    systems = _systems(qrels, planned, asked)
    results = []
    planned_for_all = {
        one.logged.queries[row]
        for one in plan.candidates
        for row in one.order[: one.planned].tolist()
    }
    for number, candidate in enumerate(plan.candidates, 1):
        pair = systems[0], systems[number]
        explain = ExplainCommand.of(
            qrels, named[0].runs[0], named[number].runs[0], asked.conventions
        )
        judged = _Judged.of(candidate, pair, asked, planned_for_all)
        results.append(_result(asked, given, plan, candidate, judged, explain))
    return best_of(results)


def _result(
    asked: Asked,
    given: GivenPlan,
    plan: GatePlan,
    candidate: CandidatePlan,
    judged: _Judged,
    explain: ExplainCommand | None,
) -> GateResult:
    tries = len(plan.candidates)
    conditions = tuple(judged.decided(one, tries, explain) for one in plan.conditions)
    slices = {
        name: [candidate.logged.queries[row] for row in rows]
        for name, rows in candidate.logged.slices.items()
    }
    named = [(one.name, one.number_of_runs) for one in judged.systems]
    return GateResult(
        conditions=conditions,
        baseline=judged.systems[0],
        new=judged.systems[1],
        conventions=judged.systems[1].conventions,
        settings=judged.systems[1].settings,
        slices={name: len(ids) for name, ids in slices.items()},
        ignored_slices={},
        options=asked.options,
        choices=_choices(asked, given, slices, named),
        progress=judged.progress,
    )


def _choices(
    asked: Asked,
    given: GivenPlan,
    slices: Mapping[str, Sequence[str]],
    systems: Sequence[tuple[str, int]],
) -> dict[str, Any]:
    """Return everything that was asked, for records: a plan in a file has the conditions."""
    if given.path is None:
        return asked.choices(given.conditions, slices, systems)
    return {**asked.choices([], slices, systems), "plan": given.path}


def _asked(request: Request, given: GivenPlan) -> Asked:
    """Return what the plan asks; refuse what it has decided already."""
    chosen = [
        name
        for name, value in request.options.items()
        if name not in _POSSIBLE and is_chosen(name, value)
    ]
    names = [
        *["conditions"][: len(request.conditions)],
        *["slices"][: len(request.slices or {}) and not given.slices],
        *["config"][: request.config is not None],
        *chosen,
    ]
    if names:
        raise InputError(
            f"{names[0]} is given beside a plan",
            "leave it out: a plan has its conditions, and holds however often you look",
        )
    if given.is_weighted and request.options["weights"] is None:
        raise InputError("the plan has weights", "give the same weights again")
    if given.is_clustered and request.options["clusters"] is None:
        raise InputError("the plan has clusters", "give the same clusters again")
    if given.slices and request.options["by"] is None and not request.slices:
        raise InputError(
            f"the plan has slices: {listed(given.slices)}", "give the same by, or slices, again"
        )
    conventions = {**given.conventions, **request.conventions}
    found = asked_of(request._replace(conditions=given.conditions, conventions=conventions))
    return replace(found, options={**found.options, "claim": given.claim})


def _without_judgments(asked: Asked) -> Asked:
    kept = {k: v for k, v in asked.conventions.items() if k not in OF_LABELS}
    return replace(asked, conventions=kept)


def _refuse_others(plan: GatePlan, given: GivenPlan) -> None:
    """Refuse runs other than those of the plan, or another log."""
    found = [one.digest for one in plan.candidates]
    if found == [*given.digests.values()]:
        return
    if len(found) != len(given.digests):
        count = counted(len(given.digests), "candidate")
        raise InputError(
            f"the plan has {count}, and {len(found):,} are given", "give those of the plan"
        )
    what = "these runs"
    if len(found) == len(given.digests) > 1:
        pairs = zip(plan.candidates, given.digests.values(), strict=True)
        what = listed([one.name for one, digest in pairs if one.digest != digest])
    raise InputError(
        f"{what}, or how they are read, are not those of the plan",
        "give the runs, in their order, and the weights, slices and conventions of the plan, or "
        "make a new plan",
    )


def _systems(qrels: Any, planned: Planned, asked: Asked) -> Sequence[System]:
    """Evaluate all systems on the judged queries; without judgments, on none."""
    if _is_empty(qrels):
        return [_unranked(name, (), asked) for name in planned.names]
    try:
        return evaluated_systems(qrels, planned.given, asked)
    except MismatchError:
        # A run may lack all of the few queries that are judged; those of the log it scores 0 on.
        found: list[System | None] = []
        for one, name in zip(planned.given, planned.names, strict=True):
            try:
                (system,) = evaluated_systems(qrels, [one], asked)
                found.append(replace(system, name=name))
            except MismatchError:
                found.append(None)
        judged = next((one.queries for one in found if one is not None), ())
        if not {*judged} & {*planned.united.queries}:
            raise
        pairs = zip(found, planned.names, strict=True)
        return [one or _unranked(name, judged, asked) for one, name in pairs]


def _unranked(name: str, queries: tuple[str, ...], asked: Asked) -> ScoredSystem:
    """Return a system that ranks nothing for these queries."""
    scores = {str(one): np.zeros((1, len(queries))) for one in asked.measures}
    source = ScoreSource(name, None)
    return ScoredSystem(name, None, query_ids=queries, columns=scores, sources=(source,))


def _is_empty(qrels: Any) -> bool:
    """Return whether nothing is judged yet: no judgments, or a mapping or a file without any."""
    if isinstance(qrels, (str, os.PathLike)):
        return os.path.isfile(qrels) and os.path.getsize(qrels) == 0  # noqa: PTH113, PTH202
    return qrels is None or (isinstance(qrels, Mapping) and not qrels)


@dataclass(frozen=True, slots=True, eq=False)
class _Judged:
    """The queries of a candidate that were judged in order, and their scores.

    Parameters
    ----------
    candidate
        The plan of the candidate.
    systems
        The baseline and the candidate.
    rows
        (n,) int64, the numbers of the queries in the log, in their order.
    at
        (n,) int64, the places of the same in the evaluations.
    bounds
        Whether to decide with the worst labels of unjudged documents, too.
    worst
        How many queries to list.
    """

    candidate: CandidatePlan
    systems: tuple[System, System]
    rows: Ints
    at: Ints
    progress: Progress
    bounds: bool
    worst: int

    @classmethod
    def of(
        cls,
        candidate: CandidatePlan,
        systems: tuple[System, System],
        asked: Asked,
        planned: AbstractSet[str],
    ) -> _Judged:
        """Find which queries were judged in order; ``planned`` are those of all candidates."""
        queries, order = candidate.logged.queries, candidate.order
        places = {query: place for place, query in enumerate(systems[0].queries)}
        n = 0
        while n < len(order) and queries[order[n]] in places:
            n += 1
        rows = order[:n]
        at = np.array([places[queries[row]] for row in rows.tolist()], dtype=np.int64)
        own = {queries[row] for row in order[: candidate.planned].tolist()}
        later = tuple(queries[row] for row in order[n:].tolist() if queries[row] in places)
        progress = Progress(
            claim="log" if candidate.logged.sampling is None else "population",
            judged=n,
            planned=candidate.planned,
            queries=len(queries),
            out_of_order=tuple(one for one in later if one not in planned or one in own),
            elsewhere=len({*places}.difference(queries)),
            next=tuple(queries[row] for row in order[n : n + _SHOWN].tolist()),
        )
        return cls(
            candidate, systems, rows, at, progress, asked.options["bounds"], asked.options["worst"]
        )

    def decided(
        self, condition: Condition, tries: int, explain: ExplainCommand | None
    ) -> PlannedResult:
        """Decide a condition by the queries that it is about."""
        logged, weights = self.candidate.logged, self.candidate.weights
        horizon = logged.horizon(condition, self.candidate.order, self.candidate.planned)
        log = logged.log_of(condition, weights, horizon)
        kept = logged.places(condition, self.rows)
        drawn = _Drawn(condition, self, self.rows[kept], log)
        a, b = (one.scores(condition.measure)[self.at[kept]] for one in self.systems)
        drawn.refuse_more(a, b)
        confidence = 1 - level_of(condition, tries)
        bounds = drawn.bounded(a, b, confidence)
        verdict = _verdict(bounds, condition)
        following = self.candidate.order[len(self.rows) :]
        more: int | None = 0
        if verdict == "cannot tell":
            of_condition = following[logged.places(condition, following)]
            more = drawn.further(a, b, of_condition, confidence)
        row = next(one for one in self.candidate.rows if one.condition == condition)
        ids = [logged.queries[number] for number in drawn.rows.tolist()]
        return PlannedResult(
            condition,
            _decision(condition, bounds, verdict, a, b, confidence, log, row.largest_loss),
            lost_queries(condition.measure, ids, a, b, self.worst, explain),
            largest=next(iter(lost_queries(condition.measure, ids, a, b, 1, None)), None),
            could_be=self._could_be(drawn, self.at[kept], confidence),
            bounds=bounds,
            mean_loss=row.mean_loss,
            more=more,
        )

    def _could_be(
        self, drawn: _Drawn, at: Ints, confidence: float
    ) -> dict[Doubt, tuple[Verdict, Verdict]]:
        """Return the verdict at the worst and the best labels of unjudged documents."""
        if not self.bounds or not len(at):
            return {}
        ends = [one.ends(drawn.condition.measure, "unjudged") for one in self.systems]
        of_base, of_new = ends
        if of_base is None or of_new is None:
            return {}
        (low_a, high_a), (low_b, high_b) = ([end[at] for end in both] for both in (of_base, of_new))
        if np.array_equal(low_a, high_a) and np.array_equal(low_b, high_b):
            return {}
        worst, best = (
            _verdict(drawn.bounded(a, b, confidence), drawn.condition)
            for a, b in ((high_a, low_b), (low_a, high_b))
        )
        return {"unjudged": (worst, best)}


@dataclass(frozen=True, slots=True, eq=False)
class _Drawn:
    """The queries of a condition, in the order in which they were drawn; rows are in the log."""

    condition: Condition
    judged: _Judged
    rows: Ints
    log: Log

    @property
    def _counts(self) -> Floats:
        return self.judged.candidate.logged.counts[self.rows]

    @property
    def _most(self) -> tuple[Floats, Floats]:
        """What each can lose and gain at most."""
        ends = self.judged.candidate.logged.ends[self.condition.measure]
        return ends.losses[self.rows], ends.gains[self.rows]

    def refuse_more(self, a: Floats, b: Floats) -> None:
        """Refuse a query that lost or gained more than its rankings allow."""
        losses, gains = self._most
        beyond = np.flatnonzero((a - b > losses + _ROUNDING) | (b - a > gains + _ROUNDING))
        if len(beyond):
            query = self.judged.candidate.logged.queries[self.rows[beyond[0]]]
            row = beyond[0]
            raise InputError(
                f"query {query!r} changed by {b[row] - a[row]:+.4f} of {self.condition.measure}, "
                f"and its rankings allow {-losses[row]:+.4f} to {gains[row]:+.4f}",
                "are there labels with gains below 0? a plan needs gains from 0",
            )

    def bounded(
        self, a: Floats, b: Floats, confidence: float, rows: Ints | None = None
    ) -> LogBounds:
        """Bound the mean change; ``rows`` may have further queries, whose scores are equal."""
        drawn = self if rows is None else replace(self, rows=rows)
        losses, gains = drawn._most
        weights, counts = self.judged.candidate.weights[drawn.rows], drawn._counts
        d = np.clip(b - a, -losses, gains) * counts
        condition = self.condition
        ends = self.judged.candidate.logged.ends[condition.measure]
        most = counts * gain_of(ends, condition)[drawn.rows]
        if condition.relative and condition.margin:
            return bounds_of_share(
                a * counts, d, weights, most, self.log, condition.margin, confidence
            )
        return bounds_of_log(d, weights, most, self.log, -condition.margin, confidence)

    def further(self, a: Floats, b: Floats, following: Ints, confidence: float) -> int | None:
        """Return how many further queries would be enough if they lost nothing."""
        if self.condition.relative or not self.condition.margin:
            return None
        count = len(a)
        ahead = min(len(following), 4 * max(self.judged.candidate.planned, 1) + count)
        rows = np.concatenate([self.rows, following[:ahead]])
        same = np.zeros(ahead)
        found = self.bounded(np.concatenate([a, same]), np.concatenate([b, same]), confidence, rows)
        return found.looks - count if found.looks > count else None


def _verdict(bounds: LogBounds, condition: Condition) -> Verdict:
    if math.isinf(bounds.capital) or bounds.looks:
        return "holds"
    return "does not hold" if bounds.high < -condition.margin else "cannot tell"


def _decision(
    condition: Condition,
    bounds: LogBounds,
    verdict: Verdict,
    a: Floats,
    b: Floats,
    confidence: float,
    log: Log,
    largest_loss: float,
) -> MarginDecision:
    """Return the bounds in the form of other decisions."""
    d = b - a
    numbers = (bounds.estimate, bounds.low, bounds.high)
    absolute, relative = numbers, (math.nan, math.nan, math.nan)
    if condition.relative and condition.margin:
        absolute, relative = relative, numbers
    least = None
    if not condition.relative and condition.margin:
        least = int(log.least_queries(condition.margin, 1 - confidence))
    return MarginDecision(
        verdict=verdict,
        cause="bound",
        n=len(d),
        left_out=0,
        wins=int(np.count_nonzero(d > 0)),
        ties=int(np.count_nonzero(d == 0)),
        losses=int(np.count_nonzero(d < 0)),
        baseline=bounds.baseline,
        other=bounds.baseline * (1 + bounds.estimate),
        difference=absolute[0],
        low=absolute[1],
        high=absolute[2],
        relative=relative[0],
        relative_low=relative[1],
        relative_high=relative[2],
        margin=condition.margin,
        p=bounds.p,
        smallest_margin=math.nan
        if condition.relative
        else log.smallest_margin(len(d), 1 - confidence),
        effective=float(len(d)),
        largest_loss=largest_loss,
        assumed=False,
        beyond_drop=None,
        required_if_unchanged=least,
        confidence=confidence,
        power=math.nan,
        method=METHOD if log.sampled_to is None else METHOD_OF_SAMPLE,
        **_UNKNOWN,
    )
