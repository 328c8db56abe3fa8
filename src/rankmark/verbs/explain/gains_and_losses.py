"""Gains and losses: the sign of a difference, which sign is better, and the order of rows.

In all of rankmark, the first run named is the baseline, and a difference is the other run minus the
baseline.
"""

from __future__ import annotations

import math

from rankmark.results.explanations.formula import short
from rankmark.results.explanations.page import number

SCHEMA = 2
"""Version of what ``to_dict`` of a difference writes; in 1, the second run was the baseline."""


def signed(value: float | None) -> str:
    """Format a difference for a table, with its sign; None as an empty string."""
    return _with_sign(value, "" if value is None else number(value))


def signed_short(value: float) -> str:
    """Format a difference for a line of text, with its sign."""
    return _with_sign(value, short(value))


def _with_sign(value: float | None, written: str) -> str:
    return f"+{written}" if value is not None and value > 0 else written


def order(step: float, *, more_is_better: bool) -> tuple[int, float]:
    """Return the sort key of a step: gains, then losses, each by size; 0; then NaN.

    ``step`` is the other run's value minus the baseline's.
    """
    if math.isnan(step):
        return 3, 0.0
    if not step:
        return 2, 0.0
    return int((step > 0) != more_is_better), -abs(step)


def verdict(difference: float, baseline: str, other: str, *, more_is_better: bool) -> str:
    """Return a sentence on which run is better."""
    rule = "" if more_is_better else " Less is better, so a negative difference is a gain."
    if math.isnan(difference):
        return f"No difference is known.{rule}"
    if not difference:
        return f"The runs are equal.{rule}"
    better = other if (difference > 0) == more_is_better else baseline
    return f"{better} is better.{rule}"


def by_role(role: str, name: str, value: float) -> str:
    """Format a run's role, its name if it has one, and its value."""
    return f"{role} {short(value)}" if name == role else f"{role} = {name} {short(value)}"
