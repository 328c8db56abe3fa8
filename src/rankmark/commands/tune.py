"""``rankmark tune``: choose how to fuse runs, and estimate what that gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rankmark.commands.fuse import complete_method
from rankmark.commands.parts import options
from rankmark.commands.parts.grouped_help import PATH, option
from rankmark.commands.parts.of_verb import Call, command_of, own
from rankmark.commands.parts.writing import width_of, write_plot
from rankmark.results.details import ON_COMMAND_LINE

if TYPE_CHECKING:
    from pathlib import Path


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


@command_of(
    "verbs.tune.tune_fusion:tune_fusion",
    ["qrels", "runs..."],
    options.measure_option("The measure to improve, such as AP(rel=2). [default: nDCG@10]"),
    options.rel,
    own("methods", "norms", "k", "step"),
    option(
        "Method",
        "--equal-weights",
        is_flag=True,
        help="Leave all weights at 1, and tune only methods, norms and k.",
    ),
    own("folds", "repeats"),
    options.clusters("Statistics", ", which are kept in one fold"),
    options.seed,
    options.list_depth,
    options.list_ties(
        "Documents with equal scores in a list, as for `rankmark fuse`.",
        default="docid",
        show_default=True,
    ),
    options.lower_better,
    *map(
        options.convention,
        ("queries", "no_relevant", "unit", "qrels_unit", "combine", "unit_depth"),
    ),
    options.format_option("table", "json", "csv", "parquet"),
    option(
        "Output",
        "--fused",
        metavar="FILE",
        type=PATH,
        help="Also write the runs fused by the best point, for all queries.",
    ),
    option(
        "Output",
        "--held-out",
        metavar="FILE",
        type=PATH,
        help="Also write the run in which each query is fused by what was chosen without it; "
        "compare or gate this one.",
    ),
    options.plot("Also write a plot of the measure by weight; requires matplotlib."),
    options.plot(
        "Also write a plot of the recall of each list and of their union, by depth.",
        "--plot-recall",
        "recall",
    ),
    options.output,
    options.quiet,
    options.verbose,
    options.qrels_format,
    options.run_format,
    options.column,
    options.parents,
    options.qrels_parents,
    options.threads,
    methods={
        "flag": "--method",
        "type": str,
        "multiple": True,
        "metavar": "METHOD",
        "shell_complete": complete_method,
        "help": "A method of `rankmark fuse` to try; a parameter in its name is not varied: "
        "RRF(k=60) tunes only weights. [default: RRF, wsum]",
    },
    norms={
        "flag": "--norm",
        "type": str,
        "multiple": True,
        "metavar": "NORM",
        "help": "A norm to try with methods that use scores, such as z. [default: min-max]",
    },
    k={
        "type": str,
        "metavar": "K,K,...",
        "callback": _as_numbers,
        "help": "Constants of RRF to try. [default: 1,2,5,10,20,40,60,80,100,200]",
    },
    folds={"type": click.IntRange(min=2)},
    repeats={"type": click.IntRange(min=1)},
)
def tune(
    call: Call,
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    k: list[float] | None,
    equal_weights: bool,
    lower_better: tuple[str, ...],
    fused: Path | None,
    held_out: Path | None,
    recall: Path | None,
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
    options.one_measure(measures, "fusion is tuned by one measure; found {} -m")
    if len(runs) < 2:
        raise click.UsageError("fusion needs at least two runs; name another RUN")
    if equal_weights and call.picture is not None:
        raise click.UsageError("--plot draws weights, and --equal-weights leaves them alike")
    from rankmark.results.drawing.figures import require_matplotlib  # noqa: PLC0415
    from rankmark.results.run_names import short_names  # noqa: PLC0415
    from rankmark.verbs.convert.convert import convert  # noqa: PLC0415

    call.prepare()
    if recall is not None:
        require_matplotlib()
    chosen: dict[str, Any] = {} if k is None else {"k": k}
    chosen |= {"step": None} if equal_weights else {}
    short = dict(zip(runs, short_names(list(runs)), strict=True))
    lower = [short.get(name, name) for name in lower_better]
    found = call.result(
        qrels, list(runs), *measures, told=[qrels, *runs], lower_better=lower, **chosen
    )
    for run, file, tag in (("run", fused, "tuned"), ("held_out_run", held_out, "held-out")):
        if file is not None:
            convert(getattr(found, run), file, tag=tag)
    if recall is not None:
        write_plot(found.bounds.plot, recall)
    verbose, width = call.verbose, width_of(call.output)
    call.write(
        found,
        as_text=lambda: found.to_text(how=ON_COMMAND_LINE, verbose=verbose, width=width),
        notes=[],
    )
