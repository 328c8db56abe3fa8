"""``rankmark estimate`` and ``rankmark choose``: few labels of people and many of a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankmark.commands.parts import options
from rankmark.commands.parts.faults import refuse_conflicts, reported_errors
from rankmark.commands.parts.grouped_help import PATH, Command, command, option
from rankmark.commands.parts.options import as_queries
from rankmark.commands.parts.pictures import page_option, plot_option, write_page, write_plot
from rankmark.commands.parts.publishing import (
    TABULAR,
    is_pasted,
    width_of,
    write_notes,
    write_output,
    write_result,
)
from rankmark.commands.parts.tables import named_baseline

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankmark.verbs.evaluate.result_tables import Format


def _strata(
    about: str, metavar: str = "FILE|COLUMN", default: str = "", **parsed: Any
) -> Callable[[Command], Command]:
    """Make the option for the stratum of each query, and what else it may be."""
    return option(
        "Sample",
        "--strata",
        metavar=metavar,
        help=f"{about}: a table with a column stratum, lines `qid stratum`, or a column of MODEL."
        f"{default}",
        **parsed,
    )


@command()
@click.argument("people", type=click.Path(allow_dash=True))
@click.argument("model", type=click.Path(allow_dash=True))
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path())
@options.seen
@options.measure_option("A measure, such as nDCG@10; can be repeated. [default: nDCG@10]")
@options.rel
@options.conventions
@_strata(
    "The stratum of each query, if people judged a random sample of each stratum",
    type=click.Path(allow_dash=True),
)
@option(
    "Sample",
    "--probabilities",
    metavar="FILE",
    type=click.Path(allow_dash=True),
    help="With what probability each query was chosen for people: what rankmark choose writes, a "
    "table with a column probability, or lines `qid probability`.",
)
@options.clusters("Sample")
@option(
    "Sample",
    "--finite",
    is_flag=True,
    help="The queries of MODEL are all that you ask about, and not a sample of those to come.",
)
@option(
    "Sample",
    "--random",
    is_flag=True,
    default=None,
    help="Say that people judged a random sample. [default: assumed without --strata and "
    "--probabilities, unless the model scores its queries otherwise than the rest]",
)
@option(
    "Statistics",
    "--method",
    type=click.Choice(["ppi++", "ppi", "human"]),
    default="ppi++",
    show_default=True,
    help="Use as much of the model as helps, all of it, or none.",
)
@option(
    "Statistics",
    "--baseline",
    metavar="RUN",
    help="The run that every other one is compared with, by path or name. [default: all pairs]",
)
@options.confidence(
    "Confidence of intervals; a difference is significant if its adjusted p is at most 1 "
    "minus this."
)
@option(
    "Statistics",
    "--correction",
    type=click.Choice(["holm", "bonferroni", "max-t", "none"]),
    default="holm",
    show_default=True,
    help="Correction for the number of differences.",
)
@option(
    "Statistics",
    "--family",
    type=click.Choice(["measure", "all"]),
    default="measure",
    show_default=True,
    help="Correct the differences on each measure separately, or on all measures together.",
)
@option(
    "Statistics",
    "--interval",
    type=click.Choice(["t", "normal"]),
    default="t",
    show_default=True,
    help="Student's t, or the normal distribution as PPI++ was published, which is too short for "
    "few queries.",
)
@option(
    "Statistics",
    "--half-width",
    type=click.FloatRange(0, min_open=True),
    metavar="NUMBER",
    help="Also say how many queries people have to judge for intervals of plus and minus this.",
)
@options.seed
@options.form
@plot_option("Also write a plot of the intervals; requires matplotlib.")
@page_option
@options.output
@options.quiet
@options.verbose
@options.reading
def estimate(
    people: str,
    model: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    baseline: str | None,
    form: Format,
    picture: Path | None,
    page: Path | None,
    output: Path | None,
    quiet: bool,
    verbose: bool,
    queries: str,
    **given: Any,
) -> None:
    """Estimate scores by people's labels, if people judged few queries and a model many.

    PEOPLE holds judgments by people of some queries, and MODEL judgments by a language model of
    these and of many others. The model's mean is corrected by how far it was off where people
    judged too, so the result is valid however wrong the model is (prediction-powered inference).
    The first line is the answer; each estimate stands beside those of people's labels alone and of
    the model's alone.

    \b
      rankmark estimate people.txt model.txt old.run new.run -m nDCG@10
      rankmark estimate people.txt model.txt *.run --probabilities plan.csv
      rankmark estimate people.txt model.txt new.run --half-width 0.02
    """  # noqa: D301  (click reads the backspace)
    options.notes_wanted(is_quiet=quiet, is_verbose=verbose)
    with reported_errors():
        beside = [given[name] for name in ("seen", "strata", "probabilities", "clusters")]
        # The same file may say both.
        read = [people, model, *runs, *dict.fromkeys(beside)]
        refuse_conflicts(read, output, picture, page, queries=queries)
        from rankmark.commands.parts.progress import Progress  # noqa: PLC0415
        from rankmark.judges.estimate.estimate import estimate as estimate_runs  # noqa: PLC0415
        from rankmark.judges.estimate.estimate_plot import drawn_size  # noqa: PLC0415
        from rankmark.judges.estimate.estimate_text import rendered  # noqa: PLC0415
        from rankmark.results.details import ON_COMMAND_LINE, shown  # noqa: PLC0415
        from rankmark.results.drawing.figures import require_matplotlib  # noqa: PLC0415
        from rankmark.results.run_names import short_names  # noqa: PLC0415

        names = short_names(runs)
        if picture is not None or page is not None:
            require_matplotlib()  # before large files are read
        with Progress([people, *runs, model, *runs]) as progress:
            found = estimate_runs(
                people,
                model,
                dict(zip(names, runs, strict=True)),
                measures or "nDCG@10",
                baseline=None if baseline is None else named_baseline(baseline, runs, names),
                queries=as_queries(queries),
                progress=progress.update,
                **given,
            )
        if picture is not None:
            size = drawn_size(len(found.differences or found.means))
            write_plot(found.plot, picture, size)
        notes = shown(found.notes, verbose=verbose, how=ON_COMMAND_LINE)
        text = rendered(found, form, width=width_of(output), verbose=verbose, how=ON_COMMAND_LINE)
        write_result(found if form in TABULAR else text, form, output)
        if is_pasted(form):
            write_notes(form, [found.decision, *notes[: 1 if quiet else None]])
        if page is not None:
            write_page(found, page)


def _as_strata(
    _context: click.Context, _parameter: click.Parameter, given: str | None
) -> int | str | None:
    """Parse --strata: a number of strata, or where to find them."""
    if given is None or not given.isdecimal():
        return given
    if int(given) < 1:
        raise click.BadParameter("0; need at least 1")
    return int(given)


@command()
@click.argument("model", type=click.Path(allow_dash=True))
@options.runs
@option(
    "Sample",
    "-n",
    "n",
    type=click.IntRange(min=1),
    required=True,
    metavar="N",
    help="How many queries to choose.",
)
@option(
    "Sample",
    "--method",
    type=click.Choice(["random", "stratified", "active"]),
    default="random",
    show_default=True,
    help="All queries with the same probability; at random from each stratum; or with a higher "
    "probability where the runs differ more by the model, or the model is less sure.",
)
@_strata(
    "For stratified: a number of strata of equal size by the score of the runs, or the stratum of "
    "each query",
    "N|FILE|COLUMN",
    " [default: 4]",
    callback=_as_strata,
)
@option(
    "Sample",
    "--allocation",
    type=click.Choice(["proportional", "equal", "neyman"]),
    default="proportional",
    show_default=True,
    help="How many queries of each stratum: proportional to its size, equally many, or also to the "
    "spread of scores in it.",
)
@option(
    "Sample",
    "--uncertainty",
    metavar="FILE",
    type=click.Path(allow_dash=True),
    help="For active: how far the model may be off on each query, lines `qid number`. [default: "
    "how much the scores of the runs differ]",
)
@option(
    "Sample",
    "--uniform",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.5,
    show_default=True,
    metavar="SHARE",
    help="For active: the share of equal probabilities that is mixed in.",
)
@options.seen
@options.measure_option("One measure, such as RR@10. [default: nDCG@10]")
@options.rel
@options.conventions
@options.seed
@options.table_or_json
@option(
    "Output",
    "--to-judge",
    "to_judge",
    metavar="FILE",
    type=PATH,
    help="Also write the queries to judge, one per line.",
)
@options.output
@options.quiet
@options.reading
def choose(
    model: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    form: str,
    to_judge: Path | None,
    output: Path | None,
    quiet: bool,  # noqa: ARG001  (read by the progress bar)
    queries: str,
    **given: Any,
) -> None:
    """Choose which queries people should judge, among those that a model judged.

    MODEL holds judgments by a language model. csv has a row for each query, with the probability
    with which it was chosen, which `rankmark estimate --probabilities` needs, and its stratum, for
    `rankmark estimate --strata`.

    \b
      rankmark choose model.txt *.run -n 50 --to-judge queries.txt
      rankmark choose model.txt *.run -n 50 --format csv -o plan.csv
    """  # noqa: D301  (click reads the backspace)
    if len(measures) > 1:
        raise click.UsageError("give one --measure")
    with reported_errors():
        strata = given["strata"] if isinstance(given["strata"], str) else None
        read = [model, *runs, given["seen"], strata, given["uncertainty"]]
        refuse_conflicts(read, output, to_judge, queries=queries)
        from rankmark.commands.parts.progress import Progress  # noqa: PLC0415
        from rankmark.judges.estimate.choose_queries import choose_queries  # noqa: PLC0415
        from rankmark.results.run_names import short_names  # noqa: PLC0415

        with Progress([model, *runs]) as progress:
            found = choose_queries(
                model,
                dict(zip(short_names(runs), runs, strict=True)),
                *(measures or ("nDCG@10",)),
                queries=as_queries(queries),
                progress=progress.update,
                **given,
            )
        if to_judge is not None:
            write_output("".join(f"{query}\n" for query in found.chosen), to_judge)
        is_json = form == "json"
        text = found.to_json(indent=2) + "\n" if is_json else found.to_text(width=width_of(output))
        write_result(found if form in TABULAR else text, form, output)
