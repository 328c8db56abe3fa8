"""Assertions about rankings, what your own functions compute, and cases, for test suites."""

from __future__ import annotations

from typing import Any

from rankmark.verbs.gate.gate import gate
from rankmark.verbs.verify_function.known_cases import known_cases
from rankmark.verbs.verify_function.program import Program
from rankmark.verbs.verify_function.which_convention import which_convention

__all__ = ["Program", "assert_not_worse", "known_cases", "which_convention"]

from rankmark.measures import Measure
from rankmark.verbs.gate.gate_result import GateResult


def assert_not_worse(
    qrels: Any,
    base: Any,
    new: Any,
    measure: str | Measure | None = None,
    *,
    max_drop: float | str | None = None,
    require_better: bool | None = None,
    confidence: float | None = None,
    **options: Any,
) -> GateResult:
    """Assert that a new run is not worse than the baseline by more than a margin.

    Parameters
    ----------
    qrels, base, new
        As for ``gate``: runs, lists of trials, or candidates by name.
    measure
        Its name, or a measure object. None means nDCG@10, unless ``config`` has conditions.
    max_drop
        How much worse the mean may be: a number in units of the measure, or a share of the
        baseline's mean, such as ``"1%"``. Needed, unless ``require_better``.
    require_better
        Whether the mean has to be better instead; by default not.
    confidence
        The confidence of the bound that decides; by default 0.95.
    **options
        The other keywords of ``gate`` and ``evaluate``.

    Returns
    -------
    GateResult
        What ``gate`` returns.

    Raises
    ------
    AssertionError
        If the gate does not hold, or these queries cannot tell; with the message of ``gate``.
    InputError, MeasureError
        As ``gate``.

    Examples
    --------
    >>> qrels = {f"q{n}": {"a": 1} for n in range(100)}
    >>> run = {f"q{n}": {"a": 1.0, "b": 2.0} for n in range(100)}
    >>> assert_not_worse(qrels, run, run, "RR", max_drop=0.05).verdict
    'holds'
    """
    __tracebackhide__ = True  # pytest then shows the line of the test
    result = gate(
        qrels,
        base,
        new,
        *([] if measure is None else [measure]),
        max_drop=max_drop,
        require_better=require_better,
        confidence=confidence,
        **options,
    )
    if not result:
        raise AssertionError(str(result))
    return result
