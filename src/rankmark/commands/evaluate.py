"""``rankmark evaluate``: evaluate runs against qrels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.systems import named_systems, pass_score, systems_of
from rankmark.commands.parts.tables import table_options, tables
from rankmark.commands.parts.writing import TABULAR, is_pasted, refuse_recording, write_record

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rankmark.results.result import Result
    from rankmark.results.table_options import TableOptions
    from rankmark.verbs.evaluate.aggregate_tables import Aggregates
    from rankmark.verbs.evaluate.evaluation import Evaluation
    from rankmark.verbs.evaluate.result_tables import Format


@command_of(
    "verbs.evaluate.evaluate_runs:evaluate_runs",
    ["qrels", options.files("[runs...]", metavar="RUN...")],
    named_systems,
    options.asked(with_cutoffs=True),
    options.items,
    options.corpus,
    options.aggregates,
    options.weights,
    options.sampled,
    pass_score,
    options.tie_interval,
    options.bounds,
    tables,
    options.by_query,
    options.output,
    options.record,
    options.quiet,
    options.verbose,
    options.reading,
)
def evaluate(
    call: Call,
    qrels: str,
    runs: tuple[str, ...],
    systems: dict[str, list[str]],
    measures: tuple[str, ...],
    per_query: bool,
    is_long: bool,
    aggregates: tuple[str, ...],
    record: Path | None,
    tie_interval: bool,
    bounds: bool,
) -> None:
    """Evaluate one or several runs against judgments.

    QRELS is a file of judgments, `qid iter docid label`; each RUN is a file of a system's rankings,
    `qid iter docid rank score tag`. Formats are TREC, MS MARCO, BEIR, CSV and TSV with a header,
    JSON, JSONL, Parquet and Arrow, optionally compressed; - is stdin. A folder or quoted pattern of
    Parquet or Arrow is one run, of others a system of several. `rankmark measures` lists measures.

    \b
      rankmark evaluate qrels.txt bm25.run dense.run -m nDCG@10 -m "AP(rel=2)"
      rankmark evaluate qrels.txt *.run -m nDCG@10,AP --percent --format latex

    \f
    The lines below the table say what is not as usual: missing queries, what another order of ties
    could change, how the files were read, other conventions; --verbose says everything. For csv,
    markdown and latex they go to stderr.
    """  # noqa: D301  (click reads the backspace)
    given = systems_of(runs, systems)
    call.prepare(*given.files, but=["runs"])
    refuse_recording(record, call.inputs)
    if record is not None and aggregates:
        raise click.UsageError(
            "--record writes the scores of the runs, not --aggregate; leave one of them out"
        )
    if per_query and aggregates and call.form in TABULAR:
        raise click.UsageError(
            f"{call.form} has either a row for each query, or one for each --aggregate; leave "
            "--per-query or --aggregate out"
        )
    shown = _aggregates(aggregates, is_weighted=call.given["weights"] is not None)
    look = table_options(given.names, call)

    def lay_out(found: list[Evaluation]) -> tuple[list[Evaluation], str | Result, list[str]]:
        intervals: dict[str, Any] = {"tie_interval": tie_interval, "bounds": bounds}
        asked: dict[str, Any] = {"per_query": per_query, "is_long": is_long, "aggregates": shown}
        return found, *laid_out(found, call.form, look, **asked, **intervals)

    found, result, notes = call.result(
        qrels, given.given, measures or None, told=[qrels, *given.files], then=lay_out
    )
    if record is not None:
        from rankmark.verbs.evaluate.recorded import of_evaluations  # noqa: PLC0415

        choices = {**call.chosen, "measures": [*found[0]], "rel": None, **given.recorded}
        computed = of_evaluations(given.names, found)
        write_record(record, "evaluate", qrels, given.files, choices, computed)
    call.put(result, notes, styled=look.styled)


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
        said = notes(evaluations, look, **intervals)
        if (per_query or aggregates) and evaluations[0].left_out:
            of_all = ", ".join(map(str, evaluations[0].left_out))
            said = [*said, f"no rows for {of_all}: of all lists together"]
        return rows, to_show(said, look)
    text = rendered(
        evaluations, form, per_query=per_query, aggregates=aggregates, options=look, **intervals
    )
    if not is_pasted(form):
        return text, []
    return text, to_show(notes(evaluations, look, **intervals), look)
