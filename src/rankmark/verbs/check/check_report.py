"""The result of a check, and its text: findings grouped over runs, and facts side by side."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from rankmark.data.contract.source import side
from rankmark.errors import counted, one_line
from rankmark.results import html_parts as html
from rankmark.results.result import Result
from rankmark.results.table_schema import columns_of
from rankmark.results.text_tables import text
from rankmark.results.text_width import REPORT, filled, line_width
from rankmark.verbs.check.finding import SEVERITIES, FileReport, Finding, all_of, and_more, per_cent
from rankmark.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankmark.verbs.check.finding import Severity


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


def side_by_side(runs: Sequence[FileReport], most: int) -> Iterator[str]:
    """Write the facts of runs in lines of ``most`` columns."""
    folder = common_folder(runs)
    yield from filled(f"{len(runs)} runs" + (f" in {folder}" if folder else ""), most, "", "  ")
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
        yield from filled(f"the same in all: {', '.join(alike)}", most, "  ", "    ")
    if columns:
        yield ""
        rows = [*zip(shown_names(runs), *columns.values(), strict=True)]
        table = text(["", *columns], rows, 1, width=most - 2)
        yield from (f"  {line}".rstrip() for line in table.splitlines())


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


_INDENT = 2
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


class _Paragraph(NamedTuple):
    """A text, and what its first line and its others begin with."""

    text: str
    begin: str
    further: str


_Lines = Iterator[_Paragraph | str]


def written(files: Sequence[FileReport], together: Sequence[Finding], width: int) -> str:
    """Write a report in lines of ``width`` columns: a summary, the judgments, then the runs."""
    judged, *runs = files
    groups = groups_of(files, together)
    lines = [_Paragraph(_headline(files, groups), "", "  "), "", *_summary(groups, len(runs))]
    lines += [*_file(judged), ""]
    if len(runs) == 1:
        lines += [*_file(runs[0]), ""]
    elif runs:
        lines += [*side_by_side(runs, width), ""]
        lines += _blocks(_group(group, len(runs)) for group in groups_of_runs(runs))
    if together:
        lines += ["side by side", "", *_findings(together)]
    filled_lines = (
        filled(one_line(line.text), width, line.begin, line.further)
        if isinstance(line, _Paragraph)
        else [one_line(line)]
        for line in lines
    )
    return "\n".join(part for parts in filled_lines for part in parts).rstrip()


def as_html(files: Sequence[FileReport], together: Sequence[Finding]) -> str:
    """Format a report for a notebook: a table of the findings, and one of facts on the files."""
    groups = groups_of(files, together)
    names = [files[0].name, *shown_names(files[1:])]
    facts = [dict(facts_of(file)) for file in files]
    kinds = list(dict.fromkeys(kind for each in facts for kind in each))
    rows = [
        [name, *(each.get(kind, "") for kind in kinds)]
        for name, each in zip(names, facts, strict=True)
    ]
    parts = [html.title(_headline(files, groups))]
    if groups:
        head = ("finding", "found", "effect", "do")
        found = [_cells(group, len(files) - 1) for group in groups]
        parts.append(html.table(head, found, len(head)))
    return html.page(*parts, html.table(["input", *kinds], rows, 1 + len(kinds)))


def _cells(group: Group, runs: int) -> list[str]:
    """Return the cells of a finding; of several runs, those of the one that is affected most."""
    worst = group.worst
    first = group.names[0] if group.names and runs > 1 else ""
    at = f" ({_at(worst)})" if worst.places else ""
    found = f"{first}: {worst.what}{at}" if first else f"{worst.what}{at}"
    if first and (others := group.names[1:]):
        found += f"; also {and_more(others, _MOST_OTHERS)}"
    effect = f"{worst.effect}; here, {worst.consequence}" if worst.consequence else worst.effect
    return [f"{worst.severity}: {group.code}", found, effect, worst.remedy]


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


def _summary(groups: Sequence[Group], runs: int) -> _Lines:
    """Summarise each finding in a line or two, largest effect first."""
    if len(groups) <= _FEW and runs <= 1:
        return
    serious = [group for group in groups if group.severity != "note"]
    longest = max((len(group.code) for group in serious), default=0)
    for group in serious:
        label = f"  {group.code:<{longest}}  "
        yield _Paragraph(_in_short(group, runs), label, " " * len(label))
    notes = [group for group in groups if group.severity == "note"]
    if notes:
        named = [f"{group.code}{_how_many(group, runs)}" for group in notes]
        yield _Paragraph(", ".join(named), "  notes: " if serious else "  ", "    ")
    yield ""


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


def _file(file: FileReport) -> _Lines:
    yield f"{file.name}: {'judgments' if file.kind == 'qrels' else 'run'}"
    for name, value in facts_of(file):
        yield _labelled(f"{name:<{_LABELS}}", value)
    if file.findings:
        yield ""
        yield from _findings(file.findings)


def _group(group: Group, runs: int) -> _Lines:
    """Write a finding of several runs: the worst runs in full, and the names of the others."""
    worst = group.worst
    number = len(group.names)
    how_many = all_of(runs) if number == runs else f"{number} of {runs} runs"
    yield f"  {group.severity.upper()} {group.code}: in {how_many}"
    shown = group.found[:_MOST_RUNS]
    for name, finding in shown:
        text = f"{finding.what}; {finding.consequence}" if finding.consequence else finding.what
        yield _Paragraph(f"{name}: {text}", "    ", "      ")
    others = group.names[len(shown) :]
    if others:
        yield _labelled("  also    ", ", ".join(others))
    if worst.places:
        name = f"{shown[0][0]}: " if len(group.found) > 1 else ""
        yield _labelled("  at      ", name + _at(worst))
    yield _labelled("  effect  ", worst.effect)
    yield _labelled("  do      ", worst.remedy)


def _blocks(blocks: Iterable[_Lines]) -> _Lines:
    for block in blocks:
        yield from block
        yield ""


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
    if "answered" in facts:
        yield (
            "queries",
            f"{facts['judged_queries']:,} judged, {facts['answered']:,} answered, "
            f"{facts['missing']:,} missing, {facts['run_only']:,} run-only",
        )
        judged, top = facts["judged_rows"], facts["judged_at_10"]["mean"]
        yield "judged", f"{counted(judged, 'document')} retrieved, Judged@10 {per_cent(top)}"


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


def _findings(findings: Sequence[Finding]) -> _Lines:
    for number, finding in enumerate(findings):
        if number:
            yield ""
        head = f"{finding.severity.upper()} {finding.code}: "
        yield _Paragraph(head + finding.what, " " * _INDENT, " " * 2 * _INDENT)
        if finding.places:
            yield _labelled("  at      ", _at(finding))
        yield _labelled("  effect  ", finding.effect)
        if finding.consequence:
            yield _labelled("  here    ", finding.consequence)
        yield _labelled("  do      ", finding.remedy)


def _at(finding: Finding) -> str:
    more = finding.count - len(finding.places)
    return "; ".join(map(str, finding.places)) + (f"; and {more:,} more" if more > 0 else "")


def _labelled(label: str, text: str) -> _Paragraph:
    """Write a paragraph after a label, with its other lines indented."""
    begin = " " * _INDENT + label
    return _Paragraph(text, begin, " " * len(begin))


SCHEMA = 1
"""Version of ``to_dict``; it increases if a field changes its meaning or is removed."""

_COLUMNS = ("code", "severity", "count", "what", "effect", "remedy", "consequence")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport(Result):
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

    def to_dict(self) -> dict[str, Any]:
        """Return everything for JSON; ``schema`` is the version of this form."""
        return {
            "schema": SCHEMA,
            "rankmark": __version__,
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

    def to_text(self, *, width: int = REPORT) -> str:
        """Return the report for people, in lines of ``width`` columns."""
        return written(self.files, self.together, width)

    def __str__(self) -> str:
        """Return ``to_text``, as wide as the terminal, if there is one."""
        return self.to_text(width=line_width() or REPORT)

    def _repr_html_(self) -> str:
        return as_html(self.files, self.together)

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
