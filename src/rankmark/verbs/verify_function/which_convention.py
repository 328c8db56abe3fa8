"""Find out which measure a function computes, by which conventions, or with which bug."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from rankmark.arguments import AboveZero, Names, checked, names_in
from rankmark.errors import InputError, shown
from rankmark.measures import Measure
from rankmark.profiles.profile import Profile
from rankmark.verbs.verify_function.call_shapes import Seen, Shape, shapes
from rankmark.verbs.verify_function.cases import LEFT_OUT, Case, designed, long
from rankmark.verbs.verify_function.expectation import Expectation, expectation
from rankmark.verbs.verify_function.formula_table import POOLED
from rankmark.verbs.verify_function.function_calls import Calls, Outcome, number
from rankmark.verbs.verify_function.identification import Finding, Identification
from rankmark.verbs.verify_function.lookup import (
    Variant,
    named_after,
    nearest,
    same,
    usual,
    variants,
)
from rankmark.verbs.verify_function.probes import TITLES, Edge, averaged, edges
from rankmark.verbs.verify_function.program import Program
from rankmark.verbs.verify_function.program_calls import ProgramCalls

_PROBES = 8  # cases that show whether a function can be called in some way
_FEW = 2  # probes that may fail
_OFTEN = 10  # puts a way to call behind all others
_MOST_SHAPES = 16  # that are tried in full
_ENOUGH = 0.6  # of the numbers: fewer do not tell a measure
_FEWEST = 8  # numbers that tell that a function always returns the same
_REPEATED = 6  # calls that are made twice
_SHORT = 20  # documents of a ranking that is written out
_STYLES = {
    "lists": "",
    "sets": "; relevant ids in a set",
    "arrays": "; as NumPy arrays",
    "tensors": "; as tensors",
}


@checked
def which_convention(
    function: Callable[..., Any] | Program,
    *,
    arguments: str | Iterable[str] | None = None,
    expect: str | Measure | None = None,
    profile: str | Profile | None = None,
    leave_out: Names = (),
    time_limit: AboveZero | None = 10.0,
) -> Identification:
    """Find out which measure your function computes, by which conventions, or with which bug.

    The function is called with small rankings, and its numbers are looked up in a table of the
    measures here, computed in all the ways in which tools compute them, and of frequent mistakes.

    Parameters
    ----------
    function
        Anything that can be called with a ranking and judgments, and returns a number; or a
        ``Program`` in any language.
    arguments
        What its arguments are, in their order: ``"labels, k"``, ``"labels, scores, k"``,
        ``"retrieved, relevant, k"``, ``"retrieved, judged"``, ``"qrels, run"``, or others of

        ====================  =======================================================
        ``labels``            labels in rank order; with ``scores``, in any order
        ``hits``              the same, but 0 or 1 for each document
        ``scores``            scores of the documents
        ``retrieved``         ids, best first
        ``relevant``          ids of the relevant documents
        ``judged``            ``{id: label}`` of all judged documents
        ``ideal``             labels of all judged documents, high to low
        ``num_relevant``      the number of relevant documents
        ``qrels``, ``run``    ``{query: {id: label}}``, ``{query: {id: score}}``
        ``k``                 the cutoff
        ====================  =======================================================

        with ``[]`` or ``{}`` behind a word for a list or dict with one for each query, and
        ``name=`` before it for an argument passed by name. None to try what the names of the
        parameters suggest.
    expect
        The measure that it should implement, such as ``"nDCG@10"``.

        The result is then true or false.
    profile
        The tool whose version of the measure it should implement; `rankmark profiles` lists the
        tools.
    leave_out
        Cases in which it may differ from the measure: tied scores, labels below 0, unjudged
        documents, nothing relevant, nothing retrieved.

        These are ``"ties"``, ``"negative"``, ``"unjudged"``, ``"no_relevant"`` and
        ``"empty"``.
    time_limit
        The longest time that a call may take, in seconds.

        Of a function, it is kept on the main thread of Unix; None for no limit.

    Returns
    -------
    Identification
        Print it: a sentence, the bugs, the smallest case that shows a difference, with both
        formulas, and what it does where conventions differ. ``measure``, ``conventions``,
        ``bugs``, ``edges`` and others have the same for programs.

    Raises
    ------
    InputError
        If it is not a function, or cannot be called with rankings in any way that was tried.
    MeasureError
        If the measure expected does not exist, or needs other data than labels.

    Examples
    --------
    >>> from rankmark.testing import which_convention
    >>> def recall_at_k(retrieved, relevant, k):
    ...     return len(set(retrieved[:k]) & set(relevant)) / min(k, len(relevant))
    >>> found = which_convention(recall_at_k)
    >>> found.measure
    'R(norm="min")'
    """
    if not callable(function):
        raise InputError(f"{shown(function)} is not a function", "give a function of a ranking")
    if expect is None and profile is not None:
        raise InputError("a profile is given, but no measure", "name the measure as expect=, too")
    left_out = frozenset(names_in(leave_out) or ())
    for one in left_out - {*LEFT_OUT}:
        raise InputError(f"leave_out has {shown(one)}", f"need one of {', '.join(LEFT_OUT)}")
    expected = None if expect is None else expectation(expect, profile, left_out)
    kind: Any = ProgramCalls if isinstance(function, Program) else Calls
    with kind(function, time_limit) as calls:
        call = _best_call(calls, shapes(function, arguments))
        return _identified(calls, call, expected)


class _Call:
    """A way to call a function, what it gave in the designed cases, and what explains that."""

    def __init__(self, calls: Calls, shape: Shape, *, is_swapped: bool = False) -> None:
        self.shape, self.is_swapped = shape, is_swapped  # against the names of its parameters
        cases = designed() if shape.has_k else (*designed(), *long())
        self.outcomes = {case: calls.of(shape, case) for case in cases}
        self.ordinary = {c: one for c, one in self.outcomes.items() if shape.is_told_of_relevant(c)}
        self.numbers: list[tuple[Seen, float]] = [
            (shape.seen(c), one.value) for c, one in self.ordinary.items() if one.value is not None
        ]
        finite = [one.value or 0.0 for one in self.outcomes.values() if one.is_finite]
        self.constant = finite[0] if finite and len(finite) >= _FEWEST else None
        if any(not same(value, finite[0]) for value in finite):
            self.constant = None
        if self.constant is not None or len(self.numbers) < _ENOUGH * len(self.ordinary) / 2:
            self.numbers = []
        self.variants = variants(shape, named_after(calls.name), self.numbers)

    @property
    def cost(self) -> tuple[bool, bool, int]:
        """A key that sorts: what depends on the order of documents first, fewest changes first."""
        return not self.reads_ranking, "hits" in self.shape.plain, len(self.variants[0].changed)

    @property
    def reads_ranking(self) -> bool:
        """Whether what explains the numbers depends on the order of documents."""
        best = self.variants[0]
        return best.reads_ranking or (self.shape.has_scores is False and not best.counts_all)


def _best_call(calls: Calls, possible: Sequence[Shape]) -> _Call:
    """Return the way to call a function that explains its numbers best.

    Ways that the names of its parameters suggest come first, and only those if they say all; then
    the same in another order. Of ways with the same words, the first style that works is taken.

    Raises
    ------
    InputError
        If it fails in all of them.
    """
    every = _working(calls, possible)
    told = [one for one in every if one.is_told_by_names]
    tried: list[_Call] = []
    explained: list[_Call] = []
    for _, alike in groupby(told or every[:_MOST_SHAPES], key=lambda shape: shape.hinted):
        for shape in alike:
            if not ("hits" in shape.plain and explained):
                tried.append(_Call(calls, shape))
                explained += tried[-1:] if tried[-1].variants else []
        if any(one.reads_ranking for one in explained):
            break
    if explained:
        return min(explained, key=lambda one: one.cost)
    swapped = {(one.words[1], one.words[0], *one.words[2:]) for one in told if len(one.words) > 1}
    for shape in every:
        if shape.words in swapped - {one.words for one in told}:
            call = _Call(calls, shape, is_swapped=True)
            if call.variants:
                return call
    return tried[0]


def _working(calls: Calls, possible: Sequence[Shape]) -> list[Shape]:
    """Return the ways in which a function gives numbers, those that names suggest first."""
    working: list[Shape] = []
    dividing_by_0: list[Shape] = []
    reasons: list[str] = []
    known: set[tuple[str, ...]] = set()
    for shape in possible:
        if shape.words in known or (known and shape.style == "tensors"):
            continue
        probes = [calls.of(shape, case) for case in designed()[2 : 2 + _PROBES]]
        raised = [one.raised for one in probes]
        if "TimeoutError" in raised:
            raise InputError(
                f"{calls.name} gives {probes[raised.index('TimeoutError')].failed}",
                "allow more with time_limit, or find out why it does not end",
            )
        if any(one.value is not None for one in probes):
            # What fails often was meant to be called otherwise, unless it divides by 0.
            often = sum(one not in {None, "ZeroDivisionError"} for one in raised) > _FEW
            known |= set() if often else {shape.words}
            working.append(shape._replace(hinted=shape.hinted - (_OFTEN if often else 0)))
            continue
        reasons.append(f"{shape}: {probes[0].failed}")
        dividing_by_0 += [shape] if set(raised) == {"ZeroDivisionError"} else []
    if not working and not dividing_by_0:
        raise InputError(
            f"{calls.name} cannot be called with rankings, or returns no number; "
            f"tried {'; '.join(list(dict.fromkeys(reasons))[:3])}",
            "say what its arguments are, as in arguments='retrieved, relevant, k', or write a "
            "function that returns one number",
        )
    return sorted(working, key=lambda one: -one.hinted) or dividing_by_0[:1]


def _identified(calls: Calls, call: _Call, expected: Expectation | None) -> Identification:
    """Put together what is known of a function."""
    shape, name = call.shape, named_after(calls.name)
    variant = call.variants[0] if call.variants else None
    near, agreement = variant, 1.0 if variant else 0.0
    if variant is None and call.numbers:
        near, agreement = nearest(shape, name, call.numbers)
        near = near if agreement >= _ENOUGH else None
    found_edges: list[Edge] = []
    if variant is not None:
        if shape.takes_queries and averaged(calls, shape, variant) == "pooled":
            variant = variant.with_way("average", POOLED)
        found_edges = edges(calls, shape, variant)
    differs, difference = [], None
    if expected is not None:
        known = dict(call.outcomes)
        differs = expected.differs(shape, lambda case: known.get(case) or calls.of(shape, case))
        difference = expected.smallest(calls, shape, variant, differs) if differs else None
    elif like := name or (near.family if near and near.known is None else None):
        reference = usual(like, shape, like=near)
        measure = reference.measure()
        if measure is not None and variant != reference:
            at = measure @ reference.cut if isinstance(reference.cut, int) else measure
            difference = Expectation(at).smallest(calls, shape, variant, ())
    measure = None if variant is None else variant.measure(shape)
    if measure is not None and variant is not None and variant.known is None:
        measure = measure @ variant.cut if isinstance(variant.cut, int) else measure
    said = [one.words(shape) for one in call.variants]
    return Identification(
        function=calls.name,
        arguments=f"{shape}{_STYLES[shape.style]}",
        sentence=_sentence(calls, call, variant, near, agreement),
        measure=None if measure is None else str(measure),
        family=None if variant is None else variant.family,
        conventions={} if variant is None else {n: one.words for n, one in variant.changed.items()},
        findings=tuple(_findings(calls, call, variant, found_edges)),
        edges=tuple(found_edges),
        alike=tuple(dict.fromkeys(one for one in said[1:] if one != said[0]))[:3],
        cannot_know=tuple(_cannot_know(shape, variant.family if variant else name)),
        difference=difference,
        expected=None if expected is None else expected.name,
        profile=None if expected is None else expected.profile,
        differs_in=tuple(dict.fromkeys(one.aspect for one in differs)),
        agreement=agreement,
        calls=calls.count,
    )


def _sentence(
    calls: Calls, call: _Call, variant: Variant | None, near: Variant | None, agreement: float
) -> str:
    if variant is not None:
        return f"{calls.name} computes {variant.words(call.shape)}."
    failed = [one for one in call.outcomes.values() if one.value is None]
    if len(failed) > len(call.outcomes) / 2:
        return f"{calls.name} fails in {len(failed)} of {len(call.outcomes)} cases."
    if call.constant is not None:
        return f"{calls.name} returns {number(call.constant)} for every ranking."
    said = f"{calls.name} computes none of the measures and mistakes that are known here"
    if near is None:
        return f"{said}."
    return (
        f"{said}; the nearest is {near.words()}, with the same number in {agreement:.0%} of the "
        "cases."
    )


def _findings(
    calls: Calls, call: _Call, variant: Variant | None, found_edges: Sequence[Edge]
) -> Iterator[Finding]:
    shape, name = call.shape, named_after(calls.name)
    if name is not None and variant is not None and name != variant.family:
        said = usual(name, shape).words()
        yield Finding("bug", f"its name says {said}, which it does not compute")
    if call.is_swapped:
        first, second = shape.words[:2]
        said = f"its first argument is used as {first}, its second as {second}"
        yield Finding("bug", said, "the names of its parameters say the opposite; swap them")
    for way in variant.changed.values() if variant else ():
        if way.kind == "bug":
            yield Finding("bug", way.words, way.advice)
    failed: dict[str, list[tuple[Case, Outcome]]] = {}
    for case, found in call.ordinary.items():
        if not found.is_finite:
            failed.setdefault(found.raised or str(found.value), []).append((case, found))
    for several in failed.values():
        case, found = several[0]
        reason = f"returns {found}" if found.value is not None else str(found)
        is_bug = found.raised is None or found.is_accident
        yield Finding(
            "bug" if is_bug else "refusal",
            f"{reason}, in {len(several)} of {len(call.ordinary)} ordinary cases",
            call=calls.written(shape, case) if len(case.ranking) < _SHORT else "",
        )
    for edge in found_edges:
        if edge.kind == "bug":
            yield Finding("bug", f"{TITLES[edge.aspect]}: {edge.words}", call=edge.call)
    if calls.changes_arguments:
        advice = "its caller may still need them; change a copy"
        yield Finding("bug", "it changes its arguments", advice)
    again = list(call.outcomes.items())[:_REPEATED]
    if any(str(calls.of(shape, case)) != str(found) for case, found in again):
        advice = "it keeps state between calls, or is random"
        yield Finding("bug", "the same call gives different numbers", advice)


def _cannot_know(shape: Shape, family: str | None) -> Iterator[str]:
    lacking = {"nDCG": "the ideal ranking", "AP": "the divisor"}
    if not shape.knows_missed and family in {"nDCG", "AP", "R", "F", "Rprec"}:
        yield (
            "relevant documents that were not retrieved, as it is given only those retrieved; "
            f"{lacking.get(family, 'recall')} lacks them, so values are too high where there are "
            "any"
        )
    if not shape.has_grades and family in {"nDCG", "DCG"}:
        yield (
            "how relevant a document is, as it is told only which ones are; so all gains of graded "
            "labels give the same"
        )
    if not shape.has_scores:
        yield "ties, as it is given documents in rank order"
