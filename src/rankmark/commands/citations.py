"""``rankmark nuggets`` and ``rankmark citations``: score answers from tables of judgments."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.faults import refuse_conflicts, reported_errors
from rankmark.commands.parts.grouped_help import command, option
from rankmark.commands.parts.options import as_queries
from rankmark.commands.parts.pictures import page_option, require_page, write_page
from rankmark.commands.parts.publishing import (
    TABULAR,
    width_of,
    write_notes,
    write_output,
    write_table,
)

if TYPE_CHECKING:
    from rankmark.answers.citations.answer_evaluation import AnswerEvaluation

_QUERIES = option(
    "Conventions",
    "--queries",
    default="judged",
    show_default=True,
    metavar="judged|both|ID,...|@FILE",
    help="Average all queries that were judged, where one without an answer counts 0; only those "
    "with an answer; or these, from a list or a file.",
)
_PARTIAL = option(
    "Conventions",
    "--partial",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="What partial support counts.",
)


@command()
@click.argument("answers", type=click.Path(allow_dash=True))
@option(
    "Data",
    "--gold",
    type=click.Path(allow_dash=True),
    metavar="FILE",
    help="All nuggets of each query: a table with query_id, nugget and importance.",
)
@option(
    "Measures",
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="SCORE",
    help="strict_vital, strict_all, vital, all, weighted_strict or weighted; can be repeated. "
    "[default: all six]",
)
@_QUERIES
@option(
    "Conventions",
    "--empty",
    type=click.Choice(["zero", "nan"]),
    default="zero",
    show_default=True,
    help="The vital scores of a query none of whose nuggets is vital: zero, or nan, which leaves "
    "it out of their means.",
)
@_PARTIAL
@option(
    "Conventions",
    "--okay",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="What a nugget weighs in the weighted scores that is not vital.",
)
@options.per_query
@options.form
@options.long
@page_option
@options.output
@options.quiet
@options.column_option(
    "column",
    "Name of the column that contains query_id, nugget, importance or support, if it is not "
    "recognised; can be repeated.",
    ("query_id", "nugget", "importance", "support"),
)
def nuggets(
    answers: str, gold: str | None, measures: tuple[str, ...], queries: str, **given: Any
) -> None:
    """Score answers by the nuggets that they support, as TREC RAG and nuggetizer do.

    ANSWERS is a table, CSV, TSV, JSON, JSON Lines as nuggetizer writes it, or Parquet, or - for
    stdin, with the columns query_id, nugget, importance (vital or okay) and support (support,
    partial_support or not_support; empty if there is no answer). No model is called.

    \b
      rankmark nuggets assignments.jsonl
      rankmark nuggets answers.csv --gold nuggets.csv -m strict_vital --per-query
    """  # noqa: D301  (click reads the backspace)
    with reported_errors():
        from rankmark.answers.citations.nuggets import nuggets as score  # noqa: PLC0415

        refuse_conflicts([answers, gold], given["output"], given["page"], queries=queries)
        require_page(given["page"])
        shown = {name: given.pop(name) for name in _SHOWN}
        found = score(
            answers,
            measures or None,
            gold=gold,
            queries=as_queries(queries),
            **given,
        )
        _write(found, "Nuggets supported", **shown)


@command()
@click.argument("answers", type=click.Path(allow_dash=True))
@option(
    "Data",
    "--passages",
    metavar="NUMBER|RUN",
    help="The passages that each answer could cite, so that others are out of range: their number, "
    "if citations are numbers from 1, or the file of a run.",
)
@option(
    "Measures",
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="SCORE",
    help="precision, recall or F; can be repeated. [default: all three]",
)
@option(
    "Conventions",
    "--method",
    type=click.Choice(["alce", "trec_rag"]),
    help="Whose scores: ALCE's, or TREC RAG's weights of full, partial and no support. [default: "
    "alce if there is a column together]",
)
@option(
    "Conventions",
    "--at-most-citations",
    type=click.IntRange(min=1),
    metavar="N",
    help="Ignore all but the first citations of each sentence.",
)
@_QUERIES
@option(
    "Conventions",
    "--empty",
    type=click.Choice(["zero", "nan"]),
    default="zero",
    show_default=True,
    help="The precision and F of an answer without citations: zero, or nan, which leaves it out of "
    "their means.",
)
@_PARTIAL
@options.per_query
@options.form
@options.long
@page_option
@options.output
@options.quiet
@options.column_option(
    "column",
    "Name of the column that contains query_id, sentence, passage, support, together or without, "
    "if it is not recognised; can be repeated.",
    ("query_id", "sentence", "passage", "support", "together", "without"),
)
def citations(
    answers: str, passages: str | None, measures: tuple[str, ...], queries: str, **given: Any
) -> None:
    """Score whether the passages that answers cite support their sentences.

    ANSWERS is a table, CSV, TSV, JSON, JSON Lines or Parquet, or - for stdin, with a row for each
    citation: query_id, sentence, passage (empty if the sentence cites none), and support, whether
    the passage alone supports the sentence: full, partial or no. ALCE's scores also need
    together, whether all passages of the sentence support it, and without, whether the others do
    without this one. No model is called.

    \b
      rankmark citations judged.csv
      rankmark citations judged.csv --passages 5 --at-most-citations 3 --per-query
    """  # noqa: D301  (click reads the backspace)
    with reported_errors():
        from rankmark.answers.citations.citations import citations as score  # noqa: PLC0415

        is_number = passages is not None and passages.isdecimal()
        read = [answers, None if is_number else passages]
        refuse_conflicts(read, given["output"], given["page"], queries=queries)
        require_page(given["page"])
        shown = {name: given.pop(name) for name in _SHOWN}
        found = score(
            answers,
            measures or None,
            passages=int(passages) if passages is not None and is_number else passages,
            queries=as_queries(queries),
            **given,
        )
        _write(found, "Citations", **shown)


_SHOWN = ("per_query", "form", "is_long", "page", "output", "quiet")


def _write(
    found: AnswerEvaluation,
    what: str,
    *,
    per_query: bool,
    form: str,
    is_long: bool,
    page: Path | None,
    output: Path | None,
    quiet: bool,
) -> None:
    from rankmark.results.run_names import short_names  # noqa: PLC0415
    from rankmark.results.tables_by_query import as_table, rendered  # noqa: PLC0415

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
            caption=f"{what} in {run}.",
            label=f"tab:{found.kind}",
            width=width_of(output),
        )
        write_output(text, output)
    write_notes(form, notes)
    if page is not None:
        write_page(found, page)
