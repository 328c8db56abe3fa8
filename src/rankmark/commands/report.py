"""``rankmark report``: runs compared on one page of HTML."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from rankmark.commands.compare import query_groups, statistics
from rankmark.commands.parts import options
from rankmark.commands.parts.faults import refuse_conflicts, reported_errors
from rankmark.commands.parts.grouped_help import PATH, command, option
from rankmark.commands.parts.publishing import write_output
from rankmark.commands.parts.tables import names_of_runs, names_option

_text = "a file with lines of an id, a tab and a text, or of JSON objects, plain or compressed."


@command()
@options.qrels
@options.runs
@option(
    "Data",
    "--queries-text",
    metavar="FILE",
    type=click.Path(allow_dash=True),
    help=f"Texts of queries: {_text}",
)
@option(
    "Data",
    "--docs-text",
    metavar="FILE",
    type=click.Path(allow_dash=True),
    help=f"Texts of documents: {_text}",
)
@options.seen
@options.measures
@options.rel
@options.conventions
@statistics
@query_groups
@names_option
@option("Page", "--title", metavar="TEXT", help="Heading. [default: one that names the judgments]")
@option(
    "Page",
    "--documents",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    metavar="N",
    help="First documents in each ranked list; relevant ones of lower rank are added.",
)
@option(
    "Output",
    "-o",
    "--output",
    type=PATH,
    metavar="FILE.html",
    help="Write to a file, completely or not at all. [default: stdout, unless that is a terminal]",
)
@options.quiet
@options.reading
def report(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    names: tuple[str, ...],
    baseline: str | None,
    clusters: str | None,
    weights: str | None,
    by: str | None,
    title: str | None,
    queries_text: str | None,
    docs_text: str | None,
    documents: int,
    output: Path | None,
    queries: str,
    quiet: bool,  # noqa: ARG001  (read by the progress bar)
    **choices: Any,
) -> None:
    """Evaluate and compare runs, and write the result as a single HTML page.

    QRELS and each RUN are files as for `rankmark evaluate`. The page has the leaderboard, the
    differences with their tests, the audit of each run, a table of queries to sort, filter and
    search, and the ranked lists of each query side by side, with what each document adds to each
    measure. It is a single file that loads nothing, so you can mail or attach it.

    \b
      rankmark report qrels.txt bm25.run dense.run -o report.html
      rankmark report qrels.txt *.run --queries-text queries.tsv -o report.html
    """  # noqa: D301  (click reads the backspace)
    if output is None and sys.stdout is not None and sys.stdout.isatty():
        raise click.UsageError("a terminal cannot show pages; name a file: -o report.html")
    with reported_errors():
        from rankmark.commands.compare import compared  # noqa: PLC0415
        from rankmark.commands.parts.options import as_queries, beside  # noqa: PLC0415
        from rankmark.commands.parts.progress import Progress  # noqa: PLC0415
        from rankmark.verbs.report.write_report import report_page  # noqa: PLC0415

        files = (queries_text, docs_text, *beside(choices), clusters, weights, by)
        refuse_conflicts([qrels, *runs, *files], output, queries=queries)
        choices |= {"clusters": clusters, "weights": weights, "by": by}
        choices["queries"] = as_queries(queries)
        called = names_of_runs(runs, names)
        with Progress([qrels, *runs]) as progress:
            page = report_page(
                compared(qrels, runs, called, measures, baseline, choices, progress),
                title=title,
                documents=documents,
                queries_text=queries_text,
                docs_text=docs_text,
            )
        write_output(page, output)
