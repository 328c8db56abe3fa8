"""``rankmark similarity``: two runs compared, query by query."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankmark.cli import options
from rankmark.cli.faults import refuse_overwriting, refuse_stdin_twice, told
from rankmark.cli.publishing import put

if TYPE_CHECKING:
    from rankmark.report.result_tables import Format


def complete_coefficient(
    _context: click.Context, _parameter: click.Parameter, begun: str
) -> list[str]:
    """List the coefficients whose names begin with what was typed."""
    from rankmark.similarity import ALL  # noqa: PLC0415

    return [one.name for one in ALL if one.name.lower().startswith(begun.lower())]


@click.command(short_help="Compare two runs, query by query.")
@click.argument("run_a", type=click.Path(allow_dash=True))
@click.argument("run_b", type=click.Path(allow_dash=True))
@click.option(
    "-m",
    "--measure",
    "coefficients",
    multiple=True,
    metavar="COEFFICIENT",
    shell_complete=complete_coefficient,
    help="A coefficient, such as tau@10 or RBO(p=0.9); may be given several times. "
    "[default: RBO(p=0.9), tau@10, overlap@10]",
)
@click.option(
    "--k",
    type=click.IntRange(min=1),
    help="Cut both rankings at this rank, for coefficients without a cutoff of their own.",
)
@click.option(
    "--queries",
    type=click.Choice(["both", "either"]),
    default="both",
    show_default=True,
    help="Compare the queries that both runs hold; or those that either holds, the other's "
    "ranking being empty.",
)
@click.option(
    "--ties",
    type=click.Choice(["tied", "docid", "docid-asc", "docid-up", "input", "rank"]),
    default="tied",
    show_default=True,
    help="What equal scores are: ties; or an order: id down, id up, as given; rank trusts the "
    "rank column instead of the scores.",
)
@options.per_query
@options.form
@options.output
@options.run_format
@options.column
@options.threads
def similarity(
    run_a: str,
    run_b: str,
    coefficients: tuple[str, ...],
    k: int | None,
    per_query: bool,
    form: Format,
    output: Path | None,
    **options: Any,
) -> None:
    """Say how alike the rankings of two runs are, query by query and on average.

    Both are runs as `rankmark evaluate` reads them, - for stdin. There are tau, distance
    (Kendall), rho, footrule (Spearman), weighted_tau (Vigna), tauAP (RUN_A being the truth), RBO,
    AO (average overlap), overlap and Jaccard. Under the table stand which queries were compared,
    how much the two have in common, and how much ties.

    \b
      rankmark similarity bm25.run dense.run
      rankmark similarity bm25.run dense.run --k 10 -m tau -m "RBO(p=0.98)" --per-query
    """  # noqa: D301  (click reads the backspace)
    with told():
        from rankmark.cli.progress import Progress  # noqa: PLC0415
        from rankmark.report.comparison_tables import rendered  # noqa: PLC0415
        from rankmark.verbs.compare_rankings import (  # noqa: PLC0415
            as_coefficients,
            compare_rankings,
        )

        refuse_stdin_twice(run_a, run_b)
        refuse_overwriting(output, run_a, run_b)
        asked = as_coefficients(coefficients or None)
        if k is not None:
            asked = tuple(one if one.parameters["k"] else one @ k for one in asked)
        with Progress([run_a, run_b]) as progress:
            found = compare_rankings(run_a, run_b, asked, progress=progress.told, **options)
        put(rendered(found, form, per_query=per_query), output)
        if form == "csv":
            print(*found.notes, sep="\n", file=sys.stderr)
