"""``rankmark evaluate``: runs scored against qrels."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankmark.cli import options
from rankmark.cli.faults import refuse_overwriting, refuse_stdin_twice, told
from rankmark.cli.publishing import put

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.report.aggregate_tables import Aggregates
    from rankmark.report.result_tables import Format
    from rankmark.results.evaluation import Evaluation


@click.command(short_help="Score runs against judgments.")
@click.argument("qrels", type=click.Path(allow_dash=True))
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(allow_dash=True))
@options.measures
@options.per_query
@options.aggregates
@options.weights
@options.form
@options.output
@options.formats
@options.conventions
@options.tie_interval
@options.bounds
@options.threads
def evaluate(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    per_query: bool,
    aggregates: tuple[str, ...],
    weights: str | None,
    form: Format,
    output: Path | None,
    queries: str,
    threads: int | None,
    tie_interval: bool,
    bounds: bool,
    **options: Any,
) -> None:
    """Score one or several runs against judgments.

    QRELS holds judgments, `qid iter docid label`; each RUN a system's rankings, `qid iter docid
    rank score tag`: TREC text, or MS MARCO's, BEIR's, CSV and TSV with a header, JSON, JSONL or
    Parquet, each plain or packed, - for stdin. Under the table stand, for each run, who was
    averaged, how many of the judged documents tie, and how much of the top 10 is judged; then what
    files were taken for, and the conventions in force. `rankmark measures` lists what can be
    measured.

    \b
      rankmark evaluate qrels.txt bm25.run dense.run -m nDCG@10 -m "AP(rel=2)"
    """  # noqa: D301  (click reads the backspace)
    with told():
        lists = [name for name in (queries.removeprefix("@"), weights) if name == "-"]
        seen = [name for name in (options["seen"],) if name is not None]
        refuse_stdin_twice(qrels, *runs, *seen, *lists)
        refuse_overwriting(output, qrels, *runs, *seen, *lists)
        shown = _aggregates(aggregates, weights)
        chosen = chosen_queries(queries)
        evaluations = evaluated(
            qrels, runs, measures or None, threads=threads, queries=chosen, **options
        )
        publish(
            evaluations,
            form,
            per_query=per_query,
            output=output,
            aggregates=shown,
            tie_interval=tie_interval,
            bounds=bounds,
        )


def chosen_queries(queries: str) -> str | Sequence[str]:
    """Tell a word, a list of ids, and a file of ids from one another."""
    if queries in {"judged", "both"}:
        return queries
    if queries.startswith("@"):
        from rankmark.sources.files.query_list import query_ids_in  # noqa: PLC0415

        return query_ids_in(queries.removeprefix("@"))
    return [query.strip() for query in queries.split(",")]


def _aggregates(names: tuple[str, ...], weights: str | None) -> Aggregates:
    """Read weights, if there are aggregates that take them."""
    from rankmark.report.aggregate_tables import Aggregates  # noqa: PLC0415

    if weights is None:
        return Aggregates(names)
    from rankmark.errors import InputError  # noqa: PLC0415
    from rankmark.scoring.aggregates import as_aggregates  # noqa: PLC0415
    from rankmark.sources.files.query_list import weights_in  # noqa: PLC0415

    if not names:
        raise click.UsageError("--weights says what queries count in an --aggregate; name one")
    try:
        as_aggregates(names, weighted=True)
    except InputError as error:
        raise click.UsageError(str(error)) from None
    return Aggregates(names, weights_in(weights))


def evaluated(
    qrels: str,
    runs: Sequence[str],
    measures: Sequence[str] | None,
    *,
    threads: int | None,
    qrels_format: str | None = None,
    columns: dict[str, str] | None = None,
    qrels_columns: dict[str, str] | None = None,
    seen: str | None = None,
    **options: Any,
) -> list[Evaluation]:
    """Evaluate runs side by side, the judgments being read once."""
    from rankmark.cli.progress import Progress  # noqa: PLC0415
    from rankmark.sources import PairOptions, Qrels, cores  # noqa: PLC0415
    from rankmark.sources.prepared.prepared import refuse_unused_columns  # noqa: PLC0415
    from rankmark.verbs.evaluate import as_measures  # noqa: PLC0415
    from rankmark.verbs.evaluate import evaluate as evaluate_run  # noqa: PLC0415

    refuse_stdin_twice(qrels, *runs, *([] if seen is None else [seen]))
    _, needs = as_measures(measures)
    threads = threads or cores()
    side_by_side = min(len(runs), threads)
    with Progress([*runs, qrels]) as progress:
        pair = PairOptions(
            qrels_format=qrels_format,
            columns=columns,
            qrels_columns=qrels_columns,
            subtopics=needs.subtopics,
        )
        source = pair.source_of(qrels, "qrels")
        prepared = Qrels.of_given(qrels, source, pair.of_qrels, threads, progress.of(len(runs)))
        refuse_unused_columns(qrels_columns, "qrels", (source.description(),))
        had = None
        if seen is not None:
            from rankmark.sources.prepared.seen import Seen  # noqa: PLC0415  (few give it)

            had = Seen(seen, threads=threads)

        def one(number: int) -> Evaluation:
            return evaluate_run(
                prepared,
                runs[number],
                measures,
                threads=max(1, threads // side_by_side),
                progress=progress.of(number),
                columns=columns,
                seen=had,
                **options,
            )

        if side_by_side == 1:
            return [one(number) for number in range(len(runs))]
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

        with ThreadPoolExecutor(side_by_side) as pool:
            try:
                return list(pool.map(one, range(len(runs))))
            except BaseException:
                progress.stop()
                pool.shutdown(wait=False, cancel_futures=True)
                raise


def publish(
    evaluations: Sequence[Evaluation],
    form: Format,
    *,
    per_query: bool,
    output: Path | None,
    aggregates: Aggregates | None = None,
    **intervals: bool,
) -> None:
    """Write results to stdout or to a file; what a format cannot hold goes to stderr."""
    from rankmark.report.notes import notes  # noqa: PLC0415
    from rankmark.report.result_tables import rendered  # noqa: PLC0415

    put(
        rendered(evaluations, form, per_query=per_query, aggregates=aggregates, **intervals), output
    )
    if form == "csv":
        print(*notes(evaluations, **intervals), sep="\n", file=sys.stderr)
