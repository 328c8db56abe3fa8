"""``rankmark explain``: where a number comes from, and what makes two runs differ."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankmark.cli import options
from rankmark.cli.faults import refuse_overwriting, refuse_stdin_twice, told
from rankmark.cli.publishing import put

if TYPE_CHECKING:
    from rankmark.explanations.page import Page


@click.command(short_help="Say where a number comes from, or what makes two runs differ.")
@click.argument("qrels", type=click.Path(allow_dash=True))
@click.argument("run", type=click.Path(allow_dash=True))
@click.option("--query", metavar="ID", help="The query whose value is explained.")
@options.measure_option("The measure, one, such as AP(rel=2). [default: nDCG@10]")
@click.option(
    "--against",
    metavar="OTHER",
    type=click.Path(allow_dash=True),
    help="Another run: say what makes it differ from RUN, the baseline, by document and by rank; "
    "without --query, by query.",
)
@click.option("--all-rows", is_flag=True, help="Show all rows, also those that add nothing.")
@click.option(
    "--collection",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many documents there are, for the count of true negatives. [default: those that are "
    "judged not relevant stand for it]",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "markdown", "html"]),
    default="table",
    show_default=True,
    help="How to write it.",
)
@options.output
@options.conventions
@options.formats
@options.threads
def explain(
    qrels: str,
    run: str,
    query: str | None,
    measures: tuple[str, ...],
    against: str | None,
    all_rows: bool,
    form: str,
    output: Path | None,
    queries: str,
    **choices: Any,
) -> None:
    """Say where a number comes from: what each document of a query adds to it, and the formula.

    QRELS and RUN are as `rankmark evaluate` reads them. In the table stand the documents in rank
    order, with what the measure makes of each, what it adds, and the total so far; beside it the
    labels of the best ranking. Under it stand the counts at the cutoff, what was judged and not
    retrieved, and the formula with the numbers of the query in it.

    With --against, what makes the difference of the two runs, adding up to it. RUN is the baseline:
    a difference is OTHER less RUN, and gains come first.

    \b
      rankmark explain qrels.txt bm25.run --query 301 -m nDCG@10
      rankmark explain qrels.txt bm25.run --query 301 -m AP --against dense.run
      rankmark explain qrels.txt bm25.run -m AP --against dense.run
    """  # noqa: D301  (click reads the backspace)
    with told():
        from rankmark.cli.evaluate import chosen_queries  # noqa: PLC0415
        from rankmark.cli.progress import Progress  # noqa: PLC0415
        from rankmark.verbs.explain import explain as explain_number  # noqa: PLC0415

        if query is None and against is None:
            raise click.UsageError("name a --query, or a run to compare with, --against OTHER")
        if query is None and choices["collection"] is not None:
            raise click.UsageError("--collection counts the true negatives of a --query; name one")
        if len(measures) > 1:
            raise click.UsageError(f"one measure is explained at a time; found {len(measures)} -m")
        read = [qrels, run, *(one for one in (against, choices["seen"]) if one is not None)]
        refuse_stdin_twice(*read, *(["-"] if queries == "@-" else []))
        refuse_overwriting(output, *read, *(["-"] if queries == "@-" else []))
        with Progress(read) as progress:
            found: Page = explain_number(
                qrels,
                run,
                query,
                *measures,
                against=against,
                queries=chosen_queries(queries),
                progress=progress.of(1),
                **choices,
            )
        put(_written(found, form, all_rows=all_rows), output)


def _written(found: Page, form: str, *, all_rows: bool) -> str:
    if form == "json":
        return found.to_json(indent=2) + "\n"
    if form == "markdown":
        return found.to_markdown(all_rows=all_rows)
    if form == "html":
        return found.to_html(all_rows=all_rows) + "\n"
    return found.to_text(all_rows=all_rows)
