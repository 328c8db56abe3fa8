"""``rankmark tune``: choose how to fuse runs, and estimate what that gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from rankmark.commands.fuse import complete_method
from rankmark.commands.parts import options
from rankmark.commands.parts.grouped_help import further
from rankmark.commands.parts.of_verb import Call, command_of
from rankmark.commands.parts.tables import called
from rankmark.commands.parts.verb_options import further_own, numbers_in, own, parsed
from rankmark.commands.parts.writing import width_of, write_plot
from rankmark.results.details import ON_COMMAND_LINE


def _as_numbers(given: str) -> list[float]:
    """Parse numbers with commas, whole ones as such."""
    return [int(one) if one.is_integer() else one for one in numbers_in(given)]


@command_of(
    "verbs.tune.tune_fusion:tune_fusion",
    ["qrels", "runs..."],
    options.measure_option("The measure to improve, such as AP(rel=2). [default: nDCG@10]"),
    options.rel,
    own("methods", "norms", "k", "step"),
    options.flag(
        "--equal-weights",
        "Leave all weights at 1, and tune only methods, norms and k.",
        "Method",
    ),
    own("folds"),
    further_own("repeats", "clusters"),
    options.seed,
    further_own("depth", "ties"),
    further(options.lower_better),
    options.convention("queries", "no_relevant", "unit", "qrels_unit", "combine", "unit_depth"),
    options.format_option("table", "json", "csv", "parquet"),
    options.also("fused", "the runs fused by the best point, for all queries"),
    options.also(
        "held-out",
        "the run in which each query is fused by what was chosen without it; compare or gate this "
        "one",
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
    further(
        options.qrels_format,
        options.run_format,
        options.column,
        options.parents,
        options.qrels_parents,
    ),
    options.threads,
    methods={
        "flag": "--method",
        "multiple": True,
        "metavar": "METHOD",
        "shell_complete": complete_method,
    },
    norms={"flag": "--norm", "multiple": True, "metavar": "NORM"},
    k={
        "metavar": "K,K,...",
        "callback": parsed(_as_numbers, "{!r} is not a list of numbers, such as 10,60"),
    },
    folds={"type": click.IntRange(min=2)},
    repeats={"type": click.IntRange(min=1)},
    clusters=options.CLUSTERS,
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
    it.

    \b
      rankmark tune qrels.txt bm25.run dense.run
      rankmark tune qrels.txt bm25.run dense.run -m AP --fused fused.run
      rankmark tune qrels.txt *.run --method "RRF(k=60)" --plot weights.svg

    \f
    The held-out scores are then compared with each run and with RRF(k=60), which needs no tuning;
    the points follow, and what fusion could give at most. In csv and parquet, there is a row for
    each point.
    """  # noqa: D301  (click reads the backspace)
    options.one_measure(measures, "fusion is tuned by one measure; found {} -m")
    if len(runs) < 2:
        raise click.UsageError("fusion needs at least two runs; name another RUN")
    if equal_weights and call.picture is not None:
        raise click.UsageError("--plot draws weights, and --equal-weights leaves them alike")
    from rankmark.results.drawing.figures import require_matplotlib  # noqa: PLC0415
    from rankmark.verbs.convert.convert import convert  # noqa: PLC0415

    call.prepare()
    if recall is not None:
        require_matplotlib()
    chosen: dict[str, Any] = {} if k is None else {"k": k}
    chosen |= {"step": None} if equal_weights else {}
    chosen["lower_better"] = called(lower_better, runs)
    found = call.result(qrels, list(runs), *measures, told=[qrels, *runs], **chosen)
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
