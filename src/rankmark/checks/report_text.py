"""A check's report as people read it, in 80 columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from rankmark.checks.finding import SEVERITIES
from rankmark.checks.finding_groups import Group, groups_of, groups_of_runs
from rankmark.checks.phrases import all_of, and_more, count, per_cent
from rankmark.checks.side_by_side import side_by_side
from rankmark.sources.contract.source import side

if TYPE_CHECKING:
    from rankmark.checks.finding import FileReport, Finding

_WIDTH = 80
_INDENT = 2
_LABELS = 16  # columns for the name of a fact
_MOST_SHOWN = 8  # labels of a histogram
_FEW = 3  # findings of one run, which need no summary
_MOST_ALSO = 4  # runs in a line of the summary
_MOST_SHOWN_RUNS = 3  # of a finding, told one by one
_ENDS = {
    "LF": "lines end in LF",
    "CRLF": "lines end in CRLF",
    "mixed": "lines end in LF and in CRLF",
    "none": "one line that has no end",
}


def written(files: Sequence[FileReport], together: Sequence[Finding]) -> str:
    """Write a whole report: what matters on one screen, then the judgments, then the runs."""
    judged, *runs = files
    groups = groups_of(files, together)
    lines = [*_wrapped(_headline(files, groups), "", "  "), "", *_summary(groups, len(runs))]
    lines += [*_file(judged), ""]
    if len(runs) == 1:
        lines += [*_file(runs[0]), ""]
    elif runs:
        lines += [*side_by_side(runs), ""]
        lines += _blocks(_group(group, len(runs)) for group in groups_of_runs(runs))
    if together:
        lines += ["side by side", "", *_findings(together)]
    return "\n".join(lines).rstrip()


def _headline(files: Sequence[FileReport], groups: Sequence[Group]) -> str:
    """Count what was found, once for all runs that have it, and name what has errors."""
    found = [
        count(number, severity) + (_with_errors(files) if severity == "error" else "")
        for severity in SEVERITIES
        if (number := sum(group.severity == severity for group in groups))
    ]
    runs = len(files) - 1
    beside = f" and {count(runs, 'run')}" if runs else ""
    return f"{', '.join(found) or 'nothing found'} in judgments{beside}"


def _with_errors(files: Sequence[FileReport]) -> str:
    bad = [side(file.name, file.kind) for file in files if not file.ok]
    more = f" and {len(bad) - 3} more" if len(bad) > 3 else ""
    return f" ({', '.join(bad[:3])}{more})"


def _summary(groups: Sequence[Group], runs: int) -> Iterator[str]:
    """Say each thing in a line or two, what can move the measures most first."""
    if len(groups) <= _FEW and runs <= 1:
        return
    serious = [group for group in groups if group.severity != "note"]
    width = max((len(group.code) for group in serious), default=0)
    for group in serious:
        label = f"  {group.code:<{width}}  "
        yield from _wrapped(_in_short(group, runs), label, " " * len(label))
    notes = [group for group in groups if group.severity == "note"]
    if notes:
        named = [f"{group.code}{_how_many(group, runs)}" for group in notes]
        yield from _wrapped(", ".join(named), "  notes: " if serious else "  ", "    ")
    yield ""


def _in_short(group: Group, runs: int) -> str:
    worst = group.worst
    said = worst.consequence or worst.what
    if not group.names or runs == 1:
        return said if worst.consequence == "" else f"{worst.what}; {said}"
    name, *others = group.names
    also = f"; also {and_more(others, _MOST_ALSO)}" if others else ""
    if len(group.names) == runs:
        return f"{all_of(runs)}, most of all {name}: {said}"
    return f"{name}: {said}{also}"


def _how_many(group: Group, runs: int) -> str:
    if not group.names or runs == 1:
        return ""
    have = len(group.names)
    return f" ({all_of(runs) if have == runs else count(have, 'run')})"


def _file(file: FileReport) -> Iterator[str]:
    yield f"{file.name}: {'judgments' if file.kind == 'qrels' else 'run'}"
    for name, value in facts_of(file):
        yield from _filled(f"{name:<{_LABELS}}", value)
    if file.findings:
        yield ""
        yield from _findings(file.findings)


def _group(group: Group, runs: int) -> Iterator[str]:
    """Write a finding of several runs: what was found in the worst of them, and who else has it."""
    worst = group.worst
    how_many = f"{len(group.names)} of {runs} runs"
    if len(group.names) == runs:
        how_many = all_of(runs)
    yield f"  {group.severity.upper()} {group.code}: in {how_many}"
    shown = group.found[:_MOST_SHOWN_RUNS]
    for name, finding in shown:
        said = f"{finding.what}; {finding.consequence}" if finding.consequence else finding.what
        yield from _wrapped(f"{name}: {said}", "    ", "      ")
    others = group.names[len(shown) :]
    if others:
        yield from _filled("  also    ", ", ".join(others))
    if worst.places:
        name = f"{shown[0][0]}: " if len(group.found) > 1 else ""
        yield from _filled("  at      ", name + _at(worst))
    yield from _filled("  effect  ", worst.effect)
    yield from _filled("  do      ", worst.remedy)


def _blocks(blocks: Iterable[Iterable[str]]) -> Iterator[str]:
    for block in blocks:
        yield from block
        yield ""


def facts_of(file: FileReport) -> Iterator[tuple[str, str]]:
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
        modes = facts.get("depth_modes")
        yield "rows a query", _depth(facts["depth"]) + (_modes(modes) if modes else "")
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


def _modes(modes: Any) -> str:
    few, many = modes
    return (
        f"; two modes: {few['queries']:,} queries around {few['median']:,}, {many['queries']:,} "
        f"around {many['median']:,}"
    )


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
    if ties["float64"]["rows"] and ties.get("moves") == {}:
        shown += "; no order of them moves a printed digit"
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
            yield from _filled("  at      ", _at(finding))
        yield from _filled("  effect  ", finding.effect)
        if finding.consequence:
            yield from _filled("  here    ", finding.consequence)
        yield from _filled("  do      ", finding.remedy)


def _at(finding: Finding) -> str:
    more = finding.count - len(finding.places)
    return "; ".join(map(str, finding.places)) + (f"; and {more:,} more" if more > 0 else "")


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
