"""``rankmark calls``: evaluate several searches for each query."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.faults import refuse_conflicts, reported_errors
from rankmark.commands.parts.grouped_help import command, option
from rankmark.commands.parts.options import as_queries
from rankmark.commands.parts.pictures import page_option, plot_option, write_page, write_plot
from rankmark.commands.parts.publishing import (
    TABULAR,
    width_of,
    write_notes,
    write_output,
    write_table,
)

if TYPE_CHECKING:
    from rankmark.answers.calls.call_evaluation import CallEvaluation
    from rankmark.results.plain_table import Table


@command()
@options.qrels
@click.argument("calls", type=click.Path(allow_dash=True))
@options.measure_option(
    'A measure, such as R@10, RR@10 or "SessionDCG(base=4)@10"; can be repeated. [default: those '
    "of evaluate]"
)
@option(
    "Conventions",
    "--how",
    type=click.Choice(["interleave", "concatenate", "union", "first", "last", "best"]),
    default="interleave",
    show_default=True,
    help="The way to combine the calls of a query that --per-query and the curve show.",
)
@option(
    "Conventions",
    "--queries",
    default="judged",
    show_default=True,
    metavar="judged|both|ID,...|@FILE",
    help="Average all judged queries, where one without calls counts 0; only those with calls; or "
    "these, from a list or a file.",
)
@option(
    "Conventions",
    "--no-relevant",
    type=click.Choice(["zero", "skip", "one", "nan"]),
    default="zero",
    show_default=True,
    help="What a query without relevant documents counts.",
)
@option("Conventions", "--judged-only", is_flag=True, help="Leave out unjudged documents.")
@option(
    "Data",
    "--cost",
    "costs",
    multiple=True,
    metavar="COLUMN",
    help="A column with the cost of each call; can be repeated. [default: tokens, cost, seconds]",
)
@option(
    "Data",
    "--document-cost",
    "document_costs",
    multiple=True,
    metavar="COLUMN",
    help="A column with the cost of each document, which are added up; can be repeated.",
)
@options.per_query
@options.form
@options.long
@plot_option("Also write a plot of the means after each call; requires matplotlib.")
@page_option
@options.output
@options.quiet
@options.column_option(
    "column",
    "Name of the column that contains query_id, call, doc_id, score, rank or applicable, if it is "
    "not recognised; can be repeated.",
    ("query_id", "call", "doc_id", "score", "rank", "applicable"),
)
def calls(
    qrels: str,
    calls: str,
    measures: tuple[str, ...],
    queries: str,
    costs: tuple[str, ...],
    per_query: bool,
    form: str,
    is_long: bool,
    picture: Path | None,
    page: Path | None,
    output: Path | None,
    quiet: bool,
    **given: Any,
) -> None:
    """Evaluate several searches for each query, as agents make.

    CALLS is a table, CSV, TSV, JSON, JSON Lines or Parquet, or - for stdin, with the columns
    query_id, call, doc_id and score or rank. The first table has a row for each way to combine
    the calls of a query: interleaved, one after the other, their union, the first, the last,
    and the best by each measure. The second has the means after each call.

    \b
      rankmark calls qrels.txt calls.csv -m R -m RR@10
      rankmark calls qrels.txt calls.csv --how last --per-query --plot curve.svg
    """  # noqa: D301  (click reads the backspace)
    with reported_errors():
        from rankmark.answers.calls.evaluate_calls import evaluate_calls  # noqa: PLC0415
        from rankmark.results.drawing.figures import require_matplotlib  # noqa: PLC0415
        from rankmark.results.tables_by_query import as_table  # noqa: PLC0415

        refuse_conflicts([qrels, calls], output, picture, page, queries=queries)
        if picture is not None or page is not None:
            require_matplotlib()
        found = evaluate_calls(
            qrels,
            calls,
            measures or None,
            queries=as_queries(queries),
            costs=costs or None,
            **given,
        )
        if picture is not None:
            write_plot(found.plot, picture)
        notes = [found.notes[-1]] if quiet else found.notes
        if form in TABULAR:
            of_run = found._about()
            rows = (
                as_table(found, of_run, per_query=True, is_long=is_long)
                if per_query
                else _by_way(found, is_long=is_long)
            )
            write_table(rows, form, output)
        else:
            text = _rendered(found, form, per_query=per_query, notes=notes, width=width_of(output))
            write_output(text, output)
        write_notes(form, notes)
        if page is not None:
            write_page(found, page)


def _by_way(found: CallEvaluation, *, is_long: bool) -> Table:
    """Return the means of each way, behind the name of the run."""
    from rankmark.results.plain_table import Table  # noqa: PLC0415
    from rankmark.results.table_schema import long_form, texts  # noqa: PLC0415

    ways = found.ways
    columns: dict[str, Any] = {
        **{name: texts(name, [run]) * len(ways) for name, run in found._about().items()},
        "how": texts("how", [*ways]),
    }
    keys = [*columns]
    columns |= {name: [of_way[name] for of_way in ways.values()] for name in found.names}
    return Table(long_form(columns, keys) if is_long else columns)


def _rendered(
    found: CallEvaluation, form: str, *, per_query: bool, notes: list[str], width: int | None
) -> str:
    """Write the ways and the means after each call; with ``per_query`` the values by query."""
    from rankmark.results.tables_by_query import rendered  # noqa: PLC0415
    from rankmark.results.text_width import fitted  # noqa: PLC0415

    caption = f"Several searches for each query, of {found._about()['run']}."
    if per_query or form in {"json", "jsonl"}:
        return rendered(
            found,
            form,
            per_query=per_query,
            notes=notes,
            caption=caption,
            label="tab:calls",
            width=width,
        )
    ways, curve = found.tables()
    if form == "latex":
        return ways.as_latex(caption=caption, label="tab:calls")
    if form == "markdown":
        return f"{ways.as_markdown()}\n{curve.as_markdown()}"
    told = "".join(f"{note}\n" for note in notes)
    shown = f"{ways.as_text(width=width)}\n{curve.as_text(width=width)}\n{told}"
    return fitted(shown, width)
