"""A check's report as people read it, in 80 columns."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from rankmark.verbs.findings.finding import SEVERITIES
from rankmark.verbs.findings.wording import count, per_cent

if TYPE_CHECKING:
    from rankmark.verbs.findings.finding import CheckReport, FileReport, Finding

_WIDTH = 80
_INDENT = 2
_LABELS = 16  # columns for the name of a fact
_MOST_SHOWN = 8  # labels of a histogram
_ENDS = {
    "LF": "lines end in LF",
    "CRLF": "lines end in CRLF",
    "mixed": "lines end in LF and in CRLF",
    "none": "one line without an end",
}


def written(report: CheckReport) -> str:
    """Write a whole report: what it comes to, then file by file, then what is side by side."""
    lines = [_summary(report), ""]
    for file in report.files:
        lines += [*_file(file), ""]
    if report.together:
        lines += ["side by side", "", *_findings(report.together)]
    return "\n".join(lines).rstrip()


def _summary(report: CheckReport) -> str:
    found = [
        count(number, severity)
        for severity in SEVERITIES
        if (number := sum(one.severity == severity for one in report.findings))
    ]
    return f"{', '.join(found) or 'nothing found'} in {count(len(report.files), 'file')}"


def _file(file: FileReport) -> Iterator[str]:
    yield f"{file.name}: {'judgments' if file.kind == 'qrels' else 'run'}"
    for name, value in _facts(file):
        yield from _filled(f"{name:<{_LABELS}}", value)
    if file.findings:
        yield ""
        yield from _findings(file.findings)


def _facts(file: FileReport) -> Iterator[tuple[str, str]]:
    """Yield what can be said on one line each, the rest being for programs."""
    facts = file.facts
    if form := _form(facts):
        yield "form", form
    if "rows" in facts:
        yield "rows", f"{facts['rows']:,} of {count(facts['queries'], 'query', 'queries')}"
    if facts.get("depth"):
        spread = ", ".join(f"{name} {value:,}" for name, value in facts["depth"].items())
        yield "rows a query", spread
    if facts.get("labels"):
        yield "labels", _histogram(facts["labels"])
    if facts.get("scores"):
        scores = facts["scores"]
        negative = f", {scores['negative']:,} below 0" if scores["negative"] else ""
        yield "scores", f"from {scores['min']:g} to {scores['max']:g}{negative}"
    if facts.get("ties"):
        yield "ties", _ties(facts["ties"])
    if "answered" in facts:
        yield (
            "queries",
            f"{facts['judged_queries']:,} judged, {facts['answered']:,} answered, "
            f"{facts['missing']:,} missing, {facts['run_only']:,} run-only",
        )
        judged, top = facts["judged_rows"], facts["judged_at_10"]["share"]
        yield "judged", f"{count(judged, 'row')}, {per_cent(top)} of the top 10"


def _form(facts: Any) -> str:
    words = []
    if "form" in facts:
        form = facts["form"]
        words.append(form["form"] + (f" in {form['packing']}" if "packing" in form else ""))
    if "encoding" in facts:
        mark = " with a byte order mark" if facts["byte_order_mark"] else ""
        words.append(f"{facts['encoding']}{mark}")
        words.append(_ENDS[facts["line_ends"]])
        words.append(f"{facts['bytes']:,} bytes")
    return ", ".join(words)


def _histogram(labels: Any) -> str:
    bars = labels["histogram"]
    if "label" not in bars[0]:
        return f"{labels['distinct']:,} distinct, from {labels['min']:g} to {labels['max']:g}"
    shown = "; ".join(f"{bar['label']:g}: {bar['rows']:,}" for bar in bars[:_MOST_SHOWN])
    more = f"; {len(bars) - _MOST_SHOWN} more" if len(bars) > _MOST_SHOWN else ""
    return f"{shown}{more}"


def _ties(ties: Any) -> str:
    shown = _tied(ties["float64"])
    if ties["only_float32"]["rows"]:
        shown += f"; {_tied(ties['only_float32'])} more in single precision"
    return shown


def _tied(ties: Any) -> str:
    judged = f" ({per_cent(ties['judged_share'])} of judged)" if "judged_share" in ties else ""
    return f"{per_cent(ties['share'])} of rows{judged}"


def _findings(findings: tuple[Finding, ...]) -> Iterator[str]:
    for place, finding in enumerate(findings):
        if place:
            yield ""
        head = f"{finding.severity.upper()} {finding.code}: "
        yield from wrap(
            head + finding.what,
            _WIDTH,
            initial_indent=" " * _INDENT,
            subsequent_indent=" " * 2 * _INDENT,
            break_long_words=False,
            break_on_hyphens=False,
        )
        if finding.places:
            more = finding.count - len(finding.places)
            at = "; ".join(map(str, finding.places))
            yield from _filled("  at      ", at + (f"; and {more:,} more" if more > 0 else ""))
        yield from _filled("  effect  ", finding.effect)
        yield from _filled("  do      ", finding.remedy)


def _filled(label: str, text: str) -> list[str]:
    """Fill a paragraph behind a label, its further lines set in."""
    return wrap(
        text,
        _WIDTH,
        initial_indent=" " * _INDENT + label,
        subsequent_indent=" " * (_INDENT + len(label)),
        break_long_words=False,
        break_on_hyphens=False,
    )
