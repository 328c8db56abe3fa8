"""``rankmark evaluate``: evaluate runs against qrels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rankmark.commands.parts import options, recording
from rankmark.commands.parts.faults import refuse_conflicts, reported_errors
from rankmark.commands.parts.grouped_help import command
from rankmark.commands.parts.options import as_queries, beside
from rankmark.commands.parts.publishing import TABULAR, is_pasted, write_notes, write_result
from rankmark.commands.parts.tables import table_options, tables

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rankmark.commands.parts.progress import Progress
    from rankmark.measures import Measure
    from rankmark.results.result import Result
    from rankmark.results.table_options import TableOptions
    from rankmark.verbs.evaluate.aggregate_tables import Aggregates
    from rankmark.verbs.evaluate.evaluation import Evaluation
    from rankmark.verbs.evaluate.result_tables import Format


@command()
@options.qrels
@options.runs
@options.seen
@options.measures
@options.cutoffs
@options.rel
@options.conventions
@options.aggregates
@options.weights
@options.tie_interval
@options.bounds
@tables
@options.per_query
@options.form
@options.long
@options.output
@recording.record
@options.quiet
@options.verbose
@options.reading
def evaluate(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    per_query: bool,
    aggregates: tuple[str, ...],
    weights: str | None,
    form: Format,
    is_long: bool,
    output: Path | None,
    record: Path | None,
    queries: str,
    threads: int | None,
    tie_interval: bool,
    bounds: bool,
    **options: Any,
) -> None:
    """Evaluate one or several runs against judgments.

    QRELS is a file of judgments, `qid iter docid label`; each RUN is a file of a system's rankings,
    `qid iter docid rank score tag`. Formats are TREC, MS MARCO, BEIR, CSV and TSV with a header,
    JSON, JSONL, Parquet and Arrow, optionally compressed; - is stdin. A folder, or a pattern in
    quotes, is one run of several Parquet or Arrow files. The lines below the table show which
    queries were averaged, how much another order of ties could change, how the files were read, and
    the conventions; --verbose shows more. For csv, markdown and latex they go to stderr.
    `rankmark measures` lists the measures.

    \b
      rankmark evaluate qrels.txt bm25.run dense.run -m nDCG@10 -m "AP(rel=2)"
      rankmark evaluate qrels.txt *.run -m nDCG@10,AP --percent --format latex
    """  # noqa: D301  (click reads the backspace)
    with reported_errors():
        read = [qrels, *runs, *beside(options), weights]
        recording.refuse_recording(record, refuse_conflicts(read, output, record, queries=queries))
        if record is not None and aggregates:
            raise click.UsageError(
                "--record writes the scores of the runs, not --aggregate; leave one of them out"
            )
        if per_query and aggregates and form in TABULAR:
            raise click.UsageError(
                f"{form} has either a row for each query, or one for each --aggregate; leave "
                "--per-query or --aggregate out"
            )
        from rankmark.commands.parts.progress import Progress  # noqa: PLC0415

        shown = _aggregates(aggregates, is_weighted=weights is not None)
        look = table_options(runs, form, output, options)
        chosen = as_queries(queries)
        intervals = {"tie_interval": tie_interval, "bounds": bounds}
        with Progress([qrels, *runs]) as progress:
            evaluations = evaluated(
                *(qrels, runs, measures or None, progress),
                threads=threads,
                queries=chosen,
                weights=weights,
                **options,
            )
            result, notes = laid_out(
                evaluations,
                form,
                look,
                per_query=per_query,
                is_long=is_long,
                aggregates=shown,
                **intervals,
            )
        if record is not None:
            names = evaluations[0].names
            choices = {**options, "measures": names, "queries": chosen, "rel": None}
            choices |= {} if weights is None else {"weights": weights}
            from rankmark.verbs.evaluate.recorded import of_evaluations  # noqa: PLC0415

            computed = of_evaluations(runs, evaluations)
            recording.write_record(record, "evaluate", qrels, runs, choices, computed)
        write_result(result, form, output, styled=look.styled)
        write_notes(form, notes)


def _aggregates(names: tuple[str, ...], *, is_weighted: bool) -> Aggregates:
    """Return the aggregates to show, which take weights if there are some."""
    from rankmark.errors import InputError  # noqa: PLC0415
    from rankmark.scoring.aggregates import as_aggregates  # noqa: PLC0415
    from rankmark.verbs.evaluate.aggregate_tables import Aggregates  # noqa: PLC0415

    try:
        as_aggregates(names, weighted=is_weighted)
    except InputError as error:
        raise click.UsageError(str(error)) from None
    return Aggregates(names)


def evaluated(
    qrels: str,
    runs: Sequence[str],
    measures: Sequence[str | Measure] | None,
    progress: Progress,
    **options: Any,
) -> list[Evaluation]:
    """Evaluate runs in parallel."""
    from rankmark.verbs.evaluate.evaluate_runs import evaluate_runs  # noqa: PLC0415

    return evaluate_runs(qrels, runs, measures, progress=progress.update, **options)


def laid_out(
    evaluations: Sequence[Evaluation],
    form: Format,
    look: TableOptions,
    *,
    per_query: bool = False,
    is_long: bool = False,
    aggregates: Aggregates | None = None,
    **intervals: bool,
) -> tuple[str | Result, list[str]]:
    """Return the results, as text or as rows, and the notes that go to stderr if it is pasted."""
    from rankmark.verbs.evaluate.aggregate_tables import Aggregates  # noqa: PLC0415
    from rankmark.verbs.evaluate.notes import notes, to_show  # noqa: PLC0415
    from rankmark.verbs.evaluate.result_tables import as_table, in_order, rendered  # noqa: PLC0415

    evaluations, names = in_order(evaluations, look.sort, look.names)
    look = look._replace(names=names)
    if form in TABULAR:
        rows = as_table(
            evaluations, names, aggregates or Aggregates(), per_query=per_query, is_long=is_long
        )
        return rows, to_show(notes(evaluations, look, **intervals), look)
    text = rendered(
        evaluations, form, per_query=per_query, aggregates=aggregates, options=look, **intervals
    )
    if not is_pasted(form):
        return text, []
    return text, to_show(notes(evaluations, look, **intervals), look)
