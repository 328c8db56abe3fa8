"""``rankmark power``: what the queries of two runs can detect."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankmark.cli import options
from rankmark.cli.evaluate import chosen_queries
from rankmark.cli.faults import refuse_conflicts, reported_errors
from rankmark.cli.publishing import write_output
from rankmark.cli.statistics_options import seed

if TYPE_CHECKING:
    from rankmark.report.result_tables import Format

_SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)


def _as_difference(
    _context: click.Context, _parameter: click.Parameter, given: float | None
) -> float | None:
    """Refuse a difference of 0, which no test can find, NaN and infinite numbers."""
    if given is not None and not 0 < abs(given) < math.inf:
        raise click.BadParameter(f"{given:g}; need a finite number other than 0")
    return given


@click.command(short_help="Show which differences the queries can detect.")
@click.argument("qrels", type=click.Path(allow_dash=True))
@click.argument("run_a", type=click.Path(allow_dash=True))
@click.argument("run_b", type=click.Path(allow_dash=True))
@options.measures
@options.rel
@click.option(
    "--difference",
    type=float,
    callback=_as_difference,
    metavar="NUMBER",
    help="The true difference asked about, RUN_B minus RUN_A, in units of the measure. [default: "
    "the observed one]",
)
@click.option(
    "--power",
    type=_SHARE,
    default=0.8,
    show_default=True,
    help="How often a difference must be found.",
)
@click.option(
    "--level", type=_SHARE, default=0.05, show_default=True, help="Level of the test, two-sided."
)
@click.option(
    "--resamples",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    help="Number of draws in each simulation.",
)
@seed
@options.form
@options.output
@options.formats
@options.conventions
@options.threads
def power(
    qrels: str,
    run_a: str,
    run_b: str,
    measures: tuple[str, ...],
    form: Format,
    output: Path | None,
    queries: str,
    **options: Any,
) -> None:
    """Show which differences these queries can detect, and how many queries a difference needs.

    RUN_A is the baseline. Both runs are files as for `rankmark evaluate`, or - for stdin; how much
    their scores differ from query to query decides what a paired t test can find. The answers
    come from the noncentral t distribution, and from simulations that draw from the observed
    differences, which may be skewed or mostly zero.

    \b
      rankmark power qrels.txt bm25.run dense.run -m nDCG@10
      rankmark power qrels.txt bm25.run dense.run -m nDCG@10 --difference 0.01
    """  # noqa: D301  (click reads the backspace)
    if options["power"] <= options["level"]:
        raise click.UsageError(
            f"--power is {options['power']:g}, no more than --level; choose a greater one"
        )
    with reported_errors():
        refuse_conflicts([qrels, run_a, run_b, options["seen"]], output, queries=queries)
        from rankmark.cli.progress import Progress  # noqa: PLC0415
        from rankmark.report.notes import notes  # noqa: PLC0415
        from rankmark.report.power_tables import rendered  # noqa: PLC0415
        from rankmark.verbs.power_analysis import power as found_power  # noqa: PLC0415

        with Progress([qrels, run_a, run_b]) as progress:
            found = found_power(
                qrels,
                run_a,
                run_b,
                measures or None,
                progress=progress.update,
                queries=chosen_queries(queries),
                **options,
            )
        below = notes(list(found.evaluations))
        text = rendered(found, form)
        if form == "table":
            text += "".join(f"{line}\n" for line in below)
        write_output(text, output)
        if form in {"csv", "markdown", "latex"}:
            print(*found.notes, *below, sep="\n", file=sys.stderr)
