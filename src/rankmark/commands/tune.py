"""``rankmark tune``: choose how to fuse runs on judged queries."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankmark.commands.fuse import complete_method
from rankmark.commands.parts import options
from rankmark.commands.parts.faults import refuse_conflicts, reported_errors
from rankmark.commands.parts.grouped_help import PATH, command, option
from rankmark.commands.parts.options import as_queries
from rankmark.commands.parts.pictures import plot_option, write_plot
from rankmark.commands.parts.publishing import TABULAR, width_of, write_output, write_table
from rankmark.results.details import ON_COMMAND_LINE

if TYPE_CHECKING:
    from rankmark.verbs.tune.tuned_fusion import TunedFusion


def _as_numbers(
    _context: click.Context, _parameter: click.Parameter, given: str | None
) -> list[float] | None:
    """Parse numbers with commas, whole ones as such."""
    if given is None:
        return None
    try:
        numbers = [float(number) for number in given.split(",")]
        return [int(number) if number.is_integer() else number for number in numbers]
    except (ValueError, OverflowError):
        raise click.BadParameter(f"{given!r} is not a list of numbers, such as 10,60") from None


@command()
@options.qrels
@options.runs
@options.measure_option("The measure to improve, such as AP(rel=2). [default: nDCG@10]")
@options.rel
@option(
    "Method",
    "--method",
    "methods",
    multiple=True,
    metavar="METHOD",
    shell_complete=complete_method,
    help="A method of `rankmark fuse` to try; can be repeated. A parameter in its name is not "
    "varied: RRF(k=60) tunes only weights. [default: RRF, wsum]",
)
@option(
    "Method",
    "--norm",
    "norms",
    multiple=True,
    metavar="NORM",
    help="A norm to try with methods that use scores, such as z; can be repeated. [default: "
    "min-max]",
)
@option(
    "Method",
    "--k",
    metavar="K,K,...",
    callback=_as_numbers,
    help="Constants of RRF to try. [default: 1,2,5,10,20,40,60,80,100,200]",
)
@option(
    "Method",
    "--step",
    type=float,
    default=0.1,
    show_default=True,
    help="The step between two weights, 1 divided by a whole number; all weights that add up to 1 "
    "are tried.",
)
@option(
    "Method",
    "--equal-weights",
    is_flag=True,
    help="Leave all weights at 1, and tune only methods, norms and k.",
)
@option(
    "Statistics",
    "--folds",
    type=click.IntRange(min=2),
    default=5,
    show_default=True,
    help="Number of folds: each query is scored by what was chosen on the other folds.",
)
@option(
    "Statistics",
    "--repeats",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="How often queries are dealt into folds; the time whose mean is nearest to that of all "
    "is compared, and the others show how much depends on the folds.",
)
@options.clusters("Statistics", ", which are kept in one fold")
@options.seed
@options.list_depth
@options.list_ties(
    "Documents with equal scores in a list, as for `rankmark fuse`.",
    default="docid",
    show_default=True,
)
@options.lower_better
@options.convention("queries")
@options.convention("no_relevant")
@options.convention("unit")
@options.convention("qrels_unit")
@options.convention("combine")
@options.convention("unit_depth")
@options.format_option("table", "json", "csv", "parquet")
@option(
    "Output",
    "--fused",
    metavar="FILE",
    type=PATH,
    help="Also write the runs fused by the best point, for all queries.",
)
@option(
    "Output",
    "--held-out",
    metavar="FILE",
    type=PATH,
    help="Also write the run in which each query is fused by what was chosen without it; compare "
    "or gate this one.",
)
@plot_option("Also write a plot of the measure by weight; requires matplotlib.")
@plot_option(
    "Also write a plot of the recall of each list and of their union, by depth.",
    "--plot-recall",
    "recall",
)
@options.output
@options.quiet
@options.verbose
@options.qrels_format
@options.run_format
@options.column
@options.parents
@options.qrels_parents
@options.threads
def tune(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    methods: tuple[str, ...],
    norms: tuple[str, ...],
    k: list[float] | None,
    step: float,
    equal_weights: bool,
    clusters: str | None,
    lower_better: tuple[str, ...],
    queries: str,
    form: str,
    fused: Path | None,
    held_out: Path | None,
    picture: Path | None,
    recall: Path | None,
    output: Path | None,
    quiet: bool,
    verbose: bool,
    **choices: Any,
) -> None:
    """Choose on judged queries how to fuse runs, and estimate what that gives on others.

    QRELS and each RUN are files as for `rankmark evaluate`; there are two or more runs. All points
    of a grid of methods, parameters and weights are scored. The first lines name the best point, to
    be deployed with `rankmark fuse`, and say what tuning gives on queries that were not used for
    it. These held-out scores are then compared with each run and with RRF(k=60), which needs no
    tuning; the points follow, and what fusion could give at most. In csv and parquet, there is a
    row for each point.

    \b
      rankmark tune qrels.txt bm25.run dense.run
      rankmark tune qrels.txt bm25.run dense.run -m AP --fused fused.run
      rankmark tune qrels.txt *.run --method "RRF(k=60)" --plot weights.svg
    """  # noqa: D301  (click reads the backspace)
    with reported_errors():
        from rankmark.commands.parts.progress import Progress  # noqa: PLC0415
        from rankmark.results.drawing.figures import require_matplotlib  # noqa: PLC0415
        from rankmark.results.run_names import short_names  # noqa: PLC0415
        from rankmark.verbs.tune.tune_fusion import tune_fusion  # noqa: PLC0415
        from rankmark.verbs.tune.tuned_fusion import tuned_text  # noqa: PLC0415

        options.notes_wanted(is_quiet=quiet, is_verbose=verbose)
        if len(measures) > 1:
            raise click.UsageError(f"fusion is tuned by one measure; found {len(measures)} -m")
        if len(runs) < 2:
            raise click.UsageError("fusion needs at least two runs; name another RUN")
        if equal_weights and picture is not None:
            raise click.UsageError("--plot draws weights, and --equal-weights leaves them alike")
        written = (output, fused, held_out, picture, recall)
        beside = clusters, choices["parents"], choices["qrels_parents"]
        refuse_conflicts([qrels, *runs, *beside], *written, queries=queries)
        if picture is not None or recall is not None:
            require_matplotlib()  # before large files are read
        grid: dict[str, Any] = {"methods": list(methods), "norms": list(norms), "k": k}
        grid["measure"] = measures[0] if measures else None
        chosen: dict[str, Any] = {name: given for name, given in grid.items() if given}
        short = dict(zip(runs, short_names(list(runs)), strict=True))
        with Progress([qrels, *runs]) as progress:
            found = tune_fusion(
                qrels,
                list(runs),
                step=None if equal_weights else step,
                clusters=clusters,
                lower_better=[short.get(name, name) for name in lower_better],
                queries=as_queries(queries),
                progress=progress.update,
                **chosen,
                **choices,
            )
        _write_runs(found, fused, held_out)
        if picture is not None:
            write_plot(found.plot, picture)
        if recall is not None:
            write_plot(found.bounds.plot, recall)
        if form in TABULAR:
            write_table(found, form, output)
        elif form == "json":
            write_output(found.to_json(indent=2) + "\n", output)
        else:
            width = width_of(output)
            write_output(tuned_text(found, ON_COMMAND_LINE, verbose=verbose, width=width), output)


def _write_runs(found: TunedFusion, fused: Path | None, held_out: Path | None) -> None:
    """Write the runs that were asked for, each completely or not at all."""
    from rankmark.verbs.convert.convert import convert  # noqa: PLC0415

    if fused is not None:
        convert(found.run, fused, tag="tuned")
    if held_out is not None:
        convert(found.held_out_run, held_out, tag="held-out")
