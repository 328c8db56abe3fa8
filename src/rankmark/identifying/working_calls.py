"""The way to call a function that explains its numbers best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rankmark.errors import InputError
from rankmark.identifying.argument_words import Shape
from rankmark.identifying.cases import Case, by_hand, golden
from rankmark.identifying.function_calls import Calls, Outcome, name_of
from rankmark.identifying.variant_search import Found, search

_PROBES = 8  # cases that show whether a function can be called in some way
_FEW = 2  # probes that may fail
_OFTEN = 10  # puts a way to call behind all others
_MOST_SHAPES = 12  # that are tried in full
_MOST_CHANGES = 2
"""Changes up to which all ways to call it are tried before more changes are tried of the first."""


@dataclass
class WorkingCall:
    """A way to call a function, what it gave in the golden cases, and what explains that."""

    shape: Shape
    outcomes: list[tuple[Case, Outcome]] = field(default_factory=list)
    found: Found | None = None
    is_swapped: bool = False  # against the names of its parameters


def working_call(calls: Calls, possible: Sequence[Shape]) -> WorkingCall:
    """Return the way to call a function that explains its numbers with the fewest changes.

    Ways that the names of its parameters suggest come first, and of ways with the same words the
    first style that the function takes.

    Raises
    ------
    InputError
        If it fails in all of them.
    """
    every = _working(calls, possible)
    working = every[:_MOST_SHAPES]
    were_told = False
    for hinted in sorted({one.shape.hinted for one in working}, reverse=True):
        alike = [one for one in working if one.shape.hinted == hinted]
        if were_told and not alike[0].shape.is_told_by_names:
            break
        were_told = alike[0].shape.is_told_by_names
        for one in alike:
            one.outcomes = [(case, calls.of(one.shape, case)) for case in golden()]
        for changes in range(_MOST_CHANGES + 1):
            for one in alike:
                one.found = search(calls, one.shape, one.outcomes, changes, least=changes)
                if one.found is not None:
                    return one
    return _swapped(calls, every) or next(one for one in working if one.outcomes)


def _swapped(calls: Calls, working: Sequence[WorkingCall]) -> WorkingCall | None:
    """Return the call with two arguments the other way round, if it explains what is told wrong."""
    told = {one.shape.words for one in working if one.shape.is_told_by_names}
    for one in working:
        words = one.shape.words
        if words not in told and len(words) > 1 and (words[1], words[0], *words[2:]) in told:
            one.outcomes = [(case, calls.of(one.shape, case)) for case in golden()]
            one.found = search(calls, one.shape, one.outcomes, 1)
            one.is_swapped = True
            if one.found is not None:
                return one
    return None


def _working(calls: Calls, possible: Sequence[Shape]) -> list[WorkingCall]:
    """Return the ways in which a function gives numbers, in order."""
    working: list[WorkingCall] = []
    failing: list[WorkingCall] = []
    reasons: list[str] = []
    known: set[tuple[str, ...]] = set()
    for shape in possible:
        graded = tuple(word.replace("hits", "labels") for word in shape.words)
        if not known.isdisjoint({shape.words, graded}):
            continue  # 0 and 1 are for functions that refuse grades
        probes = [calls.of(shape, case) for case in by_hand()[2 : 2 + _PROBES]]
        if any(one.value is not None for one in probes):
            # What fails often was meant to be called otherwise, unless it divides by 0.
            often = sum(one.raised not in {None, "ZeroDivisionError"} for one in probes) > _FEW
            hinted = shape.hinted - (_OFTEN if often else 0)
            if not often:
                known.add(shape.words)
            working.append(WorkingCall(shape._replace(hinted=hinted)))
            continue
        reasons.append(f"{shape}: {probes[0].failed}")
        if probes[0].raised == "TimeoutError":
            raise InputError(
                f"{name_of(calls.function)} gives {probes[0].failed}",
                "allow more with time_limit, or find out why it does not end",
            )
        if all(one.raised == "ZeroDivisionError" for one in probes):
            failing.append(WorkingCall(shape))
    if not working and not failing:
        raise InputError(
            f"{name_of(calls.function)} cannot be called with rankings, or returns no number; "
            f"tried {'; '.join(list(dict.fromkeys(reasons))[:3])}",
            "say what its arguments are, as in arguments='retrieved, relevant, k', or write a "
            "function that returns one number",
        )
    return working or failing[:1]
