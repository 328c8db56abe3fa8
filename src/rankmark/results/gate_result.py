"""The result of a gate: a verdict for each condition, and one for all."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rankmark.errors import listed
from rankmark.formatting.github_markdown import code, code_block, html_code, one_line, plain
from rankmark.formatting.junit import Case, junit
from rankmark.formatting.result import Result, columns_of, encodable
from rankmark.formatting.text_tables import markdown, text
from rankmark.results.gate_condition import ConditionResult, allowed_text
from rankmark.statistics import error_after_looks
from rankmark.version import __version__

if TYPE_CHECKING:
    from rankmark.results.evaluation import Evaluation
    from rankmark.statistics.margin_decision import Verdict

SCHEMA = 1
"""Version of ``to_dict``; it increases if a field changes its meaning or is removed."""
DOES_NOT_HOLD = 3
"""Exit code of a gate that does not hold, or cannot tell."""
_SHARE = 0.02  # of the top 10: a larger difference in what is judged is mentioned
_SAID = {
    "holds": "the gate holds",
    "does not hold": "the gate does not hold",
    "cannot tell": "the gate cannot tell, and so does not pass",
}
_MARKS = {"holds": "✅", "does not hold": "❌", "cannot tell": "❔"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GateResult(Result):
    """Whether a new run may replace the baseline; true if all conditions hold.

    Parameters
    ----------
    conditions
        What was asked, and what was found, in the order in which they were given.
    baseline_name, new_name
        The names of the runs.
    baseline, new
        Their evaluations.
    settings
        The conventions, and how the inputs were read.
    slices
        {name: number of queries}.
    choices
        All arguments of ``gate`` except ``conditions``, by keyword; for records.
    anytime
        Whether the bounds are valid however often the gate is looked at.
    """

    conditions: tuple[ConditionResult, ...]
    baseline_name: str
    new_name: str
    baseline: Evaluation = field(repr=False)
    new: Evaluation = field(repr=False)
    settings: Mapping[str, Any] = field(repr=False)
    slices: Mapping[str, int] = field(repr=False)
    choices: Mapping[str, Any] = field(repr=False)
    anytime: bool = False

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
    def verdict(self) -> Verdict:
        """``"holds"`` if all conditions do; else ``"does not hold"`` if one does not."""
        found = {condition.verdict for condition in self.conditions}
        return next((v for v in ("does not hold", "cannot tell") if v in found), "holds")

    @property
    def holds(self) -> bool:
        """Whether all conditions hold."""
        return self.verdict == "holds"

    @property
    def exit_code(self) -> int:
        """0 if all conditions hold, else 3."""
        return 0 if self.holds else DOES_NOT_HOLD

    def __bool__(self) -> bool:
        return self.holds

    @property
    def notes(self) -> list[str]:
        """What a reader of the verdict must know: the kind of bound, and looking repeatedly."""
        levels = sorted({one.condition.confidence for one in self.conditions})
        bounds = ", ".join(f"{100 * level:.10g}%" for level in levels)
        how = (
            "a confidence sequence"
            if self.anytime
            else "queries are weighted at random, together with one more that loses, or for high "
            "gains, all that a query can, since a sample may lack rare losses"
        )
        lines = [
            f"low and high: bounds of the mean difference, new minus baseline, each one-sided at "
            f"{bounds} ({how})"
        ]
        if len(self.conditions) > 1:
            lines.append(
                "all conditions must hold, which needs no correction for their number "
                "(intersection-union test)"
            )
        return [*self.cautions, *lines, self._looks(1 - min(levels))]

    @property
    def cautions(self) -> list[str]:
        """Properties of the data that may have affected the verdict, apart from the rankings."""
        found = [
            f"{one.name}: {said}"
            for one in self.conditions
            for said in (one.too_few, one.assumption)
            if said
        ]
        runs = {self.baseline_name: self.baseline, self.new_name: self.new}
        for name, evaluation in runs.items():
            missing = evaluation.audit.missing_queries
            if missing:
                one = len(missing) == 1
                count = "1 query has" if one else f"{len(missing):,} queries have"
                found.append(
                    f"{count} no ranking in {name}, and {'is' if one else 'are'} scored as if "
                    f"nothing had been retrieved: {listed(missing)}"
                )
        shares = [one.audit.judged_share for one in (self.baseline, self.new)]
        if all(share is not None for share in shares) and abs(shares[0] - shares[1]) > _SHARE:
            found.append(
                f"of the top 10, {shares[0]:.1%} are judged in {self.baseline_name} and "
                f"{shares[1]:.1%} in {self.new_name}; unjudged documents count as not relevant"
            )
        for name, evaluation in runs.items():
            moved = evaluation.moved_by_ties()
            if moved:
                found.append(
                    f"tied scores: another order could change {', '.join(moved)} of {name}; see "
                    "--tie-interval of rankmark evaluate"
                )
        return found

    def _looks(self, level: float) -> str:
        """Return a line on how looking at the gate repeatedly changes how often it errs."""
        if self.anytime:
            return (
                f"a run exactly at the limit passes in at most {100 * level:.3g}% of cases, "
                "however often you look as queries come in, in the order of "
                "the judgments"
            )
        month = error_after_looks(30, level, alternative="greater")
        return (
            f"a run exactly at the limit passes in {100 * level:.3g}% of cases if you look once, "
            f"and in {100 * month:.0f}% if you look each day for 30 days as queries come in, until "
            f"it passes (--anytime, or anytime=True, keeps to {100 * level:.3g}%)"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything for JSON, with None for NaN."""
        return {
            "schema": SCHEMA,
            "rankmark": __version__,
            "verdict": self.verdict,
            "holds": self.holds,
            "exit_code": self.exit_code,
            "anytime": self.anytime,
            "baseline": self.baseline_name,
            "new": self.new_name,
            "conditions": [condition.to_dict() for condition in self.conditions],
            "slices": dict(self.slices),
            "settings": dict(self.settings),
            "runs": {
                "baseline": self.baseline.to_dict(per_query=False),
                "new": self.new.to_dict(per_query=False),
            },
            "notes": self.notes,
        }

    def _table(self) -> dict[str, Any]:
        rows = [condition.to_dict() for condition in self.conditions]
        for row in rows:
            row["max_drop"] = None if row["max_drop"] is None else str(row["max_drop"])
            del row["lost"]
        return columns_of(rows)

    def to_text(self) -> str:
        """Format the verdict for a terminal: a table, the reasons, and the queries that lost."""
        head, cells = self._cells()
        lines = [
            one_line(f"{self.new_name} against {self.baseline_name}: {_SAID[self.verdict]}"),
            "\n\n",
            text(head, cells, 2),
            "\n",
            *(one_line(f"{c.name}: {c.verdict}; {c.reason}") + "\n" for c in self.conditions),
        ]
        for condition in self.conditions:
            if condition.lost:
                lines.append("\n" + one_line(f"queries that lost most, {condition.name}") + "\n")
                lines.append(text(*_lost_cells(condition, one_line), 1))
                lines += [f"  {query.explain}\n" for query in condition.lost if query.explain]
        return "".join([*lines, "\n", *(one_line(note) + "\n" for note in self.notes)])

    def to_markdown(self) -> str:
        """Format the verdict for a pull request, or the summary of a job."""
        head, cells = self._cells(code)
        mark = _MARKS[self.verdict]
        lines = [
            f"### {mark} {code(self.new_name)} against {code(self.baseline_name)}: "
            f"{_SAID[self.verdict]}\n\n",
            markdown(head, cells, 2),
            "\n",
            *(
                f"- {_MARKS[c.verdict]} {code(c.name)} **{c.verdict}**: {c.reason}\n"
                for c in self.conditions
            ),
        ]
        for condition in self.conditions:
            if condition.lost:
                summary = f"Queries that lost most, {html_code(condition.name)}"
                lines.append(f"\n<details><summary>{summary}</summary>\n\n")
                lines.append(markdown(*_lost_cells(condition, code), 1))
                commands = [query.explain for query in condition.lost if query.explain]
                if commands:
                    lines.append("\n" + code_block("\n".join(commands), "sh"))
                lines.append("\n</details>\n")
        return encodable(
            "".join([*lines, "\n", *(f"<sub>{plain(note)}</sub>  \n" for note in self.notes)])
        )

    def to_junit(self) -> str:
        """Format the verdict as JUnit XML: each condition is a test."""
        cases = []
        for condition in self.conditions:
            shown = [condition.reason]
            shown += [
                f"{q.query_id}: {q.difference:+.4f}  {q.explain or ''}".rstrip()
                for q in condition.lost
            ]
            failed = None if condition.verdict == "holds" else (condition.verdict, condition.reason)
            cases.append(Case(condition.condition.text, failed, "\n".join(shown)))
        properties = {
            "rankmark": __version__,
            "baseline": self.baseline_name,
            "new": self.new_name,
            "verdict": self.verdict,
            "conventions": str(self.new.conventions),
        }
        return junit("rankmark gate", cases, properties)

    def _cells(self, words: Callable[[str], str] = one_line) -> tuple[list[str], list[list[str]]]:
        head = ["condition", "verdict", "queries", "baseline", "new", "difference", "low", "high"]
        rows = []
        for one in self.conditions:
            d = one.decision
            numbers = [_number(d.baseline), _number(d.other), _number(d.difference, "+")]
            if one.condition.relative:
                ends = [_number(d.relative_low, "+", 100), _number(d.relative_high, "+", 100)]
                ends = [f"{end}%" if end else "" for end in ends]
            else:
                ends = [_number(d.low, "+"), _number(d.high, "+")]
            needed = allowed_text(one.condition)
            rows.append([words(one.name), one.verdict, f"{d.n:,}", *numbers, *ends, needed])
        return [*head, "needed"], rows

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        found = ", ".join(f"{one.name} {one.verdict}" for one in self.conditions)
        return f"GateResult({self.verdict}: {found})"

    def _repr_html_(self) -> str:
        from html import escape  # noqa: PLC0415

        head, cells = self._cells()
        row = "<tr>{}</tr>".format
        body = "".join(row("".join(f"<td>{escape(cell)}</td>" for cell in line)) for line in cells)
        names = "".join(f"<th>{name}</th>" for name in head)
        reasons = "".join(
            f"<li>{escape(f'{c.name}: {c.verdict}; {c.reason}')}</li>" for c in self.conditions
        )
        title = f"{self.new_name} against {self.baseline_name}: {_SAID[self.verdict]}"
        return encodable(
            f"<p><strong>{escape(title)}</strong></p><table>{row(names)}{body}</table>"
            f"<ul>{reasons}</ul>"
        )


def _lost_cells(
    condition: ConditionResult, words: Callable[[str], str]
) -> tuple[list[str], list[list[str]]]:
    rows = [
        [words(q.query_id), f"{q.baseline:.4f}", f"{q.new:.4f}", f"{q.difference:+.4f}"]
        for q in condition.lost
    ]
    return ["query", "baseline", "new", "difference"], rows


def _number(value: float, sign: str = "", times: float = 1.0) -> str:
    if math.isnan(value):
        return ""
    return f"{times * value:{sign}.{2 if times != 1 else 4}f}"
