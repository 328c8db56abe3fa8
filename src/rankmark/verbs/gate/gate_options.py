"""The options of a gate, which its signature declares for Python, its TOML file and the command."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from functools import cache
from inspect import unwrap
from typing import Annotated, Any

from rankmark.arguments import Check, Kind, check_of
from rankmark.errors import InputError, shown
from rankmark.verbs.gate.gate_condition import Condition

Checks = Mapping[str, Check | None]
"""{option: its check}; None for a table, of which the file has the path, and of conditions."""

OF_CONDITIONS = tuple(one.name for one in fields(Condition) if one.name not in {"measure", "slice"})
"""The options that each condition may choose for itself, which ``Condition`` checks."""
USUAL: dict[str, Any] = {
    "confidence": 0.95,
    "unchanged": "decide",
    "small_slices": "fail",
    "anytime": False,
    "bounds": False,
    "worst": 5,
}
"""What holds where neither a keyword nor the file chooses; None for others."""
ONLY = {"bounds": "runs", "score_range": "scores by query", "lower_is_better": "scores by query"}
"""What the gate has to be on if these are chosen."""


@cache
def options_of(gate: Callable[..., Any]) -> Checks:
    """Return the options in the signature of ``gate``, in its order.

    Slices are a table of the file, ``config`` is its name, and a plan has its own conditions.
    """
    declared = unwrap(gate)
    known = vars(sys.modules[declared.__module__])
    names = (
        name for name in declared.__kwdefaults__ or {} if name not in {"slices", "config", "plan"}
    )
    return {
        name: None
        if name in OF_CONDITIONS
        else check_of(str(declared.__annotations__[name]), known)
        for name in names
    }


def is_chosen(name: str, value: Any) -> bool:
    """Return whether a value is another than usual; files may be tables of no truth value."""
    if value is None or (isinstance(value, list) and not value):
        return False
    return bool(name not in USUAL or value != USUAL[name])


def score_range(_: str, value: Any) -> tuple[float, float]:
    """Return the lowest and the highest score possible."""
    is_pair = isinstance(value, (list, tuple)) and len(value) == 2
    ends = [
        float(end)
        for end in (value if is_pair else ())
        if isinstance(end, (int, float)) and not isinstance(end, bool)
    ]
    if len(ends) != 2 or not -math.inf < ends[0] < ends[1] < math.inf:
        raise InputError(
            f"score_range is {shown(value)}",
            "need the lowest and the highest score possible, as in (0, 1)",
        )
    return ends[0], ends[1]


def _slices(name: str, given: Any) -> Any:
    if not isinstance(given, Mapping):
        raise InputError(f"{name} is {shown(given)}", "need {name: query ids}")
    return given


Slices = Annotated[Mapping[str, Iterable[Any]], Kind(_slices)]
ScoreRange = Annotated[tuple[float, float], Kind(score_range)]
