"""What is known of a function, put together: the sentence, the findings, what it cannot know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankmark.identifying import smallest_difference
from rankmark.identifying.edges import TITLES, edges
from rankmark.identifying.function_calls import name_of
from rankmark.identifying.identification import Finding, Identification
from rankmark.identifying.measured import FORMULA, aspects, in_catalogue, tools
from rankmark.identifying.variant_search import (
    is_constant,
    most_changes,
    named_after,
    nearest,
    search,
    usual,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.identifying.cases import Case
    from rankmark.identifying.edges import Edge
    from rankmark.identifying.expectation import Expectation
    from rankmark.identifying.function_calls import Calls, Outcome
    from rankmark.identifying.identification import SmallestDifference
    from rankmark.identifying.variants import Variant
    from rankmark.identifying.working_calls import WorkingCall
    from rankmark.measures import Measure

_ENOUGH = 0.6  # of the golden cases: fewer numbers do not tell a measure
_REPEATED = 6  # calls that are made twice
_SHORT = 20  # documents of a ranking that is written out
_CUTOFFS = (None, 1, 3, 5, 10, 20, 50, 100)
_STYLES = {
    "sets": "relevant ids in a set",
    "arrays": "as NumPy arrays",
    "tensors": "as tensors",
}


class Identified:
    """A function that was called, and the search for what explains its numbers.

    Parameters
    ----------
    calls
        The function.
    working
        How it is called, and what it gave.
    expected
        What it is to implement; None if nothing is expected.
    """

    def __init__(self, calls: Calls, working: WorkingCall, expected: Expectation | None) -> None:
        self.calls, self.shape, self.golden = calls, working.shape, working.outcomes
        self.expected, found = expected, working.found
        self.is_swapped = working.is_swapped
        self.known = dict(self.golden)
        self.others: list[Measure] = []
        self.near: Variant | None = None
        self.agreement = 1.0
        is_same = is_constant(self.golden)
        if is_same:
            self.agreement = 0.0
        elif found is None:
            labelled = [(FORMULA, case, outcome) for case, outcome in self.golden]
            self.others = in_catalogue(self.shape, labelled, _CUTOFFS)
        if found is None and not self.others and not is_same:
            found = search(calls, self.shape, self.golden, most_changes(self.shape), least=3)
        if found is None and not self.others and not is_same:
            self.near, self.agreement = nearest(calls, self.shape, self.golden)
        self.variant = None if found is None else found.variant
        self.alike = () if found is None else found.alike
        self.name = named_after(calls.function)

    def result(self) -> Identification:
        """Put everything together."""
        variant, expected = self.variant, self.expected
        is_known = variant is not None or bool(self.others)
        found_edges = edges(self.calls, self.shape, variant) if is_known else []
        differs = [] if expected is None else expected.differs(self.shape, self._of)
        if expected is None:
            difference = self._from_usual()
        else:
            difference = smallest_difference.from_expected(
                self.calls, self.shape, variant, expected, differs
            )
        style = _STYLES.get(self.shape.style)
        changed = () if variant is None else variant.changed
        return Identification(
            function=name_of(self.calls.function),
            arguments=f"{self.shape}; {style}" if style else str(self.shape),
            sentence=self._sentence(),
            measure=self._measure_name(),
            family=self._family(),
            conventions={name: way.words for name, way in changed},
            findings=tuple(self._findings(found_edges)),
            edges=tuple(found_edges),
            alike=tuple(self._alike()),
            cannot_know=tuple(self._cannot_know()),
            tools=tuple(self._tools()),
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
        if self.others:
            return self.others[0]
        made = None if self.variant is None else self.variant.measure()
        if made is None or self.variant is None or self.shape.knows_missed:
            return made
        if made.name == "nDCG" and self.variant.chosen["ideal"] == "judged":
            retrieved: Measure = made(ideal="retrieved")  # it is told of no other documents
            return retrieved
        return made

    def _measure_name(self) -> str | None:
        made = self._measure()
        cut = None if self.variant is None else self.variant.chosen["cut"]
        if made is None:
            return None
        return f"{made}@{cut}" if isinstance(cut, int) else str(made)

    def _family(self) -> str | None:
        if self.others:
            return self.others[0].name
        return None if self.variant is None else self.variant.family

    def _sentence(self) -> str:
        name = name_of(self.calls.function)
        if self.variant is not None:
            return f"{name} computes {self.variant.words(self._measure())}."
        if self.others:
            measure = self.others[0]
            has_cutoff = self.shape.has_k and "k" in measure.parameters
            at_k = "@k" if has_cutoff else ""
            return f"{name} computes {measure}{at_k} ({measure.full_name})."
        known = [found for _, found in self.golden if found.value is not None]
        if len(known) < len(self.golden) / 2:
            return f"{name} fails in {len(self.golden) - len(known)} of {len(self.golden)} cases."
        if is_constant(self.golden):
            return (
                f"{name} returns {next(one for one in known if one.is_finite)} for every ranking."
            )
        said = f"{name} computes none of the measures and mistakes that are known here"
        if self.near is None or self.agreement < _ENOUGH:
            return f"{said}."
        return (
            f"{said}; the nearest is {self.near.words()}, with the same number in "
            f"{self.agreement:.0%} of the cases."
        )

    def _alike(self) -> list[str]:
        if self.others:
            return [str(one) for one in self.others[1:4]]
        return [one.words() for one in self.alike[:3]]

    def _findings(self, found_edges: Sequence[Edge]) -> list[Finding]:
        found: list[Finding] = []
        family = self._family()
        if self.name is not None and family is not None and self.name != family:
            said = usual(self.name, self.shape).words()
            found.append(Finding("bug", f"its name says {said}, which it does not compute"))
        if self.is_swapped:
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
        again = [
            (first, self.calls.of(self.shape, case)) for case, first in self.golden[:_REPEATED]
        ]
        if any(str(first) != str(second) for first, second in again):
            advice = "it keeps state between calls, or is random"
            found.append(Finding("bug", "the same call gives different numbers", advice))
        return found

    def _failures(self) -> list[Finding]:
        """Return the ways in which the function failed in ordinary cases, with an example each."""
        failed: dict[str, list[tuple[Case, Outcome]]] = {}
        ordinary = [pair for pair in self.golden if self.shape.is_told_of_relevant(pair[0])]
        for case, found in ordinary:
            if not found.is_finite:
                failed.setdefault(found.raised or str(found.value), []).append((case, found))
        findings = []
        for several in failed.values():
            case, found = several[0]
            reason = f"returns {found}" if found.value is not None else str(found)
            is_short = len(case.ranking) < _SHORT
            findings.append(
                Finding(
                    "bug" if found.raised is None or found.is_accident else "refusal",
                    f"{reason}, in {len(several)} of {len(ordinary)} ordinary cases",
                    call=self.calls.written(self.shape, case) if is_short else "",
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

    def _tools(self) -> list[Any]:
        cut = None if self.variant is None else self.variant.chosen["cut"]
        if self.variant is None and not self.others:
            return []
        if self.variant is not None and (cut in {"k+1", "k-1"} or self.variant.is_read_otherwise):
            return []
        own = cut if isinstance(cut, int) else None
        labelled = aspects(self.shape, is_long=own is not None)
        outcomes = [(aspect, case, self._of(case)) for aspect, case in labelled]
        return tools(self.shape, outcomes, own)

    def _from_usual(self) -> SmallestDifference | None:
        """Return the smallest difference from the usual version of what its name says, or it is."""
        like = self.variant or self.near
        is_far = self.variant is None and self.agreement < _ENOUGH
        family = self.name or (None if like is None or is_far else like.family)
        if family is None:
            return None
        reference = usual(family, self.shape, like=like)
        return smallest_difference.from_usual(self.calls, self.shape, self.variant, reference)
