"""The result of a gate, as text, Markdown, HTML, JUnit XML and JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from rankmark.errors import one_line
from rankmark.results.details import chosen, hides, more
from rankmark.results.junit import Case, Suite, junit
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.shown_parts import (
    Command,
    Decision,
    Folded,
    Items,
    Lines,
    Look,
    Notes,
    Part,
    Reason,
    Told,
)
from rankmark.results.shown_result import ShownResult
from rankmark.results.table_schema import columns_of
from rankmark.results.text_tables import Name
from rankmark.verbs.evaluate.reliability import parts_of_trials
from rankmark.verbs.gate.decided_gate import SAME, VERDICTS, DecidedGate
from rankmark.version import __version__

if TYPE_CHECKING:
    from rankmark.statistics.margin_decision import Verdict
    from rankmark.verbs.gate.condition_result import ConditionResult

Words = Callable[[str], str]
_SAID = {
    "holds": "the gate holds",
    "does not hold": "the gate does not hold",
    "cannot tell": "the gate cannot tell, and so does not pass",
}
_MARKS = {"holds": "✅", "does not hold": "❌", "cannot tell": "❔"}
_FIRST: tuple[Verdict, ...] = ("does not hold", "cannot tell", "holds")
_FEW = 3  # conditions whose reasons are all given
_REASONS = 5  # of undecided conditions
_HEAD = (
    *("condition", "verdict", "queries", "wins/ties/losses"),
    *("baseline", "new", "difference", "low", "high", "needed"),
)
_OF_LOST = ("query", "baseline", "new", "difference")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GateResult(DecidedGate, ShownResult):
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
    population
        Of queries with weights or clusters, how large the largest of the population is taken to be,
        and why; else "".
    reference
        The fixed run against which the conditions have to hold too; None without one.
    progress
        Of a plan, how far its queries are judged; else None.
    others
        The results of the other candidates.
    """

    _markdown = "pull request"

    def __eq__(self, other: object) -> bool:
        # By what is written, in which undefined numbers are equal.
        return (
            isinstance(other, GateResult)
            and (self.baseline, self.new) == (other.baseline, other.new)
            and self.to_dict() == other.to_dict()
        )

    def __hash__(self) -> int:
        return hash((self.baseline, self.new, self.verdict))

    def _contents(self) -> dict[str, Any]:
        """Return what JSON has.

        Returns
        -------
        unchanged, anytime
            The option.
        decided_confidence
            The confidence after the correction for candidates.
        baseline_mean, run_mean
            The mean of the baseline, and of the new run.
        required_queries
            The number of queries that the margin needs.
        plan
            Of a plan, how far its queries are judged; else None.
        """
        runs = {"baseline": self.baseline, "new": self.new, "reference": self.reference}
        return {
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
            "plan": None if self.progress is None else self.progress._asdict(),
            "settings": dict(self.settings),
            "runs": {name: one.to_dict() for name, one in runs.items() if one is not None},
            "notes": self.notes,
        }

    def _table(self) -> dict[str, Any]:
        return columns_of(self._rows())

    def _rows(self) -> list[dict[str, Any]]:
        """Return a row for each candidate and condition."""
        return [
            {"baseline": self.baseline_name, "run": name, **condition.to_row()}
            for name, one in self.candidates.items()
            for condition in one.conditions
        ]

    def to_junit(self) -> str:
        """Format the verdict as JUnit XML: each condition is a test.

        What does not fail the gate is skipped.
        """
        return junit("rankmark gate", [self._suite("rankmark gate")])

    def _suite(self, called: str) -> Suite:
        cases = []
        for name, one in self.candidates.items():
            for condition in one.conditions:
                verdict, reason = condition.verdict, condition.reason
                lost = (
                    f"{q.query_id}: {q.difference:+.4f}  {q.explain or ''}".rstrip()
                    for q in condition.lost
                )
                failed = None if verdict == "holds" else (verdict, reason)
                excused = failed is not None and (not condition.counts or self.holds)
                cases.append(
                    Case(
                        f"{name}: {condition.text}" if self.others else condition.text,
                        None if excused else failed,
                        "\n".join([reason, *_counted(condition), *lost]),
                        skipped=f"{verdict}: {reason}" if excused else None,
                    )
                )
        properties = {
            "rankmark": __version__,
            "baseline": self.baseline_name,
            "new": self.new_name,
            "reference": self.reference.name if self.reference else None,
            "verdict": self.verdict,
            "conventions": None if self.conventions is None else str(self.conventions),
            "same": self.same or None,
            "passing": ", ".join(self.passing) if self.others else None,
        }
        told = {name: value for name, value in properties.items() if value is not None}
        return Suite(called, cases, told, "\n".join(self.notes))

    def __repr__(self) -> str:
        found = ", ".join(f"{one.name} {one.verdict}" for one in self.conditions)
        return one_line(f"GateResult({self.verdict}: {found})")

    def _parts(self, look: Look) -> Sequence[Part]:
        """Return the verdict, a table, the reasons, and the queries that lost."""
        every = self.notes
        whole = look.verbose or not hides(every)
        lost = [*self._lost()]
        parts: list[Part] = [Decision(_MARKS[self.verdict], Told(self._title))]
        rows = [
            [*([Name(name)] if self.others else []), *_row(condition)]
            for name, one in self.candidates.items()
            for condition in _in_order(one.conditions)
        ]
        is_part = bool(self.sample or self.progress)
        head = [("judged" if is_part and name == "queries" else name) for name in _HEAD]
        if self.others:
            head.insert(0, "candidate")
        if rows:
            parts.append(MarkedTable(head, rows, 3 if self.others else 2))
        parts += [Items(self._reasons()), Lines(chosen(self._about_data(), verbose=whole))]
        parts += self._trials()
        for name, one in lost:
            queries = [
                [Name(q.query_id), *(f"{x:.4f}" for x in q[1:3]), f"{q.difference:+.4f}"]
                for q in one.lost
            ]
            parts.append(Folded("queries that lost most", name, MarkedTable(_OF_LOST, queries)))
        explain = next((q.explain for _, one in lost for q in one.lost if q.explain), None)
        if explain:
            trials = max(one.number_of_runs for one in (self.baseline, self.new))
            which = f", by the first of {trials} trials" if trials > 1 else ""
            parts.append(Command(f"to explain one{which}", explain))
        last = chosen(self._about_bounds(), verbose=whole)
        return [*parts, Notes([*last, *more(every, verbose=look.verbose, how=look.how)])]

    def _trials(self) -> list[Part]:
        """Return the table of trials, in which queries have no weights, if there are any."""
        parts = parts_of_trials(self.reliabilities)
        weighted = {"weights", "draws"} & {k for k, v in self.options.items() if v is not None}
        return [*parts, "trials: each query counts once"] if parts and weighted else parts

    def _title(self, words: Words) -> str:
        new, base = words(self.new_name), words(self.baseline_name)
        against = f"{base} and {words(self.reference.name)}" if self.reference else base
        if not self.others:
            same = f"; {SAME[self.same]}" if self.same else ""
            if same and self.reference is not None:
                same = f"; {new} and {base}: {SAME[self.same]}"
            return f"{new} against {against}: {_SAID[self.verdict]}{self._tally()}{same}"
        count = f"{len(self.candidates)} candidates against {against}"
        if not self.holds:
            cannot = sum(one.verdict == "cannot tell" for one in self.candidates.values())
            return f"{count}: none may go live" + f" ({cannot} of them undecided)" * bool(cannot)
        passing = [words(name) for name in self.passing]
        if len(passing) == 1:
            return f"{count}: {passing[0]} may go live"
        return f"{count}: {len(passing)} may go live, best first: {', '.join(passing)}"

    def _tally(self) -> str:
        """Count the verdicts of many conditions."""
        if len(self.conditions) <= _FEW or self.others:
            return ""
        verdicts = [one.verdict for one in self.conditions if one.counts]
        counts = []
        for verdict in VERDICTS:
            if count := verdicts.count(verdict):
                plural = {"holds": "hold", "does not hold": "do not hold"}.get(verdict, verdict)
                counts.append(f"{count} {verdict if count == 1 else plural}")
        if shown := len(self.conditions) - len(verdicts):
            counts.append(f"{shown} {'is' if shown == 1 else 'are'} only shown")
        return f" ({len(self.conditions)} conditions: {', '.join(counts)})"

    def _reasons(self) -> list[str | Reason]:
        """Return a line for each condition; if there are many, for those that have to be read."""
        lines: list[str | Reason] = []
        for name, one in self.candidates.items():
            told = _in_order(one.conditions)
            hidden = 0
            if len(told) > _FEW:
                told = [c for c in told if c.counts and (c.verdict != "holds" or c.is_worse)]
                undecided = [c for c in told if c.verdict == "cannot tell"]
                hidden = len(undecided[_REASONS:])
                told = [c for c in told if all(c is not other for other in undecided[_REASONS:])]
            for condition in told:
                names = [*([name] if self.others else []), condition.name]
                verdict = condition.verdict
                lines.append(Reason(_MARKS[verdict], names, verdict, condition.reason))
            if hidden:
                lines.append(f"{hidden} more are undecided; JSON has the reason for each")
        return lines

    def _lost(self) -> Iterator[tuple[str, ConditionResult]]:
        """Yield what lost queries, of each measure, and of each slice that does not hold."""
        for name, one in self.candidates.items():
            of = f"{name}, " if self.others else ""
            told: set[tuple[str, ...]] = set()
            whole = {str(c.condition.measure) for c in one.conditions if c.condition.slice is None}
            for condition in _in_order(one.conditions):
                measure = str(condition.condition.measure)
                of_slice = condition.condition.slice is not None and measure in whole
                if of_slice and condition.verdict != "does not hold":
                    continue
                key = (measure, *(query.query_id for query in condition.lost))
                if condition.lost and key not in told:
                    told.add(key)
                    yield f"{of}{condition.name}", condition


def best_of(results: Sequence[GateResult]) -> GateResult:
    """Return the result of the best candidate, with those of the others, best first."""

    def rank(one: GateResult) -> tuple[int, float]:
        worth = 0.0
        if one.conditions:
            first = one.conditions[0]
            gain = first.decision.difference
            sign = 1.0 if first.condition.measure.more_is_better else -1.0
            worth = 0.0 if math.isnan(gain) else -sign * gain
        return VERDICTS.index(one.verdict), worth

    best, *others = sorted(results, key=rank)
    return replace(best, others=tuple(others))


def junit_of_all(results: Mapping[str, GateResult]) -> str:
    """Format several gates as JUnit XML, each a suite."""
    return junit("rankmark gate", [result._suite(name) for name, result in results.items()])


def _in_order(conditions: Sequence[ConditionResult]) -> list[ConditionResult]:
    """Put those that fail first, and last those that do not count; each kind as it was asked."""
    return sorted(conditions, key=lambda one: (not one.counts, _FIRST.index(one.verdict)))


def _row(one: ConditionResult) -> list[str]:
    """Return the cells of a condition, all in units of the measure, or all in percent."""
    d = one.decision
    means, changes, written = (d.baseline, d.other), (d.difference, d.low, d.high), _number
    if one.condition.relative:
        means = (1.0 if d.baseline else math.nan, 1.0 + d.relative)
        changes, written = (d.relative, d.relative_low, d.relative_high), _percent
    verdict = one.verdict if one.counts else f"({one.verdict})"
    return [
        *(Name(one.name), verdict, f"{d.n:,}", _counts(one)),
        *(written(value, "") for value in means),
        *(written(value, "+") for value in changes),
        one.needed,
    ]


def _counts(one: ConditionResult) -> str:
    d = one.decision
    if not d.wins + d.ties + d.losses:  # one number of all lists
        return ""
    return f"{d.wins:,}/{d.ties:,}/{d.losses:,}"


def _counted(one: ConditionResult) -> list[str]:
    """Return the line of the counts, if there are any."""
    counts = _counts(one)
    return [f"wins/ties/losses: {counts}"] if counts else []


def _number(value: float, sign: str) -> str:
    return "" if math.isnan(value) else f"{value:{sign}.4f}"


def _percent(value: float, sign: str) -> str:
    return "" if math.isnan(value) else f"{100 * value:{sign}.2f}%"
