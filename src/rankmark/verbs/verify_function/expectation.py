"""The measure that a function is to implement, where it does not, and the smallest such case."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from rankmark.errors import InputError, MeasureError, quiet, shown
from rankmark.measures.names import measure as measure_named
from rankmark.profiles.known import profile as known_profile
from rankmark.profiles.requests import meanings
from rankmark.verbs.evaluate.evaluate import evaluate
from rankmark.verbs.explain.explain import explain
from rankmark.verbs.verify_function.cases import (
    EMPTY,
    NEGATIVE,
    UNJUDGED,
    WITHOUT_RELEVANT,
    designed,
    long,
    tied,
    tiny,
)
from rankmark.verbs.verify_function.function_calls import number
from rankmark.verbs.verify_function.identification import SmallestDifference
from rankmark.verbs.verify_function.lookup import OF_OTHER_DATA, same

if TYPE_CHECKING:
    from rankmark.measures import Measure
    from rankmark.profiles.profile import Profile
    from rankmark.verbs.verify_function.call_shapes import Shape
    from rankmark.verbs.verify_function.cases import Case
    from rankmark.verbs.verify_function.function_calls import Calls, Outcome
    from rankmark.verbs.verify_function.lookup import Variant

FORMULA = "formula"
"""The aspect of the cases without ties and other doubts."""
_ENOUGH = 0.6  # of the ordinary cases: who refuses more implements nothing
_NO_CUTOFF = 1000  # given to functions that need one, for a measure without
_WITHOUT_IDS = {"input", "mean", "best", "worst", "midrank"}  # rules for ties


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
        As it was asked for; None if nothing was, and this is what its name says.
    profile
        The tool whose version of it is meant; None for that here.
    conventions
        Keywords of ``evaluate``.
    leave_out
        The aspects in which the function may differ.
    """

    measure: Measure
    name: str | None = None
    profile: str | None = None
    conventions: Mapping[str, Any] = {}
    leave_out: frozenset[str] = frozenset()

    def differs(self, shape: Shape, call: Callable[[Case], Outcome]) -> list[Disagreement]:
        """Return where a function does not give the numbers of the measure.

        It is tried at the cutoff of the measure, and at others if it takes one. A refusal is no
        wrong number, unless it refuses most, and a query that is in no mean has none.
        """
        cases = [each for each in self._aspects(shape) if each[0] not in self.leave_out]
        if shape.has_k:
            k = getattr(self.measure, "k", None)
            at_k = [(aspect, case._replace(k=k or _NO_CUTOFF)) for aspect, case in cases]
            cases = at_k if k is None else [*cases, *at_k]
        expected = self.values(shape, [case for _, case in cases])
        every = [
            Disagreement(aspect, case, value, call(case))
            for (aspect, case), value in zip(cases, expected, strict=True)
            if value is not None
        ]
        ordinary = [one for one in every if one.aspect == FORMULA]
        failed = [one for one in ordinary if one.outcome.value is None]
        found = [one for one in every if is_wrong(one.outcome, one.expected)]
        return found or (failed[:1] if len(failed) > (1 - _ENOUGH) * len(ordinary) else [])

    def _aspects(self, shape: Shape) -> Iterator[tuple[str, Case]]:
        """Yield the cases that a function can be told of, each with its aspect."""
        for case in (*designed(), *long()):
            yield FORMULA if shape.is_told_of_relevant(case) else "no_relevant", case
        with_ids = self.conventions.get("ties") in _WITHOUT_IDS or not shape.has_positions
        for aspect, cases, can_be_told in (
            ("ties", tied(), shape.has_scores and with_ids),
            ("negative", NEGATIVE, shape.has_grades),
            ("unjudged", UNJUDGED, shape.has_unjudged),
            ("no_relevant", [WITHOUT_RELEVANT], True),
            ("empty", [EMPTY], True),
        ):
            yield from ((aspect, one) for one in cases if can_be_told)

    def values(self, shape: Shape, cases: Sequence[Case]) -> list[float | None]:
        """Return the value of the measure in each case; None where the query is in no mean."""
        found: list[float | None] = [None] * len(cases)
        by_cutoff: dict[Measure, list[int]] = defaultdict(list)
        for at, one in enumerate(cases):
            by_cutoff[self._at(shape, one)].append(at)
        for asked, places in by_cutoff.items():
            qrels = {str(at): _as_told(shape, cases[at]) for at in places}
            run = {str(at): dict(cases[at].mixed) for at in places}
            with quiet():
                evaluation = evaluate(qrels, run, [asked], **self.conventions)
            for query, value in evaluation.per_query(asked).items():
                found[int(query)] = value
        return found

    def _at(self, shape: Shape, case: Case) -> Measure:
        """Return the measure with the cutoff of a case, if the function is given that."""
        return self.measure @ case.k if shape.has_k and hasattr(self.measure, "k") else self.measure

    def smallest(
        self, calls: Calls, shape: Shape, variant: Variant | None, differs: Sequence[Disagreement]
    ) -> SmallestDifference | None:
        """Return the smallest case in which a function does not give the number of the measure.

        Parameters
        ----------
        variant
            What it computes; None if that is unknown.
        differs
            Where it is known to differ.
        """
        found = differs[0] if differs else None
        if found is None or found.aspect == FORMULA:
            small = [one for one in tiny() if shape.has_k or one.k == 1]
            cases = [one for one in (*small, *designed()) if _can_be_told(shape, one)]
            for case, value in zip(cases, self.values(shape, cases), strict=True):
                if value is None or (variant and same(variant.value(shape.seen(case)), value)):
                    continue
                outcome = calls.of(shape, case)
                if is_wrong(outcome, value):
                    found = Disagreement(FORMULA, case, value, outcome)
                    break
        return None if found is None else self._worked(calls, shape, variant, found)

    def _worked(
        self, calls: Calls, shape: Shape, variant: Variant | None, found: Disagreement
    ) -> SmallestDifference:
        """Work both formulas out."""
        case, outcome, asked = found.case, found.outcome, self._at(shape, found.case)
        qrels, run = {"q": _as_told(shape, case)}, {"q": dict(case.mixed)}
        try:
            worked = explain(qrels, run, "q", asked, **self.conventions).formula
        except (InputError, MeasureError):  # as of an empty ranking
            worked = f"{asked} = {number(found.expected)}"
        total, divisor = variant.fraction(shape.seen(case)) if variant else (0.0, 0.0)
        ours = ""
        if (
            outcome.value is not None
            and divisor not in {0, 1}
            and same(total / divisor, outcome.value)
        ):
            ours = f"{number(total)} / {number(divisor)}"
        call = calls.written(shape, case)
        return SmallestDifference(str(asked), call, str(outcome), found.expected, ours, worked)


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


def is_wrong(outcome: Outcome, value: float) -> bool:
    """Return whether an answer is another number than that of a measure, or an accident."""
    if outcome.value is None:
        return outcome.is_accident or outcome.raised is None
    return not same(outcome.value, value)


def _can_be_told(shape: Shape, case: Case) -> bool:
    has_labels = shape.has_grades or all(label <= 1 for _, label in case.labels)
    return has_labels and (shape.knows_missed or len(case.labels) == len(case.ranking))


def _as_told(shape: Shape, one: Case) -> dict[str, float]:
    """Return the judgments that a function is told of; never none, which would be refused."""
    labels = dict(one.labels)
    if not shape.has_grades:
        labels = {doc_id: float(label >= 1) for doc_id, label in labels.items()}
    if not shape.knows_missed:
        labels = {doc_id: label for doc_id, label in labels.items() if doc_id in one.ranking}
    if not shape.has_unjudged:
        labels = {**dict.fromkeys(one.ranking, 0.0), **labels}
    return labels or {"none": 0.0}
