"""The measure that a function is to implement, where it does not, and the smallest such case."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from rankmark.errors import InputError, MeasureError, RankmarkError, quiet, shown
from rankmark.measures import ALL
from rankmark.measures.names import measure as measure_named
from rankmark.profiles.known import profile as known_profile
from rankmark.profiles.requests import meanings
from rankmark.verbs.evaluate.evaluate import evaluate
from rankmark.verbs.explain.explain import explain
from rankmark.verbs.verify_function.cases import (
    CUTOFFS,
    designed,
    empty,
    long,
    tiny,
    without_relevant,
)
from rankmark.verbs.verify_function.function_calls import number
from rankmark.verbs.verify_function.identification import SmallestDifference
from rankmark.verbs.verify_function.lookup import same
from rankmark.verbs.verify_function.probes import negative, tied, unjudged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from rankmark.measures import Measure
    from rankmark.profiles.profile import Profile
    from rankmark.verbs.verify_function.call_shapes import Seen, Shape
    from rankmark.verbs.verify_function.cases import Case
    from rankmark.verbs.verify_function.function_calls import Calls, Outcome
    from rankmark.verbs.verify_function.lookup import Variant

FORMULA = "formula"
"""The aspect of the cases without ties and other doubts."""
_OF_OTHER_DATA = {"subtopics", "preferences", "anywhere"}
"""What measures depend on that are not computed from the labels of one ranking."""
_ENOUGH = 0.6  # of the ordinary cases: who refuses more implements nothing
_NO_CUTOFF = 1000  # given to functions that need one, for a measure without
_WITHOUT_IDS = {"input", "mean", "best", "worst"}
"""Rules for ties that need no ids."""
_VALUES: dict[str, tuple[Any, ...]] = {
    "p": (0.5, 0.8, 0.85, 0.9, 0.95),
    "max_rel": (3, 4, 5),
    "gain": ("linear", "exp2", "binary"),
    "beta": (0.5, 1, 2),
}
"""Values that are tried of parameters that have no list of their own."""


class Disagreement(NamedTuple):
    """A case in which a function does not give the number of a measure."""

    aspect: str
    case: Case
    expected: float
    outcome: Outcome


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
        cases = [
            (aspect, case) for aspect, case in self._aspects(shape) if aspect not in self.leave_out
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

    def _aspects(self, shape: Shape) -> Iterator[tuple[str, Case]]:
        """Yield the cases that a function can be told of, each with its aspect."""
        for case in (*designed(), *long()):
            yield FORMULA if shape.is_told_of_relevant(case) else "no_relevant", case
        with_ids = self.conventions.get("ties") in _WITHOUT_IDS or not shape.has_positions
        yield from (("ties", one) for one in tied() if shape.has_scores and with_ids)
        yield from (("negative", one) for one in negative() if shape.has_grades)
        yield from (("unjudged", one) for one in unjudged() if shape.has_unjudged)
        yield "no_relevant", without_relevant()
        yield "empty", empty()


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
    if found.depends_on in _OF_OTHER_DATA:
        raise MeasureError(
            f"{found} needs more than labels", "expect a measure of the labels of one ranking"
        )
    return Expectation(found, str(expect), name, conventions, leave_out)


def values(
    shape: Shape, cases: Sequence[Case], measure: Measure, conventions: Mapping[str, Any]
) -> list[float | None]:
    """Return the value of a measure in each case; None where the query is in no mean.

    With a cutoff, functions are given that of each case, and so is the measure.
    """
    found: list[float | None] = [None] * len(cases)
    by_k: dict[int | None, list[int]] = defaultdict(list)
    for at, one in enumerate(cases):
        by_k[one.k if shape.has_k else None].append(at)
    for k, places in by_k.items():
        asked = measure if k is None or not hasattr(measure, "k") else measure @ k
        qrels = {str(at): _as_told(shape, cases[at]) for at in places}
        run = {str(at): dict(cases[at].mixed) for at in places}
        with quiet():
            evaluation = evaluate(qrels, run, [asked], **conventions)
        for query, value in evaluation.per_query(asked).items():
            found[int(query)] = value
    return found


def _as_told(shape: Shape, one: Case) -> dict[str, float]:
    """Return the judgments that a function is told of; never none, which would be refused."""
    retrieved = set(one.ranking)
    labels = dict(one.labels)
    if not shape.has_grades:
        labels = {doc_id: float(label >= 1) for doc_id, label in labels.items()}
    if not shape.knows_missed:
        labels = {doc_id: label for doc_id, label in labels.items() if doc_id in retrieved}
    if not shape.has_unjudged:
        labels = {**dict.fromkeys(one.ranking, 0.0), **labels}
    return labels or {"none": 0.0}


def disagreements(
    shape: Shape,
    outcomes: Sequence[tuple[str, Case, Outcome]],
    measure: Measure,
    conventions: Mapping[str, Any],
) -> list[Disagreement]:
    """Return where a function does not give the number of a measure under some conventions.

    A refusal is not a wrong number, and a query that is in no mean has none.
    """
    expected = values(shape, [one for _, one, _ in outcomes], measure, conventions)
    found = []
    for (aspect, one, outcome), value in zip(outcomes, expected, strict=True):
        refused = outcome.raised is not None and not outcome.is_accident
        if value is None or refused:
            continue
        if outcome.value is None or not same(outcome.value, value):
            found.append(Disagreement(aspect, one, value, outcome))
    return found


def in_catalogue(numbers: Sequence[tuple[Seen, float]]) -> list[Measure]:
    """Return the measures of the catalogue that give the numbers of a function."""
    found = []
    for measure in _catalogue():
        needs_k = hasattr(measure, "k") and numbers[0][0].k is None
        for each in (measure, *(measure @ k for k in CUTOFFS)) if needs_k else (measure,):
            try:
                if all(same(value, _of_labels(each, seen)) for seen, value in numbers):
                    found.append(each)
            except (RankmarkError, TypeError):  # such as a measure without a cutoff
                continue
    return found


def _of_labels(measure: Measure, seen: Seen) -> float:
    missed = list((Counter(seen.judged) - Counter(seen.ranked)).elements())
    asked = measure if seen.k is None or not hasattr(measure, "k") else measure @ seen.k
    return asked(seen.ranked, missed=missed)


def _catalogue() -> Iterator[Measure]:
    """Yield all measures of labels, with each value of each parameter, one at a time."""
    for measure in ALL:
        if measure.depends_on in _OF_OTHER_DATA or measure.name.startswith("Num"):
            continue
        yield measure
        for name, parameter in measure.parameters.items():
            listed = re.findall(r'"([^"]+)"', parameter.allowed.removeprefix("one of "))
            tried = listed if parameter.allowed.startswith("one of ") else _VALUES.get(name, ())
            for value in () if name in {"ties", "aggregate"} else tried:
                try:
                    yield measure(**{name: value})
                except MeasureError:
                    continue


def smallest(
    calls: Calls,
    shape: Shape,
    variant: Variant | None,
    reference: Variant | Expectation,
    differs: Sequence[Disagreement] = (),
) -> SmallestDifference | None:
    """Return the smallest case in which a function does not give the number of a measure.

    Parameters
    ----------
    variant
        What it computes; None if that is unknown.
    reference
        What is expected, or the usual variant of what it computes.
    differs
        Where it differs from what is expected.
    """
    if isinstance(reference, Expectation):
        measure, conventions = reference.measure, reference.conventions
        if not differs:
            return None
    else:
        measured, conventions = reference.measure(), {}
        if measured is None or variant == reference:
            return None
        measure = measured @ reference.cut if isinstance(reference.cut, int) else measured
    shown = None if not differs else differs[0]
    if shown is None or shown.aspect == FORMULA:
        small = [one for one in tiny() if shape.has_k or one.k == 1]
        cases = [one for one in (*small, *designed()) if _can_be_told(shape, one)]
        for case, value in zip(cases, values(shape, cases, measure, conventions), strict=True):
            if value is None or (variant and same(variant.value(shape.seen(case)), value)):
                continue
            outcome = calls.of(shape, case)
            wrong = outcome.is_accident or outcome.value is not None
            if wrong and (outcome.value is None or not same(outcome.value, value)):
                shown = Disagreement(FORMULA, case, value, outcome)
                break
    return None if shown is None else _worked(calls, shape, variant, measure, conventions, shown)


def _can_be_told(shape: Shape, case: Case) -> bool:
    has_labels = shape.has_grades or all(label <= 1 for _, label in case.labels)
    return has_labels and (shape.knows_missed or len(case.labels) == len(case.ranking))


def _worked(
    calls: Calls,
    shape: Shape,
    variant: Variant | None,
    measure: Measure,
    conventions: Mapping[str, Any],
    shown: Disagreement,
) -> SmallestDifference:
    """Work both formulas out."""
    case, found = shown.case, shown.outcome
    cut = measure @ case.k if shape.has_k and hasattr(measure, "k") else measure
    qrels, run = {"q": _as_told(shape, case)}, {"q": dict(case.mixed)}
    try:
        worked = explain(qrels, run, "q", cut, **conventions).formula
    except (InputError, MeasureError):  # as of an empty ranking
        worked = f"{cut} = {number(shown.expected)}"
    ours = ""
    if variant is not None and found.value is not None:
        total, divisor = variant.fraction(shape.seen(case))
        if divisor not in {0, 1} and same(total / divisor, found.value):
            ours = f"{number(total)} / {number(divisor)}"
    return SmallestDifference(
        measure=str(cut),
        call=calls.written(shape, case),
        returned=str(found),
        expected=shown.expected,
        worked=ours,
        expected_worked=worked,
    )
