"""What is unusual about judgments and runs, before it becomes a number."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rankmark.alignment.alignment import Needs
from rankmark.checks.check_report import CheckReport
from rankmark.checks.consequence import Scored, weighed, with_moves
from rankmark.checks.examined import Examined, Examiner, heard
from rankmark.checks.finding import FileReport
from rankmark.checks.labels import Asked, label_facts, of_labels, with_next_grade
from rankmark.checks.meeting import Meeting, meeting_facts, of_meeting, of_selves, selves
from rankmark.checks.ranking import of_depths, of_order, of_ties, run_facts, tie_facts
from rankmark.conventions import Conventions, whole
from rankmark.errors import InputError, MeasureError
from rankmark.measures.names import flat
from rankmark.measures.names import measures as measures_of
from rankmark.sources import PairOptions, Qrels, Run, match
from rankmark.verbs.evaluate import as_measures, evaluate
from rankmark.verbs.mistaken import refuse_in_place_of_runs

if TYPE_CHECKING:
    from rankmark.measures.names import AnyMeasure
    from rankmark.sources.prepared.qrels import QrelsSource
    from rankmark.sources.prepared.run import RunSource

_NOTHING = Needs(lowest=np.inf)  # it is about whether, not about what


def check(
    qrels: Qrels | QrelsSource,
    *runs: Run | RunSource,
    measures: Iterable[AnyMeasure] | AnyMeasure | None = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    columns: Mapping[str, Any] | None = None,
    qrels_columns: Mapping[str, Any] | None = None,
    run_columns: Mapping[str, Any] | None = None,
    groups: Any = None,
    mask: Any = None,
    lengths: Any = None,
    contents: Literal["scores", "ids"] | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    holds: Literal["scores", "ids"] | None = None,
) -> CheckReport:
    """Look at judgments and runs before they are evaluated.

    Every row is read, also of files that ``evaluate`` refuses at the first mistake. Nothing is
    changed. What can be evaluated is, also under other rules for ties, missing queries and their
    like, so that each finding says what it does to the measures, and what does most comes first.

    Parameters
    ----------
    qrels, runs
        As for ``evaluate``, any number of runs.
    measures
        What will be measured, by which findings are weighed, and of which it is known whether
        they were told what counts as relevant. None for those that ``evaluate`` takes.
    qrels_format, run_format, columns, qrels_columns, run_columns, groups, mask, lengths
        As for ``evaluate``.
    contents
        As for ``evaluate``; also called ``holds``.
    threads
        As for ``evaluate``.
    progress
        Called while a file is read with its number, 0 for the judgments, and the number of bytes
        done.

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
    InputError
        If no source has a use for an option; what is wrong with a source is a finding.

    Examples
    --------
    >>> import rankmark as rm
    >>> report = rm.check("qrels.txt", "bm25.run", measures=["nDCG@10"])
    >>> report.ok
    True
    >>> [(finding.severity, finding.code) for finding in report.files[0].findings]
    [('warning', 'no-relevant')]
    """
    for run in runs:
        refuse_in_place_of_runs(run)
    asked = _asked(measures)
    if threads is not None:
        threads = whole("threads", threads)
    said = PairOptions(
        qrels_format=qrels_format,
        run_format=run_format,
        columns=columns,
        qrels_columns=qrels_columns,
        run_columns=run_columns,
        groups=groups,
        mask=mask,
        lengths=lengths,
        contents=contents,
        holds=holds,
    )
    examine = Examiner(said, threads, progress)
    judged = examine(qrels, "qrels")
    if judged.table is not None:
        judged.facts |= label_facts(judged.table)
        judged.add(of_labels(judged.table, asked))
        if not judged.positions:
            judged.add(of_selves(judged.table, selves(judged.table)))
    prepared = _prepared(judged, threads)

    def report_of(given: Any) -> FileReport:
        run = examine(given, "run", prepared)
        _compare(judged, prepared, run, asked, threads)
        return run.report()

    reports = [report_of(run) for run in runs]  # one after the other, as each is held whole
    examine.refuse_unused()
    return CheckReport(
        files=(judged.report(), *reports),
        together=tuple(of_depths(reports, [one.measure for one in asked])),
        measures=tuple(str(one.measure) for one in asked),
    )


def _asked(measures: Iterable[AnyMeasure] | AnyMeasure | None) -> list[Asked]:
    """Find the measures, and for each whether it was said what counts as relevant."""
    given = None if measures is None else flat(measures)
    found, _ = as_measures(given)
    said = {one for named in given or () for one in measures_of(named) if "rel" in one.chosen}
    return [Asked(one, one in said) for one in found]


def _prepared(judged: Examined, threads: int | None) -> Qrels | None:
    """Read judgments as evaluate does, unless it is known that it cannot."""
    if judged.is_refused or judged.source is None:
        return None
    try:
        with heard():  # as when it was examined
            return Qrels.of(judged.source, threads=threads)
    except InputError as error:
        judged.refuse(error)
        return None


def _compare(
    judged: Examined,
    prepared: Qrels | None,
    run: Examined,
    asked: Sequence[Asked],
    threads: int | None,
) -> None:
    """Look at a run, alone and beside the judgments."""
    table = run.table
    if table is None:
        return
    run.facts |= run_facts(table)
    meeting = None if judged.table is None else Meeting(judged.table, table)
    if meeting is not None:
        by_id = not (run.positions or judged.positions)
        run.facts |= meeting_facts(meeting)
        run.add(of_meeting(meeting, run.facts, by_id=by_id))
    run.facts |= tie_facts(table, None if meeting is None else meeting.judged)
    run.add(of_ties(table, run.facts))
    is_listed = table.rows.line is not None or table.rows.row is not None
    run.add(of_order(table, in_order=is_listed and not run.positions))
    if prepared is not None and run.source is not None and not run.is_refused:
        try:
            with heard():
                scored = _scored(prepared, Run.of(run.source), asked, threads)
        except InputError as error:
            run.refuse(error)
            return
        if scored is not None:
            _weigh(judged, run, asked, scored)


def _scored(
    prepared: Qrels, run: Run, asked: Sequence[Asked], threads: int | None
) -> Scored | None:
    """Score a run by the measures asked; None where judgments do not serve them.

    Raises
    ------
    InputError
        If evaluate refuses the run.
    """
    measures = [one.measure for one in asked if one.measure.depends_on != "subtopics"]
    try:
        if measures:
            return Scored(prepared, run, measures, partial(evaluate, threads=threads))
    except MeasureError:
        pass
    match(prepared, run, Conventions(), needs=_NOTHING, threads=threads)
    return None


def _weigh(judged: Examined, run: Examined, asked: Sequence[Asked], scored: Scored) -> None:
    """Say what the findings can do to the measures, those of the judgments by the first run."""
    run.findings[:] = weighed(run.findings, scored)
    if run.facts["ties"] is not None:
        moves = scored.by_ties()
        if moves is not None:
            run.facts["ties"]["moves"] = {name: [*ends] for name, ends in moves.items()}
    for place, finding in enumerate(judged.findings):
        if finding.moves is not None:
            continue
        if finding.code == "no-relevant":
            moves = scored.under(no_relevant="skip")
        elif finding.code == "graded":
            moves = scored.under(with_next_grade(scored.measures, asked, judged.table))
        else:
            continue
        judged.findings[place] = with_moves(finding, moves, os.path.basename(run.name))  # noqa: PTH119
