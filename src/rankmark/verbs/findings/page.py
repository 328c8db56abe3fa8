"""A check's report as people read it, in 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from rankmark.sources.table import side
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
    "none": "one line that has no end",
}


def written(report: CheckReport) -> str:
    """Write a whole report: what it comes to, then file by file, then what is side by side."""
    lines = [*_wrapped(_summary(report), "", "  "), ""]
    runs = [file.name for file in report.files[1:]]
    for number, file in enumerate(report.files):
        which = f" {number}" if number and runs.count(file.name) > 1 else ""
        lines += [*_file(file, which), ""]
    if report.together:
        lines += ["side by side", "", *_findings(report.together)]
    return "\n".join(lines).rstrip()


def _summary(report: CheckReport) -> str:
    """Count what was found, and name what has errors."""
    found = [
        count(number, severity) + (_with_errors(report) if severity == "error" else "")
        for severity in SEVERITIES
        if (number := sum(one.severity == severity for one in report.findings))
    ]
    runs = len(report.files) - 1
    beside = f" and {count(runs, 'run')}" if runs else ""
    return f"{', '.join(found) or 'nothing found'} in judgments{beside}"


def _with_errors(report: CheckReport) -> str:
    bad = [side(file.name, file.kind) for file in report.files if not file.ok]
    more = f" and {len(bad) - 3} more" if len(bad) > 3 else ""
    return f" ({', '.join(bad[:3])}{more})"


def _file(file: FileReport, which: str) -> Iterator[str]:
    yield f"{file.name}: {'judgments' if file.kind == 'qrels' else 'run'}{which}"
    for name, value in _facts(file):
        yield from _filled(f"{name:<{_LABELS}}", value)
    if file.findings:
        yield ""
        yield from _findings(file.findings)


def _facts(file: FileReport) -> Iterator[tuple[str, str]]:
    """Yield what can be said on one line each, the rest being for programs."""
    facts = file.facts
    if "form" in facts:
        yield "form", _form(facts)
        columns = facts["form"].get("columns", {})
        if any(role != name for role, name in columns.items()):
            yield "columns", ", ".join(f"{role}={name}" for role, name in columns.items())
    if "rows" in facts:
        yield "rows", f"{facts['rows']:,} of {count(facts['queries'], 'query', 'queries')}"
    if facts.get("depth"):
        yield "rows a query", _depth(facts["depth"])
    if facts.get("labels"):
        yield "labels", _histogram(facts["labels"])
    if "scores" in facts:
        yield "scores", _scores(facts)
    if facts.get("ties"):
        yield "ties", _ties(facts["ties"])
    if "answered" in facts:
        yield (
            "queries",
            f"{facts['judged_queries']:,} judged, {facts['answered']:,} answered, "
            f"{facts['missing']:,} missing, {facts['run_only']:,} run-only",
        )
        judged, top = facts["judged_rows"], facts["judged_at_10"]["share"]
        yield "judged", f"{count(judged, 'document')} retrieved, {per_cent(top)} of the top 10"


def _form(facts: Any) -> str:
    form = facts["form"]
    words = [form["form"] + (f" in {form['packing']}" if "packing" in form else "")]
    if "shape" in form:
        words.append(" x ".join(f"{size:,}" for size in form["shape"]))
    if facts.get("bytes"):
        mark = " with a byte order mark" if facts["byte_order_mark"] else ""
        words.append(f"{facts['encoding']}{mark}")
        if facts["encoding"] not in {"UTF-16", "UTF-32"}:
            words.append(_ENDS[facts["line_ends"]])
    if "bytes" in facts:
        words.append(f"{facts['bytes']:,} bytes")
    return ", ".join(words)


def _depth(depth: Any) -> str:
    if depth["min"] == depth["max"]:
        return f"{depth['max']:,} each"
    return ", ".join(f"{name} {value:,}" for name, value in depth.items())


def _histogram(labels: Any) -> str:
    bars = labels["histogram"]
    if "label" not in bars[0]:
        return f"{labels['distinct']:,} distinct, from {labels['min']:g} to {labels['max']:g}"
    shown = "; ".join(f"{bar['label']:g}: {bar['rows']:,}" for bar in bars[:_MOST_SHOWN])
    more = f"; {len(bars) - _MOST_SHOWN} more" if len(bars) > _MOST_SHOWN else ""
    return f"{shown}{more}"


def _scores(facts: Any) -> str:
    scores = facts["scores"]
    if scores is None:
        return f"none; ordered {'by rank' if facts['rank_column'] else 'as given'}"
    negative = f", {scores['negative']:,} below 0" if scores["negative"] else ""
    return f"from {scores['min']:g} to {scores['max']:g}{negative}"


def _ties(ties: Any) -> str:
    shown = _tied(ties["float64"])
    if ties["only_float32"]["rows"]:
        shown += f"; in single precision {_tied(ties['only_float32'])} more"
    return shown


def _tied(ties: Any) -> str:
    if not ties["rows"]:
        return "none"
    judged = f" and {per_cent(ties['judged_share'])} of judged" if "judged_share" in ties else ""
    return f"{per_cent(ties['share'])} of rows{judged}"


def _findings(findings: Sequence[Finding]) -> Iterator[str]:
    for place, finding in enumerate(findings):
        if place:
            yield ""
        head = f"{finding.severity.upper()} {finding.code}: "
        yield from _wrapped(head + finding.what, " " * _INDENT, " " * 2 * _INDENT)
        if finding.places:
            more = finding.count - len(finding.places)
            at = "; ".join(map(str, finding.places))
            yield from _filled("  at      ", at + (f"; and {more:,} more" if more > 0 else ""))
        yield from _filled("  effect  ", finding.effect)
        yield from _filled("  do      ", finding.remedy)


def _filled(label: str, text: str) -> list[str]:
    """Fill a paragraph behind a label, its further lines set in."""
    begin = " " * _INDENT + label
    return _wrapped(text, begin, " " * len(begin))


def _wrapped(text: str, begin: str, further: str) -> list[str]:
    return wrap(
        text,
        _WIDTH,
        initial_indent=begin,
        subsequent_indent=further,
        break_long_words=False,
        break_on_hyphens=False,
    )
