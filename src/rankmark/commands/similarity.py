"""``rankmark similarity``: compare the rankings of two runs, query by query."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.faults import refuse_conflicts, reported_errors
from rankmark.commands.parts.grouped_help import command, option
from rankmark.commands.parts.publishing import (
    TABULAR,
    width_of,
    write_notes,
    write_output,
    write_table,
)

if TYPE_CHECKING:
    from rankmark.verbs.evaluate.result_tables import Format


def complete_coefficient(
    _context: click.Context, _parameter: click.Parameter, begun: str
) -> list[str]:
    """List the coefficients whose names begin with the letters typed."""
    from rankmark.similarity import ALL  # noqa: PLC0415

    return [each.name for each in ALL if each.name.lower().startswith(begun.lower())]


@command()
@click.argument("run_a", type=click.Path(allow_dash=True))
@click.argument("run_b", type=click.Path(allow_dash=True))
@option(
    "Measures",
    "-m",
    "--measure",
    "coefficients",
    multiple=True,
    metavar="COEFFICIENT",
    shell_complete=complete_coefficient,
    help="A coefficient, such as tau@10 or RBO(p=0.9); can be repeated. [default: "
    "RBO(p=0.9), tau@10, overlap@10]",
)
@option(
    "Measures",
    "--k",
    type=click.IntRange(min=1),
    help="Cutoff for coefficients without one.",
)
@option(
    "Conventions",
    "--queries",
    type=click.Choice(["both", "either"]),
    default="both",
    show_default=True,
    help="Compare the queries in both runs, or those in either, where the other ranking is empty.",
)
@option(
    "Conventions",
    "--ties",
    type=click.Choice(["tied", "docid", "docid-asc", "input", "rank"]),
    default="tied",
    show_default=True,
    help="Documents with equal scores: tied, as each coefficient handles them; or ordered by "
    "id, descending (docid) or ascending (docid-asc), or as in the file (input). rank "
    "uses the rank column instead of scores.",
)
@options.convention("unit")
@options.convention("combine")
@options.convention("unit_depth")
@options.per_query
@options.form
@options.long
@options.output
@options.quiet
@options.run_format
@options.column
@options.contents
@options.parents
@options.threads
def similarity(
    run_a: str,
    run_b: str,
    coefficients: tuple[str, ...],
    k: int | None,
    per_query: bool,
    form: Format,
    is_long: bool,
    output: Path | None,
    quiet: bool,
    **options: Any,
) -> None:
    """Measure how similar the rankings of two runs are, query by query and on average.

    Both are files as for `rankmark evaluate`, or - for stdin. The coefficients are tau, distance
    (Kendall), rho, footrule (Spearman), weighted_tau (Vigna), tauAP (with RUN_A as the truth), RBO,
    AO (average overlap), overlap and Jaccard. The lines below the table show which
    queries were compared, how many documents are in both runs, and how many are tied.

    \b
      rankmark similarity bm25.run dense.run
      rankmark similarity bm25.run dense.run --k 10 -m "RBO(p=0.98)" --per-query
    """  # noqa: D301  (click reads the backspace)
    with reported_errors():
        from rankmark.commands.parts.progress import Progress  # noqa: PLC0415
        from rankmark.results.run_names import short_names  # noqa: PLC0415
        from rankmark.results.tables_by_query import as_table, rendered  # noqa: PLC0415
        from rankmark.similarity.coefficient_names import as_coefficients  # noqa: PLC0415
        from rankmark.verbs.compare_rankings.compare_rankings import (  # noqa: PLC0415
            DEFAULT,
            compare_rankings,
        )

        refuse_conflicts([run_a, run_b, options["parents"]], output)
        requested = as_coefficients(coefficients or DEFAULT)
        if k is not None:
            requested = tuple(each if each.parameters["k"] else each @ k for each in requested)
        with Progress([run_a, run_b]) as progress:
            found = compare_rankings(run_a, run_b, requested, progress=progress.update, **options)
        notes = [found.notes[0], found.notes[-1]] if quiet else found.notes
        if form in TABULAR:
            runs = dict(zip(("run_a", "run_b"), short_names(found.run_names), strict=True))
            rows = as_table(found, runs, per_query=per_query, is_long=is_long)
            write_table(rows, form, output)
        else:
            width = width_of(output)
            a, b = found.run_names
            text = rendered(
                found,
                form,
                per_query=per_query,
                notes=notes,
                caption=f"Similarity of {a} and {b}.",
                label="tab:similarity",
                width=width,
            )
            write_output(text, output)
        write_notes(form, notes)
