"""``rankmark abstain``: when a system should return nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankmark.answers.abstention.confidence import RULES
from rankmark.commands.parts import options
from rankmark.commands.parts.faults import refuse_conflicts, reported_errors
from rankmark.commands.parts.grouped_help import command, option
from rankmark.commands.parts.options import as_queries, beside
from rankmark.commands.parts.pictures import page_option, plot_option, write_page, write_plot
from rankmark.commands.parts.publishing import (
    TABULAR,
    width_of,
    write_notes,
    write_output,
    write_table,
)

if TYPE_CHECKING:
    from rankmark.answers.abstention.abstention_result import Abstention


@command()
@options.qrels
@options.run
@options.seen
@options.measure_option("One measure from 0 to 1, such as RR@10. [default: nDCG@10]")
@options.rel
@options.conventions
@option(
    "Decision",
    "--signal",
    type=click.Choice(RULES),
    default="max",
    show_default=True,
    help="What the confidence in a query is: the highest score, the standard deviation of the "
    "scores, or how far the highest is above the second.",
)
@option(
    "Decision",
    "--threshold",
    "thresholds",
    type=float,
    multiple=True,
    metavar="NUMBER",
    help="The least confidence of a query that is answered; can be repeated. [default: ten "
    "quantiles of the confidences]",
)
@option(
    "Decision",
    "--tied",
    type=click.Choice(["mean", "input"]),
    default="mean",
    show_default=True,
    help="Queries with the same confidence: the expected value over all orders, or in the order of "
    "the judgments, as MTEB has them.",
)
@options.confidence("Confidence of the intervals.")
@options.resamples(1_000, "Number of draws of queries.")
@options.seed
@options.per_query
@options.form
@plot_option(
    "Also write a plot of the risk at each share of queries answered; requires matplotlib."
)
@page_option
@options.output
@options.quiet
@options.formats
@options.threads
def abstain(
    qrels: str,
    run: str,
    measures: tuple[str, ...],
    form: str,
    picture: Path | None,
    page: Path | None,
    output: Path | None,
    quiet: bool,
    per_query: bool,
    queries: str,
    thresholds: tuple[float, ...],
    **given: Any,
) -> None:
    """Show how well scores tell when RUN should return nothing.

    A judged query without relevant documents is unanswerable: an empty result is right for it, and
    wrong for any other. The table has the AUROC of answerable against unanswerable queries, the
    area under the risk-coverage curve (AURC), MTEB's nAUC, the threshold with the highest F1, and
    what happens at some thresholds.

    \b
      rankmark abstain qrels.txt bm25.run -m RR@10
      rankmark abstain qrels.txt dense.run --threshold 0.5 --threshold 0.7
      rankmark abstain qrels.txt dense.run --signal diff1 --plot risk.svg
    """  # noqa: D301  (click reads the backspace)
    if len(measures) > 1:
        raise click.UsageError("give one --measure")
    with reported_errors():
        from rankmark.answers.abstention.abstention import abstention  # noqa: PLC0415
        from rankmark.commands.parts.progress import Progress  # noqa: PLC0415
        from rankmark.results.drawing.figures import require_matplotlib  # noqa: PLC0415

        read = refuse_conflicts(
            [qrels, run, *beside(given)], output, picture, page, queries=queries
        )
        if picture is not None or page is not None:
            require_matplotlib()  # before large files are read
        with Progress(read) as progress:
            found = abstention(
                qrels,
                run,
                *(measures or ()),
                thresholds=thresholds or None,
                queries=as_queries(queries),
                progress=progress.of(1),
                **given,
            )
        if picture is not None:
            write_plot(found.plot, picture)
        if page is not None:
            write_page(found, page)
        if form in TABULAR:
            write_table(found, form, output)
        else:
            written = _written(
                found, form, quiet=quiet, per_query=per_query, width=width_of(output)
            )
            write_output(written, output)
        write_notes(form, found.kept_notes if quiet else found.notes)


def _written(
    found: Abstention, form: str, *, quiet: bool, per_query: bool, width: int | None
) -> str:
    if form == "json":
        return found.to_json(indent=2) + "\n"
    if form == "jsonl":
        return found.to_json() + "\n"
    if form == "markdown":
        return found.to_markdown(per_query=per_query)
    if form == "latex":
        return found.to_latex(per_query=per_query)
    return found.to_text(width=width, quiet=quiet, per_query=per_query) + "\n"
