"""``rankmark report``: runs compared on one page of HTML."""

from __future__ import annotations

import sys

import click

from rankmark.commands.compare import VERB, compared, query_groups, statistics
from rankmark.commands.parts import options
from rankmark.commands.parts.grouped_help import further
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.systems import named_systems, pass_score, systems_of
from rankmark.commands.parts.tables import names_of_runs, names_option
from rankmark.commands.parts.verb_options import options_of
from rankmark.commands.parts.writing import write_output

_PAGE = "verbs.report.write_report:write_report"
_TEXT = "a file with lines of an id, a tab and a text, or of JSON objects, plain or compressed."


@command_of(
    VERB,
    ["qrels", options.files("[runs...]", metavar="RUN...")],
    named_systems,
    options_of(
        _PAGE,
        "queries_text",
        "docs_text",
        queries_text={"group": "Data", "help": f"Texts of queries: {_TEXT}"},
        docs_text={"group": "Data", "help": f"Texts of documents: {_TEXT}"},
    ),
    options.asked(),
    options.items,
    options.corpus,
    statistics,
    query_groups,
    pass_score,
    names_option,
    options_of(_PAGE, "title", title={"group": "Page"}),
    further(
        options_of(
            _PAGE,
            "documents",
            documents={"group": "Page", "type": click.IntRange(min=1), "metavar": "N"},
        )
    ),
    options.output_option(
        "Write to a file, completely or not at all. [default: stdout, unless that is a terminal]",
        "FILE.html",
    ),
    options.quiet,
    options.reading,
)
def report(
    call: Call,
    qrels: str,
    runs: tuple[str, ...],
    systems: dict[str, list[str]],
    measures: tuple[str, ...],
    names: tuple[str, ...],
    baseline: str | None,
    title: str | None,
    queries_text: str | None,
    docs_text: str | None,
    documents: int,
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
    if call.output is None and sys.stdout is not None and sys.stdout.isatty():
        raise click.UsageError("a terminal cannot show pages; name a file: -o report.html")
    given = systems_of(runs, systems)
    call.prepare(*given.files, but=["runs"])
    from rankmark.verbs.report.write_report import report_page  # noqa: PLC0415

    called = names_of_runs(given.names, names)
    page = compared(
        call,
        qrels,
        given,
        called,
        measures,
        baseline,
        then=lambda found: report_page(
            found,
            title=title,
            documents=documents,
            queries_text=queries_text,
            docs_text=docs_text,
        ),
    )
    write_output(page, call.output)
