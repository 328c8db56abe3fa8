"""What a gate decides for each candidate, once the queries are known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rankmark.errors import InputError
from rankmark.evaluating.query_attributes import (
    attributes_of,
    clusters_of,
    column_or_file,
    given_weights,
    slices_of,
)
from rankmark.gating.gate_decisions import Plan, rows_of_slice

if TYPE_CHECKING:
    from rankmark.gating.gate_condition import Condition
    from rankmark.gating.gate_conditions import Asked
    from rankmark.gating.gated_system import System


def plan_of(qrels: Any, asked: Asked, baseline: System, candidates: Sequence[System]) -> Plan:
    """Find the slices, weights and clusters of the queries, and the conditions of each slice.

    Raises
    ------
    InputError
        If runs are averaged over different queries, or a slice is impossible.
    """
    queries = baseline.queries
    for system in (baseline, *candidates):
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
    return Plan(
        conditions=[
            one for condition in asked.conditions for one in _for_each(condition, [*slices])
        ],
        slices=slices,
        weights=None if weights is None else given_weights(weights, queries),
        clusters=None if clusters is None else clusters_of(clusters, queries),
        tries=len(candidates) * (options["looks"] or 1),
        **{
            name: options[name]
            for name in ("min_slice", "small_slices", "worst", "anytime", "bounds", "unchanged")
        },
    )


def _for_each(condition: Condition, slices: Sequence[str]) -> list[Condition]:
    if condition.slice != "*":
        return [condition]
    if not slices:
        raise InputError("slice is '*', and there are no slices", "give slices, or by")
    return [condition.of(condition.measure, name) for name in slices]
