"""Find out which measure a function computes, by which conventions, or with which bug."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rankmark.arguments import typed
from rankmark.errors import InputError, shown
from rankmark.verbs.verify_function.call_shapes import shapes
from rankmark.verbs.verify_function.cases import LEFT_OUT, designed, long
from rankmark.verbs.verify_function.expectation import expectation, in_catalogue, smallest
from rankmark.verbs.verify_function.function_calls import Calls, name_of
from rankmark.verbs.verify_function.identification import Finding, Identification
from rankmark.verbs.verify_function.lookup import Lookup, named_after, same, usual
from rankmark.verbs.verify_function.probes import TITLES, averaged, edges

if TYPE_CHECKING:
    from rankmark.measures import Measure
    from rankmark.profiles.profile import Profile
    from rankmark.verbs.verify_function.call_shapes import Seen, Shape
    from rankmark.verbs.verify_function.cases import Case
    from rankmark.verbs.verify_function.expectation import Expectation
    from rankmark.verbs.verify_function.function_calls import Outcome
    from rankmark.verbs.verify_function.identification import SmallestDifference
    from rankmark.verbs.verify_function.lookup import Variant
    from rankmark.verbs.verify_function.probes import Edge

_LONGEST = 86_400  # seconds
_PROBES = 8  # cases that show whether a function can be called in some way
_FEW = 2  # probes that may fail
_OFTEN = 10  # puts a way to call behind all others
_MOST_SHAPES = 16  # that are tried in full
_ENOUGH = 0.6  # of the numbers: fewer do not tell a measure
_FEWEST = 8  # numbers that tell that a function always returns the same
_REPEATED = 6  # calls that are made twice
_SHORT = 20  # documents of a ranking that is written out
_STYLES = {
    "sets": "relevant ids in a set",
    "arrays": "as NumPy arrays",
    "tensors": "as tensors",
}


@typed
def which_convention(
    function: Callable[..., Any],
    *,
    arguments: str | Iterable[str] | None = None,
    expect: str | Measure | None = None,
    profile: str | Profile | None = None,
    leave_out: Iterable[str] = (),
    time_limit: float | None = 10.0,
) -> Identification:
    """Find out which measure your function computes, by which conventions, or with which bug.

    The function is called with small rankings, and its numbers are looked up in a table of the
    measures here, computed in all the ways in which tools compute them, and of frequent mistakes.

    Parameters
    ----------
    function
        Anything that can be called with a ranking and judgments, and returns a number.
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
        A measure that it should implement, such as ``"nDCG@10"``; the result is then true or false.
    profile
        A tool whose conventions, and whose name of the measure, are meant by ``expect``.
    leave_out
        Aspects in which it may differ from the measure expected: ``"ties"``, ``"negative"``,
        ``"unjudged"``, ``"no_relevant"``, ``"empty"``.
    time_limit
        Seconds for each call, kept on the main thread of Unix; None for no limit.

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
    >>> which_convention(recall_at_k).measure
    'R(norm="min")'
    """
    if not callable(function):
        raise InputError(f"{shown(function)} is not a function", "give a function of a ranking")
    if expect is None and profile is not None:
        raise InputError("a profile is given, but no measure", "name the measure as expect=, too")
    if time_limit is not None:
        time_limit = _seconds(time_limit)
    left_out = _left_out(leave_out)
    expected = None if expect is None else expectation(expect, profile, left_out)
    calls = Calls(function, time_limit)
    return _Search(calls, _best_call(calls, shapes(function, arguments)), expected).result()


def _seconds(time_limit: Any) -> float:
    is_number = isinstance(time_limit, (int, float)) and not isinstance(time_limit, bool)
    if not is_number or not 0 < time_limit <= _LONGEST:
        raise InputError(
            f"time_limit is {shown(time_limit)}",
            f"need seconds above 0, at most {_LONGEST:,}, or None",
        )
    return float(time_limit)


def _left_out(leave_out: Any) -> frozenset[str]:
    if not isinstance(leave_out, (str, list, tuple, set, frozenset)):
        raise InputError(f"leave_out is {shown(leave_out)}", "need a list of aspects")
    given = [leave_out] if isinstance(leave_out, str) else list(leave_out)
    for one in given:
        if not isinstance(one, str) or one not in LEFT_OUT:
            raise InputError(f"leave_out has {shown(one)}", f"need one of {', '.join(LEFT_OUT)}")
    return frozenset(given)


@dataclass
class _Call:
    """A way to call a function, what it gave in the designed cases, and what explains that."""

    shape: Shape
    outcomes: list[tuple[Case, Outcome]] = field(default_factory=list)
    variants: list[Variant] = field(default_factory=list)
    others: list[Measure] = field(default_factory=list)
    numbers: list[tuple[Seen, float]] = field(default_factory=list)
    lookup: Lookup | None = None
    is_swapped: bool = False  # against the names of its parameters

    @property
    def cost(self) -> tuple[bool, bool, int]:
        """A key that sorts: what depends on the order of documents first, fewest changes first."""
        changes = len(self.variants[0].changed) if self.variants else 0
        return not self.reads_ranking, "hits" in self.shape.plain, changes

    @property
    def reads_ranking(self) -> bool:
        """Whether what explains the numbers depends on the order of documents."""
        if not self.variants or self.variants[0].chosen.get("rel") == 0:
            return not self.variants
        return self.variants[0].reads_ranking or not self.shape.has_scores

    def look_up(self, calls: Calls) -> bool:
        """Call the function, and look its numbers up; return whether they are explained."""
        cases = designed() if self.shape.has_k else (*designed(), *long())
        self.outcomes = [(case, calls.of(self.shape, case)) for case in cases]
        told = [(c, x.value) for c, x in self.outcomes if self.shape.is_told_of_relevant(c)]
        self.numbers = [(self.shape.seen(c), value) for c, value in told if value is not None]
        if self.is_constant or len(self.numbers) < _ENOUGH * len(told) / 2:
            self.numbers = []
            return False
        self.lookup = Lookup(self.shape, named_after(calls.function), self.numbers)
        self.variants = self.lookup.variants()
        return bool(self.variants)

    def look_up_others(self) -> bool:
        """Look the numbers up among all measures of the catalogue."""
        self.others = in_catalogue(self.numbers) if self.numbers else []
        return bool(self.others)

    @property
    def is_constant(self) -> bool:
        """Whether the function gave the same number in all cases, which no measure does."""
        found = [outcome.value or 0.0 for _, outcome in self.outcomes if outcome.is_finite]
        return len(found) >= _FEWEST and all(same(value, found[0]) for value in found)


def _best_call(calls: Calls, possible: Sequence[Shape]) -> _Call:
    """Return the way to call a function that explains its numbers best.

    Ways that the names of its parameters suggest come first, and of ways with the same words the
    first style that the function takes.

    Raises
    ------
    InputError
        If it fails in all of them.
    """
    every = _working(calls, possible)
    tried: list[_Call] = []
    explained: list[_Call] = []
    for hinted in sorted({one.shape.hinted for one in every[:_MOST_SHAPES]}, reverse=True):
        alike = [one for one in every[:_MOST_SHAPES] if one.shape.hinted == hinted]
        is_told = bool(tried) and tried[0].shape.is_told_by_names
        if is_told and not alike[0].shape.is_told_by_names:
            break
        tried += alike
        for one in alike:
            if not ("hits" in one.shape.plain and explained) and one.look_up(calls):
                explained.append(one)
        explained += [] if explained else [one for one in alike if one.look_up_others()]
        if any(one.reads_ranking for one in explained):
            break
    if explained:
        return min(explained, key=lambda one: one.cost)
    told = {one.shape.words for one in every if one.shape.is_told_by_names}
    for one in every:
        words = one.shape.words
        swapped = (words[1], words[0], *words[2:]) if len(words) > 1 else words
        if words not in told and swapped in told and one.look_up(calls):
            one.is_swapped = True
            return one
    return tried[0]


def _working(calls: Calls, possible: Sequence[Shape]) -> list[_Call]:
    """Return the ways in which a function gives numbers, in order."""
    working: list[_Call] = []
    failing: list[_Call] = []
    reasons: list[str] = []
    known: set[tuple[str, ...]] = set()
    for shape in possible:
        if shape.words in known or (known and shape.style == "tensors"):
            continue
        probes = [calls.of(shape, case) for case in designed()[2 : 2 + _PROBES]]
        if any(one.raised == "TimeoutError" for one in probes):
            failed = next(one.failed for one in probes if one.raised == "TimeoutError")
            raise InputError(
                f"{name_of(calls.function)} gives {failed}",
                "allow more with time_limit, or find out why it does not end",
            )
        if any(one.value is not None for one in probes):
            # What fails often was meant to be called otherwise, unless it divides by 0.
            often = sum(one.raised not in {None, "ZeroDivisionError"} for one in probes) > _FEW
            known |= set() if often else {shape.words}
            hinted = shape.hinted - (_OFTEN if often else 0)
            working.append(_Call(shape._replace(hinted=hinted)))
            continue
        reasons.append(f"{shape}: {probes[0].failed}")
        if all(one.raised == "ZeroDivisionError" for one in probes):
            failing.append(_Call(shape))
    if not working and not failing:
        raise InputError(
            f"{name_of(calls.function)} cannot be called with rankings, or returns no number; "
            f"tried {'; '.join(list(dict.fromkeys(reasons))[:3])}",
            "say what its arguments are, as in arguments='retrieved, relevant, k', or write a "
            "function that returns one number",
        )
    working.sort(key=lambda one: -one.shape.hinted)
    return working or failing[:1]


class _Search:
    """What is known of a function, put together.

    Parameters
    ----------
    calls
        The function.
    call
        How it is called, what it gave, and what explains that.
    expected
        What it is to implement; None if nothing is expected.
    """

    def __init__(self, calls: Calls, call: _Call, expected: Expectation | None) -> None:
        self.calls, self.call, self.shape, self.expected = calls, call, call.shape, expected
        self.known = dict(call.outcomes)
        self.variant = call.variants[0] if call.variants else None
        self.name = named_after(calls.function)
        self.near: Variant | None = None
        self.agreement = 1.0 if call.variants or call.others else 0.0
        if self.agreement == 0 and call.lookup is not None:
            self.near, self.agreement = call.lookup.nearest()
        is_mean = self.variant is None or not self.shape.takes_queries
        if self.variant and not is_mean and averaged(calls, self.shape, self.variant) == "pooled":
            besides = (*self.variant.besides, ("average", "pooled"))
            self.variant = self.variant._replace(besides=besides)

    def result(self) -> Identification:
        """Put everything together."""
        variant, expected = self.variant, self.expected
        is_known = variant is not None or bool(self.call.others)
        found_edges = edges(self.calls, self.shape, variant) if is_known else []
        differs = [] if expected is None else expected.differs(self.shape, self._of)
        if expected is None:
            difference = self._from_usual()
        else:
            difference = smallest(self.calls, self.shape, variant, expected, differs)
        style = _STYLES.get(self.shape.style)
        measure = self._measure()
        named = None if measure is None else str(measure)
        cut = None if variant is None or measure is None else variant.cut
        return Identification(
            function=name_of(self.calls.function),
            arguments=f"{self.shape}; {style}" if style else str(self.shape),
            sentence=self._sentence(),
            measure=f"{named}@{cut}" if isinstance(cut, int) else named,
            family=self._family(),
            conventions={} if variant is None else {n: one.words for n, one in variant.changed},
            findings=tuple(self._findings(found_edges)),
            edges=tuple(found_edges),
            alike=tuple(self._alike()),
            cannot_know=tuple(self._cannot_know()),
            difference=difference,
            expected=None if expected is None else expected.name,
            profile=None if expected is None else expected.profile,
            differs_in=tuple(dict.fromkeys(one.aspect for one in differs)),
            agreement=self.agreement,
            calls=self.calls.count,
        )

    def _of(self, case: Case) -> Outcome:
        if case not in self.known:
            self.known[case] = self.calls.of(self.shape, case)
        return self.known[case]

    def _measure(self) -> Measure | None:
        """Return the measure here, without a cutoff that the function is given."""
        if self.call.others:
            return self.call.others[0]
        made = None if self.variant is None else self.variant.measure()
        if made is None or self.variant is None or self.shape.knows_missed:
            return made
        if made.name == "nDCG" and self.variant.chosen["ideal"] == "judged":
            retrieved: Measure = made(ideal="retrieved")  # it is told of no other documents
            return retrieved
        return made

    def _family(self) -> str | None:
        if self.call.others:
            return self.call.others[0].name
        return None if self.variant is None else self.variant.family

    def _sentence(self) -> str:
        name = name_of(self.calls.function)
        if self.variant is not None:
            return f"{name} computes {self.variant.words(self._measure())}."
        if self.call.others:
            measure = self.call.others[0]
            at_k = "@k" if self.shape.has_k and "k" in measure.parameters else ""
            return f"{name} computes {measure}{at_k} ({measure.full_name})."
        every = self.call.outcomes
        known = [found for _, found in every if found.value is not None]
        if len(known) < len(every) / 2:
            return f"{name} fails in {len(every) - len(known)} of {len(every)} cases."
        if self.call.is_constant:
            value = next(one for one in known if one.is_finite)
            return f"{name} returns {value} for every ranking."
        said = f"{name} computes none of the measures and mistakes that are known here"
        if self.near is None or self.agreement < _ENOUGH:
            return f"{said}."
        return (
            f"{said}; the nearest is {self.near.words()}, with the same number in "
            f"{self.agreement:.0%} of the cases."
        )

    def _alike(self) -> list[str]:
        said = [str(one) for one in self.call.others[1:4]]
        if self.call.variants:
            best, *rest = self.call.variants
            said = [one.words() for one in rest if one.words() != best.words()]
        return list(dict.fromkeys(said))[:3]

    def _findings(self, found_edges: Sequence[Edge]) -> list[Finding]:
        found: list[Finding] = []
        family = self._family()
        if self.name is not None and family is not None and self.name != family:
            said = usual(self.name, self.shape).words()
            found.append(Finding("bug", f"its name says {said}, which it does not compute"))
        if self.call.is_swapped:
            first, second = self.shape.words[:2]
            said = f"its first argument is used as {first}, its second as {second}"
            advice = "the names of its parameters say the opposite; swap them"
            found.append(Finding("bug", said, advice))
        if self.variant is not None:
            found += [Finding("bug", way.words, way.advice) for way in self.variant.bugs]
        found += self._failures()
        found += [
            Finding("bug", f"{TITLES[edge.aspect]}: {edge.words}", call=edge.call)
            for edge in found_edges
            if edge.kind == "bug"
        ]
        if self.calls.changes_arguments:
            advice = "its caller may still need them; change a copy"
            found.append(Finding("bug", "it changes its arguments", advice))
        first_ones = self.call.outcomes[:_REPEATED]
        again = [self.calls.of(self.shape, case) for case, _ in first_ones]
        if any(str(x) != str(y) for (_, x), y in zip(first_ones, again, strict=True)):
            advice = "it keeps state between calls, or is random"
            found.append(Finding("bug", "the same call gives different numbers", advice))
        return found

    def _failures(self) -> list[Finding]:
        """Return the ways in which the function failed in ordinary cases, with an example each."""
        failed: dict[str, list[tuple[Case, Outcome]]] = {}
        ordinary = [pair for pair in self.call.outcomes if self.shape.is_told_of_relevant(pair[0])]
        for case, found in ordinary:
            if not found.is_finite:
                failed.setdefault(found.raised or str(found.value), []).append((case, found))
        findings = []
        for several in failed.values():
            case, found = several[0]
            reason = f"returns {found}" if found.value is not None else str(found)
            findings.append(
                Finding(
                    "bug" if found.raised is None or found.is_accident else "refusal",
                    f"{reason}, in {len(several)} of {len(ordinary)} ordinary cases",
                    call=self.calls.written(self.shape, case) if len(case.ranking) < _SHORT else "",
                )
            )
        return findings

    def _cannot_know(self) -> list[str]:
        shape, family = self.shape, self._family() or self.name
        found = []
        if not shape.knows_missed and family in {"nDCG", "AP", "R", "F", "Rprec"}:
            of = {"nDCG": "the ideal ranking", "AP": "the divisor"}.get(family, "recall")
            found.append(
                "relevant documents that were not retrieved, as it is given only those retrieved; "
                f"{of} lacks them, so values are too high where there are any"
            )
        if not shape.has_grades and family in {"nDCG", "DCG"}:
            found.append("how relevant a document is, as it is told only which ones are; so all "
                         "gains of graded labels give the same")  # fmt: skip
        if not shape.has_scores:
            found.append("ties, as it is given documents in rank order")
        return found

    def _from_usual(self) -> SmallestDifference | None:
        """Return the smallest difference from the usual version of what its name says, or it is."""
        like = self.variant or (self.near if self.agreement >= _ENOUGH else None)
        family = self.name or (None if like is None else like.family)
        if family is None:
            return None
        reference = usual(family, self.shape, like=like)
        return smallest(self.calls, self.shape, self.variant, reference)
