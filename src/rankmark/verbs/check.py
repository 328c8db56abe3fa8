"""What is unusual about judgments and runs, before it becomes a number."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.alignment import Needs
from rankmark.conventions import Conventions
from rankmark.errors import InputError
from rankmark.measures import Measure
from rankmark.sources import Qrels, Run, match
from rankmark.sources.forms import Options, recognised
from rankmark.sources.listing import rows_of
from rankmark.verbs.evaluate import as_measures
from rankmark.verbs.findings.content import Content, content_of, of_another_kind, of_encoding
from rankmark.verbs.findings.finding import SEVERITIES, CheckReport, FileReport, Finding
from rankmark.verbs.findings.labels import Asked, label_facts, of_labels
from rankmark.verbs.findings.meeting import Meeting, meeting_facts, of_meeting, of_selves, selves
from rankmark.verbs.findings.ranking import of_depths, of_order, of_ties, run_facts, tie_facts
from rankmark.verbs.findings.rows import of_rows
from rankmark.verbs.findings.table import Table

if TYPE_CHECKING:
    from rankmark.sources.forms import Kind
    from rankmark.sources.qrels import QrelsSource
    from rankmark.sources.run import RunSource
    from rankmark.sources.source import Source

_NOTHING = Needs(lowest=np.inf)  # it is about whether, not about what
_STATED = re.compile(r"\brel\s*=|-l\d")  # as ranx writes it: map-l2


def check(
    qrels: Qrels | QrelsSource,
    *runs: Run | RunSource,
    measures: Iterable[str | Measure] | str | Measure | None = None,
) -> CheckReport:
    """Look at judgments and runs before they are evaluated.

    Every row is read, also of files that ``evaluate`` refuses at the first mistake. Nothing is
    changed, and nothing is scored.

    Parameters
    ----------
    qrels, runs
        As for ``evaluate``, any number of runs; prepared by Qrels and Run where there is more to
        say of them, such as the names of columns.
    measures
        What will be measured, by which it is known whether it was said what counts as relevant.
        None for those that ``evaluate`` takes.

    Returns
    -------
    CheckReport
        Facts and findings, file by file. ``ok`` is false where ``evaluate`` would refuse, or a
        file is of another kind than it was given for; ``str()`` is for people, ``to_dict()`` for
        programs.

    Raises
    ------
    MeasureError
        If a measure or one of its parameters does not exist.

    Examples
    --------
    >>> import rankmark as rm
    >>> report = rm.check("qrels.txt", "bm25.run", measures=["nDCG@10"])
    >>> report.ok
    True
    >>> [(finding.severity, finding.code) for finding in report.files[0].findings]
    [('warning', 'no-relevant')]
    """
    asked = _asked(measures)
    judged = _examined(qrels, "qrels")
    if judged.table is not None:
        judged.facts |= label_facts(judged.table)
        judged.add(of_labels(judged.table, asked))
        if not judged.positions:
            judged.add(of_selves(judged.table, selves(judged.table)))
    prepared = _prepared(judged)
    examined = [_examined(run, "run") for run in runs]
    for run in examined:
        _compare(judged, prepared, run)
    reports = [run.report() for run in examined]
    return CheckReport(
        (judged.report(), *reports),
        tuple(of_depths(reports)),
        tuple(str(one.measure) for one in asked),
    )


@dataclass
class _Examined:
    """One source, and what is known of it so far."""

    name: str
    kind: Kind
    source: Source | None = None
    table: Table | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    @property
    def positions(self) -> bool:
        return self.source is not None and self.source.positions

    @property
    def is_refused(self) -> bool:
        return any(finding.severity == "error" for finding in self.findings)

    def add(self, findings: Iterable[Finding]) -> None:
        self.findings += findings

    def refuse(self, error: InputError) -> None:
        """Note what evaluate says, where nothing else explains it."""
        self.findings.append(
            Finding(
                code="refused",
                severity="error",
                count=1,
                what=str(error),
                effect="evaluate refuses it",
                remedy="correct what it names",
            )
        )

    def report(self) -> FileReport:
        return FileReport(
            self.name,
            self.kind,
            None if self.source is None else self.source.sha256(),
            self.facts,
            tuple(sorted(self.findings, key=lambda one: SEVERITIES.index(one.severity))),
        )


def _asked(measures: Iterable[str | Measure] | str | Measure | None) -> list[Asked]:
    """Find the measures, and for each whether it was said what counts as relevant."""
    given = [measures] if isinstance(measures, (str, Measure)) else measures
    given = None if given is None else list(given)
    found, _ = as_measures(given)
    said = {one for text in given or () for one in as_measures([text])[0] if _states_rel(text)}
    return [Asked(one, one in said) for one in found]


def _states_rel(asked: str | Measure) -> bool:
    if isinstance(asked, str):
        return _STATED.search(asked) is not None
    # A measure does not remember how it was made: its default is taken for said by nobody.
    return getattr(asked, "rel", 1.0) != 1.0


def _examined(given: Any, kind: Kind) -> _Examined:
    """Read one source as far as it can be read."""
    name = os.fspath(given) if isinstance(given, (str, os.PathLike)) else type(given).__name__
    examined = _Examined(str(name), kind)
    try:
        source = (
            given.source if isinstance(given, (Qrels, Run)) else recognised(given, kind, Options())
        )
        examined.source, examined.name = source, source.name
        examined.facts["form"] = source.taken()
        if _is_readable(examined):
            rows = rows_of(source)
            if rows is None:
                raise InputError(f"{source.name}: its rows cannot be listed")  # noqa: TRY301
            _tabulate(examined, Table(rows))
    except InputError as error:
        examined.refuse(error)
    return examined


def _is_readable(examined: _Examined) -> bool:
    """Look at a file's bytes; say whether its lines are worth reading."""
    file, form = getattr(examined.source, "file", None), examined.facts["form"]["form"]
    if file is None or form == "parquet":
        return True
    content = content_of(file)
    examined.facts |= _content_facts(content)
    examined.add(of_encoding(content))
    # Other forms have a header, or names, by which they say themselves what they hold.
    another = of_another_kind(content, examined.kind) if form == "trec" else None
    if another is not None:
        examined.add([another])
    return not content.is_wide and another is None


def _content_facts(content: Content) -> dict[str, Any]:
    return {
        "bytes": content.bytes,
        "encoding": content.encoding,
        "byte_order_mark": content.has_mark,
        "line_ends": content.ends,
        "last_line_ends": not content.is_cut,
    }


def _tabulate(examined: _Examined, table: Table) -> None:
    examined.facts |= {
        "rows": len(table),
        "queries": int(np.count_nonzero(table.depths)),
        "unreadable_lines": table.rows.faulty,
        "extra_column_lines": table.rows.extra_columns,
    }
    examined.add(of_rows(table, examined.kind))
    if len(table):
        examined.table = table


def _prepared(judged: _Examined) -> Qrels | None:
    """Read judgments as evaluate does, unless it is known that it cannot."""
    if judged.is_refused or judged.source is None:
        return None
    try:
        return Qrels.of(judged.source)
    except InputError as error:
        judged.refuse(error)
        return None


def _compare(judged: _Examined, prepared: Qrels | None, run: _Examined) -> None:
    """Look at a run, alone and beside the judgments."""
    table = run.table
    if table is None:
        return
    run.facts |= run_facts(table)
    meeting = None if judged.table is None else Meeting(judged.table, table)
    run.facts |= tie_facts(table, None if meeting is None else meeting.judged)
    run.add(of_ties(table, run.facts))
    run.add(of_order(table))
    if meeting is not None:
        by_id = not (run.positions or judged.positions)
        run.facts |= meeting_facts(meeting)
        run.add(of_meeting(meeting, run.facts, names=(judged.name, run.name), by_id=by_id))
    if prepared is not None and run.source is not None and not run.is_refused:
        try:
            match(prepared, Run.of(run.source), Conventions(), needs=_NOTHING)
        except InputError as error:
            run.refuse(error)
