"""What a gate decides for each candidate, once the queries are known, and its decisions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rankmark.errors import InputError, counted, shown
from rankmark.measures import Measure
from rankmark.statistics.margin_decision import MarginDecision, decide_margin
from rankmark.verbs.evaluate.given_evaluations import common_weights
from rankmark.verbs.evaluate.query_attributes import (
    attributes_of,
    column_or_file,
    slices_of,
)
from rankmark.verbs.evaluate.query_numbers import draws_of
from rankmark.verbs.gate.condition_result import ConditionResult, LostQuery
from rankmark.verbs.gate.gate_result import GateResult, best_of
from rankmark.verbs.gate.largest_unit import Units

if TYPE_CHECKING:
    from rankmark.array_types import Floats, Ints
    from rankmark.statistics.margin_decision import Verdict
    from rankmark.verbs.gate.explain_command import ExplainCommand
    from rankmark.verbs.gate.gate_condition import Condition, GatedMeasure
    from rankmark.verbs.gate.gate_conditions import Asked, Request
    from rankmark.verbs.gate.gated_system import Doubt, System
    from rankmark.verbs.gate.gated_systems import Same

SmallSlices = Literal["fail", "warn", "ignore"]
Decisions = tuple[tuple[ConditionResult, ...], dict[str, int]]
"""The results of conditions, and {slice: number of queries} of small slices that are ignored."""


class Gateable(ABC):
    """A result that knows the differences of its runs, and how certain they are: an estimate."""

    __slots__ = ()

    @abstractmethod
    def _gate(self, base: str | None, new: Any, request: Request) -> GateResult:
        """Decide by these differences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is decided for each candidate, and how.

    Parameters
    ----------
    conditions
        What is asked, a condition for each slice.
    options
        {option: value} of all options of a gate.
    slices
        {name: numbers of its queries}.
    weights, clusters
        (n_queries,) of each query; None for none.
    draws
        (n_queries,) how often each was drawn; None if each counts once.
    largest
        The size of the largest unit of the population, of the queries, or clusters of them, that
        are drawn; None for the largest of these.
    population
        What to know of it, in words; "" if queries are all alike.
    tries
        Number of decisions, one for each candidate, that share the error of a condition.
    """

    conditions: Sequence[Condition]
    options: Mapping[str, Any]
    slices: Mapping[str, Sequence[int]] = field(default_factory=dict)
    weights: Floats | None = None
    draws: Ints | None = None
    clusters: Sequence[Hashable] | None = None
    largest: float | None = None
    population: str = ""
    tries: int = 1

    def confidence_of(self, condition: Condition) -> float:
        """Return the confidence at which a condition is decided, corrected by Bonferroni."""
        return 1 - level_of(condition, self.tries)

    def rows_of(self, condition: Condition) -> Sequence[int] | None:
        """Return the numbers of the queries of a condition; None for all."""
        if condition.slice is None:
            return None
        if condition.slice not in self.slices:
            have = ", ".join(self.slices) or "none"
            raise InputError(f"there is no slice {condition.slice!r}", f"there are: {have}")
        return self.slices[condition.slice]

    def drawn(self, scores: Floats) -> Floats:
        """Return the scores of the queries that were drawn; NaN for the others."""
        return scores if self.draws is None else np.where(self.draws > 0, scores, np.nan)

    def decided(
        self,
        condition: Condition,
        baseline: Floats,
        new: Floats,
        rows: Sequence[int] | None,
        **asked: float,
    ) -> MarginDecision:
        """Decide a condition from the scores of its queries; ``asked`` is a power, and a gain."""
        weights, clusters = self.weights, self.clusters
        if rows is not None:
            weights = None if weights is None else weights[rows]
            if weights is not None and not weights.any():
                raise InputError(
                    f"slice {condition.slice!r}: all of its queries have weight 0",
                    "leave it out, or give one of its queries a weight",
                )
            clusters = None if clusters is None else [clusters[row] for row in rows]
        if self.draws is not None:
            counts = self.draws if rows is None else self.draws[rows]
            baseline, new = np.repeat(baseline, counts), np.repeat(new, counts)
        return decide_margin(
            baseline,
            new,
            condition.margin,
            relative=condition.relative,
            weights=weights,
            clusters=clusters,
            largest=self.largest,
            unchanged=self.options["unchanged"],
            anytime=self.options["anytime"],
            better=condition.require_better,
            more_is_better=condition.measure.more_is_better,
            confidence=self.confidence_of(condition),
            scores_between=condition.measure.bounds,
            max_query_drop=condition.max_query_drop,
            **asked,
        )


def level_of(condition: Condition, tries: int) -> float:
    """Return the level of a condition that is decided for so many candidates (Bonferroni)."""
    return (1 - condition.confidence) / tries


def plan_of(qrels: Any, asked: Asked, systems: Sequence[System], *, tries: int = 1) -> Plan:
    """Find the slices, weights and clusters of the queries, and the conditions of each slice.

    Parameters
    ----------
    qrels
        The judgments, of which ``by`` may be a column.
    asked
        What was asked.
    systems
        All systems, the baseline first.
    tries
        How many of them are candidates.
    """
    baseline, queries = systems[0], systems[0].queries
    for system in systems:
        for run in system.evaluations:
            if run.queries != queries:
                raise InputError(
                    f"{baseline.name} is averaged over {len(queries):,} queries and "
                    f"{run.run_name if system.evaluations[1:] else system.name} over "
                    f"{len(run.queries):,}, so their means cannot be compared",
                    'use queries="judged", where a missing query counts 0, or name the queries',
                )
    options = asked.options
    rows = {query: row for row, query in enumerate(queries)}
    slices = {name: rows_of_slice(name, ids, rows) for name, ids in asked.slices.items()}
    if options["by"] is not None:
        found = slices_of(attributes_of(column_or_file(options["by"], qrels), queries))
        slices = {**found, **slices}
    weights, clusters = options["weights"], options["clusters"]
    if weights is None and baseline.evaluations:
        weights = common_weights(baseline.evaluations)
    draws = None
    if options["draws"] is not None:
        _refuse_with_draws(options, weights)
        draws = draws_of(options["draws"], queries)
    units = Units.of(queries, weights, clusters)
    largest, population = units.largest(
        options["largest_weight"], options["largest_cluster"], has_slices=bool(slices)
    )
    return Plan(
        conditions=each_condition(asked.conditions, [*slices]),
        options=options,
        slices=slices,
        weights=units.weights,
        draws=draws,
        clusters=units.clusters,
        largest=largest,
        population=population if draws is None else _drawn_from(draws),
        tries=tries,
    )


def _refuse_with_draws(options: Mapping[str, Any], weights: Any) -> None:
    """Refuse what would count traffic twice, or need to know when each query was drawn."""
    others = ("clusters", "largest_weight", "largest_cluster", "anytime")
    given = [name for name in others if options[name]]
    if weights is not None:
        given = ["weights", *given]
    if given:
        raise InputError(
            f"draws and {given[0]} are given",
            "leave one of the two out: draws are queries as users ask them, independent of each "
            "other, and in no order",
        )


def _drawn_from(draws: Ints) -> str:
    drawn = counted(int(np.count_nonzero(draws)), "query", "queries")
    return f"{counted(int(draws.sum()), 'draw')} of {drawn}, each of which counts once"


def decided_gate(
    asked: Asked,
    plan: Plan,
    systems: Sequence[System],
    queries: Sequence[str],
    decide: Callable[[int], tuple[Decisions, Same]],
    *,
    sample: str = "",
    reference: System | None = None,
) -> GateResult:
    """Decide for each candidate, and return the result of the best one.

    Parameters
    ----------
    asked, plan
        What was asked, and what is decided.
    systems
        The baseline, and all candidates.
    queries
        Ids of those that the plan numbers.
    decide
        Decides the conditions for the system of this number, and says whether it is the baseline.
    sample, reference
        As ``GateResult`` has them.
    """
    slices = {name: [queries[row] for row in rows] for name, rows in plan.slices.items()}
    named = [(one.name, one.number_of_runs) for one in systems]
    results = []
    for number, new in enumerate(systems[1:], 1):
        (conditions, ignored), same = decide(number)
        results.append(
            GateResult(
                conditions=conditions,
                baseline=systems[0],
                new=new,
                conventions=new.conventions,
                settings=new.settings,
                slices={name: len(ids) for name, ids in slices.items()},
                ignored_slices=ignored,
                options=asked.options,
                choices=asked.choices(plan.conditions, slices, named),
                same=same,
                sample=sample,
                population=plan.population,
                reference=reference,
            )
        )
    return best_of(results)


def decided_conditions(
    plan: Plan, baseline: System, new: System, *, alike: bool, explain: ExplainCommand | None
) -> Decisions:
    """Decide all conditions.

    Parameters
    ----------
    plan
        What is decided.
    baseline, new
        The systems, evaluated on the same queries.
    alike
        Whether both are the same run, so that another order of ties would change both alike.
    explain
        The command that explains a query; None if the inputs are not files.
    """
    results: list[ConditionResult] = []
    ignored: dict[str, int] = {}
    policy = plan.options["small_slices"]
    for condition in plan.conditions:
        measure, rows = condition.measure, plan.rows_of(condition)
        if isinstance(measure, Measure) and measure.depends_on == "run":
            from rankmark.verbs.gate.run_conditions import decided_of_run  # noqa: PLC0415

            lacks = {"weights": plan.weights, "clusters": plan.clusters, "draws": plan.draws}
            asked = plan.options, plan.confidence_of(condition), lacks
            results.append(decided_of_run(condition, baseline, new, *asked))
            continue
        a, b = (_of_rows(plan.drawn(one.scores(measure)), rows) for one in (baseline, new))
        decision = plan.decided(condition, a, b, rows)
        small = rows is not None and _is_small(plan, condition, decision)
        if small and policy == "ignore":
            ignored[condition.slice or ""] = decision.n
            continue
        ids = new.queries if rows is None else [new.queries[row] for row in rows]
        undecided = decision.verdict == "cannot tell"
        results.append(
            ConditionResult(
                condition,
                decision,
                lost_queries(measure, ids, a, b, plan.options["worst"], explain),
                largest=next(iter(lost_queries(measure, ids, a, b, 1, None)), None),
                small=small,
                counts=not (small and policy == "warn" and undecided),
                could_be={} if alike else _could_be(plan, condition, baseline, new),
            )
        )
    return tuple(results), ignored


def _of_rows(scores: Floats, rows: Sequence[int] | None) -> Floats:
    return scores if rows is None else scores[rows]


def rows_of_slice(name: str, queries: Iterable[Any], rows: Mapping[str, int]) -> list[int]:
    """Return the numbers of the queries of a slice."""
    if isinstance(queries, (str, bytes, Mapping)) or not isinstance(queries, Iterable):
        raise InputError(f"slice {name!r} is {shown(queries)}", "need a list of query ids")
    ids = list(dict.fromkeys(map(str, queries)))
    missing = [query for query in ids if query not in rows]
    if missing:
        many = f"{len(missing):,} of its queries are" if missing[1:] else "one of its queries is"
        raise InputError(
            f"slice {name!r}: {many} not averaged, such as {missing[0]!r}",
            "name judged queries only",
        )
    return sorted(rows[query] for query in ids)


def lost_queries(
    measure: GatedMeasure,
    queries: Sequence[str],
    a: Floats,
    b: Floats,
    worst: int,
    explain: ExplainCommand | None,
) -> tuple[LostQuery, ...]:
    """Return the queries that lost most, largest loss first, then in the order of the judgments."""
    change = (b - a) * (1.0 if measure.more_is_better else -1.0)
    order = np.argsort(np.where(np.isnan(change), np.inf, change), kind="stable")[:worst]
    return tuple(
        LostQuery(
            queries[row],
            float(a[row]),
            float(b[row]),
            float(b[row] - a[row]),
            None if explain is None else explain.line(queries[row], measure),
        )
        for row in order.tolist()
        if change[row] < 0
    )


def _is_small(plan: Plan, condition: Condition, decision: MarginDecision) -> bool:
    """Return whether a slice has too few queries: fewer than asked, or than could ever hold."""
    if plan.options["min_slice"] is not None:
        return bool(decision.n < plan.options["min_slice"])
    return not condition.require_better and not decision.margin > decision.smallest_margin


def _could_be(
    plan: Plan, condition: Condition, baseline: System, new: System
) -> dict[Doubt, tuple[Verdict, Verdict]]:
    """Return the verdict at the worst and at the best, by ties and by judging the unjudged."""
    rows = plan.rows_of(condition)
    found: dict[Doubt, tuple[Verdict, Verdict]] = {}
    doubts: tuple[Doubt, ...] = ("ties", "unjudged") if plan.options["bounds"] else ("ties",)
    for doubt in doubts:
        of_base, of_new = (one.ends(condition.measure, doubt) for one in (baseline, new))
        if of_base is None or of_new is None:
            continue
        (low_a, high_a), (low_b, high_b) = (
            [_of_rows(end, rows) for end in ends] for ends in (of_base, of_new)
        )
        if all(
            np.array_equal(low, high, equal_nan=True)
            for low, high in ((low_a, high_a), (low_b, high_b))
        ):
            continue  # nothing is in doubt
        worst, best = (
            plan.decided(condition, a, b, rows).verdict
            for a, b in ((high_a, low_b), (low_a, high_b))
        )
        found[doubt] = (worst, best) if condition.measure.more_is_better else (best, worst)
    return found


def each_condition(conditions: Iterable[Condition], slices: Sequence[str]) -> list[Condition]:
    """Return conditions, in place of one for each slice those of all slices."""
    return [one for condition in conditions for one in _for_each(condition, slices)]


def _for_each(condition: Condition, slices: Sequence[str]) -> list[Condition]:
    if condition.slice != "*":
        return [condition]
    if not slices:
        raise InputError("slice is '*', and there are no slices", "give slices, or by")
    return [condition.of(condition.measure, name) for name in slices]
