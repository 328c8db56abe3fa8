"""What a gate decides for each candidate, once the queries are known, and the result of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rankmark.errors import InputError
from rankmark.verbs.evaluate.given_evaluations import common_weights
from rankmark.verbs.evaluate.query_attributes import (
    attributes_of,
    clusters_of,
    column_or_file,
    given_weights,
    slices_of,
)
from rankmark.verbs.gate.gate_decisions import Plan, rows_of_slice
from rankmark.verbs.gate.gate_result import GateResult

if TYPE_CHECKING:
    from rankmark.verbs.gate.condition_result import ConditionResult
    from rankmark.verbs.gate.gate_condition import Condition
    from rankmark.verbs.gate.gate_conditions import Asked
    from rankmark.verbs.gate.gate_result import Same
    from rankmark.verbs.gate.gated_system import System


def plan_of(
    qrels: Any,
    asked: Asked,
    baseline: System,
    candidates: Sequence[System],
    reference: System | None = None,
) -> Plan:
    """Find the slices, weights and clusters of the queries, and the conditions of each slice.

    Raises
    ------
    InputError
        If runs are averaged over different queries, or a slice is impossible.
    """
    queries = baseline.queries
    for system in (baseline, *candidates, *([] if reference is None else [reference])):
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
    return Plan(
        conditions=[
            one for condition in asked.conditions for one in _for_each(condition, [*slices])
        ],
        slices=slices,
        weights=None if weights is None else given_weights(weights, queries),
        clusters=None if clusters is None else clusters_of(clusters, queries),
        tries=len(candidates),
        **{
            name: options[name]
            for name in ("min_slice", "small_slices", "worst", "anytime", "bounds", "unchanged")
        },
    )


def result_of(
    asked: Asked,
    plan: Plan,
    systems: Sequence[System],
    new: System,
    decided: tuple[tuple[ConditionResult, ...], dict[str, int]],
    *,
    queries: Sequence[str],
    same: Same,
    sample: str = "",
    reference: System | None = None,
) -> GateResult:
    """Return the result of a candidate.

    Parameters
    ----------
    asked, plan
        What was asked and decided.
    systems
        The baseline, and all candidates.
    new
        The candidate.
    decided
        What ``decided_conditions`` returns.
    queries
        Ids of those that the plan numbers.
    same, sample, reference
        As ``GateResult`` has them.
    """
    conditions, ignored = decided
    slices = {name: [queries[row] for row in rows] for name, rows in plan.slices.items()}
    return GateResult(
        conditions=conditions,
        baseline=systems[0],
        new=new,
        conventions=new.conventions,
        settings=new.settings,
        slices={name: len(ids) for name, ids in slices.items()},
        ignored_slices=ignored,
        options=asked.options,
        choices=asked.choices(
            plan.conditions, slices, [(one.name, one.number_of_runs) for one in systems]
        ),
        same=same,
        sample=sample,
        reference=reference,
    )


def _for_each(condition: Condition, slices: Sequence[str]) -> list[Condition]:
    if condition.slice != "*":
        return [condition]
    if not slices:
        raise InputError("slice is '*', and there are no slices", "give slices, or by")
    return [condition.of(condition.measure, name) for name in slices]
