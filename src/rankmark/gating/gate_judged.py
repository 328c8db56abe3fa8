"""A gate over queries all of which a model judged, and people a few."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rankmark.errors import InputError
from rankmark.estimating.both_judged import judged_by_both
from rankmark.estimating.sample_design import sampled
from rankmark.evaluating.evaluation import Evaluation
from rankmark.gating.explain_command import ExplainCommand
from rankmark.gating.gate_decisions import JudgedSystem, decided_with_model
from rankmark.gating.gate_plan import plan_of, result_of
from rankmark.gating.gate_result import best_of
from rankmark.gating.gate_same import same_runs
from rankmark.gating.gated_systems import Given, systems_of
from rankmark.gating.judge_labels import JudgeLabels

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.gating.gate_conditions import Asked
    from rankmark.gating.gate_decisions import Plan
    from rankmark.gating.gate_result import GateResult


class JudgedGate(NamedTuple):
    """What a gate by both sets of labels decides about.

    Attributes
    ----------
    systems
        By both sets of labels, the baseline first.
    plan
        What is decided.
    probabilities
        (n_queries,) with which each query was chosen for people; None for a random sample.
    labels
        Whose labels they are, and of how many queries.
    """

    systems: list[JudgedSystem]
    plan: Plan
    probabilities: Floats | None
    labels: JudgeLabels


def judged_gate(qrels: Any, given: Sequence[Given], asked: Asked) -> JudgedGate:
    """Evaluate systems, the baseline first, by the labels of people and of a model.

    Raises
    ------
    InputError
        If a condition or a form of input cannot be used here, or the queries that people judged
        were chosen and have no probabilities.
    MismatchError
        If the model did not judge a query that people judged.
    """
    _refuse(qrels, given, asked)
    judge, chances = asked.options["judge"], asked.options["probabilities"]
    options: Any = {**asked.conventions, "progress": asked.progress}
    both = judged_by_both(qrels, judge, _named(given), asked.measures, options)
    sample = sampled(
        both,
        judge,
        is_random=asked.options["random"],
        probabilities=chances,
        could_give=["the probabilities with which they were chosen"],
    )
    of_people, of_model = (
        systems_of(given, [pair[which] for pair in both.evaluations]) for which in (0, 1)
    )
    plan = plan_of(judge, asked, of_model[0], of_model[1:])
    weights = sample.design.weights
    systems = [
        JudgedSystem(people, model, both.queries)
        for people, model in zip(of_people, of_model, strict=True)
    ]
    source = both.evaluations[0][1].to_dict(per_query=False)["qrels"]
    labels = JudgeLabels(
        name=source.get("name", "the judge"),
        queries=len(both.queries),
        judged=int(both.judged.sum()),
        sample=sample.told,
        source=source,
    )
    return JudgedGate(systems, plan, None if weights is None else 1 / weights, labels)


def gate_judged(qrels: Any, base: Given, candidates: Sequence[Given], asked: Asked) -> GateResult:
    """Decide by the labels of people and of a model; raises what ``judged_gate`` does."""
    (first, *others), plan, probabilities, labels = judged_gate(qrels, [base, *candidates], asked)
    results = []
    for one, new in zip(candidates, others, strict=True):
        kinds = {
            same_runs(base, one, *pair, asked.gated)
            for pair in ((first.people, new.people), (first.model, new.model))
        }
        decided = decided_with_model(
            plan,
            first,
            new,
            probabilities=probabilities,
            explain=ExplainCommand.of(qrels, base.runs[0], one.runs[0], asked.conventions),
        )
        results.append(
            result_of(
                asked,
                plan,
                [system.people for system in (first, *others)],
                new.people,
                decided,
                queries=first.queries,
                same=kinds.pop() if len(kinds) == 1 else "",
                judge=labels,
            )
        )
    return best_of(results)


def _refuse(qrels: Any, given: Sequence[Given], asked: Asked) -> None:
    if qrels is None:
        raise InputError("qrels is None", "give the judgments of people")
    for system in given:
        if any(isinstance(run, Evaluation) for run in system.runs):
            raise InputError(
                "an evaluation has scores by one set of labels",
                "give the runs themselves, which are evaluated by both",
            )
        if any(isinstance(run, str) and run == "-" for run in system.runs):
            raise InputError(
                "a run is read from standard input, and is evaluated by both sets of labels",
                "give a file",
            )
    for condition in asked.conditions:
        if condition.relative:
            raise InputError(
                f"{condition.name}: a share of the baseline's mean has no bound from two sets of "
                "labels",
                "give max_drop in units of the measure",
            )


def _named(given: Sequence[Given]) -> dict[str, Any]:
    """Return all runs with names for messages, which no two have in common."""
    named: dict[str, Any] = {}
    for system in given:
        for run in system.runs:
            is_path = isinstance(run, (str, os.PathLike))
            name = os.fsdecode(run) if is_path else system.name or "run"
            number = 1
            while (unique := name if number == 1 else f"{name} ({number})") in named:
                number += 1
            named[unique] = run
    return named
