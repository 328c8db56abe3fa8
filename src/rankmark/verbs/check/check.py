"""Find problems in judgments and runs before they are evaluated."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from rankmark.arguments import Finite, checked
from rankmark.conventions import Conventions
from rankmark.data.alignment import Needs
from rankmark.data.contract.reading_options import ProgressOfFiles, Reading, ReadingOptions
from rankmark.data.preparing.matching import match
from rankmark.data.preparing.pair_options import PairOptions
from rankmark.data.preparing.qrels import Qrels
from rankmark.data.preparing.run import Run
from rankmark.errors import InputError, MeasureError, collected_warnings
from rankmark.measures.names import flat
from rankmark.measures.names import measures as measures_of
from rankmark.scoring.misplaced_arguments import refuse_in_place_of_runs
from rankmark.scoring.request import as_measures
from rankmark.verbs.check.check_report import CheckReport
from rankmark.verbs.check.consequence import Scored, with_consequences, with_moves
from rankmark.verbs.check.examined import Examined, Examiner
from rankmark.verbs.check.finding import FileReport, Finding
from rankmark.verbs.check.judged_overlap import (
    Overlap,
    near_findings,
    overlap_facts,
    overlap_findings,
    self_match_findings,
    self_matches,
    unit_findings,
)
from rankmark.verbs.check.ranking import (
    depth_findings,
    order_findings,
    run_facts,
    tie_facts,
    tie_findings,
)
from rankmark.verbs.check.row_findings import (
    Requested,
    label_facts,
    label_findings,
    with_next_grade,
)
from rankmark.verbs.evaluate.evaluate_options import shows

if TYPE_CHECKING:
    from rankmark.data.preparing.corpus_ids import CorpusSource
    from rankmark.data.preparing.qrels import QrelsSource
    from rankmark.data.preparing.run import RunSource
    from rankmark.measures.names import AnyMeasure

_NOTHING = Needs(lowest=np.inf)  # only whether evaluate refuses the run matters


@checked
@shows(ReadingOptions)
def check(
    qrels: Qrels | QrelsSource,
    *runs: Run | RunSource,
    corpus: CorpusSource | None = None,
    measures: Iterable[AnyMeasure] | AnyMeasure | None = None,
    rel: Finite | None = None,
    progress: ProgressOfFiles | None = None,
    **options: Unpack[ReadingOptions],
) -> CheckReport:
    """Find problems in judgments and runs before they are evaluated.

    Every row is read, even if ``evaluate`` would stop at the first error. If possible, the runs are
    evaluated, also with other conventions for ties, missing queries and so on, so that each finding
    shows its effect on the measures; findings with the largest effect come first.

    Parameters
    ----------
    Data:
    qrels, *runs
        As for ``evaluate``, any number of runs.
    corpus
        The ids of all documents that can be retrieved now: a list or a mapping, a frame, a file (an
        id a line, alone or before a tab; JSON Lines; CSV or Parquet), or a folder as BEIR has them.

        The report says which judged documents are gone, which queries cannot be won any more, which
        ids are only written otherwise, and how high each measure can be at most.

    Measures:
    measures
        The measures that you will use, on which the effect of each finding is shown. None for the
        defaults of ``evaluate``.
    rel
        The lowest relevant label of the measures that do not name theirs, as for ``evaluate``.

    Reading:
    progress
        Called while a file is read, with its number (0 for the judgments) and the number of bytes
        read so far.
    **options
        The other options of reading.

    Returns
    -------
    CheckReport
        Facts and findings by file. ``ok`` is False if ``evaluate`` would refuse an input, or a file
        is not what it was given as; ``str()`` is for people, ``to_dict()`` for programs.

    Raises
    ------
    MeasureError
        If a measure or one of its parameters does not exist.
    InputError
        If an option applies to no input. Problems of the inputs are findings instead.

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
    requested = _requested(measures, rel)
    reading = Reading.of(**options, progress=progress)
    examine = Examiner(PairOptions(reading), reading)
    again = reading.once_more()
    judged = examine(qrels, "qrels")
    if judged.table is not None:
        judged.facts |= label_facts(judged.table)
        judged.add(label_findings(judged.table, requested))
        if not judged.positions:
            judged.add(self_match_findings(judged.table, self_matches(judged.table)))
    prepared = _prepared(judged, again)
    asked = [one.measure for one in requested]
    best: dict[str, list[str]] | None = None
    if corpus is not None and prepared is not None and judged.table is not None:
        from rankmark.verbs.check.corpus_findings import (  # noqa: PLC0415
            attained,
            examine_corpus,
            retrieved_in,
        )

        judged.facts["corpus"], findings, best = examine_corpus(prepared, corpus, asked, again)
        judged.add(findings)

    def report_of(given: Any) -> FileReport:
        run = examine(given, "run", prepared)
        _examine_run(judged, prepared, run, requested, again)
        if best is not None and prepared is not None and run.table is not None:
            depths = dict(zip(run.table.rows.query_ids, run.table.depths.tolist(), strict=True))
            as_long = {query: docs[: depths.get(query, 0)] for query, docs in best.items()}
            run.facts["attainable"] = attained(prepared, as_long, asked, again)
            gone = judged.facts["corpus"]["gone"]
            run.facts["gone_retrieved"] = retrieved_in(run.table.rows, gone)
        return run.report()

    reports = [report_of(run) for run in runs]  # one at a time, as each is in memory as a whole
    examine.refuse_unused()
    return CheckReport(
        files=(judged.report(), *reports),
        together=tuple(depth_findings(reports, asked)),
        measures=tuple(map(str, asked)),
    )


def _requested(
    measures: Iterable[AnyMeasure] | AnyMeasure | None, rel: float | None
) -> list[Requested]:
    """Resolve the measures, each with whether its rel was chosen."""
    given = None if measures is None else flat(measures)
    resolved, _ = as_measures(given, rel)
    named = {m for name in given or () for m in measures_of(name) if "rel" in m.chosen}
    return [Requested(one, one in named or "rel" in one.chosen) for one in resolved]


def _prepared(judged: Examined, reading: Reading) -> Qrels | None:
    """Read judgments as evaluate does, unless it is known to refuse them."""
    if judged.is_refused or judged.source is None:
        return None
    try:
        with collected_warnings():  # they are findings already
            prepared = Qrels.of(judged.source, reading)
            prepared.refuse_run()
    except InputError as error:
        judged.refuse(error)
        return None
    return prepared


def _examine_run(
    judged: Examined,
    prepared: Qrels | None,
    run: Examined,
    requested: Sequence[Requested],
    reading: Reading,
) -> None:
    """Examine a run by itself, and together with the judgments."""
    table = run.table
    if table is None:
        return
    run.facts |= run_facts(table)
    of_qrels, of_run = judged.of_documents(), run.of_documents()
    overlap = None if of_qrels is None or of_run is None else Overlap(of_qrels, of_run)
    alike: dict[str, Mapping[str, Mapping[str, float]]] = {}
    if overlap is not None:
        by_id = not (run.positions or judged.positions)
        run.facts |= overlap_facts(overlap)
        found = overlap_findings(overlap, run.facts, by_id=by_id)
        units = [*unit_findings(overlap)] if by_id else []
        if run.facts["judged_rows"] or not units:
            run.add([*found, *units])
        else:  # documents-apart says so already
            run.add(_with_remedy(found, "documents-apart", units[0].remedy))
        if by_id and prepared is not None:
            near = [*near_findings(prepared, overlap)]
            run.add(finding for finding, _ in near)
            alike = {finding.code: labels for finding, labels in near if labels is not None}
    run.facts |= tie_facts(table, None if overlap is None else overlap.judged)
    run.add(tie_findings(table, run.facts))
    rows = table.rows
    is_listed = rows.line is not None or rows.row is not None or rows.order == "rows"
    run.add(order_findings(table, in_order=is_listed and not run.positions))
    if prepared is not None and run.source is not None and not run.is_refused:
        try:
            with collected_warnings():
                scored = _scored(prepared, Run.of(run.source), requested, reading)
        except InputError as error:
            run.refuse(error)
            return
        if scored is not None:
            _add_consequences(judged, run, requested, scored, alike)


def _with_remedy(findings: Iterable[Finding], code: str, remedy: str) -> list[Finding]:
    return [replace(one, remedy=remedy) if one.code == code else one for one in findings]


def _scored(
    prepared: Qrels, run: Run, requested: Sequence[Requested], reading: Reading
) -> Scored | None:
    """Evaluate a run; None if the judgments do not suit the measures."""
    measures = [one.measure for one in requested if one.measure.depends_on != "subtopics"]
    try:
        if measures:
            return Scored(prepared, run, measures, reading)
    except MeasureError:
        pass
    match(prepared, run, Conventions(), needs=_NOTHING, reading=reading)
    return None


def _add_consequences(
    judged: Examined,
    run: Examined,
    requested: Sequence[Requested],
    scored: Scored,
    alike: Mapping[str, Mapping[str, Mapping[str, float]]],
) -> None:
    """Add the effect on the measures to each finding; for those of the judgments, of one run.

    ``alike`` are judgments in which the ids of a finding are written as in the run.
    """
    run.findings[:] = with_consequences(run.findings, scored, alike)
    if run.facts["ties"] is not None:
        moves = scored.by_ties()
        if moves is not None:
            run.facts["ties"]["moves"] = {name: [*ends] for name, ends in moves.items()}
    for i, finding in enumerate(judged.findings):
        if finding.moves is not None:
            continue
        if finding.code == "no-relevant":
            moves = scored.under(no_relevant="skip")
        elif finding.code == "graded":
            moves = scored.under(with_next_grade(scored.measures, requested, judged.table))
        else:
            continue
        judged.findings[i] = with_moves(finding, moves, os.path.basename(run.name))  # noqa: PTH119
