"""Conditions on measures of a run, which are decided by leaving users out of both runs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.errors import InputError
from rankmark.measures import Measure
from rankmark.scoring.run_values import Jackknifed, difference_of, ratio_of
from rankmark.statistics.margin_decision import Cause, Ends, MarginDecision, verdict_of
from rankmark.verbs.gate.condition_result import ConditionResult

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankmark.verbs.gate.gate_condition import Condition
    from rankmark.verbs.gate.gated_system import System

METHOD = "jackknife of users, t"


def decided_of_run(
    condition: Condition,
    baseline: System,
    new: System,
    options: Mapping[str, Any],
    confidence: float,
    lacks: Mapping[str, Any],
) -> ConditionResult:
    """Decide a condition by the numbers of all lists, and of all but each user's.

    Parameters
    ----------
    options
        Those of the gate.
    confidence
        Of each bound.
    lacks
        {what users cannot have here: what was given}.

    Raises
    ------
    InputError
        If it is of a slice, or users have weights, draws or clusters.
    """
    measure = condition.measure
    assert isinstance(measure, Measure)  # noqa: S101
    for name, given in lacks.items():
        if given is not None:
            raise InputError(
                f"{measure} is one number of all lists together, in which users have no {name}",
                f"leave {name} out, or the condition",
            )
    if condition.slice is not None or options["anytime"]:
        what = "a slice" if condition.slice is not None else "anytime"
        raise InputError(
            f"{measure} is one number of all lists together, and {what} is for scores by query",
            "leave it out, or evaluate these users by themselves, as with queries=",
        )
    a, b = (one.left_out(measure) for one in (baseline, new))
    found = difference_of(a, b)
    ratio = ratio_of(a, b) if a.value else None
    tested = ratio if condition.relative and ratio else found
    if condition.relative and ratio is None:
        cause: Cause = "baseline is 0"
    elif (
        options["unchanged"] == "pass"
        and a.value == b.value
        and np.array_equal(a.without, b.without)
    ):
        cause = "unchanged"
    else:
        cause = "no interval" if tested.undefined and tested.error else "bound"
    sign = 1.0 if measure.more_is_better else -1.0
    ends = _ends(found, confidence)
    relative = _ends(ratio, confidence) if condition.relative and ratio else _NO_ENDS
    limits = relative if condition.relative and ratio else ends
    decision = MarginDecision(
        verdict=verdict_of(cause, limits.turned(sign), condition.margin),
        cause=cause,
        n=len(a.without),
        left_out=0,
        wins=0,
        ties=0,
        losses=0,
        baseline=a.value,
        other=b.value,
        difference=found.value,
        low=ends.low,
        high=ends.high,
        margin=condition.margin,
        relative=ratio.value if condition.relative and ratio else math.nan,
        relative_low=relative.low,
        relative_high=relative.high,
        p=tested.p_above(-condition.margin, sign),
        smallest_margin=math.nan,
        effective=float(len(a.without)),
        spread=math.nan,
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
        method=METHOD,
    )
    return ConditionResult(condition, decision, ())


_NO_ENDS = Ends(math.nan, math.nan)


def _ends(found: Jackknifed, confidence: float) -> Ends:
    """Return bounds of one side each; of a value that depends on no user, the value itself."""
    if found.error == 0:
        return Ends(found.value, found.value)
    return Ends(*found.ends(2 * confidence - 1, (-math.inf, math.inf)))
