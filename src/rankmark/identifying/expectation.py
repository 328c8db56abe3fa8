"""The measure that a function is to implement, and where it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rankmark.errors import MeasureError, shown
from rankmark.identifying.measured import (
    FORMULA,
    OF_OTHER_DATA,
    Disagreement,
    aspects,
    disagreements,
    values,
)
from rankmark.measures.names import measure as measure_named
from rankmark.profiles.known import profile as known_profile
from rankmark.profiles.requests import meanings

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankmark.identifying.argument_words import Shape
    from rankmark.identifying.cases import Case
    from rankmark.identifying.function_calls import Outcome
    from rankmark.measures import Measure
    from rankmark.profiles.profile import Profile

_ENOUGH = 0.6  # of the ordinary cases: who refuses more implements nothing
_NO_CUTOFF = 1000  # given to functions that need one, for a measure without
_WITHOUT_IDS = {"input", "mean", "best", "worst"}
"""Rules for ties that need no ids."""


class Expectation(NamedTuple):
    """A measure that a function is to implement.

    Parameters
    ----------
    measure
        The measure here.
    name
        As it was asked for.
    profile
        The tool whose version of it is meant; None for that here.
    conventions
        Keywords of ``evaluate``.
    leave_out
        The aspects in which the function may differ.
    """

    measure: Measure
    name: str
    profile: str | None
    conventions: dict[str, Any]
    leave_out: frozenset[str]

    def differs(self, shape: Shape, call: Callable[[Case], Outcome]) -> list[Disagreement]:
        """Return where a function does not give the numbers of the measure.

        It is tried at the cutoff of the measure, and at others if it takes one. A refusal is no
        wrong number, unless it refuses most.
        """
        ids = self.conventions.get("ties") in _WITHOUT_IDS or not shape.has_positions
        cases = [
            (aspect, case)
            for aspect, case in aspects(shape, is_long=True)
            if aspect not in self.leave_out and (aspect != "ties" or ids)
        ]
        if shape.has_k:
            k = getattr(self.measure, "k", None)
            at_k = [(aspect, case._replace(k=k or _NO_CUTOFF)) for aspect, case in cases]
            cases = at_k if k is None else [*cases, *at_k]
        outcomes = [(aspect, case, call(case)) for aspect, case in cases]
        found = disagreements(shape, outcomes, self.measure, self.conventions)
        ordinary = [outcome for aspect, _, outcome in outcomes if aspect == FORMULA]
        failed = [each for each in outcomes if each[0] == FORMULA and each[2].value is None]
        if not found and len(failed) > (1 - _ENOUGH) * len(ordinary):
            aspect, case, outcome = failed[0]
            value = values(shape, [case], self.measure, self.conventions)[0]
            return [Disagreement(aspect, case, value or 0.0, outcome)]
        return found


def expectation(
    expect: str | Measure, profile: str | Profile | None, leave_out: frozenset[str]
) -> Expectation:
    """Return the measure of a name, also in the notation of another tool.

    Raises
    ------
    MeasureError
        If there is no such measure, or several, or it needs other data than labels.
    """
    name, conventions = None, dict[str, Any]()
    if profile is None:
        found = measure_named(expect)
    else:
        known = known_profile(profile)
        meant = [one for several in meanings(known, expect).values() for one in several]
        if len(meant) != 1:
            raise MeasureError(
                f"{shown(expect)} is {len(meant)} measures of {known.name}", "name one of them"
            )
        found, name = meant[0], known.name
        conventions = known.conventions_of(found)
        conventions.pop("queries", None)  # single queries are compared
    if found.depends_on in OF_OTHER_DATA:
        raise MeasureError(
            f"{found} needs more than labels", "expect a measure of the labels of one ranking"
        )
    return Expectation(found, str(expect), name, conventions, leave_out)
