"""``rankmark explain``: how a score is computed, and what makes two runs differ."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.faults import refuse_conflicts, reported_errors
from rankmark.commands.parts.grouped_help import command, option
from rankmark.commands.parts.pictures import picture_format, plot_option, write_picture
from rankmark.commands.parts.publishing import TABULAR, width_of, write_result
from rankmark.results.text_width import REPORT

if TYPE_CHECKING:
    from rankmark.results.explanations.page import Page


@command()
@options.qrels
@options.run
@option("Data", "--query", metavar="ID", help="The query whose score is explained.")
@option(
    "Data",
    "--against",
    metavar="OTHER",
    type=click.Path(allow_dash=True),
    help="Another run: show what makes it differ from RUN, the baseline, by document and by "
    "rank, or, without --query, by query.",
)
@option(
    "Data",
    "--collection",
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of documents in the collection, to count true negatives. [default: only those "
    "judged not relevant are counted]",
)
@options.seen
@options.measure_option("One measure, such as AP(rel=2). [default: nDCG@10]")
@options.rel
@options.conventions
@option(
    "Output", "--all-rows", is_flag=True, help="Show all rows, including those that add nothing."
)
@options.format_option("table", "json", "csv", "parquet", "markdown", "html")
@plot_option(
    "Also write a plot of what each document adds, beside the ideal ranking; requires matplotlib."
)
@options.output
@options.quiet
@options.reading
def explain(
    qrels: str,
    run: str,
    query: str | None,
    measures: tuple[str, ...],
    against: str | None,
    all_rows: bool,
    form: str,
    picture: Path | None,
    output: Path | None,
    queries: str,
    quiet: bool,  # noqa: ARG001  (read by the progress bar)
    **choices: Any,
) -> None:
    """Explain how a score is computed: what each document adds to it, and the formula.

    QRELS and RUN are files as for `rankmark evaluate`. The table lists the documents in rank order,
    with what each adds to the score, the total so far, and the labels of the ideal ranking. The
    counts at the cutoff, the judged documents that were not retrieved, and the formula with the
    numbers of the query follow.

    --against shows the documents, ranks or queries that make the difference of two runs, and add
    up to it. RUN is the baseline: a difference is OTHER minus RUN, and gains come first.

    \b
      rankmark explain qrels.txt bm25.run --query 301 -m nDCG@10
      rankmark explain qrels.txt bm25.run --query 301 --plot ndcg.svg
      rankmark explain qrels.txt bm25.run --query 301 -m AP --against dense.run
      rankmark explain qrels.txt bm25.run -m AP --against dense.run
    """  # noqa: D301  (click reads the backspace)
    with reported_errors():
        from rankmark.commands.parts.options import as_queries, beside  # noqa: PLC0415
        from rankmark.commands.parts.progress import Progress  # noqa: PLC0415
        from rankmark.results.drawing.figures import require_matplotlib  # noqa: PLC0415
        from rankmark.verbs.explain.explain import explain as explain_number  # noqa: PLC0415

        if query is None and against is None:
            raise click.UsageError("name a --query, or a run to compare with, --against OTHER")
        if query is None and choices["collection"] is not None:
            raise click.UsageError("--collection counts the true negatives of a --query; name one")
        if len(measures) > 1:
            raise click.UsageError(f"one measure is explained at a time; found {len(measures)} -m")
        if picture is not None and against is not None:
            raise click.UsageError("--plot draws the score of one run; leave --against out")
        files = [qrels, run, against, *beside(choices)]
        read = refuse_conflicts(files, output, picture, queries=queries)
        if picture is not None:
            require_matplotlib()  # before large files are read
        with Progress(read) as progress:
            found: Page = explain_number(
                qrels,
                run,
                query,
                *measures,
                against=against,
                queries=as_queries(queries),
                progress=progress.of(1),
                **choices,
            )
        if picture is not None:
            _write_picture(found, picture)
        width = width_of(output) or REPORT
        written = found if form in TABULAR else _written(found, form, width, all_rows=all_rows)
        write_result(written, form, output)


def _write_picture(found: Page, file: Path) -> None:
    """Write the picture of an explanation, completely or not at all."""
    from rankmark.results.explanations.explanation import Explanation  # noqa: PLC0415
    from rankmark.results.explanations.picture import as_picture  # noqa: PLC0415

    assert isinstance(found, Explanation)  # noqa: S101  (as no other run is compared)
    write_picture(as_picture(found, picture_format(file)), file)


def _written(found: Page, form: str, width: int, *, all_rows: bool) -> str:
    if form == "json":
        return found.to_json(indent=2) + "\n"
    if form == "markdown":
        return found.to_markdown(all_rows=all_rows)
    if form == "html":
        return found.to_html(all_rows=all_rows) + "\n"
    return found.to_text(all_rows=all_rows, width=width)
