"""``rankmark spans``: measure retrieved spans of documents against gold spans."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.faults import refuse_conflicts, reported_errors
from rankmark.commands.parts.grouped_help import command, option
from rankmark.commands.parts.pictures import page_option, require_page, write_page
from rankmark.commands.parts.publishing import (
    TABULAR,
    width_of,
    write_notes,
    write_output,
    write_table,
)

if TYPE_CHECKING:
    from rankmark.answers.spans.evaluate_spans import Empty
    from rankmark.answers.spans.given_spans import Which

_ROLES = ("query_id", "doc_id", "start", "end", "score", "rank")


def complete_span_measure(
    _context: click.Context, _parameter: click.Parameter, begun: str
) -> list[str]:
    """List the measures of spans whose names begin with the letters typed."""
    from rankmark.measures.spans import ALL  # noqa: PLC0415

    return [each.name for each in ALL if each.name.lower().startswith(begun.lower())]


@command()
@click.argument("gold", type=click.Path(allow_dash=True))
@click.argument("retrieved", type=click.Path(allow_dash=True))
@option(
    "Measures",
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    shell_complete=complete_span_measure,
    help="A measure, such as SpanRecall@5, SpanRecall(budget=2000) or SegmentRecall(iou=0.5)@1; "
    "can be repeated. [default: SpanRecall, SpanPrecision, SpanIoU; with --chunks, also "
    "PrecisionOmega]",
)
@option(
    "Data",
    "--chunks",
    type=click.Path(allow_dash=True),
    metavar="FILE",
    help="All chunks of the collection, for PrecisionOmega: a table with doc_id, start and end.",
)
@option(
    "Conventions",
    "--queries",
    type=click.Choice(["judged", "both"]),
    default="judged",
    show_default=True,
    help="Average the queries with gold spans, or only those for which something was retrieved.",
)
@option(
    "Conventions",
    "--empty",
    type=click.Choice(["zero", "nan", "error"]),
    help="The precision of a query for which nothing was retrieved: zero; nan, which leaves it out "
    "of the mean; error refuses it. [default: zero, or error with --profile chroma]",
)
@option(
    "Conventions",
    "--profile",
    type=click.Choice(["chroma"]),
    help="Compute as Chroma's chunking_evaluation does.",
)
@options.per_query
@options.form
@options.long
@page_option
@options.output
@options.quiet
@options.column_option(
    "column",
    "Name of the column that contains query_id, doc_id, start, end, score or rank, if it is not "
    "recognised; can be repeated.",
    _ROLES,
)
def spans(
    gold: str,
    retrieved: str,
    measures: tuple[str, ...],
    chunks: str | None,
    queries: Which,
    empty: Empty | None,
    per_query: bool,
    form: str,
    is_long: bool,
    page: Path | None,
    output: Path | None,
    quiet: bool,
    **chosen: Any,
) -> None:
    """Measure how much of the GOLD spans was RETRIEVED, and how much else.

    Both are tables, CSV, TSV, JSON, JSON Lines or Parquet, with the columns query_id, doc_id, start
    and end, or - for stdin. A span is a half-open interval [start, end) of a document, in
    characters, tokens, bytes or seconds. RETRIEVED is ordered by its column score, rank, or its
    rows. The lines below the table show which queries were averaged, and what was repeated.

    \b
      rankmark spans gold.csv chunks.csv -m SpanRecall@5 -m SpanIoU@5
      rankmark spans gold.csv chunks.csv -m "SpanRecall(budget=2000)" --per-query
    """  # noqa: D301  (click reads the backspace)
    with reported_errors():
        from rankmark.answers.spans.evaluate_spans import evaluate_spans  # noqa: PLC0415
        from rankmark.results.run_names import short_names  # noqa: PLC0415
        from rankmark.results.tables_by_query import as_table, rendered  # noqa: PLC0415

        refuse_conflicts([gold, retrieved, chunks], output, page)
        require_page(page)
        found = evaluate_spans(
            gold,
            retrieved,
            measures or None,
            chunks=chunks,
            queries=queries,
            empty=empty,
            **chosen,
        )
        notes = [found.notes[-1]] if quiet else found.notes
        (run,) = short_names([found.run_name])
        if form in TABULAR:
            rows = as_table(found, {"run": run}, per_query=per_query, is_long=is_long)
            write_table(rows, form, output)
        else:
            text = rendered(
                found,
                form,
                per_query=per_query,
                notes=notes,
                caption=f"Spans retrieved by {run}.",
                label="tab:spans",
                width=width_of(output),
            )
            write_output(text, output)
        write_notes(form, notes)
        if page is not None:
            write_page(found, page)
