"""The result of a gate: a verdict for each condition, and one for all."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from rankmark.errors import one_line
from rankmark.results.details import IN_PYTHON
from rankmark.results.result import Result
from rankmark.results.table_schema import columns_of
from rankmark.results.text_width import line_width
from rankmark.verbs.gate import gate_formats, gate_notes
from rankmark.verbs.gate.condition_result import ConditionResult
from rankmark.version import __version__

if TYPE_CHECKING:
    from rankmark.conventions import Conventions
    from rankmark.statistics.margin_decision import Verdict
    from rankmark.verbs.gate.gated_system import System

SCHEMA = 1
"""Version of ``to_dict``; it increases if a field changes its meaning or is removed."""
DOES_NOT_HOLD = 3
"""Exit code of a gate that does not hold, or cannot tell."""
VERDICTS: tuple[Verdict, ...] = ("holds", "cannot tell", "does not hold")
"""The verdicts, best first."""
Same = Literal["", "object", "file", "content", "scores"]


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict of all together; ``"holds"`` if there are none."""
    return max(verdicts, key=VERDICTS.index, default="holds")


class Decided:
    """What follows from a verdict; true if it is that the gate holds."""

    __slots__ = ()

    @property
    @abstractmethod
    def verdict(self) -> Verdict:
        """``"holds"``, ``"cannot tell"`` or ``"does not hold"``."""

    @property
    def holds(self) -> bool:
        """Whether all conditions hold, for one candidate at least."""
        return self.verdict == "holds"

    @property
    def exit_code(self) -> int:
        """0 if the gate holds, else 3."""
        return 0 if self.holds else DOES_NOT_HOLD

    def __bool__(self) -> bool:
        return self.holds


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GateResult(Decided, Result):
    """Whether a new run may replace the baseline; true if all conditions hold.

    If there are several candidates, this is the result of the best of them, and ``candidates`` has
    those of all.

    Parameters
    ----------
    conditions
        What was asked, and what was found, in the order in which they were given.
    baseline, new
        The systems: the baseline, and the best candidate.
    conventions, settings
        How runs were evaluated, and how the inputs were read; without conventions if scores were
        given.
    slices
        {name: number of queries}.
    ignored_slices
        The same of small slices that were not looked at.
    options
        {option: value} of all options of a gate.
    choices
        All arguments of ``gate`` except ``conditions``, by keyword; for records.
    same
        Whether both are the same run: the same "object", the same "file", files of the same
        "content", or runs of the same "scores" by all measures; else "".
    sample
        Of an estimate, how many queries people judged, and how these were drawn; else "".
    reference
        The fixed run against which the conditions have to hold too; None without one.
    others
        The results of the other candidates.
    """

    conditions: tuple[ConditionResult, ...]
    baseline: System = field(repr=False)
    new: System = field(repr=False)
    conventions: Conventions | None = field(repr=False)
    settings: Mapping[str, Any] = field(repr=False)
    slices: Mapping[str, int] = field(repr=False)
    ignored_slices: Mapping[str, int] = field(repr=False)
    options: Mapping[str, Any] = field(repr=False)
    choices: Mapping[str, Any] = field(repr=False)
    same: Same = ""
    sample: str = ""
    reference: System | None = field(default=None, repr=False)
    others: tuple[GateResult, ...] = field(default=(), repr=False)

    def __eq__(self, other: object) -> bool:
        # By what is written, in which undefined numbers are equal.
        return (
            isinstance(other, GateResult)
            and (self.baseline, self.new) == (other.baseline, other.new)
            and self.to_dict() == other.to_dict()
        )

    def __hash__(self) -> int:
        return hash((self.baseline, self.new, self.verdict))

    @property
    def baseline_name(self) -> str:
        """The name of the baseline."""
        return self.baseline.name

    @property
    def new_name(self) -> str:
        """The name of the best candidate."""
        return self.new.name

    @property
    def verdict(self) -> Verdict:
        """``"holds"`` if all conditions do; else ``"does not hold"`` if one does not."""
        return worst(one.verdict for one in self.conditions if one.counts)

    @property
    def candidates(self) -> dict[str, GateResult]:
        """{name: its result}, the best candidate first.

        Candidates for which the gate holds come first, then those for which it cannot tell; among
        these, the one with the best mean by the first condition.
        """
        if not self.others:
            return {self.new_name: self}
        return {one.new_name: one for one in (replace(self, others=()), *self.others)}

    @property
    def passing(self) -> tuple[str, ...]:
        """The names of the candidates for which the gate holds, the best first."""
        return tuple(name for name, one in self.candidates.items() if one.holds)

    @property
    def method(self) -> str:
        """How the bounds were found."""
        return self.conditions[0].decision.method if self.conditions else ""

    @property
    def notes(self) -> list[str]:
        """What a reader of the verdict must know: the kind of bound, and looking repeatedly."""
        return gate_notes.notes(self)

    @property
    def cautions(self) -> list[str]:
        """Properties of the data that may have affected the verdict, apart from the rankings."""
        return gate_notes.cautions(self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything for JSON, with None for NaN."""
        return {
            "schema": SCHEMA,
            "rankmark": __version__,
            "verdict": self.verdict,
            "holds": self.holds,
            "exit_code": self.exit_code,
            "baseline": self.baseline_name,
            "new": self.new_name,
            "reference": None if self.reference is None else self.reference.name,
            "passing": list(self.passing),
            "same": self.same or None,
            "unchanged": self.options["unchanged"],
            "anytime": bool(self.options.get("anytime")),
            "conditions": [condition.to_dict() for condition in self.conditions],
            "candidates": [
                {
                    "name": name,
                    "verdict": one.verdict,
                    "holds": one.holds,
                    "same": one.same or None,
                    "conditions": [condition.to_dict() for condition in one.conditions],
                    "run": one.new.to_dict(),
                }
                for name, one in (self.candidates if self.others else {}).items()
            ],
            "slices": dict(self.slices),
            "ignored_slices": dict(self.ignored_slices),
            "sample": self.sample or None,
            "settings": dict(self.settings),
            "runs": {
                "baseline": self.baseline.to_dict(),
                "new": self.new.to_dict(),
                **({} if self.reference is None else {"reference": self.reference.to_dict()}),
            },
            "notes": self.notes,
        }

    def _table(self) -> dict[str, Any]:
        rows = [
            {"baseline": self.baseline_name, "run": name, **condition.to_row()}
            for name, one in self.candidates.items()
            for condition in one.conditions
        ]
        return columns_of(rows)

    def to_text(
        self, *, verbose: bool = False, width: int | None = None, how: str = IN_PYTHON
    ) -> str:
        """Format the verdict as text: a table, the reasons, and the queries that lost.

        ``verbose`` adds the notes that change no decision. Lines have ``width`` columns; None for
        no limit. ``how`` is how readers see those notes.
        """
        return gate_formats.text_of(self, width, verbose=verbose, how=how)

    def to_markdown(self, *, verbose: bool = False, how: str = IN_PYTHON) -> str:
        """Format the verdict for a pull request, or the summary of a job; see ``to_text``."""
        return gate_formats.markdown_of(self, verbose=verbose, how=how)

    def to_junit(self) -> str:
        """Format the verdict as JUnit XML: each condition is a test."""
        return gate_formats.junit_of(self)

    def __str__(self) -> str:
        """Return ``to_text``, as wide as the terminal, if there is one."""
        return self.to_text(width=line_width())

    def __repr__(self) -> str:
        found = ", ".join(f"{one.name} {one.verdict}" for one in self.conditions)
        return one_line(f"GateResult({self.verdict}: {found})")

    def _repr_html_(self) -> str:
        return gate_formats.html_of(self)


def best_of(results: Sequence[GateResult]) -> GateResult:
    """Return the result of the best candidate, with those of the others, best first."""

    def rank(one: GateResult) -> tuple[int, float]:
        first = one.conditions[0] if one.conditions else None
        if first is None:
            return VERDICTS.index(one.verdict), 0.0
        gain = first.decision.difference
        sign = 1.0 if first.condition.measure.more_is_better else -1.0
        return VERDICTS.index(one.verdict), -sign * gain if gain == gain else 0.0  # noqa: PLR0124

    best, *others = sorted(results, key=rank)
    return replace(best, others=tuple(others))
