"""The result of a check, and its text: findings grouped over runs, and facts side by side."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankmark.data.contract.source import side
from rankmark.errors import counted
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.shown_parts import Heading, Labelled, Lines, Look, Part, Title
from rankmark.results.shown_result import ShownResult
from rankmark.results.table_schema import columns_of
from rankmark.results.text_width import REPORT
from rankmark.verbs.check.finding import (
    SEVERITIES,
    FileReport,
    Finding,
    Severity,
    and_more,
    per_cent,
)
from rankmark.verbs.evaluate.notes import all_of


@dataclass(frozen=True, slots=True)
class Group:
    """A finding, and the runs that have it.

    Parameters
    ----------
    found
        Names of runs and their findings, worst first; a finding about the judgments or about the
        runs together has an empty name.
    """

    found: tuple[tuple[str, Finding], ...]

    @property
    def worst(self) -> Finding:
        """The finding of the run that is affected most."""
        return self.found[0][1]

    @property
    def severity(self) -> Severity:
        """The severity, which is the same for all."""
        return self.worst.severity

    @property
    def code(self) -> str:
        """The code, which is the same for all."""
        return self.worst.code

    @property
    def names(self) -> list[str]:
        """The runs, worst first."""
        return [name for name, _ in self.found if name]


def groups_of(files: Sequence[FileReport], together: Iterable[Finding]) -> list[Group]:
    """Group all findings, sorted by severity, then by effect."""
    judged, *runs = files
    single = (Group((("", finding),)) for finding in (*judged.findings, *together))
    return _in_order([*single, *groups_of_runs(runs)])


def groups_of_runs(runs: Sequence[FileReport]) -> list[Group]:
    """Group the findings of the runs."""
    groups: dict[tuple[str, str], list[tuple[str, Finding]]] = {}
    for name, file in zip(shown_names(runs), runs, strict=True):
        for finding in file.findings:
            groups.setdefault((finding.severity, finding.code), []).append((name, finding))
    return _in_order(
        Group(tuple(sorted(found, key=lambda item: (-item[1].weight, -item[1].count))))
        for found in groups.values()
    )


def _in_order(groups: Iterable[Group]) -> list[Group]:
    return sorted(groups, key=lambda group: (SEVERITIES.index(group.severity), -group.worst.weight))


def shown_names(runs: Sequence[FileReport]) -> list[str]:
    """Return names without the common folder; numbered if names are equal."""
    names = [run.name for run in runs]
    folder = common_folder(runs)
    short = [name.removeprefix(folder) for name in names]
    return [
        f"{name} {number}" if short.count(name) > 1 else name
        for number, name in enumerate(short, 1)
    ]


def common_folder(runs: Sequence[FileReport]) -> str:
    """Return the folder that contains all runs, with a slash at the end; empty if there is none."""
    if len(runs) < 2:
        return ""
    folders = {os.path.split(run.name)[0] for run in runs}
    (folder,) = folders if len(folders) == 1 else ("",)
    return f"{folder}{os.sep}" if folder else ""


def side_by_side(runs: Sequence[FileReport]) -> list[Part]:
    """Return the facts of runs: those that all have, and a table of the others."""
    folder = common_folder(runs)
    lines = [f"{len(runs)} runs" + (f" in {folder}" if folder else "")]
    columns: dict[str, list[str]] = {}
    alike = []
    for name, fact in _FACTS.items():
        values = [fact(run.facts) for run in runs]
        usual, times = Counter(values).most_common(1)[0]
        if times == len(values):
            if usual:
                alike.append(f"{name} {usual}")
        else:
            columns[name] = values
    if alike:
        lines.append(f"  the same in all: {', '.join(alike)}")
    rows = zip(shown_names(runs), *columns.values(), strict=True)
    return [Lines(lines), *([MarkedTable(["", *columns], rows, indent=2)] if columns else [])]


def _counted(name: str) -> Callable[[Any], str]:
    return lambda facts: f"{facts[name]:,}" if name in facts else ""


def _depth_range(facts: Any) -> str:
    depth = facts.get("depth")
    if not depth:
        return ""
    least, most = depth["min"], depth["max"]
    return f"{most:,}" if least == most else f"{least:,} to {most:,}"


def _share(share: float) -> str:
    return "<0.1%" if 0 < share < 0.001 else ">99.9%" if 0.999 < share < 1 else f"{share:.1%}"


_FACTS: dict[str, Callable[[Any], str]] = {
    "form": lambda facts: str(facts["form"]["form"]) if "form" in facts else "unknown",
    "rows": _counted("rows"),
    "a query": _depth_range,
    "tied": lambda facts: _share(facts["ties"]["float64"]["share"]) if facts.get("ties") else "",
    "Judged@10": lambda facts: (
        _share(facts["judged_at_10"]["mean"]) if "judged_at_10" in facts else ""
    ),
    "missing": _counted("missing"),
    "run-only": _counted("run_only"),
}


_LABELS = 16  # columns for the name of a fact
_MOST_LABELS = 8  # of a histogram
_FEW = 3  # findings of one run that need no summary
_MOST_OTHERS = 4  # runs in a line of the summary
_MOST_RUNS = 3  # of a finding, each with its own line
_ENDS = {
    "LF": "lines end in LF",
    "CRLF": "lines end in CRLF",
    "mixed": "lines end in LF and in CRLF",
    "none": "one line without an end",
}


def parts_of(files: Sequence[FileReport], together: Sequence[Finding]) -> list[Part]:
    """Return the parts of a report: a summary, the judgments, then the runs."""
    judged, *runs = files
    groups = groups_of(files, together)
    parts = [Title(_headline(files, groups)), Lines(_summary(groups, len(runs))), *_file(judged)]
    if len(runs) == 1:
        parts += _file(runs[0])
    elif runs:
        parts += side_by_side(runs)
        parts += [Lines(_group(group, len(runs))) for group in groups_of_runs(runs)]
    return [*parts, *(["side by side", *_findings(together)] if together else [])]


def _headline(files: Sequence[FileReport], groups: Sequence[Group]) -> str:
    """Count the findings, each once for all runs, and name the inputs with errors."""
    found = [
        counted(number, severity) + (_with_errors(files) if severity == "error" else "")
        for severity in SEVERITIES
        if (number := sum(group.severity == severity for group in groups))
    ]
    runs = len(files) - 1
    and_runs = f" and {counted(runs, 'run')}" if runs else ""
    return f"{', '.join(found) or 'nothing found'} in judgments{and_runs}"


def _with_errors(files: Sequence[FileReport]) -> str:
    bad = [side(file.name, file.kind) for file in files if not file.ok]
    return f" ({and_more(bad, 3)})"


def _summary(groups: Sequence[Group], runs: int) -> Iterator[str | Labelled]:
    """Summarise each finding in a line or two, largest effect first."""
    if len(groups) <= _FEW and runs <= 1:
        return
    serious = [group for group in groups if group.severity != "note"]
    longest = max((len(group.code) for group in serious), default=0)
    for group in serious:
        yield Labelled(group.code, _in_short(group, runs), longest + 2)
    notes = [group for group in groups if group.severity == "note"]
    if notes:
        named = [f"{group.code}{_how_many(group, runs)}" for group in notes]
        yield f"  {'notes: ' if serious else ''}{', '.join(named)}"


def _in_short(group: Group, runs: int) -> str:
    worst = group.worst
    if not group.names or runs == 1:
        return f"{worst.what}; {worst.consequence}" if worst.consequence else worst.what
    text = worst.consequence or worst.what
    name, *others = group.names
    if len(group.names) == runs:
        return f"{all_of(runs)}, most of all {name}: {text}"
    return f"{name}: {text}" + (f"; also {and_more(others, _MOST_OTHERS)}" if others else "")


def _how_many(group: Group, runs: int) -> str:
    if not group.names or runs == 1:
        return ""
    number = len(group.names)
    return f" ({all_of(runs) if number == runs else counted(number, 'run')})"


def _file(file: FileReport) -> list[Part]:
    what = "judgments" if file.kind == "qrels" else "run"
    facts = [Labelled(name, value, _LABELS) for name, value in facts_of(file)]
    return [Lines([Heading(f"{file.name}: {what}"), *facts]), *_findings(file.findings)]


def _group(group: Group, runs: int) -> Iterator[str | Labelled]:
    """Write a finding of several runs: the worst runs in full, and the names of the others."""
    worst = group.worst
    number = len(group.names)
    how_many = all_of(runs) if number == runs else f"{number} of {runs} runs"
    yield Heading(f"  {group.severity.upper()} {group.code}: in {how_many}")
    shown = group.found[:_MOST_RUNS]
    for name, finding in shown:
        text = f"{finding.what}; {finding.consequence}" if finding.consequence else finding.what
        yield f"    {name}: {text}"
    name = f"{shown[0][0]}: " if len(group.found) > 1 else ""
    told = {
        "also": ", ".join(group.names[len(shown) :]),
        "at": name + _at(worst) if worst.places else "",
        "effect": worst.effect,
        "do": worst.remedy,
    }
    yield from _told(told)


def _told(lines: Mapping[str, str]) -> Iterator[Labelled]:
    """Yield what is known, beside its labels."""
    return (Labelled(name, text, 8, 4) for name, text in lines.items() if text)


def facts_of(file: FileReport) -> Iterator[tuple[str, str]]:
    """Yield the facts that fit on one line each; the others are for programs."""
    facts = file.facts
    if "form" in facts:
        yield "form", _form(facts)
        columns = facts["form"].get("columns", {})
        if any(role != name for role, name in columns.items()):
            yield "columns", ", ".join(f"{role}={name}" for role, name in columns.items())
    if "rows" in facts:
        yield "rows", f"{facts['rows']:,} of {counted(facts['queries'], 'query', 'queries')}"
    if facts.get("depth"):
        modes = facts.get("depth_modes")
        yield "rows a query", _depth(facts["depth"]) + (_modes(modes) if modes else "")
    if facts.get("labels"):
        yield "labels", _histogram(facts["labels"])
    if "scores" in facts:
        yield "scores", _scores(facts)
    if facts.get("ties"):
        yield "ties", _ties(facts["ties"])
    if "corpus" in facts:
        corpus = facts["corpus"]
        gone = len({doc for docs in corpus["gone"].values() for doc in docs})
        yield (
            "corpus",
            f"{counted(corpus['documents'], 'document')}, {counted(gone, 'judged document')} "
            f"missing, {counted(len(corpus['unwinnable']), 'query', 'queries')} that cannot be won",
        )
        yield "ceiling", _attainable(corpus["attainable"])
    if "attainable" in facts:
        yield "ceiling", f"{_attainable(facts['attainable'])}, for rankings of this run's lengths"
    if facts.get("gone_retrieved"):
        count = counted(facts["gone_retrieved"], "judged document")
        yield "not in corpus", f"{count} retrieved: is the run of an older index?"
    if "answered" in facts:
        yield (
            "queries",
            f"{facts['judged_queries']:,} judged, {facts['answered']:,} answered, "
            f"{facts['missing']:,} missing, {facts['run_only']:,} run-only",
        )
        judged, top = facts["judged_rows"], facts["judged_at_10"]["mean"]
        yield "judged", f"{counted(judged, 'document')} retrieved, Judged@10 {per_cent(top)}"


def _attainable(highest: Any) -> str:
    return ", ".join(f"{name} {value:.4f}" for name, value in highest.items())


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
    shown = "; ".join(f"{bar['label']:g}: {bar['rows']:,}" for bar in bars[:_MOST_LABELS])
    more = f"; {len(bars) - _MOST_LABELS} more" if len(bars) > _MOST_LABELS else ""
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
        shown += "; no order of them changes a printed digit"
    return shown


def _tied(ties: Any) -> str:
    if not ties["rows"]:
        return "none"
    judged = f" and {per_cent(ties['judged_share'])} of judged" if "judged_share" in ties else ""
    return f"{per_cent(ties['share'])} of rows{judged}"


def _findings(findings: Sequence[Finding]) -> list[Part]:
    return [
        Lines(
            [
                Heading(f"  {one.severity.upper()} {one.code}: {one.what}"),
                *_told(
                    {
                        "at": _at(one) if one.places else "",
                        "effect": one.effect,
                        "here": one.consequence,
                        "do": one.remedy,
                    }
                ),
            ]
        )
        for one in findings
    ]


def _at(finding: Finding) -> str:
    more = finding.count - len(finding.places)
    return "; ".join(map(str, finding.places)) + (f"; and {more:,} more" if more > 0 else "")


_COLUMNS = ("code", "severity", "count", "what", "effect", "remedy", "consequence")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport(ShownResult):
    """What a check found: a report for each file, and findings about the runs together.

    Parameters
    ----------
    files
        Reports on the judgments, then on each run.
    together
        Findings about several runs.
    measures
        Names of the measures for which effects are shown.
    """

    _usual_width = REPORT
    files: tuple[FileReport, ...]
    together: tuple[Finding, ...]
    measures: tuple[str, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, file by file."""
        return (*(finding for file in self.files for finding in file.findings), *self.together)

    @property
    def ok(self) -> bool:
        """Whether there is no error; there may be warnings."""
        return all(file.ok for file in self.files)

    def _contents(self) -> dict[str, Any]:
        return {
            "ok": self.ok,
            "measures": list(self.measures),
            "files": [file.to_dict() for file in self.files],
            "together": [finding.to_dict() for finding in self.together],
        }

    def _table(self) -> dict[str, Any]:
        rows = [
            {"file": file.name, "kind": file.kind} | _row(finding)
            for file in self.files
            for finding in file.findings
        ]
        rows += [{"file": None, "kind": None} | _row(finding) for finding in self.together]
        return columns_of(rows, "file", "kind", *_COLUMNS)

    def _parts(self, look: Look) -> Sequence[Part]:  # noqa: ARG002  (all forms have all)
        return parts_of(self.files, self.together)

    def __repr__(self) -> str:
        """Return the number of findings."""
        severities = [finding.severity for finding in self.findings]
        errors, warnings, notes = map(severities.count, SEVERITIES)
        return (
            f"CheckReport({len(self.files)} files: "
            f"{errors} errors, {warnings} warnings, {notes} notes)"
        )


def _row(finding: Finding) -> dict[str, Any]:
    return {name: getattr(finding, name) for name in _COLUMNS}
