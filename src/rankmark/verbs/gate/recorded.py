"""What a record says of a gate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rankmark.results.records.run_record import Computed
from rankmark.verbs.evaluate.recorded import evaluated_values, scores_by_query

if TYPE_CHECKING:
    from rankmark.verbs.gate.gate_result import GateResult


def of_gate(result: GateResult, runs: Sequence[str]) -> Computed:
    """Return what is recorded of a gate: means of all runs, and numbers of the conditions.

    The runs of the baseline come first.
    """
    numbers = ("verdict", "n", "difference", "low", "high", "p", "required_queries")
    by_name = result.candidates
    candidates = [by_name[name] for name, _ in result.choices["systems"][1:]]
    values: dict[str, Any] = {"verdict": result.verdict, "conditions": []}
    systems = (result.baseline, *(one.new for one in candidates))
    evaluations = [run for system in systems for run in system.evaluations]
    pairs = [*zip(runs, evaluations, strict=True)]
    values = evaluated_values(pairs) | values
    for one in candidates:
        of = {"run": one.new_name} if result.others else {}
        for condition in one.conditions:
            found = condition.to_dict()
            against = " against the reference" if condition.reference else ""
            called = {"name": condition.condition.name + against, **of}
            row = called | {name: found[name] for name in numbers}
            values["conditions"].append(row)
    assert result.conventions is not None  # noqa: S101  (scores are not recorded)
    return Computed(
        values,
        result.conventions,
        list(dict.fromkeys(str(one.condition.measure) for one in result.conditions)),
        scores_by_query(pairs),
        runs[0],
        [f"bounds of the mean difference by {result.method}"],
    )
