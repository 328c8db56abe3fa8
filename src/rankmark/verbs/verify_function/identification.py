"""What a user's function computes: the result of ``which_convention``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from rankmark.results.marked_tables import MarkedTable
from rankmark.results.shown_parts import Formula, InText, Items, Look, Notes, Part, Title
from rankmark.results.shown_result import Column, TabledResult, table_of
from rankmark.results.table_schema import columns_of
from rankmark.verbs.verify_function.probes import TITLES, Edge

NOT_AS_EXPECTED = 3
"""Exit code where a function does not implement what was expected."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What is taken for a mistake, or what a function refuses.

    Parameters
    ----------
    kind
        "bug", or "refusal" for an error that looks intended.
    what, advice
        What the function does, and what is wrong with it.
    call
        A call that shows it; empty for one that shows everywhere.
    """

    kind: Literal["bug", "refusal"]
    what: str
    advice: str = ""
    call: str = ""

    def __str__(self) -> str:
        text = f"{self.what}: {self.advice}" if self.advice else self.what
        text += f" ({self.call})" if self.call else ""
        return f"{'Bug' if self.kind == 'bug' else 'Refused'}: {text}"


@dataclass(frozen=True, slots=True)
class SmallestDifference:
    """The smallest case in which a function does not give the number of a measure.

    Parameters
    ----------
    measure
        The measure, with the cutoff of the case.
    call
        The call of the function.
    returned, expected
        What it returned, as text, and the value of the measure.
    worked, expected_worked
        The formulas of both with numbers; ``worked`` is empty if that of the function is unknown.
    """

    measure: str
    call: str
    returned: str
    expected: float
    worked: str
    expected_worked: str

    def lines(self) -> list[str]:
        """Return it as text."""
        here = f" = {self.worked}" if self.worked else ""
        return [f"{self.call} returns {self.returned}{here}", self.expected_worked]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Identification(TabledResult):
    """What a function computes; true unless it does not implement what was expected.

    Parameters
    ----------
    function
        Its name.
    arguments
        How it was called: the words of ``which_convention(arguments=...)``.
    sentence
        What it computes.
    measure
        The measure here that computes the same, such as ``nDCG(gain="exp2")``, without a cutoff if
        the function is given one; None if there is none.
    family
        The name of the measure that it computes in some way, such as ``"nDCG"``; None if unknown.
    conventions
        {parameter: what it means} of those that are not usual.
    findings
        What is taken for a mistake, and what it refuses.
    edges
        What it does with ties, duplicates, nothing relevant and so on, by aspect.
    alike
        Other descriptions that give the same number in every case.
    cannot_know
        What the arguments do not tell it, and which measures need.
    difference
        The smallest case in which it does not give the number of the measure expected, or of the
        usual version of the measure that it computes; None if it gives all.
    expected, profile
        The measure that it was expected to implement, and under which profile; None if nothing was.
    differs_in
        The aspects in which it does not implement that.
    agreement
        The share of the golden cases whose numbers are explained: 1 if it was identified.
    calls
        How often it was called.
    """

    function: str
    arguments: str
    sentence: str
    measure: str | None
    family: str | None
    conventions: dict[str, str]
    findings: tuple[Finding, ...]
    edges: tuple[Edge, ...]
    alike: tuple[str, ...]
    cannot_know: tuple[str, ...]
    difference: SmallestDifference | None
    expected: str | None
    profile: str | None
    differs_in: tuple[str, ...]
    agreement: float
    calls: int

    @property
    def bugs(self) -> tuple[Finding, ...]:
        """The findings that are taken for mistakes."""
        return tuple(finding for finding in self.findings if finding.kind == "bug")

    @property
    def identified(self) -> bool:
        """Whether all numbers of the golden cases are explained."""
        return self.agreement == 1

    @property
    def exit_code(self) -> int:
        """3 if the function does not implement what was expected, else 0."""
        return NOT_AS_EXPECTED if self.differs_in else 0

    def __bool__(self) -> bool:
        return not self.differs_in

    @property
    def headline(self) -> str:
        """What the function computes."""
        return self.sentence

    @property
    def notes(self) -> list[str]:
        """How it was called, what gives the same numbers, and what it cannot know."""
        lines = [f"Called with: {self.arguments} ({self.calls:,} calls)"]
        lines += [f"Same numbers also from {words}" for words in self.alike]
        return [*lines, *(f"Cannot know: {words}" for words in self.cannot_know)]

    def _contents(self) -> dict[str, Any]:
        return asdict(self) | {"identified": self.identified, "exit_code": self.exit_code}

    def _table(self) -> dict[str, Any]:
        rows = [
            *({"kind": "convention", "name": n, "what": w} for n, w in self.conventions.items()),
            *({"kind": f.kind, "name": f.what, "what": f.advice} for f in self.findings),
            *({"kind": "edge", "name": e.aspect, "what": e.words} for e in self.edges),
        ]
        return columns_of(rows, "kind", "name", "what")

    def _grids(self) -> list[MarkedTable]:
        columns = [
            Column("where conventions differ", lambda edge: TITLES[edge.aspect]),
            Column("what it does", lambda edge: edge.words),
            Column("in evaluate", lambda edge: edge.keyword),
        ]
        return [table_of(columns, self.edges, keys=3)] if self.edges else []

    def _verdict(self) -> list[str]:
        """Return whether it implements what was expected, in a sentence."""
        under = "" if self.profile is None else f" of {self.profile}"
        if self.expected is None:
            return []
        if self:
            limit = ", as far as its arguments tell it" if self.cannot_know else ""
            return [f"It implements {self.expected}{under}{limit}."]
        where = ", ".join(TITLES.get(one, "the formula") for one in self.differs_in)
        text = f"It does not implement {self.expected}{under}; it differs in: {where}."
        listed = ", ".join(self.differs_in)
        advice = f" If that does not matter to you, leave it out ({listed})."
        return [text if "formula" in self.differs_in else text + advice]

    def _parts(self, look: Look, **_: Any) -> Sequence[Part]:
        found, tables = [*map(str, self.findings)], self._grids()
        lines, smallest = [self.sentence, *self._verdict(), *found], list[Part]()
        if self.difference is not None:
            case = self.difference.lines()
            of = f"from {self.difference.measure}:"
            lines += ["", f"Smallest case that differs {of}", *(f"  {line}" for line in case)]
            smallest = [f"Smallest difference {of}", *map(Formula, case)]
        shown = [Title(self.sentence), *self._verdict(), Items(found), *smallest]
        if look.is_pasted:
            return tables
        return [InText(lines, shown), *tables, Notes(look.notes(self.notes))]
