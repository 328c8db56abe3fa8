"""``rankmark judges``: how two sets of judgments agree, and what it does to leaderboards."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.faults import refuse_conflicts, reported_errors
from rankmark.commands.parts.grouped_help import command, option
from rankmark.commands.parts.pictures import page_option, plot_option, write_page, write_plot
from rankmark.commands.parts.publishing import (
    TABULAR,
    width_of,
    write_notes,
    write_output,
    write_result,
)
from rankmark.commands.parts.tables import names_of_runs
from rankmark.judges.agreement.written_forms import as_text

_FILE = click.Path(allow_dash=True)


def _as_relabelled(
    _context: click.Context, _parameter: click.Parameter, given: tuple[str, ...]
) -> dict[float, float] | None:
    """Parse LABEL=LABEL, given any number of times."""
    found: dict[float, float] = {}
    for text in given:
        label, equals, meant = text.partition("=")
        try:
            found[float(label)] = float(meant) if equals else float("")
        except ValueError:
            raise click.BadParameter(f"{text!r}; need LABEL=LABEL, such as 4=3") from None
    return found or None


def _as_labels(
    _context: click.Context, _parameter: click.Parameter, given: str | None
) -> list[float] | None:
    """Parse a list of labels."""
    if given is None:
        return None
    try:
        return [float(label) for label in given.split(",")]
    except ValueError:
        raise click.BadParameter(f"{given!r}; need labels, such as 0,1,2,3") from None


@command()
@click.argument("people", type=_FILE)
@click.argument("model", type=_FILE)
@click.argument("more", metavar="[MORE]...", nargs=-1, type=_FILE)
@option(
    "Data",
    "--runs",
    "runs",
    multiple=True,
    metavar="RUN",
    type=_FILE,
    help="A run, or a pattern in quotes such as 'runs/*.run': also compare how the first two sets "
    "of judgments order the systems; can be repeated.",
)
@option(
    "Data",
    "--pairs",
    type=click.Choice(["own", "common"]),
    default="own",
    show_default=True,
    help="Evaluate runs with all documents that each set has, or only with those that both have.",
)
@option(
    "Data",
    "--by",
    metavar="FILE|COLUMN",
    help="Also show slices of the queries: a table with a header and a column of query ids, lines "
    "`qid value`, or a column of PEOPLE.",
)
@options.measure_option("The measure of the runs, such as nDCG@10 or AP(rel=2). [default: nDCG@10]")
@options.convention("unit")
@options.convention("combine")
@options.convention("unit_depth")
@option(
    "Conventions",
    "--rel",
    "--threshold",
    "rel",
    type=float,
    metavar="LABEL",
    help="The lowest relevant label in the first line; a table has the others. [default: 2 on a "
    "scale up to 3 or more, otherwise the lowest label above 0]",
)
@option(
    "Conventions",
    "--labels",
    metavar="0,1,2,3",
    callback=_as_labels,
    help="All labels of the scale, on which AC1, AC2 and Brennan-Prediger depend. [default: those "
    "that occur]",
)
@option(
    "Conventions",
    "--relabel",
    metavar="LABEL=LABEL",
    multiple=True,
    callback=_as_relabelled,
    help="What MODEL means by a label, if its scale differs from that of PEOPLE; can be repeated.",
)
@option(
    "Conventions",
    "--failed",
    type=float,
    metavar="LABEL",
    multiple=True,
    help="A label of MODEL that stands for none, such as -1 for an answer that could not be read. "
    "These are counted and left out, as empty labels are; can be repeated.",
)
@option(
    "Conventions",
    "--missing",
    type=float,
    metavar="LABEL",
    help="The label of documents that a set lacks, and another has, in queries that both have. "
    "[default: they are left out]",
)
@option(
    "Statistics",
    "--interval",
    type=click.Choice(["jackknife", "bootstrap", "pairs"]),
    default="jackknife",
    show_default=True,
    help="How intervals are found: leave out each query, and take t; or draw queries, and take "
    "percentiles; or, as other tools do, take pairs as independent, which makes them too short.",
)
@options.confidence("Confidence of the intervals.")
@options.resamples(10_000, "Number of draws of queries for --interval bootstrap.")
@options.seed
@option(
    "Tables",
    "--name",
    "names",
    multiple=True,
    metavar="FILE=NAME",
    help="Name of a set of judgments in the output; can be repeated. [default: the file without "
    "folder and ending]",
)
@options.per_query
@options.format_option("table", "json", "csv", "parquet", "markdown", "latex")
@plot_option("Also write a plot; requires matplotlib.")
@option(
    "Output",
    "--plot-kind",
    "kind",
    type=click.Choice(["confusion", "queries", "systems"]),
    default="confusion",
    show_default=True,
    help="What to plot: the table of labels; the mean label of each query by both; or the score of "
    "each of the --runs by both.",
)
@page_option
@options.output
@options.quiet
@options.qrels_format
@options.column_option(
    "column",
    "Name of the column that contains query_id, doc_id or label in the judgments, if it is not "
    "recognised; can be repeated.",
    ["query_id", "doc_id", "label"],
)
@options.parents
@options.threads
def judges(
    people: str,
    model: str,
    more: tuple[str, ...],
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    failed: tuple[float, ...],
    names: tuple[str, ...],
    per_query: bool,
    form: str,
    picture: Path | None,
    page: Path | None,
    kind: Any,
    output: Path | None,
    quiet: bool,
    by: str | None,
    **given: Any,
) -> None:
    """Compare the labels of PEOPLE and of a MODEL, or of any judges, for the same documents.

    The first line says how far they agree. The tables have kappa, alpha, AC1 and others with
    intervals over queries, what changes with the lowest relevant label, what MODEL says of each
    label of PEOPLE, and how many documents have each pair of labels. With --runs, they also show
    which decisions about systems change.

    \b
      rankmark judges people.txt llm.txt
      rankmark judges people.txt llm.txt --rel 2 --by topics.csv --plot labels.svg
      rankmark judges people.txt llm.txt --runs 'runs/*.run' -m nDCG@10
      rankmark judges people.txt llm-a.txt llm-b.txt --failed -1
    """  # noqa: D301  (click reads the backspace)
    if len(measures) > 1:
        raise click.UsageError("give one --measure")
    if measures and not runs:
        raise click.UsageError("--measure is for runs; give --runs, too")
    if kind == "systems" and not runs:
        raise click.UsageError("--plot-kind systems is for runs; give --runs, too")
    sets = [people, model, *more]
    called = names_of_runs(sets, names, what=("judge", "FILE"))
    with reported_errors():
        from rankmark.commands.parts.progress import Progress  # noqa: PLC0415
        from rankmark.judges.agreement.compare_judgments import compare_judgments  # noqa: PLC0415
        from rankmark.results.drawing.figures import require_matplotlib  # noqa: PLC0415
        from rankmark.verbs.evaluate.given_runs import paths_of_runs  # noqa: PLC0415

        systems = paths_of_runs(runs)
        slices = by if by is not None and Path(by).exists() else None
        refuse_conflicts([*sets, *systems, slices, given["parents"]], output, picture, page)
        if picture is not None or page is not None:
            require_matplotlib()  # before large files are read
        with Progress(sets) as progress:
            found = compare_judgments(
                *sets,
                names=called,
                by=by,
                runs=systems or None,
                measure=measures[0] if measures else "nDCG@10",
                failed=failed or None,
                progress=progress.update,
                **given,
            )
        if picture is not None:
            write_plot(partial(found.plot, kind), picture)
        if form in TABULAR:
            write_result(found.by_query if per_query else found, form, output)
        else:
            text = as_text(found, form, per_query=per_query, is_quiet=quiet, width=width_of(output))
            write_output(text, output)
        write_notes(form, [*found.summary.split("\n"), *found.told_warnings, *found.notes])
        if page is not None:
            write_page(found, page)
