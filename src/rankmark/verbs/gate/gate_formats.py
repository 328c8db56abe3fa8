"""A gate's verdict as text, Markdown, HTML and JUnit XML."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rankmark.errors import one_line
from rankmark.results import html_parts as html
from rankmark.results.details import IN_PYTHON, chosen, hides, more
from rankmark.results.escaped_bytes import readable
from rankmark.results.github_markdown import code, code_block, html_code, plain
from rankmark.results.junit import Case, Suite, junit
from rankmark.results.text_tables import markdown, text
from rankmark.results.text_width import fitted
from rankmark.verbs.gate.condition_result import ConditionResult
from rankmark.verbs.gate.gate_notes import SAME, about_bounds, about_data
from rankmark.verbs.gate.gate_reasons import allowed_text
from rankmark.verbs.gate.lost_query import LostQuery
from rankmark.version import __version__

if TYPE_CHECKING:
    from rankmark.statistics.margin_decision import Verdict
    from rankmark.verbs.gate.decided_gate import DecidedGate

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


def text_of(
    result: DecidedGate, width: int | None, *, verbose: bool = False, how: str = IN_PYTHON
) -> str:
    """Format as text, in lines of ``width`` columns; None for no limit.

    Details are left out unless ``verbose``, and ``how`` to see them is said.
    """
    said, last = _said(result, verbose=verbose, how=how)
    head, cells = _cells(result, one_line)
    lines = [one_line(_title(result, str)), "\n"]
    if cells:
        lines += ["\n", text(head, cells, 3 if result.others else 2, width=width)]
    if reasons := _reasons(result, str):
        lines += ["\n", *(one_line(line) + "\n" for line in reasons)]
    if said:
        lines += ["\n", *(one_line(line) + "\n" for line in said)]
    for name, queries in _lost(result):
        lines.append("\n" + one_line(f"queries that lost most, {name}") + "\n")
        lines.append(text(*_lost_cells(queries, one_line), 1, width=width))
    if command := _command(result):
        lines += [f"to explain one: {command}\n"]
    lines += ["\n", *(one_line(note) + "\n" for note in last)]
    return fitted("".join(lines), width)


def markdown_of(result: DecidedGate, *, verbose: bool = False, how: str = IN_PYTHON) -> str:
    """Format for a pull request, or the summary of a job; ``verbose`` and ``how`` as for text."""
    said, last = _said(result, verbose=verbose, how=how)
    head, cells = _cells(result, code)
    lines = [f"### {_MARKS[result.verdict]} {_title(result, code)}\n\n"]
    if cells:
        lines.append(markdown(head, cells, 3 if result.others else 2))
    if reasons := _reasons(result, code, marked=True):
        lines += ["\n", *(f"- {line}\n" for line in reasons)]
    if said:
        lines += ["\n", *(f"{plain(line)}  \n" for line in said)]
    for name, queries in _lost(result):
        lines.append(
            f"\n<details><summary>Queries that lost most, {html_code(name)}</summary>\n\n"
            f"{markdown(*_lost_cells(queries, code), 1)}\n</details>\n"
        )
    if command := _command(result):
        lines += ["\nTo explain one:\n\n", code_block(command, "sh")]
    return readable("".join([*lines, "\n", *(f"<sub>{plain(note)}</sub>  \n" for note in last)]))


def html_of(result: DecidedGate) -> str:
    """Format for a notebook."""
    said, last = _said(result, verbose=False, how=IN_PYTHON)
    head, cells = _cells(result, str)
    parts = [html.title(f"{_MARKS[result.verdict]} {_title(result, str)}")]
    if cells:
        parts.append(html.table(head, cells, 3 if result.others else 2))
    parts += [html.items(_reasons(result, str)), html.notes(said)]
    for name, queries in _lost(result):
        parts += [html.paragraph(f"queries that lost most, {name}:")]
        parts.append(html.table(*_lost_cells(queries, str)))
    if command := _command(result):
        parts += [html.paragraph("to explain one:"), html.formula(command)]
    return html.page(*parts, html.notes(last))


def junit_of(result: DecidedGate) -> str:
    """Format as JUnit XML, each condition a test; what does not fail the gate is skipped."""
    return junit("rankmark gate", [_suite("rankmark gate", result)])


def junit_of_all(results: Mapping[str, DecidedGate]) -> str:
    """Format several gates as JUnit XML, each a suite."""
    return junit("rankmark gate", [_suite(name, result) for name, result in results.items()])


def _suite(called: str, result: DecidedGate) -> Suite:
    cases = []
    for name, one in result.candidates.items():
        for condition in one.conditions:
            shown = [condition.reason, f"wins/ties/losses: {_counts(condition)}"]
            shown += [
                f"{q.query_id}: {q.difference:+.4f}  {q.explain or ''}".rstrip()
                for q in condition.lost
            ]
            asked = condition.text
            failed = None if condition.verdict == "holds" else (condition.verdict, condition.reason)
            excused = failed is not None and (not condition.counts or result.holds)
            cases.append(
                Case(
                    f"{name}: {asked}" if result.others else asked,
                    None if excused else failed,
                    "\n".join(shown),
                    skipped=f"{condition.verdict}: {condition.reason}" if excused else None,
                )
            )
    properties = {
        "rankmark": __version__,
        "baseline": result.baseline_name,
        "new": result.new_name,
        **({} if result.reference is None else {"reference": result.reference.name}),
        "verdict": result.verdict,
    }
    if result.conventions is not None:
        properties["conventions"] = str(result.conventions)
    if result.same:
        properties["same"] = result.same
    if result.others:
        properties["passing"] = ", ".join(result.passing)
    return Suite(called, cases, properties, "\n".join(result.notes))


def _said(result: DecidedGate, *, verbose: bool, how: str) -> tuple[list[str], list[str]]:
    """Return the lines about the data, and those at the end."""
    every = result.notes
    whole = verbose or not hides(every)
    data, bounds = (chosen(of(result), verbose=whole) for of in (about_data, about_bounds))
    return data, [*bounds, *more(every, verbose=verbose, how=how)]


def _title(result: DecidedGate, words: Words) -> str:
    against = words(result.baseline_name)
    if result.reference is not None:
        against += f" and {words(result.reference.name)}"
    if not result.others:
        same = f"; {SAME[result.same]}" if result.same else ""
        if same and result.reference is not None:
            pair = f"{words(result.new_name)} and {words(result.baseline_name)}"
            same = f"; {pair}: {SAME[result.same]}"
        said = f"{_SAID[result.verdict]}{_tally(result)}{same}"
        return f"{words(result.new_name)} against {against}: {said}"
    count = f"{len(result.candidates)} candidates against {against}"
    if not result.holds:
        cannot = sum(one.verdict == "cannot tell" for one in result.candidates.values())
        unknown = f" ({cannot} of them undecided)" if cannot else ""
        return f"{count}: none may go live{unknown}"
    passing = [words(name) for name in result.passing]
    if len(passing) == 1:
        return f"{count}: {passing[0]} may go live"
    return f"{count}: {len(passing)} may go live, best first: {', '.join(passing)}"


def _tally(result: DecidedGate) -> str:
    """Count the verdicts of many conditions."""
    if len(result.conditions) <= _FEW or result.others:
        return ""
    verdicts = [one.verdict for one in result.conditions if one.counts]
    counts = []
    for verdict in reversed(_FIRST):
        if count := verdicts.count(verdict):
            plural = {"holds": "hold", "does not hold": "do not hold"}.get(verdict, verdict)
            counts.append(f"{count} {verdict if count == 1 else plural}")
    if shown := len(result.conditions) - len(verdicts):
        counts.append(f"{shown} {'is' if shown == 1 else 'are'} only shown")
    return f" ({len(result.conditions)} conditions: {', '.join(counts)})"


def _in_order(conditions: Sequence[ConditionResult]) -> list[ConditionResult]:
    """Put those that fail first, and last those that do not count; each kind as it was asked."""
    return sorted(conditions, key=lambda one: (not one.counts, _FIRST.index(one.verdict)))


def _cells(result: DecidedGate, words: Words) -> tuple[list[str], list[list[str]]]:
    rows = [
        [*([words(name)] if result.others else []), *_row(condition, words)]
        for name, one in result.candidates.items()
        for condition in _in_order(one.conditions)
    ]
    head = [("judged" if result.sample and name == "queries" else name) for name in _HEAD]
    return [*(["candidate"] if result.others else []), *head], rows


def _row(one: ConditionResult, words: Words) -> list[str]:
    """Return the cells of a condition, all in units of the measure, or all in percent."""
    d = one.decision
    if one.condition.relative:
        share = [1.0 if d.baseline else math.nan, 1.0 + d.relative]
        numbers = [_percent(value) for value in share]
        numbers += [_percent(x, "+") for x in (d.relative, d.relative_low, d.relative_high)]
    else:
        numbers = [_number(d.baseline), _number(d.other), _number(d.difference, "+")]
        numbers += [_number(d.low, "+"), _number(d.high, "+")]
    verdict = one.verdict if one.counts else f"({one.verdict})"
    first = [words(one.name), verdict, f"{d.n:,}", _counts(one)]
    return [*first, *numbers, allowed_text(one.condition)]


def _counts(one: ConditionResult) -> str:
    d = one.decision
    return f"{d.wins:,}/{d.ties:,}/{d.losses:,}"


def _reasons(result: DecidedGate, words: Words, *, marked: bool = False) -> list[str]:
    """Return a line for each condition; if there are many, for those that have to be read."""
    lines = []
    for name, one in result.candidates.items():
        few = len(one.conditions) <= _FEW
        left = _REASONS
        hidden = 0
        for condition in _in_order(one.conditions):
            if not few and condition.verdict == "holds" and not condition.is_worse:
                continue
            if not few and not condition.counts:
                continue
            if not few and condition.verdict == "cannot tell":
                left -= 1
                if left < 0:
                    hidden += 1
                    continue
            mark = f"{_MARKS[condition.verdict]} " if marked else ""
            of = f"{words(name)}, " if result.others else ""
            verdict = f" **{condition.verdict}**:" if marked else f": {condition.verdict};"
            lines.append(f"{mark}{of}{words(condition.name)}{verdict} {condition.reason}")
        if hidden:
            lines.append(f"{hidden} more are undecided; JSON has the reason for each")
    return lines


def _lost(result: DecidedGate) -> Iterator[tuple[str, Sequence[LostQuery]]]:
    """Yield the queries that lost most, of each measure, and of each slice that does not hold."""
    for name, one in result.candidates.items():
        of = f"{name}, " if result.others else ""
        told: set[tuple[str, ...]] = set()
        whole = {str(c.condition.measure) for c in one.conditions if c.condition.slice is None}
        for condition in _in_order(one.conditions):
            queries = tuple(query.query_id for query in condition.lost)
            measure = str(condition.condition.measure)
            in_slice = condition.condition.slice is not None
            if in_slice and measure in whole and condition.verdict != "does not hold":
                continue
            if queries and (measure, *queries) not in told:
                told.add((measure, *queries))
                yield f"{of}{condition.name}", condition.lost


def _command(result: DecidedGate) -> str | None:
    """Return the command that explains the query that lost most, once for all of them."""
    each = (query.explain for _, queries in _lost(result) for query in queries)
    return next((command for command in each if command), None)


def _lost_cells(queries: Sequence[LostQuery], words: Words) -> tuple[list[str], list[list[str]]]:
    rows = [
        [words(q.query_id), f"{q.baseline:.4f}", f"{q.new:.4f}", f"{q.difference:+.4f}"]
        for q in queries
    ]
    return ["query", "baseline", "new", "difference"], rows


def _number(value: float, sign: str = "") -> str:
    return "" if math.isnan(value) else f"{value:{sign}.4f}"


def _percent(value: float, sign: str = "") -> str:
    return "" if math.isnan(value) else f"{100 * value:{sign}.2f}%"
