"""Plan a gate that decides by few labels of people and many of a model."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankmark.errors import InputError
from rankmark.gating.gate_decisions import one_decided_with_model
from rankmark.gating.gate_judged import judged_gate
from rankmark.gating.gated_systems import Given
from rankmark.planning.planned_gate import ConditionPower, GatePower

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.gating.gate_conditions import Asked
    from rankmark.gating.gated_system import System


def judged_gate_power(
    qrels: Any,
    systems: Sequence[Given] | Sequence[System],
    asked: Asked,
    gain: float,
    power: float,
    seed: int,
) -> GatePower:
    """Find how many queries people have to judge, with the labels of a model and without.

    Parameters
    ----------
    qrels, systems, asked
        Of the gate: the baseline and one candidate.
    gain, power, seed
        As for ``gate_power``.

    Raises
    ------
    InputError
        If there are no runs, or queries were chosen with unequal probabilities.
    """
    given = [one for one in systems if isinstance(one, Given)]
    if not given:
        raise InputError(
            "there are no runs, and how well the model predicts people depends on them",
            "give two runs, or leave judge out",
        )
    if asked.options["probabilities"] is not None:
        raise InputError(
            "probabilities is given, and only random samples are planned with a model",
            "leave it out",
        )
    (baseline, new), plan, _, labels = judged_gate(qrels, given, asked)
    rows = []
    for condition in plan.conditions:
        of_slice = plan.rows_of(condition)
        decision, a, b = one_decided_with_model(
            plan, condition, of_slice, baseline, new, None, gain=gain, power=power
        )
        alone = plan.decided(condition, a, b, None, gain=gain, power=power)
        rows.append(replace(ConditionPower.of(condition, decision), required_alone=alone.required))
    return GatePower(
        baseline=baseline.people.name,
        new=new.people.name,
        rows=tuple(rows),
        gain=gain,
        target=power,
        n=labels.judged,
        power=math.nan,
        required=None,
        clusters=None,
        resamples=0,
        seed=seed,
        settings=dict(new.people.settings),
        sample=f"people judged {labels.judged:,} of the {labels.queries:,} queries that the model "
        f"judged, {labels.sample}",
    )
