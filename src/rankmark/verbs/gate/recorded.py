"""What a record says of a gate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rankmark.results.records.run_record import Computed
from rankmark.verbs.evaluate.recorded import evaluated_values

if TYPE_CHECKING:
    from rankmark.verbs.evaluate.evaluation import Evaluation
    from rankmark.verbs.gate.gate_result import GateResult


def of_gate(result: GateResult, runs: Sequence[str]) -> Computed:
    """Return what is recorded of a gate: means of all systems, and numbers of the conditions.

    The files of the baseline come first. A system of one run is called as its file, as in other
    records, and so can be followed in a trend.
    """
    numbers = ("verdict", "n", "difference", "low", "high", "p", "required_queries")
    by_name = result.candidates
    named = result.choices["systems"]
    candidates = [by_name[name] for name, _ in named[1:]]
    systems = (result.baseline, *(one.new for one in candidates))
    rest = iter(runs)
    pairs: list[tuple[str, Evaluation]] = []
    for (name, count), system in zip(named, systems, strict=True):
        first, *others = (next(rest) for _ in range(count))
        assert system.evaluation is not None  # noqa: S101  (scores are not recorded)
        pairs.append((name if others else first, system.evaluation))
    values, per_query = evaluated_values(pairs)
    values |= {"verdict": result.verdict, "conditions": []}
    for one in candidates:
        of = {"run": one.new_name} if result.others else {}
        for condition in one.conditions:
            found = condition.to_dict()
            against = " against the reference" if condition.reference else ""
            called = {"name": condition.condition.name + against, **of}
            row = called | {name: found[name] for name in numbers}
            values["conditions"].append(row)
    assert result.conventions is not None  # noqa: S101
    return Computed(
        values,
        result.conventions,
        list(dict.fromkeys(str(one.condition.measure) for one in result.conditions)),
        per_query,
        pairs[0][0],
        [f"bounds of the mean difference by {result.method}"],
    )
