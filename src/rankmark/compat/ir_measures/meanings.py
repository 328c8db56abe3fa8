"""What a measure of ir_measures is here, by the profile of ir_measures.

ir_measures leaves each measure to another tool, whose conventions are part of the number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from ir_measures.providers.base import NOT_PROVIDED

from rankmark.conventions import Conventions
from rankmark.errors import MeasureError
from rankmark.measures import Compat, Measure
from rankmark.profiles.ir_measures import OWN_PYTHON, PROFILE
from rankmark.profiles.requests import in_notation

if TYPE_CHECKING:
    import ir_measures

_DEEPER_THAN_ANY_RANKING = 10**9


class Meaning(NamedTuple):
    """What a measure of ir_measures is here.

    Parameters
    ----------
    measure
        The measure that gives its numbers.
    conventions
        Those of the tool to which ir_measures leaves the measure.
    highest
        Higher labels count as this one; None if there is no limit.
    to_the_end
        Its cutoff is the end of the ranking or of the ideal ranking, whichever is longer.
    """

    measure: Measure
    conventions: Conventions
    highest: float | None = None
    to_the_end: bool = False


def meaning_of(asked: ir_measures.Measure) -> Meaning | None:
    """Return what a measure of ir_measures is here; None if there is no such measure here."""
    given = {
        name: asked[name] for name in asked.SUPPORTED_PARAMS if asked[name] is not NOT_PROVIDED
    }
    if asked.NAME == "Compat":
        return _compat(given["p"]) if given["normalize"] else None
    if asked.NAME == "RBP" and ("rel" not in given or "cutoff" in given):
        return None  # graded relevance and cutoffs, which no tool computes for ir_measures
    gains = given.pop("gains", None)
    try:
        found = in_notation(PROFILE, str(type(asked)(**_plain(asked.params))))
        if len(found) != 1:
            return None
        measure = found[0] if gains is None else _with_gains(found[0], gains)
    except MeasureError:  # a parameter that is not allowed here
        return None
    chosen = {**PROFILE.conventions_of(measure), "judged_only": measure.judged_only}
    chosen.pop("queries", None)  # ir_measures gives numbers of queries in both, of all measures
    return Meaning(measure(judged_only=False), Conventions(**chosen), given.get("max_rel"))


def _plain(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return parameters as they are written, but for gains, which are not written in full."""
    return {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in parameters.items()
        if name != "gains"
    }


def _with_gains(measure: Measure, gains: dict[Any, float]) -> Measure:
    if getattr(measure, "gain", None) != "linear":
        raise MeasureError("gains are mapped before they are exponential", "leave out one")
    not_negative = {label: max(gain, 0) for label, gain in gains.items()}
    return measure(gain=not_negative | {"other": "linear"})


def _compat(p: float) -> Meaning:
    """Sum to the end of the longer list, which the profile refuses: no measure here does."""
    measure = Compat(k=_DEEPER_THAN_ANY_RANKING, p=p)
    return Meaning(measure, Conventions(**OWN_PYTHON), to_the_end=True)
