"""The smallest case in which a function does not give the number of a measure, worked out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankmark.errors import InputError, MeasureError
from rankmark.explaining.explain import explain
from rankmark.identifying.argument_words import mixed
from rankmark.identifying.cases import golden, tiny
from rankmark.identifying.function_calls import number
from rankmark.identifying.identification import SmallestDifference
from rankmark.identifying.measured import FORMULA, judged_as_told, values
from rankmark.identifying.variants import same

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rankmark.identifying.argument_words import Shape
    from rankmark.identifying.cases import Case
    from rankmark.identifying.expectation import Expectation
    from rankmark.identifying.function_calls import Calls, Outcome
    from rankmark.identifying.measured import Disagreement
    from rankmark.identifying.variants import Variant
    from rankmark.measures import Measure


def from_usual(
    calls: Calls, shape: Shape, variant: Variant | None, reference: Variant
) -> SmallestDifference | None:
    """Return the smallest difference from a variant that has a measure here; None without one.

    The function is called only where what it computes, if that is known, differs.
    """
    measure = reference.measure()
    if measure is None or variant == reference:
        return None
    cut = reference.chosen["cut"]
    measure = measure @ cut if isinstance(cut, int) else measure
    for case in _small(shape):
        seen = shape.seen(case)
        value = reference.value(seen)
        if variant is not None and variant.agrees(value, seen):
            continue
        found = calls.of(shape, case)
        if found.value is None or not same(found.value, value):
            return _written(calls, shape, variant, measure, {}, (case, found, value))
    return None


def from_expected(
    calls: Calls,
    shape: Shape,
    variant: Variant | None,
    expected: Expectation,
    differs: Sequence[Disagreement],
) -> SmallestDifference | None:
    """Return the smallest difference from a measure expected; None if there is none."""
    if not differs:
        return None
    measure, conventions = expected.measure, expected.conventions
    found: Iterable[tuple[Case, Outcome, float]] = ()
    if differs[0].aspect == FORMULA:
        cases = _small(shape)
        wanted = values(shape, cases, measure, conventions)
        found = (
            (case, calls.of(shape, case), value)
            for case, value in zip(cases, wanted, strict=True)
            if value is not None
        )
    first = differs[0]
    shown = next(
        (
            (case, outcome, value)
            for case, outcome, value in found
            if (outcome.value is None and outcome.is_accident)
            or (outcome.value is not None and not same(outcome.value, value))
        ),
        (first.case, first.outcome, first.expected),
    )
    return _written(calls, shape, variant, measure, conventions, shown)


def _small(shape: Shape) -> list[Case]:
    """Return the cases that a function can be told of, the smallest first."""
    return [
        case
        for case in tiny()
        if (shape.has_k or case.k == 1)
        and (shape.has_grades or all(label <= 1 for _, label in case.labels))
        and (shape.knows_missed or len(case.labels) == len(case.ranking))
    ] + list(golden())


def _written(
    calls: Calls,
    shape: Shape,
    variant: Variant | None,
    measure: Measure,
    conventions: dict[str, Any],
    shown: tuple[Case, Outcome, float],
) -> SmallestDifference:
    """Work both formulas out."""
    case, found, value = shown
    cut = measure @ case.k if shape.has_k and hasattr(measure, "k") else measure
    qrels, run = {"q": judged_as_told(shape, case)}, {"q": dict(mixed(case))}
    try:
        worked = explain(qrels, run, "q", cut, **conventions).formula
    except (InputError, MeasureError):  # as of an empty ranking
        worked = f"{cut} = {number(value)}"
    seen, ours = shape.seen(case), ""
    if variant is not None and found.value is not None and variant.agrees(found.value, seen):
        formula = variant.worked(seen).formula
        ours = formula if formula != number(found.value) else ""
    return SmallestDifference(
        measure=str(cut),
        call=calls.written(shape, case),
        returned=str(found),
        expected=value,
        worked=ours,
        expected_worked=worked,
    )
